/**
 * Commits changes of files: to an existing branch, or to a new one for a pull request, in a fork without write
 * access.
 */
import { readList, repositoryPath, send, toPath } from '../../api/forge.ts'
import type { Repository } from '../../api/forge-types.ts'
import { hasBranch } from '../place.ts'

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
  const to = { owner: ownOwner, repo: ownRepo, branch: newBranch }
  await beginBranch(to, message, () => readHead(owner, repo, branch))
  await act(to)
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

/** The branches that this page has made, each with the commit it began at. */
const begun = new Map<string, string>()

type Head = {
  readonly sha: string
  readonly parents: readonly { readonly sha: string }[]
  readonly commit: { readonly message: string; readonly tree: { readonly sha: string } }
}

async function readHead(owner: string, repo: string, branch: string): Promise<Head> {
  const path = repositoryPath(owner, repo, 'commits')
  return (await readList<Head>(path, { sha: branch, per_page: 1 })).items[0]!
}

/**
 * Makes the branch. An earlier try may have made it, with or without the commit: then it is the one to write to, without
 * that commit.
 */
async function beginBranch(to: WrittenBranch, message: string, findBase: () => Promise<Head>): Promise<void> {
  const { owner, repo, branch } = to
  const refs = repositoryPath(owner, repo, 'git', 'refs')
  const key = `${owner}/${repo} ${branch}`
  const start = begun.get(key)
  if (start !== undefined && (await hasBranch(owner, repo, branch))) {
    const head = await readHead(owner, repo, `heads/${branch}`)
    if (head.sha === start) return
    if (head.parents[0]?.sha === start && head.commit.message.trim() === message.trim()) {
      await send('PATCH', `${refs}${toPath('heads', branch)}`, { sha: start, force: true })
      return
    }
  }
  const { sha } = await findBase()
  await send('POST', refs, { ref: `refs/heads/${branch}`, sha })
  begun.set(key, sha)
}

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
  const parent = await readHead(owner, repo, branch)
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
