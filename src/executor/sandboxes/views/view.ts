/**
 * A view: the part of the host's files that a run sees. A run could signal to a later one by which pages of a file are
 * cached, and which names were looked up in a folder. So the files are copied to a folder in memory, where nothing is
 * ever evicted; those too large for that are mounted from the disk and kept in the page cache.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { mebibyte } from '../../../lib/text/bytes.ts'
import { readProc } from '../processes.ts'
import { listLibraries } from './libraries.ts'
import { markPages } from './page-marks.ts'

export type ViewRequest = {
  /** Files, and folders with their contents. */
  readonly paths: readonly string[]
  /** Files mounted elsewhere: their libraries are needed, and they are kept in the page cache. */
  readonly beside: readonly string[]
  /** Files in folders that are left out. */
  leavesOut?(path: string): boolean
}

export type View = {
  /** A name unique within one executor. */
  readonly name: string
  readonly mounts: readonly { readonly from: string; readonly at: string }[]
  /** Files on a disk, which must be in the page cache when a box starts. */
  readonly large: readonly string[]
  /** All files in the view. */
  readonly files: readonly string[]
  readonly bytes: number
}

export type ViewPlaces = {
  /** In memory, if available. */
  readonly memory: string
  readonly disk: string
}

const largeBytes = 8 * mebibyte
/** Memory that must remain free. */
const spareBytes = 64 * mebibyte
const copiedAtOnce = 32
const deepest = 24

export async function makeView(name: string, request: ViewRequest, places: ViewPlaces): Promise<View> {
  const files = findFiles(request)
  const beside = request.beside.filter((path) => !files.has(path))
  for (const library of await listLibraries([...files.keys(), ...beside])) add(files, library)
  const small = [...files].filter(([, { size }]) => size <= largeBytes)
  const bytes = small.reduce((sum, [, { size }]) => sum + size, 0)
  const tree = join(isFit(places.memory, bytes) ? places.memory : places.disk, `view-${name}`)
  rmSync(tree, { recursive: true, force: true })
  makeFolders(tree, [...files.keys()])
  await copyAll(tree, files)
  writeFileSync(join(places.disk, `view-${name}.txt`), `${[...files.keys()].sort().join('\n')}\n`)
  const large = [...files].filter(([, { size }]) => size > largeBytes).map(([path]) => path)
  return {
    name,
    mounts: [
      ...listTops(tree).map((at) => ({ from: join(tree, at), at })),
      ...large.map((path) => ({ from: path, at: path })),
    ],
    large: [...large, ...beside.filter((path) => statSync(path).size > largeBytes)],
    files: [...files.keys()].sort(),
    bytes,
  }
}

type Found = Map<string, Stats>

function findFiles({ paths, leavesOut = () => false }: ViewRequest): Found {
  const files: Found = new Map()
  const walk = (path: string, depth: number): void => {
    if (depth > deepest || leavesOut(path)) return
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile()) files.set(path, found)
    if (found?.isDirectory()) for (const each of readdirSync(path)) walk(join(path, each), depth + 1)
  }
  for (const path of paths) walk(placeOf(path), 0)
  return files
}

function add(files: Found, path: string): void {
  const place = placeOf(path)
  if (!files.has(place)) files.set(place, statSync(place))
}

/**
 * Inside a view folders are not links, except those in the system's root; a file keeps its name, even if it is a link.
 */
function placeOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    // It does not exist, and is left out.
    return path
  }
}

/** A container's /dev/shm may be small or not allow execution. */
function isFit(folder: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 2 * bytes + spareBytes && mayExecute(folder)
}

function mayExecute(folder: string): boolean {
  const mounts = readProc('self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, at = '']) => `${folder}/`.startsWith(at === '/' ? at : `${at}/`))
  const nearest = mounts.toSorted(([, a = ''], [, b = '']) => a.length - b.length).at(-1)
  return !nearest?.[3]?.split(',').includes('noexec')
}

function makeFolders(tree: string, paths: readonly string[]): void {
  const folders = new Set<string>([tree])
  for (const path of paths)
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) folders.add(join(tree, folder))
  for (const folder of [...folders].sort()) {
    mkdirSync(folder)
    chmodSync(folder, 0o755)
  }
}

/** Keeps file times: Python compares them to decide whether compiled code is still valid. */
async function copyAll(tree: string, files: Found): Promise<void> {
  let copied = 0
  for (const [path, { size, mode, mtime }] of files) {
    const to = join(tree, path)
    if (size > largeBytes) writeFileSync(to, '')
    else copyFileSync(path, to, constants.COPYFILE_FICLONE)
    chmodSync(to, mode & 0o111 ? 0o555 : 0o444)
    utimesSync(to, mtime, mtime)
    markPages(to)
    if (++copied % copiedAtOnce === 0) await turn()
  }
}

/** A box has its own /etc, in which a view's folders are mounted one by one. */
function listTops(tree: string): string[] {
  const tops = readdirSync(tree)
  const below = tops.includes('etc') ? readdirSync(join(tree, 'etc')) : []
  return [...tops.filter((name) => name !== 'etc').map((name) => `/${name}`), ...below.map((name) => `/etc/${name}`)]
}
