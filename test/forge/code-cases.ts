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

const freshWikiPage: Case['fresh'] = async ({ ann }, { owner, repo }) => {
  const name = fresh('page')
  const { body } = await ann.put(`/repos/${owner}/${repo}/wiki/pages/${name}`, { text: name })
  return { '*': name, sha: body.sha }
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

const freshCommitComment: Case['fresh'] = async ({ ann, shas }, { owner, repo }) => {
  const { body } = await ann.post(`/repos/${owner}/${repo}/commits/${shas.commit}/comments`, { body: 'Well done' })
  return { comment_id: body.id }
}

const reactedComment: Case['fresh'] = async (world, params) => {
  const made = await freshCommitComment!(world, params)
  const path = `/repos/${params.owner}/${params.repo}/comments/${made.comment_id}/reactions`
  const { body } = await world.ann.post(path, { content: 'heart' })
  return { ...made, reaction_id: body.id }
}

const freshRelease: NonNullable<Case['fresh']> = async ({ ann }, { owner, repo }) => {
  const tag = fresh('v')
  const { body } = await ann.post(`/repos/${owner}/${repo}/releases`, { tag_name: tag, name: tag, body: 'Notes' })
  return { release_id: body.id, '*': tag, tag }
}

const reactedRelease: Case['fresh'] = async (world, params) => {
  const made = await freshRelease(world, params)
  const path = `/repos/${params.owner}/${params.repo}/releases/${made.release_id}/reactions`
  const { body } = await world.ann.post(path, { content: 'heart' })
  return { ...made, reaction_id: body.id }
}

const freshAsset: Case['fresh'] = async (world, params) => {
  const made = await freshRelease(world, params)
  const path = `/repos/${params.owner}/${params.repo}/releases/${made.release_id}/assets?name=a.zip`
  const { body } = await world.ann.ask('POST', path, 'bytes')
  return { ...made, asset_id: body.id, name: 'a.zip' }
}

export const codeCases: Record<string, Case> = {
  'create-or-update-file-contents': {
    params: () => ({ '*': fresh('docs/new') }),
    body: { message: 'Write', content: 'aGVsbG8K' },
  },
  'delete-a-file': { fresh: freshFile, body: (_world, { sha = '' }) => ({ message: 'Delete', sha }) },
  'create-or-update-a-wiki-page': { params: () => ({ '*': fresh('page') }), body: { text: 'Hello.' } },
  'delete-a-wiki-page': { fresh: freshWikiPage, body: (_world, { sha = '' }) => ({ sha }) },
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
    'get-users-with-access-to-the-protected-branch',
    'get-teams-with-access-to-the-protected-branch',
    'get-apps-with-access-to-the-protected-branch',
    'delete-access-restrictions',
  ]),
  ...ofProtected(['update-pull-request-review-protection'], { required_approving_review_count: 3 }),
  ...ofProtected(['update-status-check-protection'], { strict: false }),
  ...ofProtected(['add-status-check-contexts', 'set-status-check-contexts', 'remove-status-check-contexts'], {
    contexts: ['lint'],
  }),
  ...ofProtected(['add-user-access-restrictions', 'set-user-access-restrictions', 'remove-user-access-restrictions'], {
    users: ['ann'],
  }),
  ...ofProtected(['add-team-access-restrictions', 'set-team-access-restrictions', 'remove-team-access-restrictions'], {
    teams: [],
  }),
  ...ofProtected(['add-app-access-restrictions', 'set-app-access-restrictions', 'remove-app-access-restrictions'], {
    apps: [],
  }),
  'list-branches-for-head-commit': { params: ({ shas }) => ({ commit_sha: shas.commit }) },
  'list-commit-comments': { params: ({ shas }) => ({ commit_sha: shas.commit }) },
  'create-a-commit-comment': {
    params: ({ shas }) => ({ commit_sha: shas.commit }),
    body: { body: 'Well done', path: 'README.md', position: 1 },
  },
  'get-a-commit-comment': { fresh: freshCommitComment },
  'update-a-commit-comment': { fresh: freshCommitComment, body: { body: 'Better' } },
  'delete-a-commit-comment': { fresh: freshCommitComment },
  'list-reactions-for-a-commit-comment': { fresh: freshCommitComment },
  'create-reaction-for-a-commit-comment': { fresh: freshCommitComment, body: { content: '+1' } },
  'delete-a-commit-comment-reaction': { fresh: reactedComment },
  'create-a-release': { body: () => ({ tag_name: fresh('v'), name: 'Released', body: 'Notes' }) },
  'get-the-latest-release': { fresh: freshRelease },
  'get-a-release-by-tag-name': { fresh: freshRelease },
  'get-a-release': { fresh: freshRelease },
  'update-a-release': { fresh: freshRelease, body: { name: 'Renamed' } },
  'delete-a-release': { fresh: freshRelease },
  'generate-release-notes-content-for-a-release': { body: { tag_name: 'v9' } },
  'list-reactions-for-a-release': { fresh: freshRelease },
  'create-reaction-for-a-release': { fresh: freshRelease, body: { content: 'heart' } },
  'delete-a-release-reaction': { fresh: reactedRelease },
  'list-release-assets': { fresh: freshRelease },
  'upload-a-release-asset': { fresh: freshRelease, query: '?name=a.zip', body: { any: 'bytes' } },
  'get-a-release-asset': { fresh: freshAsset },
  'update-a-release-asset': { fresh: freshAsset, body: { name: 'b.zip', label: 'B' } },
  'delete-a-release-asset': { fresh: freshAsset },
  'download-a-release-asset': { fresh: freshAsset },
  'upload-an-attachment': { query: '?name=notes.txt', body: { any: 'bytes' } },
  'get-an-attachment': {
    fresh: async ({ ann }, { owner }) => {
      const { body } = await ann.ask('POST', `/repos/${owner}/open/attachments?name=a.txt`, 'bytes')
      const [, uuid = '', name = ''] = /attachments\/([^/]+)\/([^/]+)$/.exec(body.url) ?? []
      return { uuid, name }
    },
  },
}
