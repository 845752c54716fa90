/** Full chunks that were read lately, with the places of their lines: a client that pages reads each chunk once, not once a page. */

const maxBytes = 16 * 1024 * 1024

type Entry = { readonly lines: Buffer; readonly starts: Uint32Array }

/** Items never change, so a chunk is the same for as long as its place and its count are. */
export type ChunkName = { readonly key: number; readonly first: number; readonly count: number }

export function makeChunkCache() {
  const entries = new Map<string, Entry>()
  let bytes = 0

  return {
    /** The lines of these items of the chunk, from memory or by reading it. Not to be given away. */
    async cut(name: ChunkName, from: number, to: number, read: () => Promise<Buffer>): Promise<Buffer> {
      const id = `${name.key}/${name.first}/${name.count}`
      const entry = entries.get(id) ?? makeEntry(await read(), name.count)
      drop(id)
      entries.set(id, entry)
      bytes += entry.lines.length
      while (bytes > maxBytes && entries.size > 1) drop(entries.keys().next().value!)
      return entry.lines.subarray(entry.starts[from], entry.starts[to])
    },
  }

  function drop(id: string) {
    bytes -= entries.get(id)?.lines.length ?? 0
    entries.delete(id)
  }
}

function makeEntry(lines: Buffer, count: number): Entry {
  const starts = new Uint32Array(count + 1)
  let at = 0
  for (let i = 1; i <= count; i++) {
    at = lines.indexOf(0x0a, at) + 1
    starts[i] = at
  }
  return { lines, starts }
}
