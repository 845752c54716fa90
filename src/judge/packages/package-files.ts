/** The files of a problem package, from a folder or a zip, by their paths relative to its problem.yaml or problem.xml. */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { openArchive, type Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'

export type PackageFiles = {
  readonly paths: readonly string[]
  /** As it is declared, which reading holds it to. */
  size(path: string): Promise<number>
  /** A file that is over the bound is refused before it is read. */
  read(path: string, most?: number): Promise<Buffer>
  /** The same in pieces, for what need not be in memory. */
  stream(path: string, most: number): AsyncIterable<Uint8Array>
}

export const invalidPackage = (message: string) => new Failure('invalid', 'bad-package', message)

/** A folder or a zip on this machine. `close` when it has been read. */
export async function openPackage(path: string, limits: Limits): Promise<PackageFiles & { close(): Promise<void> }> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw invalidPackage(`There is nothing at ${path}.`)
  if (found.isDirectory()) return { ...stripTopFolder(await openFolder(path, limits)), close: async () => {} }
  const file: FileHandle = await open(path)
  try {
    const files = await openZip({ fd: file.fd, length: found.size }, limits)
    return { ...files, close: () => file.close() }
  } catch (error) {
    await file.close()
    throw error
  }
}

export async function openZip(zip: Zip, limits: Limits): Promise<PackageFiles> {
  const archive = await openArchive(zip, limits)
  const files = new Map(archive.files.map((file) => [file.path, file]))
  const stream = (path: string, most: number) => {
    const file = files.get(path)!
    demandSize(path, file.entry.uncompressedSize, most)
    return archive.read(file)
  }
  return stripTopFolder({
    paths: [...files.keys()],
    size: async (path) => files.get(path)!.entry.uncompressedSize,
    stream,
    async read(path, most = limits.testTextBytes) {
      const chunks: Uint8Array[] = []
      for await (const chunk of stream(path, most)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  })
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
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    const relative = path
      .slice(home.length + 1)
      .split(sep)
      .join('/')
    if (/^\.git\//.test(relative)) continue
    if (entry.isFile() || (entry.isSymbolicLink() && (await isFileInside(path, home)))) paths.push(relative)
    if (paths.length > limits.archiveFiles)
      throw invalidPackage(`The package holds more than ${limits.archiveFiles} files.`)
  }
  const pathOf = (path: string) => join(home, ...path.split('/'))
  const size = async (path: string) => (await stat(pathOf(path))).size
  const placeOf = async (path: string, most: number) => {
    demandSize(path, await size(path), most)
    return pathOf(path)
  }
  return {
    paths: paths.sort(),
    size,
    read: async (path, most = limits.testTextBytes) => readFile(await placeOf(path, most)),
    async *stream(path, most) {
      yield* createReadStream(await placeOf(path, most))
    },
  }
}

/** The format allows links between its files; a link that leads out of the package is refused. */
async function isFileInside(path: string, home: string): Promise<boolean> {
  const target = await realpath(path).catch(() => '')
  if (!target.startsWith(home + sep)) throw invalidPackage(`${path} is a link that leads out of the package.`)
  return (await stat(target)).isFile()
}

/** As of files that are kept with a problem. */
const longestPath = 512
/** Tests may inherit from each folder that they lie in. */
const mostSteps = 32

function demandPath(path: string): string {
  if (path.length > longestPath)
    throw invalidPackage(`${path.slice(0, 80)}… is a path of over ${longestPath} characters.`)
  if (path.startsWith('data/') && path.split('/').length > mostSteps)
    throw invalidPackage(`${path.slice(0, 80)}… lies in over ${mostSteps} folders.`)
  return path
}

/** A zip usually holds the package's folder rather than the files themselves. */
function stripTopFolder({ paths, size, read, stream }: PackageFiles): PackageFiles {
  const [shortest] = paths
    .filter((path) => /(?:^|\/)problem\.(?:yaml|xml)$/.test(path))
    .map(demandPath)
    .sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1))
  if (shortest === undefined)
    throw invalidPackage('It is no problem package: it has neither problem.yaml (Kattis) nor problem.xml (Polygon).')
  const top = shortest.slice(0, shortest.lastIndexOf('/') + 1)
  return {
    paths: paths.filter((path) => path.startsWith(top)).map((path) => demandPath(path.slice(top.length))),
    size: (path) => size(top + path),
    read: (path, most) => read(top + path, most),
    stream: (path, most) => stream(top + path, most),
  }
}
