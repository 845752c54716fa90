/** Review mutations: write, submit, dismiss, request. */

import type { Access } from '../../../forge/access/opening.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { CommentDraft } from '../../../forge/pulls/reviews/comment-place.ts'
import type { Review } from '../../../forge/pulls/reviews/review.ts'
import type { Verdict } from '../../../forge/pulls/reviews/reviews.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { type Acting, type Maybe, type Mutations, mutation } from './mutation.ts'
import { readSha } from './pull-mutations.ts'
import { changed, enter, enterPull, getPull, nameUsers, readId, showPull, unknownNode } from './subjects.ts'

const pullsWrite = changed('read', 'pull_requests=write')

type Side = 'LEFT' | 'RIGHT'
type DraftComment = { path: string; body: string; position: number }
export type DraftThread = {
  path: string
  body: string
  line?: Maybe<number>
  side?: Maybe<Side>
  startLine?: Maybe<number>
  startSide?: Maybe<Side>
  subjectType?: Maybe<'LINE' | 'FILE'>
}
type Event = 'APPROVE' | 'COMMENT' | 'DISMISS' | 'REQUEST_CHANGES'
type AddReview = {
  pullRequestId: string
  event?: Maybe<Event>
  body?: Maybe<string>
  commitOID?: Maybe<string>
  comments?: Maybe<readonly Maybe<DraftComment>[]>
  threads?: Maybe<readonly Maybe<DraftThread>[]>
}
type SubmitReview = {
  pullRequestId?: Maybe<string>
  pullRequestReviewId?: Maybe<string>
  event: Event
  body?: Maybe<string>
}
type RequestReviews = {
  pullRequestId: string
  userIds?: Maybe<readonly string[]>
  teamIds?: Maybe<readonly string[]>
  union?: Maybe<boolean>
}

/** Dismissing is a mutation of its own. */
function readVerdict(event: Maybe<Event>): Verdict | undefined {
  if (event === 'DISMISS') throw invalidField('event', 'invalid', 'Use dismissPullRequestReview to dismiss a review.')
  return event ?? undefined
}

export const toCommentDraft = (given: DraftThread): CommentDraft => ({
  path: given.path,
  body: given.body,
  ...omitUndefined({
    line: given.line ?? undefined,
    side: given.line === undefined || given.line === null ? undefined : (given.side ?? undefined),
    startLine: given.startLine ?? undefined,
    startSide: given.startSide ?? undefined,
    subject: given.subjectType === 'FILE' ? ('file' as const) : undefined,
  }),
})

const present = (graph: Acting, access: Access<'read'>, number: number, review: Review) => async () => {
  const opened = await graph.demand(access.repository, 'pulls')
  return graph.make.review(review, await graph.services.pulls.get(graph.actor, opened, number))
}

/** Finds a review by its id, for changes on its pull. */
async function enterReview(graph: Acting, id: string, need = pullsWrite) {
  const { access, place } = await enter(graph, id, ['PullRequestReview'], need)
  return { access, number: Number(place.key), reviewId: place.id }
}

const ofReview = <I extends { pullRequestReviewId: string }>(
  input: string,
  act: (graph: Acting, given: I & Awaited<ReturnType<typeof enterReview>>) => Promise<Review>,
  need = pullsWrite,
) =>
  mutation<I>({
    input,
    payload: 'pullRequestReview: PullRequestReview',
    async act(graph, given) {
      const entered = await enterReview(graph, given.pullRequestReviewId, need)
      const review = await act(graph, { ...given, ...entered })
      return { pullRequestReview: present(graph, entered.access, entered.number, review) }
    },
  })

