/**
 * Commits changes of files: to an existing branch, or to a new one for a pull request, in a fork without write
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

export type Target = {
  readonly repository: Repository
  readonly branch: string
  /** The branch to be made for a pull request; undefined commits to the one that is there. */
  readonly newBranch: string | undefined
}

/** The branch that is written to. */
export type WrittenBranch = { readonly owner: string; readonly repo: string; readonly branch: string }

export const commitChange = (target: Target, change: Change): Promise<string> =>
  commitTo(target, change.message, ({ owner, repo, branch }) => write(owner, repo, branch, change))

/** Answers the address where the pull request is opened, or `done` for a commit on the branch itself. */
export async function commitTo(
  { repository, branch, newBranch }: Target,
  message: string,
  act: (to: WrittenBranch) => Promise<void>,
): Promise<string> {
  const { full_name, permissions } = repository
  const [owner = '', repo = ''] = full_name.split('/')
  if (newBranch === undefined) {
    await act({ owner, repo, branch })
    return 'done'
  }
  const own = permissions?.push ? repository : await fork(owner, repo)
  const [ownOwner = '', ownRepo = ''] = own.full_name.split('/')
  const head = await readList<{ sha: string }>(repositoryPath(owner, repo, 'commits'), { sha: branch, per_page: 1 })
  await makeBranch(ownOwner, ownRepo, newBranch, head.items[0]!.sha)
  await act({ owner: ownOwner, repo: ownRepo, branch: newBranch })
  const [title = '', ...rest] = message.split('\n')
  const query = new URLSearchParams({
    base: branch,
    head: ownOwner === owner ? newBranch : `${ownOwner}:${newBranch}`,
    title,
    body: rest.join('\n').trim(),
  })
  return `/${full_name}/pulls/new?${query}`
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
  await commitTree({ owner, repo, branch }, message, async () => [
    { path, sha: await makeBlob({ owner, repo }, encodeText(text!)) },
    { path: before!.path, sha: null },
  ])
}

/** A path with its new blob, or with none if it is removed. */
export type TreeChange = { readonly path: string; readonly sha: string | null }

export async function makeBlob({ owner, repo }: Omit<WrittenBranch, 'branch'>, base64: string): Promise<string> {
  const path = repositoryPath(owner, repo, 'git', 'blobs')
  return (await send<{ sha: string }>('POST', path, { content: base64, encoding: 'base64' })).sha
}

/** One commit on the branch with all the changes; refused if somebody else was faster. */
export async function commitTree(
  { owner, repo, branch }: WrittenBranch,
  message: string,
  makeChanges: () => Promise<readonly TreeChange[]>,
): Promise<void> {
  const git = (...rest: string[]) => repositoryPath(owner, repo, 'git', ...rest)
  const { items } = await readList<{ sha: string; commit: { tree: { sha: string } } }>(
    repositoryPath(owner, repo, 'commits'),
    { sha: branch, per_page: 1 },
  )
  const parent = items[0]!
  const changes = await makeChanges()
  const tree = await send<{ sha: string }>('POST', git('trees'), {
    base_tree: parent.commit.tree.sha,
    tree: changes.map((change) => ({ mode: '100644', type: 'blob', ...change })),
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
