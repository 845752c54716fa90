/** The files of a problem package, from a folder or a zip, by their paths relative to its problem.yaml. */
import { isUtf8 } from 'node:buffer'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Failure } from '../../base/failure.ts'
import { openArchive, type Zip } from '../archive/archive.ts'
import type { Limits } from '../limits.ts'

export type PackageFiles = {
  readonly paths: readonly string[]
  read(path: string): Promise<Buffer>
}

/** The members of problem.yaml, unchecked. */
export type Manifest = Readonly<Record<string, unknown>>

export async function openPackage(path: string, limits: Limits): Promise<PackageFiles> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw invalidPackage(`There is nothing at ${path}.`)
  return stripTopFolder(
    found.isDirectory() ? await openFolder(path, limits) : await openZip(await readFile(path), limits),
  )
}

export const openZippedPackage = async (zip: Zip, limits: Limits): Promise<PackageFiles> =>
  stripTopFolder(await openZip(zip, limits))

export const invalidPackage = (message: string) => new Failure('invalid', 'bad-package', message)

export async function readText(files: PackageFiles, path: string): Promise<Buffer> {
  const text = await files.read(path)
  if (!isUtf8(text)) throw invalidPackage(`${path} is not UTF-8 text.`)
  return text
}

async function openFolder(folder: string, limits: Limits): Promise<PackageFiles> {
  const home = await realpath(folder)
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  const paths: string[] = []
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() || (entry.isSymbolicLink() && (await isFileInside(path, home)))) {
      paths.push(
        path
          .slice(home.length + 1)
          .split(sep)
          .join('/'),
      )
    }
    if (paths.length > limits.archiveFiles)
      throw invalidPackage(`The package holds more than ${limits.archiveFiles} files.`)
  }
  return { paths, read: (path) => readFile(join(home, ...path.split('/'))) }
}

/** The format allows links between its files; a link that leads out of the package is refused. */
async function isFileInside(path: string, home: string): Promise<boolean> {
  const target = await realpath(path).catch(() => '')
  if (!target.startsWith(home + sep)) throw invalidPackage(`${path} is a link that leads out of the package.`)
  return (await stat(target)).isFile()
}

async function openZip(zip: Zip, limits: Limits): Promise<PackageFiles> {
  const archive = await openArchive(zip, limits)
  const files = new Map(archive.files.map((file) => [file.path, file]))
  return {
    paths: [...files.keys()],
    async read(path) {
      const chunks: Uint8Array[] = []
      let length = 0
      for await (const chunk of archive.read(files.get(path)!)) {
        // It is held in memory, and no file of a package may be larger than a test.
        length += chunk.length
        if (length > limits.testTextBytes) throw invalidPackage(`${path} is over ${limits.testTextBytes} bytes.`)
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },
  }
}

/** A zip usually holds the package's folder rather than the files themselves. */
function stripTopFolder({ paths, read }: PackageFiles): PackageFiles {
  const [shortest] = paths.filter((path) => /(?:^|\/)problem\.yaml$/.test(path)).sort((a, b) => a.length - b.length)
  if (shortest === undefined) throw invalidPackage('It is no Kattis problem package: it has no problem.yaml.')
  const top = shortest.slice(0, -'problem.yaml'.length)
  return {
    paths: paths.filter((path) => path.startsWith(top)).map((path) => path.slice(top.length)),
    read: (path) => read(top + path),
  }
}
