/** Reads the index keys of items from their bytes, with the reader of tables. */

import { ColumnSlots } from '../formats/column-slots.ts'
import { findValue } from '../formats/item-values.ts'
import { ItemReader } from '../items/item-reader.ts'
import { eachLine } from '../items/lines.ts'
import type { FieldPath } from '../query/filter.ts'
import { indexKey, maxKeyBytes } from './index-key.ts'

/** The keys of all items concatenated, and where each ends. */
export type ItemKeys = { readonly bytes: Uint8Array; readonly ends: Uint32Array }

/** The keys of all items in their order, for each path. */
export function readItemKeys(lines: Buffer, count: number, paths: readonly FieldPath[]): ItemKeys[] {
  const known = new ColumnSlots()
  const slots = paths.map((path) => known.of(path))
  const { columns } = known
  const fields = new Set(columns.map(({ path }) => path[0]))
  const reader = new ItemReader((name) => (fields.has(name) ? 0 : null), columns)
  const written = paths.map(() => new KeyWriter(count))
  for (const [start, end] of eachLine(lines)) {
    reader.read(lines, start)
    let text: string | undefined
    for (const [i, path] of paths.entries()) {
      const slot = reader.hasRepeat ? undefined : slots[i]!.find((each) => reader.stamps[each] === reader.item)
      if (slot !== undefined) written[i]!.addScalar(lines, reader.starts[slot]!, reader.ends[slot]!)
      else {
        // Missing, an object, an array, or a repeated name.
        text ??= lines.toString('utf8', start, end - 1)
        written[i]!.add(indexKey(findValue(text, path)))
      }
    }
  }
  return written.map((each) => each.finish())
}

export function* eachKey({ bytes, ends }: ItemKeys): Generator<Buffer> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  for (const end of ends) {
    yield all.subarray(start, end)
    start = end
  }
}

const textKind = 6

class KeyWriter {
  #bytes: Buffer
  #length = 0
  #count = 0
  readonly #ends: Uint32Array

  constructor(count: number) {
    this.#ends = new Uint32Array(count)
    this.#bytes = Buffer.allocUnsafe(32 * count + maxKeyBytes)
  }

  /** Most texts have no escapes: their bytes are the key's bytes. */
  addScalar(lines: Buffer, start: number, end: number) {
    const length = Math.min(end - start - 2, maxKeyBytes - 1)
    if (lines[start] !== 0x22 || lines.subarray(start + 1, start + 1 + length).includes(0x5c))
      return this.add(indexKey(lines.toString('utf8', start, end)))
    this.#need()
    const at = this.#length
    this.#bytes[at] = textKind
    lines.copy(this.#bytes, at + 1, start + 1, start + 1 + length)
    this.#bytes.fill(0, at + 1 + length, at + 3 + length)
    this.#end(at + Math.min(length + 3, maxKeyBytes))
  }

  add(key: Buffer) {
    this.#need()
    key.copy(this.#bytes, this.#length)
    this.#end(this.#length + key.length)
  }

  finish(): ItemKeys {
    return { bytes: Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length), ends: this.#ends }
  }

  #end(at: number) {
    this.#length = at
    this.#ends[this.#count++] = at
  }

  #need() {
    if (this.#length + maxKeyBytes + 2 <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(2 * this.#bytes.length + 2 * maxKeyBytes)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}
