/** Archives taken apart and put together again, otherwise than the server would: each entry can be changed on the way. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { gunzipSync, gzipSync } from 'node:zlib'
import { extract, type Headers, pack } from 'tar-stream'
import type { Json } from '../../support/rpc.ts'

export type ArchiveEntry = { header: Headers; bytes: Buffer }

export type ForgedArchive = {
  entries: ArchiveEntry[]
  find(name: string): ArchiveEntry
  /** Adds a file, or puts it in the place of the one of that name. */
  put(name: string, bytes: string | Buffer): void
  add(header: Headers, bytes?: string | Buffer): void
  remove(name: string): void
  /** Changes the records of a type, in its first file. */
  edit(plural: string, change: (records: Json[]) => void): void
  /** `manifest.json` as it should be of what is there. */
  listAgain(): void
  toBytes(): Promise<Buffer>
}

export async function takeApart(archive: Buffer): Promise<ForgedArchive> {
  const entries: ArchiveEntry[] = []
  const tar = extract()
  tar.on('entry', (header, stream, next) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      const { name, type, mode } = header
      entries.push({ header: { name, type, mode } as Headers, bytes: Buffer.concat(chunks) })
      next()
    })
  })
  tar.end(gunzipSync(archive))
  await once(tar, 'finish')
  return forge(entries)
}

export const forge = (entries: ArchiveEntry[]): ForgedArchive => ({
  entries,
  find(name) {
    const found = entries.find(({ header }) => header.name === name)
    if (!found) throw new Error(`There is no ${name}.`)
    return found
  },
  put(name, bytes) {
    const known = entries.find(({ header }) => header.name === name)
    if (known) known.bytes = Buffer.from(bytes)
    else this.add({ name }, bytes)
  },
  add(header, bytes = '') {
    entries.splice(entries.length - 1, 0, { header, bytes: Buffer.from(bytes) })
  },
  remove(name) {
    entries.splice(entries.indexOf(this.find(name)), 1)
  },
  edit(plural, change) {
    const entry = this.find(`${plural}_000001.json`)
    const records = JSON.parse(String(entry.bytes))
    change(records)
    entry.bytes = Buffer.from(JSON.stringify(records))
  },
  listAgain() {
    const files = entries
      .filter(({ header }) => (header.type ?? 'file') === 'file' && header.name !== 'manifest.json')
      .map(({ header, bytes }) => ({
        path: header.name,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        bytes: bytes.length,
      }))
    this.put('manifest.json', JSON.stringify({ version: '1.0.0', files }))
  },
  async toBytes() {
    const tar = pack()
    const chunks: Buffer[] = []
    tar.on('data', (chunk: Buffer) => chunks.push(chunk))
    for (const { header, bytes } of entries) {
      if (header.type && header.type !== 'file') tar.entry(header)
      else tar.entry({ ...header, size: bytes.length }, bytes)
    }
    tar.finalize()
    await once(tar, 'end')
    return gzipSync(Buffer.concat(chunks))
  },
})
