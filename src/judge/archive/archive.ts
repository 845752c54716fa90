/**
 * Archives: a zip in memory or in a file, possibly malicious. Entry names are checked before any entry is unpacked, and
 * entries are unpacked as streams.
 */
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'
import { Failure } from '../../lib/failure.ts'
import type { Limits } from '../limits.ts'
import { followLinks, longestLinkedPath } from './links.ts'

export type ArchiveFile = { readonly path: string; readonly entry: yauzl.Entry }

export type Archive = {
  /** All files, without folders, in the archive's order. */
  readonly files: readonly ArchiveFile[]
  /** Unpacks one file. Bytes count towards the limits as they are unpacked; declared sizes are not trusted. */
  read(file: ArchiveFile): AsyncGenerator<Uint8Array>
}

/** A zip's bytes, or the file that holds them. */
export type Zip = Buffer | { readonly fd: number; readonly length: number }

export const invalidArchive = (message: string): Failure => new Failure('invalid', 'bad-archive', message)

/** Folders do not count as files, but reading a million of them would block the server. */
const maxEntries = (limits: Limits) => 4 * limits.archiveFiles

export type ArchiveOptions = {
  /**
   * Treats the archive as a copy of a folder: a backslash is part of a name if the archive's system knows only `/` as
   * separator, and symbolic links are followed. Otherwise a backslash is a separator, and links are refused.
   */
  readonly isFolder?: boolean
}

export async function openArchive(zip: Zip, limits: Limits, options: ArchiveOptions = {}): Promise<Archive> {
  const opened = await open(zip)
  const files = await listFiles(opened, limits, options)
  let declared = 0
  // Checks declared sizes before anything is unpacked and stored; unpacking enforces them.
  for (const { path, entry } of files) {
    declared += entry.uncompressedSize
    demandSize(declared, path)
  }
  let unpacked = 0

  function demandSize(size: number, path: string): void {
    if (size > limits.unpackedBytes) {
      throw invalidArchive(`${quote(path)}: the archive unpacks to more than ${limits.unpackedBytes} bytes.`)
    }
    if (size > limits.unpackedFreeBytes && size > limits.unpackedRatio * zip.length) {
      throw invalidArchive(`${quote(path)}: the archive unpacks to more than ${limits.unpackedRatio} times its size.`)
    }
  }

  return {
    files,
    async *read({ path, entry }) {
      let sum = 0
      try {
        for await (const chunk of await opened.openReadStreamPromise(entry)) {
          unpacked += chunk.length
          demandSize(unpacked, path)
          sum = crc32(chunk, sum)
          yield chunk
        }
      } catch (error) {
        if (error instanceof Failure) throw error
        throw invalidArchive(`${quote(path)} can't be unpacked: ${(error as Error).message}.`)
      }
      if (sum !== entry.crc32) throw invalidArchive(`${quote(path)}: the checksum is wrong; the archive is damaged.`)
    },
  }
}

export const quote = (path: string): string => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path)

async function open(zip: Zip): Promise<yauzl.ZipFile> {
  // Names are decoded and checked here, so that an error can name its entry.
  const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true, autoClose: false }
  try {
    return await (Buffer.isBuffer(zip) ? yauzl.fromBufferPromise(zip, options) : yauzl.fromFdPromise(zip.fd, options))
  } catch (error) {
    throw invalidArchive(`It is not a whole zip archive: ${(error as Error).message.replace(/\.$/, '')}.`)
  }
}

async function listFiles(zip: yauzl.ZipFile, limits: Limits, { isFolder = false }: ArchiveOptions) {
  const files = new Map<string, ArchiveFile>()
  const folders = new Set<string>()
  const links = new Map<string, yauzl.Entry>()
  if (zip.entryCount > maxEntries(limits)) throw tooMany(limits)
  let last = ''
  try {
    for await (const entry of zip.eachEntry()) {
      const path = readPath(entry, isFolder)
      checkEntry(entry, path)
      last = path
      if (path.endsWith('/')) {
        folders.add(path)
        continue
      }
      if (files.has(path) || links.has(path)) throw invalidArchive(`${quote(path)} is in the archive twice.`)
      if (typeOf(entry) !== link) files.set(path, { path, entry })
      else if (isFolder) links.set(path, entry)
      else throw invalidArchive(`${quote(path)} is a symbolic link.`)
      if (files.size + links.size > limits.archiveFiles) throw tooMany(limits)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw invalidArchive(`The archive's list of files is damaged after ${quote(last)}: ${(error as Error).message}.`)
  }
  if (links.size === 0) return [...files.values()]
  const targets = new Map<string, string>()
  for (const [path, entry] of links) targets.set(path, await readTarget(zip, path, entry))
  const tree = { files, folders, links: targets }
  const found = followLinks(tree, { files: limits.archiveFiles, refuse: invalidArchive })
  return [...found].map(([path, { entry }]) => ({ path, entry }))
}

/** A link's content is its target. */
async function readTarget(zip: yauzl.ZipFile, path: string, entry: yauzl.Entry): Promise<string> {
  if (entry.uncompressedSize > longestLinkedPath)
    throw invalidArchive(`${quote(path)} is a symbolic link of over ${longestLinkedPath} characters.`)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk)
  } catch (error) {
    throw invalidArchive(`${quote(path)} can't be unpacked: ${(error as Error).message}.`)
  }
  const target = Buffer.concat(chunks)
  if (crc32(target) !== entry.crc32)
    throw invalidArchive(`${quote(path)}: the checksum is wrong; the archive is damaged.`)
  return target.toString()
}

const tooMany = (limits: Limits) => invalidArchive(`The archive holds more than ${limits.archiveFiles} files.`)

const typeBits = 0o170000
const ordinaryTypes = [0, 0o040000, 0o100000]
const link = 0o120000

const typeOf = ({ externalFileAttributes }: yauzl.Entry): number => (externalFileAttributes >>> 16) & typeBits

/** Systems whose only separator is `/` (APPNOTE 4.4.2): Unix and macOS. */
const withoutBackslash = [3, 19]

function readPath(entry: yauzl.Entry, isFolder: boolean): string {
  const isExact = isFolder && withoutBackslash.includes(entry.versionMadeBy >>> 8)
  return yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, isExact)
}

function checkEntry(entry: yauzl.Entry, path: string): void {
  const name = quote(path)
  // A name with backslashes must not leave the folder where they are separators either: others will unpack our exports.
  if (path === '' || yauzl.validateFileName(path.replaceAll('\\', '/')) !== null)
    throw invalidArchive(`${name} leads out of the archive.`)
  if (entry.isEncrypted()) throw invalidArchive(`${name} is encrypted.`)
  const type = typeOf(entry)
  if (!ordinaryTypes.includes(type) && type !== link) throw invalidArchive(`${name} is neither a file nor a folder.`)
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw invalidArchive(
      `${name} is packed by method ${entry.compressionMethod}: pack it with deflate, as zip does by default.`,
    )
  }
}
