/**
 * Blobs: bytes stored under their SHA-256, in files that are complete or absent: written under another name, synced,
 * renamed.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { syncFolder } from '../../lib/sync-folder.ts'
import { linkFile } from './linked-folder.ts'

export type Blob = { readonly hash: string; readonly size: number }

export type Blobs = {
  /** Creates the folder; only at startup, after the data folder has been verified. */
  prepare(): Promise<void>
  /**
   * `beforeMove` runs after all bytes are synced and before the blob has its name: whatever it records then exists for
   * every blob.
   */
  put(source: AsyncIterable<Uint8Array> | Uint8Array, beforeMove?: (blob: Blob) => Promise<unknown>): Promise<Blob>
  has(hash: string): Promise<boolean>
  read(hash: string, range?: { start: number; end: number }): Readable
  /** Short blobs are returned at once, from memory if recently read: the content under a name never changes. */
  readWhole(blob: Blob): Promise<Buffer | Readable>
  /** Adds another name, which stays when the blob is removed. */
  linkTo(hash: string, path: string): Promise<void>
  remove(hash: string): Promise<void>
  /** Removes unfinished files that have not been written to since then: their process is gone. */
  sweep(before: number): Promise<void>
}

/** Up to this size a stream would take longer than reading at once. */
const shortBytes = 64 * 1024
const mostRecentBytes = 8 * 1024 * 1024

export function makeBlobs(folder: string): Blobs {
  const drafts = join(folder, 'coming')
  const recent = new Map<string, Buffer>()
  let recentBytes = 0
  const pathOf = (hash: string) => {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error('A blob is named by its SHA-256.')
    return join(folder, hash.slice(0, 2), hash)
  }

  function forget(hash: string): void {
    recentBytes -= recent.get(hash)?.length ?? 0
    recent.delete(hash)
  }

  /** The map is in order of use, most recent last. */
  function remember(hash: string, bytes: Buffer): void {
    forget(hash)
    recent.set(hash, bytes)
    recentBytes += bytes.length
    for (const [oldest] of recent) {
      if (recentBytes <= mostRecentBytes) return
      forget(oldest)
    }
  }

  return {
    async prepare() {
      await mkdir(drafts, { recursive: true, mode: 0o700 })
    },
    async put(source, beforeMove) {
      const draft = join(drafts, randomUUID())
      try {
        const blob = await writeSynced(draft, source instanceof Uint8Array ? [source] : source)
        const path = pathOf(blob.hash)
        await beforeMove?.(blob)
        await mkdir(join(path, '..')).catch(unlessThere)
        await rename(draft, path)
        await syncFolder(join(path, '..'))
        await syncFolder(folder)
        return blob
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    async has(hash) {
      return stat(pathOf(hash)).then(
        () => true,
        () => false,
      )
    },
    // `end` is the last byte to read, counted from 0, as in a Range header.
    read: (hash, range) => createReadStream(pathOf(hash), range),
    async readWhole({ hash, size }) {
      if (size > shortBytes) return createReadStream(pathOf(hash))
      const known = recent.get(hash) ?? (await readFile(pathOf(hash)))
      if (known.length !== size) throw new Error(`The blob ${hash} has ${known.length} bytes, and should have ${size}.`)
      remember(hash, known)
      return known
    },
    linkTo: (hash, path) => linkFile(pathOf(hash), path),
    remove(hash) {
      forget(hash)
      return rm(pathOf(hash), { force: true })
    },
    async sweep(before) {
      for (const name of await readdir(drafts)) {
        const draft = await stat(join(drafts, name)).catch(() => undefined)
        if (draft && draft.mtimeMs < before) await rm(join(drafts, name), { force: true })
      }
    },
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

async function writeSynced(path: string, source: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<Blob> {
  const hash = createHash('sha256')
  let size = 0
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of source) {
      hash.update(chunk)
      size += chunk.byteLength
      await writeAll(file, chunk)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { hash: hash.digest('hex'), size }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength; ) at += (await file.write(chunk, at)).bytesWritten
}
