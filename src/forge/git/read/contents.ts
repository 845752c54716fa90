/** The content at a path of a commit. A symbolic link to a file of the repository is resolved. */
import { posix } from 'node:path'
import type { Repository } from '../../access/repository.ts'
import { notFound } from '../../failures.ts'
import type { GitReading } from './git-reading.ts'
import type { TreeEntry } from './object-output.ts'
import { spellPath } from './path-text.ts'

export type File = { readonly kind: 'file'; readonly path: string; readonly sha: string; readonly size: number }
export type Folder = {
  readonly kind: 'folder'
  readonly path: string
  readonly sha: string
  readonly entries: readonly FolderEntry[]
}
export type Symlink = {
  readonly kind: 'symlink'
  readonly path: string
  readonly sha: string
  readonly size: number
  readonly target: string
}
export type Submodule = {
  readonly kind: 'submodule'
  readonly path: string
  readonly sha: string
  readonly url: string | undefined
}
export type Content = File | Folder | Symlink | Submodule

export type FolderEntry = {
  readonly kind: Content['kind']
  readonly path: string
  readonly sha: string
  readonly size: number
}

/** As many as the public platform returns; git's tree endpoint returns more. */
const maxFolderEntries = 1_000

export type Contents = ReturnType<typeof makeContents>

export function makeContents({ reading }: { reading: GitReading }) {
  async function findEntry(repository: Repository, sha: string, path: string): Promise<TreeEntry | undefined> {
    const folder = await findFolder(repository, sha, posix.dirname(path))
    return folder === undefined ? undefined : reading.entry(repository, folder, posix.basename(path))
  }

  /** Git reads one path a line, so a path that contains a line end is resolved step by step. */
  async function findFolder(repository: Repository, sha: string, path: string): Promise<string | undefined> {
    const plain = path === '.' ? '' : path
    if (!plain.includes('\n')) {
      const found = await reading.headAt(repository, sha, plain)
      return found?.type === 'tree' ? found.sha : undefined
    }
    let folder = (await reading.headAt(repository, sha, ''))?.sha
    for (const step of plain.split('/')) {
      const entry: TreeEntry | undefined =
        folder === undefined ? undefined : await reading.entry(repository, folder, step)
      folder = entry?.type === 'tree' ? entry.sha : undefined
    }
    return folder
  }

  async function readFolder(repository: Repository, tree: string, path: string, maxEntries: number): Promise<Folder> {
    const { entries } = await reading.readTree(repository, tree, false, maxEntries)
    return { kind: 'folder', path, sha: tree, entries: entries.map((entry) => describe(path, entry)) }
  }

  async function readLink(repository: Repository, sha: string, path: string, entry: TreeEntry): Promise<Content> {
    const target = spellPath(await reading.blob(repository, entry.sha))
    const aimed = posix.join(posix.dirname(path), target)
    const isOutside = target.startsWith('/') || aimed.startsWith('..') || target.includes('\0')
    const file = isOutside ? undefined : await findEntry(repository, sha, aimed)
    if (file && kindOf(file) === 'file') return toFile(path, file)
    return { kind: 'symlink', path, sha: entry.sha, size: entry.size ?? 0, target }
  }

  return {
    /** The content at the path; throws "not found" if there is none. */
    async find(
      repository: Repository,
      sha: string,
      given: string,
      maxEntries: number = maxFolderEntries,
    ): Promise<Content> {
      const path = demandPath(given)
      if (path === '') {
        const root = await reading.head(repository, `${sha}^{tree}`)
        // Objects vanish one by one while the repository is being deleted.
        if (!root) throw notFound()
        return readFolder(repository, root.sha, '', maxEntries)
      }
      const entry = await findEntry(repository, sha, path)
      if (!entry) throw notFound()
      switch (kindOf(entry)) {
        case 'folder':
          return readFolder(repository, entry.sha, path, maxEntries)
        case 'symlink':
          return readLink(repository, sha, path, entry)
        case 'submodule':
          return {
            kind: 'submodule',
            path,
            sha: entry.sha,
            url: (await reading.submodules(repository, sha)).get(path) || undefined,
          }
        default:
          return toFile(path, entry)
      }
    },

    /** The README of a folder. */
    async findReadme(repository: Repository, sha: string, given: string): Promise<File> {
      const folder = demandPath(given)
      const found = await findFolder(repository, sha, folder)
      if (found === undefined) throw notFound()
      const entries = await reading.tree(repository, found, false)
      const readme = entries.find(({ path, type }) => type === 'blob' && /^readme(?:\.[a-z]+)?$/i.test(path))
      if (!readme) throw notFound()
      return toFile(posix.join(folder, readme.path), readme)
    },
  }
}

const toFile = (path: string, { sha, size = 0 }: TreeEntry): File => ({ kind: 'file', path, sha, size })

const describe = (folder: string, entry: TreeEntry): FolderEntry => ({
  kind: kindOf(entry),
  path: posix.join(folder, entry.path),
  sha: entry.sha,
  size: entry.size ?? 0,
})

/** Git's modes: 120000 is a symbolic link, 160000 a submodule's commit. */
function kindOf({ type, mode }: TreeEntry): Content['kind'] {
  if (type === 'tree') return 'folder'
  if (type === 'commit') return 'submodule'
  return mode === '120000' ? 'symlink' : 'file'
}

/** Not by a pattern: one for trailing slashes takes quadratic time if the slashes are not at the end. */
function trimSlashes(path: string): string {
  let [start, end] = [0, path.length]
  while (path[start] === '/') start++
  while (end > start && path[end - 1] === '/') end--
  return path.slice(start, end)
}

/** Refuses paths with an empty, `.` or `..` step. */
function demandPath(path: string): string {
  const steps = trimSlashes(path).split('/')
  const isPlain = steps.every((step) => step !== '.' && step !== '..' && !step.includes('\0'))
  if (!isPlain || (steps.length > 1 && steps.includes(''))) throw notFound()
  return steps.join('/')
}
