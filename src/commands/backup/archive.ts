/** The archive of a backup: a .tar.gz of files and folders, and last a list of every file with its size and SHA-256. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, open, opendir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'

export const listFile = 'backup.json'
export const formatNumber = 1

/** The size and SHA-256 of each file, by path. */
export type FileList = Record<string, readonly [size: number, hash: string]>

export type Summary = { readonly count: number; readonly bytes: number }

/** The archive is written under another name, synced and renamed, so that it is whole or absent. */
export async function writeArchive(folder: string, target: string): Promise<Summary> {
  const draft = `${target}.partial`
  try {
    const tar = pack()
    const written = pipeline(
      Readable.from(tar),
      createGzip({ level: 4 }),
      createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
    )
    const [summary] = await Promise.all([
      fillArchive(tar, folder).catch((error) => {
        tar.destroy(error)
        throw error
      }),
      written,
    ])
    await syncFile(draft)
    await rename(draft, target)
    return summary
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(draft, { force: true })
    throw error
  }
}

async function fillArchive(tar: Pack, folder: string): Promise<Summary> {
  const files: FileList = {}
  const total = { count: 0, bytes: 0 }
  for await (const { path, name, isFolder } of walk(folder)) {
    if (isFolder) {
      await addEntry(tar, { name: `${name}/`, type: 'directory', mode: 0o700 })
      continue
    }
    const { size, mode } = await lstat(path)
    const hash = await addFile(tar, { name, size, mode: mode & 0o100 ? 0o700 : 0o600 }, path)
    files[name] = [size, hash]
    total.count += 1
    total.bytes += size
  }
  const list = JSON.stringify({ format: formatNumber, madeAt: new Date().toISOString(), files })
  await addEntry(tar, { name: listFile, mode: 0o600 }, list)
  tar.finalize()
  return total
}

async function* walk(folder: string, prefix = ''): AsyncGenerator<{ path: string; name: string; isFolder: boolean }> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    const name = prefix + entry.name
    yield { path, name, isFolder: entry.isDirectory() }
    if (entry.isDirectory()) yield* walk(path, `${name}/`)
  }
}

type Header = { name: string; size?: number; mode: number; type?: 'directory' }

const addEntry = (tar: Pack, header: Header, body = ''): Promise<void> =>
  new Promise((resolve, reject) => {
    tar.entry(header, body, (error) => (error ? reject(error) : resolve()))
  })

async function addFile(tar: Pack, header: Header & { size: number }, path: string): Promise<string> {
  const hash = createHash('sha256')
  if (header.size === 0) {
    await addEntry(tar, header)
    return hash.digest('hex')
  }
  const done = Promise.withResolvers<void>()
  const entry = tar.entry(header, (error) => (error ? done.reject(error) : done.resolve()))
  // The header has the size already: of a file that grows meanwhile only that much is read.
  for await (const chunk of createReadStream(path, { end: header.size - 1 })) {
    hash.update(chunk)
    if (!entry.write(chunk)) await once(entry, 'drain')
  }
  entry.end()
  await done.promise
  return hash.digest('hex')
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
