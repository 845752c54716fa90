/** Reads files that a push changed, and files of templates, as text that can be submitted. */
import { isUtf8 } from 'node:buffer'
import { theServer } from '../../accounts/actor.ts'
import type { Opening } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { onAccount } from '../git/process/processor-accounting.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import type { TreeEntry } from '../git/read/object-output.ts'
import { zeroId } from '../git/ref-name.ts'

export type FileMove = {
  readonly repositoryId: number
  readonly before: string
  readonly after: string
  readonly path: string
  readonly mostBytes: number
  readonly accountId: number
}

export type MovedFile =
  | { readonly kind: 'gone' | 'unchanged' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unusable'; readonly reason: string }

/** File modes of git. */
const symbolicLink = '120000'
/** The first line of a pointer file, from the Git LFS specification. */
const largeFileMark = 'version https://git-lfs.github.com/spec/'

export type MovedFiles = ReturnType<typeof makeMovedFiles>

export function makeMovedFiles({ opening, reading }: { opening: Opening; reading: GitReading }) {
  async function findEntry(repository: Repository, sha: string, path: string): Promise<TreeEntry | undefined> {
    const found = await reading.entriesAt(repository, sha, [path])
    return found.find((entry) => entry.path === path)
  }

  const isThere = async (repository: Repository, sha: string): Promise<boolean> =>
    sha !== zeroId && (await reading.head(repository, `${sha}^{commit}`)) !== undefined

  async function readText(repository: Repository, entry: TreeEntry | undefined, path: string, mostBytes: number) {
    const unusable = (reason: string) => ({ kind: 'unusable', reason }) as const
    if (!entry) return unusable(`${path} is not in this commit: nothing was submitted.`)
    if (entry.type === 'tree') return unusable(`${path} is a folder, not a file.`)
    if (entry.type === 'commit') return unusable(`${path} is a submodule, not a file.`)
    if (entry.mode === symbolicLink) return unusable(`${path} is a symbolic link, not a file.`)
    const { size = 0 } = entry
    if (size === 0) return unusable(`${path} is empty.`)
    if (size > mostBytes) return unusable(`${path} has ${size} bytes: a program can have at most ${mostBytes}.`)
    const bytes = await reading.blob(repository, entry.sha)
    if (!isUtf8(bytes) || bytes.includes(0)) return unusable(`${path} is not UTF-8 text.`)
    const text = bytes.toString('utf8')
    if (text.startsWith(largeFileMark)) return unusable(`${path} is kept by Git LFS: commit the program itself.`)
    return { kind: 'text', text } as const
  }

  return {
    read: ({ repositoryId, before, after, path, mostBytes, accountId }: FileMove): Promise<MovedFile> =>
      onAccount({ caller: `user:${accountId}` }, async (): Promise<MovedFile> => {
        const repository = await opening.find(theServer, { id: repositoryId })
        // The commits were force-pushed away meanwhile, and pruned.
        if (!repository || !(await isThere(repository, after))) return { kind: 'gone' }
        const isOld = await isThere(repository, before)
        const was = isOld ? await findEntry(repository, before, path) : undefined
        const is = await findEntry(repository, after, path)
        if (was?.sha === is?.sha && was?.mode === is?.mode) return { kind: 'unchanged' }
        return readText(repository, is, path, mostBytes)
      }),

    /** Reads the file from the default branch. */
    async readNow(repository: Repository, path: string, mostBytes: number): Promise<string | undefined> {
      const sha = await reading.resolve(repository, `heads/${repository.defaultBranch}`)
      if (sha === undefined) return undefined
      const found = await readText(repository, await findEntry(repository, sha, path), path, mostBytes)
      return found.kind === 'text' ? found.text : undefined
    },
  }
}