export const reviewMutations: Mutations = {
  addPullRequestReview: mutation<AddReview>({
    input:
      'body: String comments: [DraftPullRequestReviewComment] commitOID: GitObjectID event: PullRequestReviewEvent pullRequestId: ID! threads: [DraftPullRequestReviewThread]',
    payload: 'pullRequestReview: PullRequestReview reviewEdge: PullRequestReviewEdge',
    createsContent: true,
    async act(graph, input) {
      const { access, number } = await enterPull(graph, input.pullRequestId, pullsWrite)
      const pull = await getPull(graph, access, number)
      const drafts: CommentDraft[] = [
        ...(input.comments ?? []).flatMap((each) => (each ? [{ ...each }] : [])),
        ...(input.threads ?? []).flatMap((each) => (each ? [toCommentDraft(each)] : [])),
      ]
      const review = await graph.acts.reviews.create(access, pull, {
        verdict: readVerdict(input.event),
        body: input.body ?? undefined,
        commitSha: readSha('commitOID', input.commitOID),
        comments: drafts,
      })
      const node = present(graph, access, number, review)
      return { pullRequestReview: node, reviewEdge: { cursor: '', node } }
    },
  }),

  submitPullRequestReview: mutation<SubmitReview>({
    input: 'body: String event: PullRequestReviewEvent! pullRequestId: ID pullRequestReviewId: ID',
    payload: 'pullRequestReview: PullRequestReview',
    createsContent: true,
    async act(graph, { pullRequestId, pullRequestReviewId, event, body }) {
      const { access, number, reviewId } = await enterOwn(graph, pullRequestId, pullRequestReviewId)
      const pull = await getPull(graph, access, number)
      const id = reviewId ?? (await graph.acts.reviewComments.findPendingReview(access, pull.issue.id))
      if (id === undefined) throw invalidField('pullRequestReviewId', 'missing', 'You have no review to submit.')
      const review = await graph.acts.reviews.submit(access, pull, id, readVerdict(event)!, body ?? undefined)
      return { pullRequestReview: present(graph, access, number, review) }
    },
  }),

  updatePullRequestReview: ofReview<{ pullRequestReviewId: string; body: string }>(
    'body: String! pullRequestReviewId: ID!',
    async (graph, { access, number, reviewId, body }) => {
      if (body === '') throw invalidField('body', 'missing_field', 'It needs a body.')
      return graph.acts.reviews.edit(access, await getPull(graph, access, number), reviewId, body)
    },
  ),

  deletePullRequestReview: ofReview<{ pullRequestReviewId: string }>(
    'pullRequestReviewId: ID!',
    async (graph, { access, number, reviewId }) =>
      graph.acts.reviews.deletePending(access, await getPull(graph, access, number), reviewId),
    changed('read', 'pull_requests=write', { evenBlocked: true }),
  ),

  dismissPullRequestReview: mutation<{ pullRequestReviewId: string; message: string }>({
    input: 'message: String! pullRequestReviewId: ID!',
    payload: 'pullRequestReview: PullRequestReview',
    async act(graph, { pullRequestReviewId, message }) {
      const need = changed('write', 'pull_requests=write')
      const { access, place } = await enter(graph, pullRequestReviewId, ['PullRequestReview'], need)
      if (message === '') throw invalidField('message', 'missing_field', 'It needs a message.')
      const number = Number(place.key)
      const review = await graph.acts.reviews.dismiss(access, await getPull(graph, access, number), place.id, message)
      return { pullRequestReview: present(graph, access, number, review) }
    },
  }),

  requestReviews: mutation<RequestReviews>({
    input: 'pullRequestId: ID! teamIds: [ID!] union: Boolean = false userIds: [ID!]',
    payload: 'actor: Actor pullRequest: PullRequest',
    createsContent: true,
    async act(graph, { pullRequestId, userIds, teamIds, union }) {
      const { access, number } = await enterPull(graph, pullRequestId, pullsWrite)
      const { repository } = access
      const users = await nameUsers(graph, userIds ?? [])
      const teams = await nameTeams(graph, repository.owner.id, teamIds ?? [])
      // Without `union` the given reviewers replace all others: other requests are withdrawn.
      if (!union) {
        const { requestedUsers, requestedTeams } = await getPull(graph, access, number)
        const isGiven = (names: readonly string[], name: string) =>
          names.some((each) => each.toLowerCase() === name.toLowerCase())
        await graph.acts.reviewRequests.withdraw(access, number, {
          users: userIds ? requestedUsers.map(({ login }) => login).filter((login) => !isGiven(users, login)) : [],
          teams: teamIds ? requestedTeams.map(({ slug }) => slug).filter((slug) => !isGiven(teams, slug)) : [],
        })
      }
      await graph.acts.reviewRequests.request(access, number, { users, teams })
      return { pullRequest: showPull(graph, access, number) }
    },
  }),
}

/** By the review's id or by its pull's: a user has at most one pending review per pull. */
async function enterOwn(graph: Acting, pullId: Maybe<string>, reviewId: Maybe<string>) {
  if (reviewId) return enterReview(graph, reviewId)
  if (!pullId) throw invalidField('pullRequestReviewId', 'missing_field', 'Name the review, or its pull request.')
  return { ...(await enterPull(graph, pullId, pullsWrite)), reviewId: undefined }
}

const nameTeams = (graph: Acting, organisationId: number, ids: readonly string[]): Promise<string[]> =>
  Promise.all(
    ids.map(async (id) => {
      const team = await graph.services.nodePlaces.findTeam(readId(id, ['Team']))
      if (team?.organisationId !== organisationId) throw unknownNode(id)
      return team.slug
    }),
  )
