/**
 * The key of a value in an index: the beginning of the bytes by which items are sorted. A cut key never comes before
 * that of a lesser value, so every comparison is one range of keys; the filter itself rules out other items in the
 * range.
 */
import { readDecimal } from '../items/number-order.ts'
import { comparedBytes, encodeValue } from '../order/item-key.ts'
import type { Operator } from '../query/filter.ts'

/** Bounds an entry's size: texts that share their first 90 bytes are distinguished by reading them. */
export const maxKeyBytes = 96

export const indexKey = (json: string | undefined): Buffer => encodeValue(json, comparedBytes).subarray(0, maxKeyBytes)

/** From `from` up to, but not including, `to`. */
export type KeyRange = { readonly from: Buffer; readonly to: Buffer }

const kinds = { missing: 1, null: 2, number: 5, text: 6 }

export const existing: KeyRange = { from: Buffer.from([kinds.missing + 1]), to: Buffer.from([0xff]) }

/** The range of values that may match this comparison; null if an index can't tell. */
export function rangeOf(operator: Operator, value: string): KeyRange | null {
  if (operator === '!=' || operator === 'contains') return null
  const { bytes, isCut } = boundOf(value)
  const after = isCut ? afterPrefix(bytes) : Buffer.concat([bytes, Buffer.from([0])])
  if (operator === '=') return { from: bytes, to: after }
  const kind = bytes[0]!
  // For a filter null, false and true are one kind, without order.
  const [first, last] = kind < kinds.number ? [kinds.null, kinds.number] : [kind, kind + 1]
  if (kind < kinds.number) return { from: Buffer.from([first]), to: Buffer.from([last]) }
  if (operator === '<') return { from: Buffer.from([first]), to: isCut ? after : bytes }
  if (operator === '<=') return { from: Buffer.from([first]), to: after }
  return { from: operator === '>' && !isCut ? after : bytes, to: Buffer.from([last]) }
}

/** The key that exactly the items equal to this value have; null if the key alone can't tell. */
export function pointOf(value: string): Buffer | null {
  const { bytes, isCut } = boundOf(value)
  return isCut || /\ufffd|\\u/.test(value) ? null : bytes
}

const farthestPower = 2n ** 62n
const powerEnd = 10

function boundOf(value: string): { bytes: Buffer; isCut: boolean } {
  const bytes = indexKey(value)
  if (bytes[0] !== kinds.number) return { bytes, isCut: bytes.length === maxKeyBytes }
  const { point } = readDecimal(value)
  // Beyond this, all powers of ten share one key.
  const isFar = point > farthestPower || point < -farthestPower
  return isFar ? { bytes: bytes.subarray(0, powerEnd), isCut: true } : { bytes, isCut: bytes.length === maxKeyBytes }
}

/** The least bytes after everything that begins with these. No key begins with 255. */
function afterPrefix(bytes: Buffer): Buffer {
  let end = bytes.length
  while (bytes[end - 1] === 0xff) end--
  const after = Buffer.from(bytes.subarray(0, end))
  after[end - 1]!++
  return after
}

/** The intersection; null if it is empty. */
export function intersectRanges(a: KeyRange, b: KeyRange): KeyRange | null {
  const from = Buffer.compare(a.from, b.from) >= 0 ? a.from : b.from
  const to = Buffer.compare(a.to, b.to) <= 0 ? a.to : b.to
  return Buffer.compare(from, to) < 0 ? { from, to } : null
}
