/** The archive of a backup: a .tar.gz of files and folders, and last a list of every file with its size and SHA-256. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { lstat, open, opendir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'

export const listFile = 'backup.json'
/** 1 held the SQLite file itself; 2 holds the rows, for either database. */
export const formatNumber = 2

const stopMs = 2_000

/** The size and SHA-256 of each file, by path. */
export type FileList = Record<string, readonly [size: number, hash: string]>

export type Summary = { readonly count: number; readonly bytes: number }

export type Archive = {
  addBytes(name: string, bytes: Buffer): Promise<void>
  /** A folder that nobody writes in, with all that is in it. */
  addFolder(path: string, name: string): Promise<void>
  addFile(path: string, name: string): Promise<void>
  /** So far. */
  summary(): Summary
}

/** The archive is written under another name, synced and renamed, so that it is whole or absent. */
export async function writeArchive(target: string, fill: (archive: Archive) => Promise<void>): Promise<Summary> {
  const draft = `${target}.partial`
  try {
    const file = await open(draft, 'wx', 0o600)
    const tar = pack()
    const breaking = new AbortController()
    const written = pipeline(Readable.from(tar), createGzip({ level: 4 }), file.createWriteStream())
    const filling = fillArchive(tar, fill, breaking.signal).catch((error) => {
      tar.destroy(error)
      throw error
    })
    const [summary] = await Promise.all([filling, written]).catch(async (error) => {
      // Whoever fills it must have stopped before its files are taken away; one that waits for the reader never would.
      breaking.abort(error)
      await Promise.race([filling.catch(() => {}), sleep(stopMs)])
      throw error
    })
    await syncFile(draft)
    await rename(draft, target)
    return summary
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(draft, { force: true })
    throw error
  }
}

async function fillArchive(
  tar: Pack,
  fill: (archive: Archive) => Promise<void>,
  broken: AbortSignal,
): Promise<Summary> {
  const files: FileList = {}
  const total = { count: 0, bytes: 0 }

  function note(name: string, size: number, hash: string): void {
    files[name] = [size, hash]
    total.count += 1
    total.bytes += size
  }

  async function addFile(path: string, name: string): Promise<void> {
    broken.throwIfAborted()
    const { size, mode } = await lstat(path)
    note(name, size, await streamFile(tar, { name, size, mode: mode & 0o100 ? 0o700 : 0o600 }, path))
  }

  await fill({
    addFile,
    async addBytes(name, bytes) {
      broken.throwIfAborted()
      await addEntry(tar, { name, mode: 0o600 }, bytes)
      note(name, bytes.length, createHash('sha256').update(bytes).digest('hex'))
    },
    async addFolder(path, name) {
      broken.throwIfAborted()
      await addEntry(tar, { name: `${name}/`, type: 'directory', mode: 0o700 })
      for await (const entry of walk(path, `${name}/`)) {
        if (!entry.isFolder) await addFile(entry.path, entry.name)
        else await addEntry(tar, { name: `${entry.name}/`, type: 'directory', mode: 0o700 })
      }
    },
    summary: () => total,
  })
  const list = JSON.stringify({ format: formatNumber, madeAt: new Date().toISOString(), files })
  await addEntry(tar, { name: listFile, mode: 0o600 }, list)
  tar.finalize()
  return total
}

async function* walk(
  folder: string,
  prefix: string,
): AsyncGenerator<{ path: string; name: string; isFolder: boolean }> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name)
    const name = prefix + entry.name
    yield { path, name, isFolder: entry.isDirectory() }
    if (entry.isDirectory()) yield* walk(path, `${name}/`)
  }
}

type Header = { name: string; size?: number; mode: number; type?: 'directory' }

const addEntry = (tar: Pack, header: Header, body: string | Buffer = ''): Promise<void> =>
  new Promise((resolve, reject) => {
    tar.entry(header, body, (error) => (error ? reject(error) : resolve()))
  })

async function streamFile(tar: Pack, header: Header & { size: number }, path: string): Promise<string> {
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
