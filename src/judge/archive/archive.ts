/** Archives: a zip in memory or in a file, possibly hostile. Its entries are checked by name before any is unpacked, and unpacked as streams. */
import { crc32 } from 'node:zlib'
import yauzl from 'yauzl'
import { Failure } from '../../base/failure.ts'
import type { Limits } from '../limits.ts'

export type ArchiveFile = { readonly path: string; readonly entry: yauzl.Entry }

export type Archive = {
  /** Every file, folders left out, in the archive's own order. */
  readonly files: readonly ArchiveFile[]
  /** Unpacks one file. The bytes count against the limits as they are unpacked; the sizes that the archive declares are not trusted. */
  read(file: ArchiveFile): AsyncGenerator<Uint8Array>
}

/** A zip's bytes, or the file that holds them. */
export type Zip = Buffer | { readonly fd: number; readonly length: number }

export const invalidArchive = (message: string): Failure => new Failure('invalid', 'bad-archive', message)

/** Folders do not count as files, but reading a million of them would keep the server busy. */
const maxEntries = (limits: Limits) => 4 * limits.archiveFiles

export async function openArchive(zip: Zip, limits: Limits): Promise<Archive> {
  const opened = await open(zip)
  const files = await listFiles(opened, limits)
  let declared = 0
  // Before anything of it is unpacked and stored: what is declared is held to when it is read.
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
  // Names are decoded and checked here, so that the entry can be named whatever is wrong with it.
  const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true, autoClose: false }
  try {
    return await (Buffer.isBuffer(zip) ? yauzl.fromBufferPromise(zip, options) : yauzl.fromFdPromise(zip.fd, options))
  } catch (error) {
    throw invalidArchive(`It is not a whole zip archive: ${(error as Error).message}.`)
  }
}

async function listFiles(zip: yauzl.ZipFile, limits: Limits): Promise<ArchiveFile[]> {
  const files = new Map<string, ArchiveFile>()
  if (zip.entryCount > maxEntries(limits)) throw tooMany(limits)
  let last = ''
  try {
    for await (const entry of zip.eachEntry()) {
      const path = checkEntry(entry)
      last = path
      if (path.endsWith('/')) continue
      if (files.has(path)) throw invalidArchive(`${quote(path)} is in the archive twice.`)
      files.set(path, { path, entry })
      if (files.size > limits.archiveFiles) throw tooMany(limits)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    throw invalidArchive(`The archive's list of files is damaged after ${quote(last)}: ${(error as Error).message}.`)
  }
  return [...files.values()]
}

const tooMany = (limits: Limits) => invalidArchive(`The archive holds more than ${limits.archiveFiles} files.`)

const typeBits = 0o170000
const ordinaryTypes = [0, 0o040000, 0o100000]
const link = 0o120000

/** Answers the entry's path. */
function checkEntry(entry: yauzl.Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields, externalFileAttributes, compressionMethod } = entry
  const path = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
  const name = quote(path)
  if (path === '' || yauzl.validateFileName(path) !== null) throw invalidArchive(`${name} leads out of the archive.`)
  if (entry.isEncrypted()) throw invalidArchive(`${name} is encrypted.`)
  const type = (externalFileAttributes >>> 16) & typeBits
  if (type === link) throw invalidArchive(`${name} is a symbolic link.`)
  if (!ordinaryTypes.includes(type)) throw invalidArchive(`${name} is neither a file nor a folder.`)
  if (compressionMethod !== 0 && compressionMethod !== 8) {
    throw invalidArchive(
      `${name} is packed by method ${compressionMethod}: pack it with deflate, as zip does by default.`,
    )
  }
  return path
}
