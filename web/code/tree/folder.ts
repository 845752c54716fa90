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
  readonly content?: string
  readonly encoding?: 'base64' | 'none'
  readonly target?: string
  readonly submodule_git_url?: string | null
}

export const readContent = (owner: string, repo: string, path: string, ref?: string): Promise<Content> =>
  read<Content>(
    repositoryPath(owner, repo, 'contents', ...(path === '' ? [] : [path])),
    { ref },
    { accept: 'application/vnd.github.object+json' },
  )

export type LastCommit = { readonly path: string; readonly commit: Commit | null }

export const readLastCommits = (owner: string, repo: string, path: string, ref?: string) =>
  readIfThere<readonly LastCommit[]>(repositoryPath(owner, repo, 'last-commits', ...(path === '' ? [] : [path])), {
    ref,
  })

export async function readReadme(owner: string, repo: string, path: string, ref?: string): Promise<string> {
  const address = repositoryPath(owner, repo, 'readme', ...(path === '' ? [] : [path]))
  return readText(address, 'application/vnd.github.html', { ref }).catch(() => '')
}
