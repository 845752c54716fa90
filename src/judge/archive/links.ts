/** Symbolic links of an upload: links that stay inside it are followed; all others are reported one by one. */
import type { Failure } from '../../lib/failure.ts'

export type LinkedTree<File> = {
  readonly files: ReadonlyMap<string, File>
  /** Folders that contain something may be omitted. */
  readonly folders: Iterable<string>
  /** The target of each link, relative to its folder. */
  readonly links: ReadonlyMap<string, string>
}

type Bounds = {
  readonly files: number
  readonly refuse: (message: string) => Failure
}

/** The limit of a problem's files, plus room for an outer folder. */
export const longestLinkedPath = 1_024
/** The longest chain of links; Linux has the same limit. */
const mostHops = 40
const mostSteps = 1_000_000
const mostNamed = 100

type Folder<File> = {
  readonly kind: 'folder'
  readonly parent: Folder<File> | undefined
  readonly entries: Map<string, Node<File>>
}
type Link<File> = {
  readonly kind: 'link'
  readonly path: string
  readonly target: string
  readonly parent: Folder<File>
  found?: Found<File>
}
type Node<File> = Folder<File> | Link<File> | { readonly kind: 'file'; readonly file: File }
type Found<File> = Exclude<Node<File>, Link<File>> | Fault
type Fault = 'leads out of the package' | 'leads to nothing in the package' | 'leads round in a circle'

/** Every file, by every path that leads to it, even if there are many; at most as many as the bound. */
export function followLinks<File>(tree: LinkedTree<File>, { files: most, refuse }: Bounds): Map<string, File> {
  if (tree.links.size === 0) return new Map(tree.files)
  const root = plant(tree, refuse)
  const files = new Map<string, File>()
  const faults = new Map<string, string>()
  let steps = 0
  const step = () => {
    steps++
    if (steps > mostSteps) throw refuse('Its symbolic links take too many steps to follow.')
  }

  const around = new Set<Folder<File>>()
  const visit = (folder: Folder<File>, path: string): void => {
    around.add(folder)
    for (const [name, node] of folder.entries) {
      step()
      const at = path + name
      if (at.length > longestLinkedPath) throw refuse(`${at.slice(0, 80)}… is over ${longestLinkedPath} characters.`)
      const found = node.kind === 'link' ? findTarget(node, step) : node
      if (typeof found === 'string') faults.set((node as Link<File>).path, describe(node as Link<File>, found))
      else if (found.kind === 'folder') {
        if (!around.has(found)) visit(found, `${at}/`)
        else faults.set((node as Link<File>).path, describe(node as Link<File>, 'leads round in a circle'))
      } else files.set(at, found.file)
      if (files.size > most) throw refuse(`With its links followed, it holds more than ${most} files.`)
    }
    around.delete(folder)
  }
  visit(root, '')
  if (faults.size > 0) throw refuse(listFaults([...faults.values()]))
  return files
}

function listFaults(faults: readonly string[]): string {
  const more = faults.length > mostNamed ? ` And ${faults.length - mostNamed} more.` : ''
  return `${faults.slice(0, mostNamed).join(' ')}${more}`
}

const describe = ({ path, target }: Link<unknown>, fault: Fault) =>
  `${quote(path)} is a symbolic link to ${quote(target)}, which ${fault}.`

const quote = (path: string) => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)

function plant<File>({ files, folders, links }: LinkedTree<File>, refuse: (message: string) => Failure): Folder<File> {
  const root: Folder<File> = { kind: 'folder', parent: undefined, entries: new Map() }
  const reach = (path: string, parts: readonly string[]): Folder<File> => {
    let folder = root
    for (const part of parts) {
      const next = folder.entries.get(part) ?? { kind: 'folder', parent: folder, entries: new Map() }
      if (next.kind !== 'folder') throw refuse(`${quote(path)} lies in a file or a symbolic link, not in a folder.`)
      folder.entries.set(part, next)
      folder = next
    }
    return folder
  }
  const put = (path: string, make: (parent: Folder<File>) => Node<File>) => {
    const parts = split(path, refuse)
    const parent = reach(path, parts.slice(0, -1))
    const name = parts.at(-1)!
    if (parent.entries.has(name)) throw refuse(`${quote(path)} is there twice.`)
    parent.entries.set(name, make(parent))
  }
  for (const path of folders) reach(path, split(path, refuse))
  for (const [path, target] of links) put(path, (parent) => ({ kind: 'link', path, target, parent }))
  for (const [path, file] of files) put(path, () => ({ kind: 'file', file }))
  return root
}

/** Ignores empty parts, as in `a//b`. */
function split(path: string, refuse: (message: string) => Failure): string[] {
  if (path.length > longestLinkedPath) throw refuse(`${path.slice(0, 80)}… is over ${longestLinkedPath} characters.`)
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

function findTarget<File>(link: Link<File>, step: () => void): Found<File> {
  link.found ??= walk(link, { hops: 0 }, step)
  return link.found
}

function walk<File>(link: Link<File>, way: { hops: number }, step: () => void): Found<File> {
  way.hops++
  if (way.hops > mostHops) return 'leads round in a circle'
  if (link.target === '') return 'leads to nothing in the package'
  if (link.target.startsWith('/')) return 'leads out of the package'
  let here: Exclude<Node<File>, Link<File>> = link.parent
  for (const part of link.target.split('/')) {
    step()
    if (part === '' || part === '.') continue
    if (here.kind !== 'folder') return 'leads to nothing in the package'
    const next: Node<File> | undefined = part === '..' ? here.parent : here.entries.get(part)
    if (next === undefined) return part === '..' ? 'leads out of the package' : 'leads to nothing in the package'
    const found: Found<File> = next.kind === 'link' ? walk(next, way, step) : next
    if (typeof found === 'string') return found
    here = found
  }
  return here
}
