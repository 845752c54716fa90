/**
 * Mutations of comments on lines and of their threads. A new comment belongs to a pending review, unless it is an
 * answer.
 */
import type { Access } from '../../../forge/access/opening.ts'
import { invalidField } from '../../../forge/failures.ts'
import type { ReviewComment } from '../../../forge/pulls/reviews/review.ts'
import { omitUndefined } from '../../../lib/omit-undefined.ts'
import { encodeCursor } from '../connection.ts'
import { type Acting, type Maybe, type Mutations, mutation } from './mutation.ts'
import { readSha } from './pull-mutations.ts'
import { type DraftThread, toCommentDraft } from './review-mutations.ts'
import { changed, enter, enterPull, findPlace, getPull, unknownNode } from './subjects.ts'

const pullsWrite = changed('read', 'pull_requests=write')

type InReview = { pullRequestId?: Maybe<string>; pullRequestReviewId?: Maybe<string> }
type AddComment = InReview & {
  body?: Maybe<string>
  path?: Maybe<string>
  position?: Maybe<number>
  inReplyTo?: Maybe<string>
  commitOID?: Maybe<string>
}

/** The pull of a comment, by its own id or by that of one of its reviews. */
async function enterPullOf(graph: Acting, { pullRequestId, pullRequestReviewId }: InReview) {
  if (pullRequestReviewId) {
    const { access, place } = await enter(graph, pullRequestReviewId, ['PullRequestReview'], pullsWrite)
    return { access, number: Number(place.key), reviewId: place.id }
  }
  if (!pullRequestId) throw invalidField('pullRequestId', 'missing_field', 'Name the pull request, or a review of it.')
  return { ...(await enterPull(graph, pullRequestId, pullsWrite)), reviewId: undefined }
}

const showComment =
  (graph: Acting, { repository }: Access<'read'>, comment: ReviewComment) =>
  async () => {
    const opened = await graph.demand(repository, 'pulls')
    return graph.make.reviewComment(comment, await graph.services.pulls.get(graph.actor, opened, comment.number))
  }

const showThread =
  (graph: Acting, { repository }: Access<'read'>, number: number, id: number) =>
  async () => {
    const opened = await graph.demand(repository, 'pulls')
    const thread = await graph.acts.reviewThreads.get(graph.actor, opened, id)
    return graph.make.reviewThread(thread, await graph.services.pulls.get(graph.actor, opened, number))
  }

const mark = (act: 'resolve' | 'unresolve') =>
  mutation<{ threadId: string }>({
    input: 'threadId: ID!',
    payload: 'thread: PullRequestReviewThread',
    async act(graph, { threadId }) {
      const { access, place } = await enter(graph, threadId, ['PullRequestReviewThread'], pullsWrite)
      const number = Number(place.key)
      await graph.acts.reviewThreads[act](access, number, place.id)
      return { thread: showThread(graph, access, number, place.id) }
    },
  })

