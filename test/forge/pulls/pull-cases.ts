/** Requests that succeed for every route of pulls. */
import type { Case, Params } from '../route-cases.ts'
import type { World } from '../world.ts'

let count = 0

/** A branch with a commit of its own. */
async function makeBranch({ ann, shas }: World, { repo }: Params): Promise<string> {
  const branch = `topic-${++count}`
  const place = `/repos/ann/${repo}`
  await ann.post(`${place}/git/refs`, { ref: `refs/heads/${branch}`, sha: shas.commit })
  const content = Buffer.from(`${branch}\n`).toString('base64')
  await ann.put(`${place}/contents/${branch}.txt`, { message: branch, content, branch })
  return branch
}

export const freshPull: NonNullable<Case['fresh']> = async (world, params) => {
  const head = await makeBranch(world, params)
  const { body } = await world.ann.post(`/repos/ann/${params.repo}/pulls`, { title: head, head, base: 'main' })
  return { pull_number: body.number, file: `${body.number}.diff`, sha: body.head.sha }
}

const common = new WeakMap<World, Map<unknown, Promise<Params>>>()

/** One for all that is said about pulls: to make one takes several gits. */
const commonPull: NonNullable<Case['fresh']> = (world, params) => {
  const made = common.get(world) ?? new Map<unknown, Promise<Params>>()
  common.set(world, made)
  const pull = made.get(params.repo) ?? freshPull(world, params)
  made.set(params.repo, pull)
  return pull
}

/** One that can be brought up to date: main goes on after it. */
const behindPull: Case['fresh'] = async (world, params) => {
  const made = await freshPull(world, params)
  const other = await freshPull(world, params)
  await world.ann.put(`/repos/ann/${params.repo}/pulls/${other.pull_number}/merge`)
  return made
}

const mergedPull: Case['fresh'] = async (world, params) => {
  const made = await freshPull(world, params)
  await world.ann.put(`/repos/ann/${params.repo}/pulls/${made.pull_number}/merge`)
  return made
}

const reviewed =
  (draft: object): NonNullable<Case['fresh']> =>
  async (world, params) => {
    const made = await commonPull(world, params)
    const { body } = await world.ann.post(`/repos/ann/${params.repo}/pulls/${made.pull_number}/reviews`, draft)
    return { ...made, review_id: body.id }
  }
const pendingReview = reviewed({ body: 'Soon' })
const submittedReview = reviewed({ body: 'Fine', event: 'COMMENT' })

/** Of the admin of the server: authors can't approve their own. */
const approval: Case['fresh'] = async (world, params) => {
  const made = await commonPull(world, params)
  const path = `/repos/ann/${params.repo}/pulls/${made.pull_number}/reviews`
  const { body } = await world.root.post(path, { event: 'APPROVE' })
  return { ...made, review_id: body.id }
}

const commented: NonNullable<Case['fresh']> = async (world, params) => {
  const made = await commonPull(world, params)
  const place = `/repos/ann/${params.repo}/pulls/${made.pull_number}`
  const { body: files } = await world.ann.get(`${place}/files`)
  const draft = { body: 'Here', commit_id: made.sha, path: files[0].filename, line: 1 }
  const { body } = await world.ann.post(`${place}/comments`, draft)
  return { ...made, comment_id: body.id, review_id: body.pull_request_review_id, path: files[0].filename }
}

const reacted: Case['fresh'] = async (world, params) => {
  const made = await commented(world, params)
  const path = `/repos/ann/${params.repo}/pulls/comments/${made.comment_id}/reactions`
  const { body } = await world.ann.post(path, { content: 'heart' })
  return { ...made, reaction_id: body.id }
}

/** Of whom a review can be asked: the admin of the server, who accepts to be a collaborator. */
const reviewable: NonNullable<Case['fresh']> = async (world, params) => {
  const made = await commonPull(world, params)
  const { body } = await world.ann.put(`/repos/ann/${params.repo}/collaborators/admin`, { permission: 'pull' })
  if (body?.id) await world.root.patch(`/user/repository_invitations/${body.id}`)
  return made
}

