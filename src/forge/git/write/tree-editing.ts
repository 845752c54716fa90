/** Edits paths of a tree: reads the folders on the way, and rewrites those that change. */
import { Failure } from '../../../lib/failure.ts'
import type { Repository } from '../../access/repository.ts'
import { invalidField } from '../../failures.ts'
import type { Git } from '../process/git.ts'
import {
  isTreeMode,
  makeObject,
  type NewObject,
  parseTree,
  type RawEntry,
  type RawTree,
  spellTree,
} from './object-text.ts'

export type Steps = readonly string[]

/** `entry`: the new entry at the path; undefined removes it. */
export type TreeEdit = { readonly steps: Steps; readonly entry: RawEntry | undefined }

export type EditedTree = {
  readonly sha: string
  /** The new trees, inner ones first. */
  readonly trees: readonly NewObject[]
}

export type OpenTree = {
  /** The entry at the path. Refuses a path that leads through something other than a folder. */
  find(steps: Steps): RawEntry | undefined
  /** The tree after the edits, applied in order. */
  edit(edits: readonly TreeEdit[]): EditedTree
}

/** Each folder is a tree to read and write. */
const maxFolders = 20_000

type Folder = { entries: RawTree; readonly folders: Map<string, Folder>; isTouched: boolean }

export type TreeEditing = ReturnType<typeof makeTreeEditing>

export function makeTreeEditing({ git }: { git: Git }) {
  /** The folders of a tree at these paths, without those that are missing. */
  async function readFolders(
    repository: Repository,
    tree: string,
    paths: readonly string[],
  ): Promise<Map<string, RawTree>> {
    const names = paths.map((path) => (path === '' ? `${tree}^{tree}` : `${tree}:${path}`))
    const input = Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1')
    const output = await git.read(repository, ['cat-file', '--batch', '-z'], { input })
    const found = new Map<string, RawTree>()
    let at = 0
    for (const [i, path] of paths.entries()) {
      const line = output.toString('latin1', at, at + 100)
      // Git repeats a missing name, which may contain line ends.
      const [head, type, size] = /^[0-9a-f]{40} (\w+) (\d+)\n/.exec(line) ?? []
      if (head === undefined) at += Buffer.byteLength(`${names[i]} missing\n`, 'latin1')
      else {
        const start = at + head.length
        at = start + Number(size) + 1
        if (type === 'tree') found.set(path, parseTree(output.subarray(start, at - 1)))
      }
    }
    return found
  }

  return {
    /** Opens a tree with the folders on the way to these paths; `base` undefined starts from an empty tree. */
    async open(repository: Repository, base: string | undefined, paths: readonly Steps[]): Promise<OpenTree> {
      const folders = new Set([''])
      for (const steps of paths) for (let n = 1; n < steps.length; n++) folders.add(steps.slice(0, n).join('/'))
      if (folders.size > maxFolders)
        throw invalidField('tree', 'invalid', `These paths lead through more than ${maxFolders} folders.`)
      return makeOpenTree(base === undefined ? new Map() : await readFolders(repository, base, [...folders]))
    },
  }
}

function makeOpenTree(known: ReadonlyMap<string, RawTree>): OpenTree {
  const folderAt = (path: string): RawTree => new Map(known.get(path))
  const load = (path: string): Folder => ({ entries: folderAt(path), folders: new Map(), isTouched: false })
  return {
    find(steps) {
      for (let n = 0; n < steps.length; n++) {
        const entry = known.get(steps.slice(0, n).join('/'))?.get(steps[n]!)
        const isEnd = n === steps.length - 1
        if (isEnd || !entry) return entry
        if (!isTreeMode(entry.mode))
          throw invalidField('path', 'invalid', 'path leads through a file, as if it were a folder.')
      }
      return undefined
    },
    edit(edits) {
      const root = load('')
      const given = new Set<RawEntry | undefined>(edits.map(({ entry }) => entry))
      for (const edit of edits) applyEdit(root, edit, load, given)
      const trees: NewObject[] = []
      return { sha: write(root, trees)!, trees }
    },
  }
}

/** Makes missing folders; replaces a file that is in the place of a folder, as git does. */
function applyEdit(
  root: Folder,
  { steps, entry }: TreeEdit,
  load: (path: string) => Folder,
  given: ReadonlySet<RawEntry | undefined>,
): void {
  let folder = root
  const touched = [root]
  for (const [n, step] of steps.slice(0, -1).entries()) {
    let next = folder.folders.get(step)
    if (!next) {
      const found = folder.entries.get(step)
      // Removing something below a path that does not exist is an error.
      if (!found && !entry) throw missing(steps)
      if (found && given.has(found))
        throw invalidField('tree', 'invalid', 'A path leads through another that is given as a whole.')
      next = found && isTreeMode(found.mode) ? load(steps.slice(0, n + 1).join('/')) : emptyFolder()
      folder.folders.set(step, next)
    }
    folder = next
    touched.push(folder)
  }
  const name = steps.at(-1)!
  if (!entry && !folder.entries.has(name) && !folder.folders.has(name)) throw missing(steps)
  folder.folders.delete(name)
  if (entry) folder.entries.set(name, entry)
  else folder.entries.delete(name)
  for (const each of touched) each.isTouched = true
}

const emptyFolder = (): Folder => ({ entries: new Map(), folders: new Map(), isTouched: true })

const missing = (steps: readonly string[]) =>
  new Failure('invalid', 'no-such-path', `There is nothing at ${Buffer.from(steps.join('/'), 'latin1')} to be deleted.`)

/** Answers the tree's id; undefined for an empty folder, which git does not store below the root. */
function write(folder: Folder, trees: NewObject[], isRoot = true): string | undefined {
  for (const [name, inner] of folder.folders) {
    if (!inner.isTouched) continue
    const sha = write(inner, trees, false)
    if (sha === undefined) folder.entries.delete(name)
    else folder.entries.set(name, { mode: '040000', sha })
  }
  if (folder.entries.size === 0 && !isRoot) return undefined
  const tree = makeObject('tree', spellTree(folder.entries))
  trees.push(tree)
  return tree.sha
}
