/** Routes of pulls: list, open, read, edit, merge, and their commits and files. */

import type { Actor } from '../../../accounts/actor.ts'
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { CommitComments } from '../../../forge/commits/comments.ts'
import { notFound } from '../../../forge/failures.ts'
import type { PatchForm } from '../../../forge/git/read/comparing.ts'
import type { GitReading } from '../../../forge/git/read/git-reading.ts'
import { isObjectId } from '../../../forge/git/ref-name.ts'
import type { Verifications } from '../../../forge/keys/signing/verifications.ts'
import type { People } from '../../../forge/people/people.ts'
import type { PullMerging } from '../../../forge/pulls/merging/pull-merging.ts'
import type { TestMerging } from '../../../forge/pulls/merging/test-merging.ts'
import type { Pull } from '../../../forge/pulls/pull.ts'
import type { PullFigures } from '../../../forge/pulls/pull-figures.ts'
import type { Pulls } from '../../../forge/pulls/pulls.ts'
import type { ReviewReading } from '../../../forge/pulls/reviews/review-reading.ts'
import { changed, readable } from '../doors.ts'
import { patchText, readCommitFacts, readForm } from '../git/commit-routes.ts'
import { presentChanges, presentCommit } from '../git/present-git.ts'
import { slice, whether } from '../outcomes.ts'
import { readId } from '../query.ts'
import { created, list, ok, type RestAnswer } from '../rest-answer.ts'
import { type Route, route, usualPage } from '../route.ts'
import { Optional, Shape, Text } from '../schemas.ts'
import type { View } from '../view.ts'
import { presentPull, presentWholePull, pullPlaces } from './present-pull.ts'
import {
  MergeBody,
  PullBody,
  PullEditBody,
  readPullFilter,
  toMergeRequest,
  toPullDraft,
  toPullEdit,
} from './pull-body.ts'

export const readsPull = { door: readable, permission: 'pull_requests=read', resource: 'PullRequest' } as const
export const changesPull = {
  door: changed('read'),
  permission: 'pull_requests=write',
  resource: 'PullRequest',
} as const

export const findPull = (pulls: Pulls, actor: Actor, repository: OpenRepository, number: string): Promise<Pull> =>
  pulls.get(actor, repository, readId(number))

export async function presentWhole(
  {
    pullFigures,
    pullMerging,
    reviewReading,
    testMerging,
  }: { pullFigures: PullFigures; pullMerging: PullMerging; reviewReading: ReviewReading; testMerging: TestMerging },
  pull: Pull,
  view: View,
): Promise<object> {
  const mergeSha = await testMerging.of(pull)
  const details = {
    sizes: await pullFigures.sizes(pull),
    mergeability: await pullFigures.mergeability(pull),
    reviewCommentCount: await reviewReading.countComments(pull.issue.id),
    standing: await pullMerging.standing(pull),
  }
  return presentWholePull({ ...pull, mergeSha }, details, view)
}

const sendText = (pullFigures: PullFigures, pull: Pull, form: PatchForm): Promise<RestAnswer> =>
  patchText(form, pullFigures.textAs(pull, form))

type Needs = {
  commitComments: CommitComments
  people: People
  pullFigures: PullFigures
  pullMerging: PullMerging
  pulls: Pulls
  reading: GitReading
  reviewReading: ReviewReading
  testMerging: TestMerging
  verifications: Verifications
}

