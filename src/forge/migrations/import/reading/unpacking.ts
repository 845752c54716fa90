/** Unpacks a possibly hostile archive into an empty folder: each name, size and digest is checked before use. */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { makeSlices } from '../../../../lib/scheduling/slices.ts'
import { readTar, type TarEntry, TarFault } from '../../../../store/files/tar-reading.ts'
import { pluralOf, type RecordType } from '../../records/record-files.ts'
import { demandImport, refuseImport } from '../refusal.ts'
import { type ArchivePath, isOwnFolder, isOwnName, isPlain, parsePath } from './archive-path.ts'
import type { Listed } from './file-parsing.ts'
import type { FileReader } from './file-reader.ts'
import { parseJson } from './json.ts'

/** The version of the format that this server writes, and those that it reads. */
const ownVersion = '1.0.0'
const knownVersion = /^1\.\d+\.\d+$/

const mib = 1024 * 1024
/** A hundred records with texts of the maximum length. */
const maxRecordFileBytes = 256 * mib
const maxManifestBytes = 128 * mib
const maxEntries = 500_000

export type UnpackedArchive = {
  readonly reader: FileReader
  readonly folder: string
  /** How many files each type has: `TYPE_000001.json` and so on. */
  readonly recordFiles: ReadonlyMap<RecordType, number>
  /** The digest and the size of each uploaded file, by its path. */
  readonly uploads: ReadonlyMap<string, FileFacts>
  /** The unpacked paths within each repository, by `owner/name.git`. */
  readonly repositories: ReadonlyMap<string, readonly string[]>
  readonly largeFiles: ReadonlyMap<string, readonly FoundLargeFile[]>
}

/** An archive of the public platform as it was unpacked: its records are not yet in our form. */
export type PlatformArchive = Omit<UnpackedArchive, 'recordFiles'> & {
  /** The numbers of the files of each type, by its plural: `issues`, `discussions`. */
  readonly recordFiles: ReadonlyMap<string, readonly number[]>
  /** Files that no archive is known to have. They were skipped. */
  readonly unknownFiles: number
}

export type Unpacked =
  | { readonly form: 'own'; readonly archive: UnpackedArchive }
  | { readonly form: 'platform'; readonly archive: PlatformArchive }

export type FileFacts = { readonly sha256: string; readonly bytes: number }
export type FoundLargeFile = { readonly oid: string; readonly bytes: number; readonly path: string }

type Bounds = { readonly maxBytes: number; readonly signal: AbortSignal }

export async function unpackArchive(
  archive: Readable,
  folder: string,
  reader: FileReader,
  bounds: Bounds,
): Promise<Unpacked> {
  const found = new Map<string, FileFacts>()
  const paths = new Map<string, ArchivePath>()
  let entries = 0
  let nameBytes = 0
  /** The first name that our own archives do not have. */
  let strange: string | undefined
  try {
    for await (const entry of readTar(unzip(archive, bounds.maxBytes))) {
      bounds.signal.throwIfAborted()
      demandImport(++entries <= maxEntries, `it holds more than ${maxEntries} files`)
      nameBytes += entry.name.length
      demandImport(nameBytes <= maxManifestBytes, 'the names of its files are without end')
      const isFolder = entry.type === 'directory'
      const name = (isFolder ? entry.name.replace(/\/$/, '') : entry.name).replace(/^\.(?:\/|$)/, '')
      if (isFolder) {
        demandImport(name === '' || isPlain(name), describeStrange(name))
        if (name !== '' && !isOwnFolder(name)) strange ??= name
        continue
      }
      const path = parsePath(name)
      demandImport(path, describeStrange(name))
      if (!isOwnName(path)) strange ??= name
      demandImport(!found.has(name), `it holds ${quote(name)} twice`)
      demandSize(path, entry)
      paths.set(name, path)
      found.set(name, await takeEntry(entry, isKept(path) ? join(folder, name) : undefined))
    }
  } catch (error) {
    throw explain(error)
  } finally {
    archive.destroy()
  }
  const form = await readForm(folder, found)
  if (form === 'platform')
    return { form, archive: { reader, folder, ...(await arrange(paths, found)), ...listPlatformFiles(paths) } }
  await demandManifest(reader, folder, found)
  demandImport(strange === undefined, `The file is not an archive of a migration: ${describeStrange(strange ?? '')}.`)
  const { uploads, repositories, largeFiles } = await arrange(paths, found)
  return { form, archive: { reader, folder, recordFiles: await countFiles(paths), uploads, repositories, largeFiles } }
}

const quote = (name: string): string => JSON.stringify(name.slice(0, 200))
const describeStrange = (name: string): string => `it holds ${quote(name)}, which is not a name that an archive has`

/** Stops a decompression bomb by the bytes that came out, whatever its headers say. */
async function* unzip(archive: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  const plain = createGunzip()
  archive.on('error', (error) => plain.destroy(error))
  let total = 0
  try {
    for await (const chunk of archive.pipe(plain)) {
      total += chunk.length
      demandImport(total <= maxBytes, `it unpacks to more than ${Math.floor(maxBytes / mib)} MiB`)
      yield chunk
    }
  } finally {
    plain.destroy()
  }
}

function explain(error: unknown): unknown {
  if (error instanceof TarFault) return refuseImport(`The file is not an archive of a migration: ${error.message}.`)
  const { code, message } = error as NodeJS.ErrnoException
  if (typeof code === 'string' && code.startsWith('Z_'))
    return refuseImport('The file is not an archive of a migration: it is not whole gzip.')
  return code === 'import-refused' ? refuseImport(`The file is not an archive of a migration: ${message}.`) : error
}

