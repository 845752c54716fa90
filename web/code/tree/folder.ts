/** Reads a folder: its entries, the commits that changed them last, and its README. */
import { read, readIfThere, readText, repositoryPath } from '../../api/forge.ts'
import type { Commit } from '../../api/forge-types.ts'

export type Entry = {
  readonly name: string
  readonly path: string
  readonly sha: string
  readonly size: number
  readonly type: 'file' | 'dir' | 'symlink' | 'submodule'
}

/** One file has its content; one that is too large to be held has none. */
export type Content = Entry & {
  readonly entries?: readonly Entry[]
  /** There are more entries than one answer holds. */
  readonly isCut?: boolean
  readonly content?: string
  readonly encoding?: 'base64' | 'none'
  readonly target?: string
  readonly submodule_git_url?: string | null
}

/** As many entries as a folder's contents have, and last commits a page. */
export const entriesPerPage = 1_000

/** The entries of a larger folder are those of its tree. */
export async function readContent(owner: string, repo: string, path: string, ref?: string): Promise<Content> {
  const content = await read<Content>(
    repositoryPath(owner, repo, 'contents', ...(path === '' ? [] : [path])),
    { ref },
    { accept: 'application/vnd.github.object+json' },
  )
  if (!content.entries || content.entries.length < entriesPerPage) return content
  const { tree, truncated } = await read<Tree>(repositoryPath(owner, repo, 'git', 'trees', content.sha))
  return { ...content, entries: tree.map((entry) => toEntry(path, entry)), isCut: truncated }
}

type TreeEntry = { readonly path: string; readonly mode: string; readonly sha: string; readonly size?: number }
type Tree = { readonly tree: readonly TreeEntry[]; readonly truncated: boolean }

/** By git's modes; all others are files. */
const types: Readonly<Record<string, Entry['type']>> = { '040000': 'dir', '120000': 'symlink', '160000': 'submodule' }

const toEntry = (folder: string, { path: name, mode, sha, size = 0 }: TreeEntry): Entry => ({
  name,
  path: folder === '' ? name : `${folder}/${name}`,
  sha,
  size,
  type: types[mode] ?? 'file',
})

export type LastCommit = { readonly path: string; readonly commit: Commit | null }

/** In the order of the folder's entries. `page` counts from 1. */
export const readLastCommits = (owner: string, repo: string, path: string, ref: string, page: number) =>
  readIfThere<readonly LastCommit[]>(repositoryPath(owner, repo, 'last-commits', ...(path === '' ? [] : [path])), {
    ref,
    page,
  })

export async function readReadme(owner: string, repo: string, path: string, ref?: string): Promise<string> {
  const address = repositoryPath(owner, repo, 'readme', ...(path === '' ? [] : [path]))
  return readText(address, 'application/vnd.github.html', { ref }).catch(() => '')
}
