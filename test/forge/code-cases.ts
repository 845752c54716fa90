/** Requests that succeed, for the routes that write code and what belongs to commits. */
import type { Case } from './route-cases.ts'

let count = 0
const fresh = (word: string) => `${word}-c${++count}`

/** A file, and a branch, that are used up. */
const freshFile: Case['fresh'] = async ({ ann }, { owner, repo }) => {
  const path = fresh('file')
  const content = Buffer.from(path).toString('base64')
  const { body } = await ann.put(`/repos/${owner}/${repo}/contents/${path}`, { message: 'Make', content })
  return { '*': path, sha: body.content.sha }
}

const freshRef: NonNullable<Case['fresh']> = async ({ ann, shas }, { owner, repo }) => {
  const name = fresh('ref')
  await ann.post(`/repos/${owner}/${repo}/git/refs`, { ref: `refs/heads/${name}`, sha: shas.commit })
  return { '*': `heads/${name}`, branch: name, name }
}

/** Two branches, one of which has a commit that the other has not. */
const freshAhead: Case['fresh'] = async (world, params) => {
  const { name = '' } = await freshRef(world, params)
  const { ann, shas } = world
  const place = `/repos/${params.owner}/${params.repo}`
  const { body } = await ann.post(`${place}/git/commits`, { message: 'Made', tree: shas.tree, parents: [shas.commit] })
  await ann.post(`${place}/git/refs`, { ref: `refs/heads/${name}-head`, sha: body.sha })
  return { base: name, head: `${name}-head` }
}

/** A branch with every rule, used up. */
const freshProtected: Case['fresh'] = async (world, params) => {
  const named = await freshRef(world, params)
  const rules = {
    required_status_checks: { strict: true, contexts: ['ci'] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 2 },
    restrictions: { users: ['ann'], teams: [] },
  }
  await world.ann.put(`/repos/${params.owner}/${params.repo}/branches/${named.name}/protection`, rules)
  return named
}

const ofProtected = (words: readonly string[], body?: object): Record<string, Case> =>
  Object.fromEntries(words.map((word) => [word, { fresh: freshProtected, ...(body && { body }) }]))

export const codeCases: Record<string, Case> = {
  'create-or-update-file-contents': {
    params: () => ({ '*': fresh('docs/new') }),
    body: { message: 'Write', content: 'aGVsbG8K' },
  },
  'delete-a-file': { fresh: freshFile, body: (_world, { sha = '' }) => ({ message: 'Delete', sha }) },
  'create-a-blob': { body: { content: 'hello\n', encoding: 'utf-8' } },
  'create-a-tree': {
    body: ({ shas }) => ({
      base_tree: shas.tree,
      tree: [{ path: 'a/b', mode: '100644', type: 'blob', content: 'new' }],
    }),
  },
  'create-a-commit': { body: ({ shas }) => ({ message: 'Made', tree: shas.tree, parents: [shas.commit] }) },
  'create-a-tag-object': { body: ({ shas }) => ({ tag: 'v2', message: 'Two', object: shas.commit, type: 'commit' }) },
  'create-a-reference': { body: ({ shas }) => ({ ref: `refs/heads/${fresh('branch')}`, sha: shas.commit }) },
  'update-a-reference': { fresh: freshRef, body: ({ shas }) => ({ sha: shas.commit }) },
  'delete-a-reference': { fresh: freshRef },
  'rename-a-branch': { fresh: freshRef, body: () => ({ new_name: fresh('renamed') }) },
  'merge-a-branch': {
    fresh: freshAhead,
    body: (_world, { base = 'main', head = 'feature/one' }) => ({ base, head }),
  },
  'create-a-commit-status': {
    params: ({ shas }) => ({ sha: shas.commit }),
    body: { state: 'success', context: 'ci', description: 'Fine', target_url: 'https://ci.example.org/1' },
  },
  'list-commit-statuses-for-a-reference': { params: ({ shas }) => ({ ref: shas.commit }) },
  'get-the-combined-status-for-a-specific-reference': { params: ({ shas }) => ({ ref: shas.commit }) },
  'update-branch-protection': {
    fresh: freshRef,
    body: {
      required_status_checks: null,
      enforce_admins: null,
      required_pull_request_reviews: null,
      restrictions: null,
    },
  },
  ...ofProtected([
    'get-branch-protection',
    'delete-branch-protection',
    'get-admin-branch-protection',
    'set-admin-branch-protection',
    'delete-admin-branch-protection',
    'get-pull-request-review-protection',
    'delete-pull-request-review-protection',
    'get-status-checks-protection',
    'remove-status-check-protection',
    'get-all-status-check-contexts',
    'get-access-restrictions',
    'delete-access-restrictions',
  ]),
  ...ofProtected(['update-pull-request-review-protection'], { required_approving_review_count: 3 }),
  ...ofProtected(['update-status-check-protection'], { strict: false }),
  ...ofProtected(['add-status-check-contexts', 'set-status-check-contexts', 'remove-status-check-contexts'], {
    contexts: ['lint'],
  }),
}