function demandSize(path: ArchivePath, { name, size }: TarEntry): void {
  const most = { schema: 4096, manifest: maxManifestBytes, records: maxRecordFileBytes }[path.kind as string]
  demandImport(most === undefined || size <= most, `${quote(name)} is larger than any such file`)
}

const isKept = (path: ArchivePath): boolean => path.kind !== 'unknown' && (path.kind !== 'git' || path.isWanted)

async function takeEntry({ body }: TarEntry, path: string | undefined): Promise<FileFacts> {
  const hash = createHash('sha256')
  let bytes = 0
  if (path) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // `wx` fails if a folder or another file is there: then the archive holds two things of one name.
  const file = path ? await open(path, 'wx', 0o600).catch(refuseClash) : undefined
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      bytes += chunk.length
      await file?.appendFile(chunk)
    }
  } finally {
    await file?.close()
  }
  return { sha256: hash.digest('hex'), bytes }
}

function refuseClash(error: NodeJS.ErrnoException): never {
  throw ['EEXIST', 'EISDIR', 'ENOTDIR'].includes(error.code ?? '') ? refuseImport('it holds a name twice') : error
}

/** Archives of the public platform name its commit, or a version that we never wrote, and have no list of files. */
async function readForm(folder: string, found: ReadonlyMap<string, FileFacts>): Promise<Unpacked['form']> {
  demandImport(found.has('schema.json'), 'The file is not an archive of a migration: it has no schema.json.')
  const schema = parseJson(await readFile(join(folder, 'schema.json')), 'schema.json') as Record<string, unknown>
  const { version, github_sha: commit } = schema
  demandImport(
    typeof version === 'string' && knownVersion.test(version),
    `The archive has the form ${JSON.stringify(version)?.slice(0, 50)}, which this server does not know.`,
  )
  const isPlatforms = !found.has('manifest.json') && (typeof commit === 'string' || version !== ownVersion)
  return isPlatforms ? 'platform' : 'own'
}

async function demandManifest(
  reader: FileReader,
  folder: string,
  found: ReadonlyMap<string, FileFacts>,
): Promise<void> {
  demandImport(found.has('manifest.json'), 'The archive has no manifest.json: its end is missing.')
  const left = new Set(found.keys())
  left.delete('manifest.json')
  function takeListed({ path, sha256, bytes }: Listed): void {
    const facts = typeof path === 'string' ? found.get(path) : undefined
    demandImport(facts, `manifest.json lists ${quote(String(path))}, which is not in the archive.`)
    const isSame = facts.sha256 === sha256 && facts.bytes === bytes
    demandImport(isSame, `${quote(String(path))} is not as manifest.json lists it.`)
    demandImport(left.delete(path as string), `manifest.json lists ${quote(String(path))} twice.`)
  }
  for await (const { items } of reader.read({ folder, name: 'manifest.json', maxListed: maxEntries }))
    for (const listed of items as readonly Listed[]) takeListed(listed)
  const [extra] = left
  demandImport(extra === undefined, `The archive holds ${quote(extra ?? '')}, which manifest.json does not list.`)
}

async function arrange(paths: ReadonlyMap<string, ArchivePath>, found: ReadonlyMap<string, FileFacts>) {
  const uploads = new Map<string, FileFacts>()
  const repositories = new Map<string, string[]>()
  const largeFiles = new Map<string, FoundLargeFile[]>()
  const slices = makeSlices()
  for (const [name, path] of paths) {
    if (slices.isDue()) await slices.pause()
    if (path.kind === 'upload') uploads.set(name, found.get(name)!)
    if (path.kind === 'git') {
      const inner = repositories.get(path.repository) ?? []
      if (path.isWanted) inner.push(path.inner)
      repositories.set(path.repository, inner)
    }
    if (path.kind === 'large-file') {
      const { bytes, sha256 } = found.get(name)!
      demandImport(sha256 === path.oid, `${quote(name)} is not the large file that it says it is.`)
      const known = largeFiles.get(path.repository) ?? []
      known.push({ oid: path.oid, bytes, path: name })
      largeFiles.set(path.repository, known)
    }
  }
  return { uploads, repositories, largeFiles }
}

/** The files of each type must be numbered without a gap. */
async function countFiles(paths: ReadonlyMap<string, ArchivePath>): Promise<ReadonlyMap<RecordType, number>> {
  const counts = new Map<RecordType, number>()
  const slices = makeSlices()
  for (const path of paths.values()) {
    if (slices.isDue()) await slices.pause()
    if (path.kind === 'records' && path.type) counts.set(path.type, (counts.get(path.type) ?? 0) + 1)
  }
  for (const [type, count] of counts)
    for (let number = 1; number <= count; number++) {
      demandImport(paths.has(nameOfRecords(type, number)), `${nameOfRecords(type, number)} is missing.`)
      if (slices.isDue()) await slices.pause()
    }
  return counts
}

function listPlatformFiles(paths: ReadonlyMap<string, ArchivePath>) {
  const recordFiles = new Map<string, number[]>()
  let unknownFiles = 0
  for (const path of paths.values()) {
    if (path.kind === 'unknown') unknownFiles++
    if (path.kind !== 'records') continue
    const numbers = recordFiles.get(path.plural) ?? []
    numbers.push(path.number)
    recordFiles.set(path.plural, numbers)
  }
  for (const numbers of recordFiles.values()) numbers.sort((a, b) => a - b)
  return { recordFiles, unknownFiles }
}

export const nameOfRecords = (type: RecordType, number: number): string => nameOfFile(pluralOf(type), number)

export const nameOfFile = (plural: string, number: number): string =>
  `${plural}_${String(number).padStart(6, '0')}.json`
