/**
 * Records to sort: a key and a value, concatenated as bytes. For `distinct` a record contains another: the outer key is
 * the distinct fields followed by the item's own key; the inner record has that own key and the item's line.
 */
import { makeMatcher } from '../formats/selection.ts'
import { eachLine } from '../items/lines.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { distinctKey, orderKey } from './item-key.ts'

/** Two lengths precede the key. */
export const headBytes = 8

type Entry = { readonly key: Buffer; readonly value: Buffer }

export function writeRecord({ key, value }: Entry): Buffer {
  const head = Buffer.alloc(headBytes)
  head.writeUInt32LE(key.length, 0)
  head.writeUInt32LE(value.length, 4)
  return Buffer.concat([head, key, value])
}

/** A slice's position in the data set, and the number of items wanted, the first in order. */
export type OrderPlan = {
  readonly query: ItemQuery
  readonly first: number
  readonly total: number
  readonly keep: number
}

/** A slice's selected items, as sorted records. */
export function orderLines(lines: Buffer, { query, first, total, keep }: OrderPlan): Buffer {
  const matches = makeMatcher(query)
  const isDistinct = query.distinct.length > 0
  const entries: Entry[] = []
  let item = first - 1
  for (const [start, end] of eachLine(lines)) {
    item++
    if (!matches(lines, start, end - 1)) continue
    const text = lines.toString('utf8', start, end - 1)
    const key = orderKey(text, query, query.desc ? total - 1 - item : item)
    const entry = { key, value: lines.subarray(start, end) }
    if (isDistinct) entries.push({ key: Buffer.concat([distinctKey(text, query), key]), value: writeRecord(entry) })
    else entries.push(entry)
  }
  return sortEntries(entries, isDistinct ? Number.POSITIVE_INFINITY : keep)
}

export function sortRecords(records: Buffer, keep: number): Buffer {
  const entries: Entry[] = []
  for (let at = 0; at < records.length; ) {
    const keyEnd = at + headBytes + records.readUInt32LE(at)
    const end = keyEnd + records.readUInt32LE(at + 4)
    entries.push({ key: records.subarray(at + headBytes, keyEnd), value: records.subarray(keyEnd, end) })
    at = end
  }
  return sortEntries(entries, keep)
}

const sortEntries = (entries: Entry[], keep: number): Buffer =>
  Buffer.concat(
    entries
      .sort((a, b) => Buffer.compare(a.key, b.key))
      .slice(0, keep)
      .map(writeRecord),
  )
