/** Writes a .tar.gz as a stream: bytes, files and folders, each with its size and SHA-256, in constant memory. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'

export type TarSummary = { readonly count: number; readonly bytes: number }

export type TarWriter = {
  addBytes(name: string, bytes: Buffer): Promise<void>
  /** A folder that nobody is writing to, with all its contents, in order of names. */
  addFolder(path: string, name: string): Promise<void>
  addFile(path: string, name: string): Promise<void>
  /** The totals so far. */
  summary(): TarSummary
}

export type TarOptions = {
  /** Who can read the unpacked entries: only their owner, or everyone. */
  readonly modes: 'private' | 'shared'
  /** The time of every entry, for reproducible archives; by default the time at which it is added. */
  readonly mtime?: Date
  /** Called for each file when it is in the archive. */
  note(name: string, size: number, sha256: string): void
}

const stopMs = 2_000
const modes = { private: { plain: 0o600, executable: 0o700 }, shared: { plain: 0o644, executable: 0o755 } }

/** `sink` receives the bytes of the archive. If either side fails, the other ends, and the first error is thrown. */
export async function packTar<T>(
  sink: (bytes: AsyncIterable<Buffer>) => Promise<T>,
  fill: (tar: TarWriter) => Promise<void>,
  options: TarOptions,
): Promise<T> {
  const tar = pack()
  const breaking = new AbortController()
  const written = pipeline(Readable.from(tar), createGzip({ level: 4 }), sink)
  const filling = fill(makeWriter(tar, breaking.signal, options)).then(
    () => tar.finalize(),
    (error) => {
      tar.destroy(error)
      throw error
    },
  )
  const [, outcome] = await Promise.all([filling, written]).catch(async (error) => {
    // Filling must have stopped before its files are removed; but a filler that waits for the reader would never stop.
    breaking.abort(error)
    await Promise.race([Promise.allSettled([filling, written]), sleep(stopMs)])
    throw error
  })
  return outcome
}

function makeWriter(tar: Pack, broken: AbortSignal, { modes: kind, mtime, note }: TarOptions): TarWriter {
  const { plain, executable } = modes[kind]
  const total = { count: 0, bytes: 0 }
  const time = mtime && { mtime }

  function count(name: string, size: number, sha256: string): void {
    total.count += 1
    total.bytes += size
    note(name, size, sha256)
  }

  async function addFile(path: string, name: string): Promise<void> {
    broken.throwIfAborted()
    const { size, mode } = await lstat(path)
    const header = { name, size, mode: mode & 0o100 ? executable : plain, ...time }
    count(name, size, await streamFile(tar, header, path))
  }

  async function addFolder(path: string, name: string): Promise<void> {
    broken.throwIfAborted()
    await addEntry(tar, { name: `${name}/`, type: 'directory', mode: executable, ...time })
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries.sort(byName)) {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) await addFolder(inner, `${name}/${entry.name}`)
      else await addFile(inner, `${name}/${entry.name}`)
    }
  }

  return {
    addFile,
    addFolder,
    async addBytes(name, bytes) {
      broken.throwIfAborted()
      await addEntry(tar, { name, mode: plain, ...time }, bytes)
      count(name, bytes.length, createHash('sha256').update(bytes).digest('hex'))
    },
    summary: () => total,
  }
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)

type Header = { name: string; size?: number; mode: number; type?: 'directory'; mtime?: Date }

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
  // The header already contains the size: if a file grows meanwhile, only that much is read.
  for await (const chunk of createReadStream(path, { end: header.size - 1 })) {
    hash.update(chunk)
    if (!entry.write(chunk)) await once(entry, 'drain')
  }
  entry.end()
  await done.promise
  return hash.digest('hex')
}