const asked: Case['fresh'] = async (world, params) => {
  const made = await reviewable(world, params)
  const place = `/repos/ann/${params.repo}/pulls/${made.pull_number}/requested_reviewers`
  await world.ann.post(place, { reviewers: ['admin'] })
  return made
}

export const pullCases: Record<string, Case> = {
  'list-pull-requests': { fresh: commonPull },
  'create-a-pull-request': {
    fresh: async (world, params) => ({ head: await makeBranch(world, params) }),
    body: (_world, { head = 'topic' }) => ({ title: 'A pull', head, base: 'main', body: 'Please.' }),
  },
  'get-a-pull-request': { fresh: commonPull },
  'update-a-pull-request': { fresh: commonPull, body: { title: 'Better', draft: true } },
  'list-commits-on-a-pull-request': { fresh: commonPull },
  'list-pull-requests-files': { fresh: commonPull },
  'list-conflicts-of-a-pull-request': { fresh: commonPull },
  'check-if-a-pull-request-has-been-merged': { fresh: mergedPull },
  'merge-a-pull-request': { fresh: freshPull, body: { merge_method: 'squash' } },
  'update-a-pull-request-branch': { fresh: behindPull, body: {} },
  'list-pull-requests-associated-with-a-commit': {
    fresh: async (world, params) => ({ commit_sha: (await commonPull(world, params)).sha! }),
    params: ({ shas }) => ({ commit_sha: shas.commit }),
  },
  'list-reviews-for-a-pull-request': { fresh: submittedReview },
  'create-a-review-for-a-pull-request': {
    fresh: commented,
    body: (_world, { path = 'a' }) => ({ event: 'COMMENT', comments: [{ path, line: 1, body: 'There' }], body: 'Hm' }),
  },
  'get-a-review-for-a-pull-request': { fresh: submittedReview },
  'update-a-review-for-a-pull-request': { fresh: submittedReview, body: { body: 'Better' } },
  'delete-a-pending-review-for-a-pull-request': { fresh: pendingReview },
  'submit-a-review-for-a-pull-request': { fresh: pendingReview, body: { event: 'COMMENT', body: 'Done' } },
  'dismiss-a-review-for-a-pull-request': { fresh: approval, body: { message: 'Old' } },
  'list-comments-for-a-pull-request-review': { fresh: commented },
  'get-all-requested-reviewers-for-a-pull-request': { fresh: asked },
  'request-reviewers-for-a-pull-request': { fresh: reviewable, body: { reviewers: ['admin'] } },
  'remove-requested-reviewers-from-a-pull-request': { fresh: asked, body: { reviewers: ['admin'] } },
  'list-review-comments-in-a-repository': { fresh: commented },
  'get-a-review-comment-for-a-pull-request': { fresh: commented },
  'update-a-review-comment-for-a-pull-request': { fresh: commented, body: { body: 'Better' } },
  'delete-a-review-comment-for-a-pull-request': { fresh: commented },
  'list-review-comments-on-a-pull-request': { fresh: commented },
  'create-a-review-comment-for-a-pull-request': {
    fresh: commented,
    body: (_world, { path = 'a', sha = '' }) => ({ body: 'Hm', commit_id: sha, path, line: 1, side: 'RIGHT' }),
  },
  'create-a-reply-for-a-review-comment': { fresh: commented, body: { body: 'Because' } },
  'list-reactions-for-a-pull-request-review-comment': { fresh: reacted },
  'create-reaction-for-a-pull-request-review-comment': { fresh: commented, body: { content: '+1' } },
  'delete-a-pull-request-review-comment-reaction': { fresh: reacted },
  'get-a-pull-request-as-text': { fresh: commonPull, params: () => ({ file: '999999.diff' }) },
}
