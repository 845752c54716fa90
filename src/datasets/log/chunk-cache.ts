/** A cache of recently read chunks with their lines' offsets: a client that pages reads each chunk only once. */
import { makeLruCache } from '../../lib/lru-cache.ts'

const maxBytes = 16 * 1024 * 1024

type Entry = { readonly lines: Buffer; readonly starts: Uint32Array }

/** Items never change, so a chunk with the same first item and count has the same content. */
export type ChunkName = { readonly key: number; readonly first: number; readonly count: number }

export function makeChunkCache() {
  // One push may be a chunk of 9 MB, which a client that pages through it reads repeatedly.
  const chunks = makeLruCache<Entry>(maxBytes, maxBytes)

  const find = ({ key, first, count }: ChunkName, read: () => Promise<Buffer>) =>
    chunks.get(`${key}/${first}/${count}`, async () => indexLines(await read(), count), sizeOf)

  return {
    /** Answers a function that cuts single lines out of the chunk. */
    async open(name: ChunkName, read: () => Promise<Buffer>): Promise<(item: number) => Buffer> {
      const { lines, starts } = await find(name, read)
      return (item) => lines.subarray(starts[item], starts[item + 1])
    },
    /** The lines of these items of the chunk, cached. The cache owns the memory: it must not be transferred. */
    async cut(name: ChunkName, from: number, to: number, read: () => Promise<Buffer>): Promise<Buffer> {
      const { lines, starts } = await find(name, read)
      return lines.subarray(starts[from], starts[to])
    },
  }
}

const sizeOf = ({ lines, starts }: Entry): number => lines.length + starts.byteLength

function indexLines(lines: Buffer, count: number): Entry {
  const starts = new Uint32Array(count + 1)
  let at = 0
  for (let i = 1; i <= count; i++) {
    at = lines.indexOf(0x0a, at) + 1
    starts[i] = at
  }
  return { lines, starts }
}
