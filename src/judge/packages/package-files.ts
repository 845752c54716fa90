/** The files of a problem package, from a folder or a zip, by their paths relative to its problem.yaml or problem.xml. */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Failure } from '../../lib/failure.ts'
import { openArchive, type Zip } from '../archive/archive.ts'
import { followLinks } from '../archive/links.ts'
import type { Limits } from '../limits.ts'
import { mayLeaveFolder } from '../problem-files/file-path.ts'

export type PackageFiles = {
  readonly paths: readonly string[]
  /** The declared size, which reading enforces. */
  size(path: string): Promise<number>
  /** Refuses a file above the bound before reading it. */
  read(path: string, most?: number): Promise<Buffer>
  /** The same in pieces, for files that need not be in memory. */
  stream(path: string, most: number): AsyncIterable<Uint8Array>
}

export const invalidPackage = (message: string) => new Failure('invalid', 'bad-package', message)

/** The file that marks the top of a package, and the error if it is missing. */
type PackageKind = { readonly mark: RegExp; readonly missing: string }

const problemPackage: PackageKind = {
  mark: /(?:^|\/)problem\.(?:yaml|xml)$/,
  missing: 'It is not a problem package: it has neither problem.yaml (Kattis) nor problem.xml (Polygon).',
}

/** Opens a folder or a zip on this machine. Call `close` after reading it. */
export async function openPackage(
  path: string,
  limits: Limits,
  kind = problemPackage,
): Promise<PackageFiles & { close(): Promise<void> }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw invalidPackage(`There is nothing at ${path}.`)
  if (found.isDirectory()) return { ...stripTopFolder(await openFolder(path, limits), kind), close: async () => {} }
  const file: FileHandle = await open(path)
  try {
    const files = await openZip({ fd: file.fd, length: found.size }, limits, kind)
    return { ...files, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

export async function openZip(zip: Zip, limits: Limits, kind = problemPackage): Promise<PackageFiles> {
  const archive = await openArchive(zip, limits, { isFolder: true })
  const files = new Map(archive.files.map((file) => [file.path, file]))
  const stream = (path: string, most: number) => {
    const file = files.get(path)!
    demandSize(path, file.entry.uncompressedSize, most)
    return archive.read(file)
  }
  const all: PackageFiles = {
    paths: [...files.keys()],
    size: async (path) => files.get(path)!.entry.uncompressedSize,
    stream,
    async read(path, most = limits.testTextBytes) {
      const chunks: Uint8Array[] = []
      for await (const chunk of stream(path, most)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  }
  return stripTopFolder(all, kind)
}

export async function readText(files: PackageFiles, path: string, most?: number): Promise<Buffer> {
  const text = await files.read(path, most)
  if (!isUtf8(text)) throw invalidPackage(`${path} is not UTF-8 text.`)
  return text
}

function demandSize(path: string, size: number, most: number): void {
  if (size > most) throw invalidPackage(`${path} is over ${most} bytes.`)
}

async function openFolder(folder: string, limits: Limits): Promise<PackageFiles> {
  const home = await realpath(folder)
  const tree = await listTree(home, limits)
  const files = followLinks(tree, { files: limits.archiveFiles, refuse: invalidPackage })
  const pathOf = (path: string) => join(home, files.get(path)!)
  const size = async (path: string) => (await stat(pathOf(path))).size
  if (tree.links.size > 0) await demandLinkedSize(files, size, limits)
  const placeOf = async (path: string, most: number) => {
    demandSize(path, await size(path), most)
    return pathOf(path)
  }
  return {
    paths: [...files.keys()].sort(),
    size,
    read: async (path, most = limits.testTextBytes) => readFile(await placeOf(path, most)),
    async *stream(path, most) {
      yield* createReadStream(await placeOf(path, most))
    },
  }
}

async function listTree(home: string, limits: Limits) {
  const files = new Map<string, string>()
  const folders: string[] = []
  const links = new Map<string, string>()
  for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const relative = path
      .slice(home.length + 1)
      .split(sep)
      .join('/')
    if (/^\.git\//.test(relative)) continue
    if (mayLeaveFolder(relative)) throw invalidPackage(`${relative.slice(0, 80)} leads out of the package.`)
    if (entry.isFile()) files.set(relative, relative)
    else if (entry.isSymbolicLink()) links.set(relative, await readTarget(home, path, relative))
    else if (entry.isDirectory() && relative !== '.git') folders.push(relative)
    if (files.size + links.size > limits.archiveFiles)
      throw invalidPackage(`The package holds more than ${limits.archiveFiles} files.`)
  }
  return { files, folders, links }
}

/** A link may name a place inside the package by an absolute path. A link to elsewhere is returned as written. */
async function readTarget(home: string, path: string, relative: string): Promise<string> {
  const target = await realpath(path).catch(() => '')
  if (target !== home && !target.startsWith(home + sep)) return readlink(path)
  const up = relative.split('/').slice(1).fill('..')
  const down = target.slice(home.length + 1).split(sep)
  return [...up, ...down].filter((part) => part !== '').join('/') || '.'
}

/** Many links may lead to one small folder, so linked files count again. */
async function demandLinkedSize(
  files: ReadonlyMap<string, string>,
  size: (path: string) => Promise<number>,
  { unpackedBytes }: Limits,
): Promise<void> {
  let sum = 0
  for (const path of files.keys()) {
    sum += await size(path)
    if (sum > unpackedBytes) throw invalidPackage(`With its links followed, it holds more than ${unpackedBytes} bytes.`)
  }
}

/** The same as for a problem's files. */
const longestPath = 512
/** A test may inherit settings from each folder around it. */
const mostSteps = 32

function demandPath(path: string): string {
  if (path.length > longestPath)
    throw invalidPackage(`${path.slice(0, 80)}… is a path of over ${longestPath} characters.`)
  if (path.startsWith('data/') && path.split('/').length > mostSteps)
    throw invalidPackage(`${path.slice(0, 80)}… lies in over ${mostSteps} folders.`)
  return path
}

/** A zip usually contains the package's folder instead of its files. */
function stripTopFolder({ paths, size, read, stream }: PackageFiles, { mark, missing }: PackageKind): PackageFiles {
  const [shortest] = paths
    .filter((path) => mark.test(path))
    .map(demandPath)
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
  if (shortest === undefined) throw invalidPackage(missing)
  const top = shortest.slice(0, shortest.lastIndexOf('/') + 1)
  return {
    paths: paths.filter((path) => path.startsWith(top)).map((path) => demandPath(path.slice(top.length))),
    size: (path) => size(top + path),
    read: (path, most) => read(top + path, most),
    stream: (path, most) => stream(top + path, most),
  }
}