export const threadMutations: Mutations = {
  addPullRequestReviewThread: mutation<InReview & DraftThread>({
    input:
      'body: String! line: Int path: String! pullRequestId: ID pullRequestReviewId: ID side: DiffSide = RIGHT startLine: Int startSide: DiffSide = RIGHT subjectType: PullRequestReviewThreadSubjectType = LINE',
    payload: 'thread: PullRequestReviewThread',
    createsContent: true,
    async act(graph, input) {
      const { access, number, reviewId } = await enterPullOf(graph, input)
      const pull = await getPull(graph, access, number)
      const comment = await graph.acts.reviewComments.createPending(access, pull, toCommentDraft(input), reviewId)
      return { thread: showThread(graph, access, number, comment.id) }
    },
  }),

  addPullRequestReviewThreadReply: mutation<{
    pullRequestReviewThreadId: string
    pullRequestReviewId?: Maybe<string>
    body: string
  }>({
    input: 'body: String! pullRequestReviewId: ID pullRequestReviewThreadId: ID!',
    payload: 'comment: PullRequestReviewComment',
    createsContent: true,
    async act(graph, { pullRequestReviewThreadId, pullRequestReviewId, body }) {
      const { access, place } = await enter(graph, pullRequestReviewThreadId, ['PullRequestReviewThread'], pullsWrite)
      const comment = await reply(graph, access, { number: Number(place.key), to: place.id, body, pullRequestReviewId })
      return { comment: showComment(graph, access, comment) }
    },
  }),

  addPullRequestReviewComment: mutation<AddComment>({
    input:
      'body: String commitOID: GitObjectID inReplyTo: ID path: String position: Int pullRequestId: ID pullRequestReviewId: ID',
    payload: 'comment: PullRequestReviewComment commentEdge: PullRequestReviewCommentEdge',
    createsContent: true,
    async act(graph, input) {
      const { body, path, position, inReplyTo } = input
      if (!body) throw invalidField('body', 'missing_field', 'It needs a body.')
      const { access, number, reviewId } = await enterPullOf(graph, input)
      const show = (comment: ReviewComment) => {
        const node = showComment(graph, access, comment)
        return { comment: node, commentEdge: { cursor: encodeCursor(1), node } }
      }
      if (inReplyTo) {
        const place = await findPlace(graph, inReplyTo, ['PullRequestReviewComment'])
        if (place.repositoryId !== access.repository.id || Number(place.key) !== number) throw unknownNode(inReplyTo)
        return show(
          await reply(graph, access, { number, to: place.id, body, pullRequestReviewId: input.pullRequestReviewId }),
        )
      }
      if (!path) throw invalidField('path', 'missing_field', 'path is missing')
      const pull = await getPull(graph, access, number)
      const commitSha = readSha('commitOID', input.commitOID)
      const draft = { path, body, ...omitUndefined({ position: position ?? undefined, commitSha }) }
      return show(await graph.acts.reviewComments.createPending(access, pull, draft, reviewId))
    },
  }),

  updatePullRequestReviewComment: mutation<{ pullRequestReviewCommentId: string; body: string }>({
    input: 'body: String! pullRequestReviewCommentId: ID!',
    payload: 'pullRequestReviewComment: PullRequestReviewComment',
    async act(graph, { pullRequestReviewCommentId: id, body }) {
      const { access, place } = await enter(graph, id, ['PullRequestReviewComment'], pullsWrite)
      const comment = await graph.acts.reviewComments.edit(access, place.id, body)
      return { pullRequestReviewComment: showComment(graph, access, comment) }
    },
  }),

  deletePullRequestReviewComment: mutation<{ id: string }>({
    input: 'id: ID!',
    payload: 'pullRequestReviewComment: PullRequestReviewComment',
    async act(graph, { id }) {
      const need = changed('read', 'pull_requests=write', { evenBlocked: true })
      const { access, place } = await enter(graph, id, ['PullRequestReviewComment'], need)
      const comment = await graph.services.reviewReading.getComment(graph.actor, access.repository, place.id)
      await graph.acts.reviewComments.remove(access, place.id)
      return { pullRequestReviewComment: showComment(graph, access, comment) }
    },
  }),

  resolveReviewThread: mark('resolve'),
  unresolveReviewThread: mark('unresolve'),
}

type Reply = { number: number; to: number; body: string; pullRequestReviewId?: Maybe<string> }

/** A reply is published at once, unless it belongs to the caller's pending review. */
async function reply(graph: Acting, access: Access<'read'>, { number, to, body, pullRequestReviewId }: Reply) {
  const { reviewComments } = graph.acts
  const pull = await getPull(graph, access, number)
  const pending = pullRequestReviewId
    ? (await findPlace(graph, pullRequestReviewId, ['PullRequestReview'])).id
    : await reviewComments.findPendingReview(access, pull.issue.id)
  if (pending !== undefined) return reviewComments.replyPending(access, pull, to, body, pending)
  if (body === '') throw invalidField('body', 'missing_field', 'It needs a body.')
  return reviewComments.reply(access, pull, to, body)
}