export const pullRoutes = ({
  commitComments,
  people,
  pullFigures,
  pullMerging,
  pulls,
  reading,
  reviewReading,
  testMerging,
  verifications,
}: Needs): readonly Route[] => [
  route('GET /repos/:owner/:repo/pulls', {
    ...readsPull,
    id: 'list-pull-requests',
    summary: 'Pulls, by state, base and head (`owner:branch`).',
    pageSize: usualPage,
    async handle({ actor, target, query, page, view }) {
      const found = await pulls.list(actor, target, readPullFilter(query), page)
      return list(found, (pull) => presentPull(pull, view))
    },
  }),
  route('POST /repos/:owner/:repo/pulls', {
    ...changesPull,
    id: 'create-a-pull-request',
    summary:
      'Opens a pull from a branch, or from one of a fork (`owner:branch`); with `issue` an issue becomes the pull.',
    createsContent: true,
    body: PullBody,
    async handle({ target, body, view }) {
      const pull = await pulls.open(target, toPullDraft(body))
      const { url } = pullPlaces(target.repository, pull.issue.number, view)
      return created(await presentWhole({ pullFigures, pullMerging, reviewReading, testMerging }, pull, view), url)
    },
  }),
  route('GET /repos/:owner/:repo/pulls/:pull_number', {
    ...readsPull,
    id: 'get-a-pull-request',
    summary: 'A pull, and whether it can be merged; with the media types `…diff` and `…patch` git’s text.',
    async handle({ actor, target, params, accept, view }) {
      const pull = await findPull(pulls, actor, target, params.pull_number)
      const form = readForm(accept)
      return form
        ? sendText(pullFigures, pull, form)
        : ok(await presentWhole({ pullFigures, pullMerging, reviewReading, testMerging }, pull, view))
    },
  }),
  route('PATCH /repos/:owner/:repo/pulls/:pull_number', {
    ...changesPull,
    id: 'update-a-pull-request',
    summary: 'Edits a pull, closes or reopens it, changes its base, or makes it a draft or ready for review.',
    body: PullEditBody,
    async handle({ target, params, body, view }) {
      const pull = await pulls.edit(target, readId(params.pull_number), toPullEdit(body))
      return ok(await presentWhole({ pullFigures, pullMerging, reviewReading, testMerging }, pull, view))
    },
  }),
  route('GET /repos/:owner/:repo/pulls/:pull_number/commits', {
    ...readsPull,
    id: 'list-commits-on-a-pull-request',
    summary: 'Lists the commits of a pull, oldest first, at most 250.',
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const pull = await findPull(pulls, actor, target, params.pull_number)
      const found = await pullFigures.commits(pull, page)
      const facts = await readCommitFacts({ commitComments, people, verifications }, target, found.items)
      return list(found, (commit) => presentCommit(target, commit, facts, view))
    },
  }),
  route('GET /repos/:owner/:repo/pulls/:pull_number/files', {
    ...readsPull,
    id: 'list-pull-requests-files',
    summary: 'Lists the files that a pull changes, at most 3,000.',
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const pull = await findPull(pulls, actor, target, params.pull_number)
      const { total, items } = slice(await pullFigures.files(pull), page)
      return { status: 200, total, body: presentChanges(target, pull.head.sha, items, view).files }
    },
  }),
  route('GET /repos/:owner/:repo/pulls/:pull_number/conflicts', {
    ...readsPull,
    id: 'list-conflicts-of-a-pull-request',
    summary: 'Lists the files of an open pull that conflict with its base, at most 100.',
    pageSize: usualPage,
    async handle({ actor, target, params, page }) {
      const pull = await findPull(pulls, actor, target, params.pull_number)
      const files = await pullFigures.conflicts(pull)
      return list(slice(files, page), (filename) => ({ filename }))
    },
  }),
  route('GET /repos/:owner/:repo/pulls/:pull_number/merge', {
    ...readsPull,
    id: 'check-if-a-pull-request-has-been-merged',
    summary: 'Whether a pull was merged.',
    handle: ({ target, params }) => whether(pulls.isMerged(target, readId(params.pull_number))),
  }),
  route('PUT /repos/:owner/:repo/pulls/:pull_number/merge', {
    id: 'merge-a-pull-request',
    summary: 'Merges, squashes or rebases a pull; 405 where it can’t be, 409 where `sha` is not its head.',
    door: changed('write'),
    permission: 'contents=write',
    resource: 'PullRequest',
    createsContent: true,
    body: MergeBody,
    async handle({ target, params, body }) {
      const sha = await pullMerging.merge(target, readId(params.pull_number), toMergeRequest(body))
      return ok({ sha, merged: true, message: 'Pull Request successfully merged' })
    },
  }),
  route('PUT /repos/:owner/:repo/pulls/:pull_number/update-branch', {
    ...changesPull,
    id: 'update-a-pull-request-branch',
    summary: 'Merges the base into a pull’s head, for people who can push to it.',
    body: Shape({ expected_head_sha: Optional(Text(64)) }),
    async handle({ target, params, body, view }) {
      const pull = await findPull(pulls, target.actor, target.repository, params.pull_number)
      await pullMerging.updateBranch(target, pull, body.expected_head_sha)
      const { url } = pullPlaces(target.repository, pull.issue.number, view)
      return { status: 202, body: { message: 'Updating pull request branch.', url } }
    },
  }),
  route('GET /repos/:owner/:repo/commits/:commit_sha/pulls', {
    ...readsPull,
    id: 'list-pull-requests-associated-with-a-commit',
    summary: 'Pulls that end in a commit or brought it to the default branch, else open ones that have it.',
    pageSize: usualPage,
    async handle({ actor, target, params, page, view }) {
      const named = params.commit_sha
      const sha = isObjectId(named) ? named : await reading.resolve(target, named)
      if (!sha) throw notFound()
      return list(await pulls.listOfCommit(actor, target, sha, page), (pull) => presentPull(pull, view))
    },
  }),
  route('GET /:owner/:repo/pull/:file', {
    ...readsPull,
    id: 'get-a-pull-request-as-text',
    summary: 'What a pull changes as git’s text: `{number}.diff` or `{number}.patch`.',
    async handle({ actor, target, params }) {
      const [, number = '', form] = /^(\d{1,15})\.(diff|patch)$/.exec(params.file) ?? []
      if (!form) throw notFound()
      return sendText(pullFigures, await findPull(pulls, actor, target, number), form as PatchForm)
    },
  }),
]
