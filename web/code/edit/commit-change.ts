/**
 * Commits a file's change: to an existing branch, or to a new one with a pull request, in a fork without write
 * access.
 */
import { readList, repositoryPath, send } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'

export type Change = {
  /** Undefined deletes the file. */
  readonly text: string | undefined
  readonly path: string
  /** The former path and blob of the file; undefined for a new one. */
  readonly before: { readonly path: string; readonly sha: string } | undefined
  readonly message: string
}

type Target = {
  readonly repository: Repository
  readonly branch: string
  /** The branch to be made for a pull request; undefined commits to the one that is there. */
  readonly newBranch: string | undefined
}

/** Answers the address to go to afterwards. */
export async function commitChange({ repository, branch, newBranch }: Target, change: Change): Promise<string> {
  const { full_name, permissions } = repository
  const [owner = '', repo = ''] = full_name.split('/')
  if (newBranch === undefined) {
    await write(owner, repo, branch, change)
    return 'done'
  }
  const own = permissions?.push ? repository : await fork(owner, repo)
  const [ownOwner = '', ownRepo = ''] = own.full_name.split('/')
  const head = await readList<{ sha: string }>(repositoryPath(owner, repo, 'commits'), { sha: branch, per_page: 1 })
  await makeBranch(ownOwner, ownRepo, newBranch, head.items[0]!.sha)
  await write(ownOwner, ownRepo, newBranch, change)
  const [title = '', ...rest] = change.message.split('\n')
  const pull = await send<{ number: number }>('POST', repositoryPath(owner, repo, 'pulls'), {
    title,
    body: rest.join('\n').trim(),
    base: branch,
    head: ownOwner === owner ? newBranch : `${ownOwner}:${newBranch}`,
  })
  return `/${full_name}/pull/${pull.number}`
}

const fork = (owner: string, repo: string): Promise<Repository> =>
  send<Repository>('POST', repositoryPath(owner, repo, 'forks'), {})

const makeBranch = (owner: string, repo: string, name: string, sha: string): Promise<unknown> =>
  send('POST', repositoryPath(owner, repo, 'git', 'refs'), { ref: `refs/heads/${name}`, sha })

async function write(owner: string, repo: string, branch: string, change: Change): Promise<void> {
  const { text, path, before, message } = change
  const address = repositoryPath(owner, repo, 'contents', before?.path ?? path)
  if (text === undefined) {
    await send('DELETE', address, { message, branch, sha: before!.sha })
    return
  }
  if (before && before.path !== path) return move(owner, repo, branch, change)
  await send('PUT', address, { message, branch, content: encodeText(text), ...(before && { sha: before.sha }) })
}

/** One commit has the file at its new place and not at the old one. */
async function move(owner: string, repo: string, branch: string, { text, path, before, message }: Change) {
  const git = (...rest: string[]) => repositoryPath(owner, repo, 'git', ...rest)
  const { items } = await readList<{ sha: string; commit: { tree: { sha: string } } }>(
    repositoryPath(owner, repo, 'commits'),
    { sha: branch, per_page: 1 },
  )
  const parent = items[0]!
  const blob = await send<{ sha: string }>('POST', git('blobs'), { content: encodeText(text!), encoding: 'base64' })
  const entry = { mode: '100644', type: 'blob' }
  const tree = await send<{ sha: string }>('POST', git('trees'), {
    base_tree: parent.commit.tree.sha,
    tree: [
      { ...entry, path, sha: blob.sha },
      { ...entry, path: before!.path, sha: null },
    ],
  })
  const made = await send<{ sha: string }>('POST', git('commits'), { message, tree: tree.sha, parents: [parent.sha] })
  await send('PATCH', git('refs', 'heads', ...branch.split('/')), { sha: made.sha })
}

function encodeText(text: string): string {
  const bytes = new TextEncoder().encode(text)
  let binary = ''
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(binary)
}
