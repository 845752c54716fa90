/** Single items of a data set, by their places, as a source that an export reads like the log itself. */
import { fullChunkBytes, type ItemLog, type ItemRange, type Slice } from '../log/item-log.ts'
import type { ItemSource } from './sorted-page.ts'

/** Lines up to this size are kept for sending, so that they need not be read again. */
const keptBytes = 128 * 1024

export type PickedItems = ReturnType<typeof makePickedItems>

export function makePickedItems(log: Pick<ItemLog, 'pick'>, key: number) {
  const places: number[] = []
  const slices: Slice[] = []
  let kept: Buffer[] | null = []
  let byteCount = 0

  function note(place: number, bytes: number): void {
    const at = places.push(place) - 1
    byteCount += bytes
    if (byteCount > keptBytes) kept = null
    const last = slices.at(-1)
    if (last && last.bytes + bytes <= fullChunkBytes)
      slices[slices.length - 1] = { ...last, to: at + 1, bytes: last.bytes + bytes }
    else slices.push({ from: at, to: at + 1, bytes, isWhole: true, hasHidden: true, summary: null })
  }

  function add(place: number, line: Buffer): void {
    note(place, line.length)
    kept?.push(line)
  }

  /** Adds items in any order. */
  async function addAll(wanted: readonly number[]): Promise<void> {
    const ascending = wanted.toSorted((a, b) => a - b)
    const lengths = new Map<number, number>()
    const lines = new Map<number, Buffer>()
    let [next, bytes] = [0, 0]
    for await (const some of log.pick(key, ascending))
      for (const line of some) {
        const place = ascending[next++]!
        bytes += line.length
        lengths.set(place, line.length)
        if (bytes <= keptBytes) lines.set(place, line)
        else lines.clear()
      }
    for (const place of wanted) {
      note(place, lengths.get(place)!)
      if (lines.has(place)) kept?.push(lines.get(place)!)
    }
  }

  /** Reads each chunk once, whatever the order of the items. */
  async function readLines({ from, to }: ItemRange): Promise<Buffer[]> {
    if (kept) return kept.slice(from, to)
    const order = Array.from({ length: to - from }, (_, i) => from + i).sort((a, b) => places[a]! - places[b]!)
    const lines: Buffer[] = new Array(to - from)
    let next = 0
    for await (const some of log.pick(
      key,
      order.map((at) => places[at]!),
    ))
      for (const line of some) lines[order[next++]! - from] = line
    return lines
  }

  const source: ItemSource = {
    async *plan() {
      yield* slices
    },
    read: async (_key, range) => Buffer.concat(await readLines(range)),
  }

  return {
    add,
    addAll,
    source,
    get count() {
      return places.length
    },
    get byteCount() {
      return byteCount
    },
  }
}
