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
}
