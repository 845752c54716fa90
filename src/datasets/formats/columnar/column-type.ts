/** The type of a column in a columnar file, inferred from all its values in a page. Pure. */
import { printsBack } from '../../items/double-text.ts'

/**
 * `json`: each value as its JSON. A column with several kinds of plain values is text; one that also has objects or
 * arrays is JSON.
 */
export type ColumnType = 'boolean' | 'integer' | 'double' | 'text' | 'json'

/** The kinds of values found in a column, as bits. */
export const kinds = { boolean: 1, integer: 2, double: 4, wide: 8, odd: 16, text: 32, nested: 64 } as const

const numbers = kinds.integer | kinds.double | kinds.wide | kinds.odd

/** A column of nulls alone is text, which every reader knows. */
export function typeOf(met: number): ColumnType {
  if (met & kinds.nested) return 'json'
  if (met === kinds.boolean) return 'boolean'
  if (met === 0 || met & ~numbers || met & kinds.odd) return 'text'
  if ((met & kinds.double) === 0) return 'integer'
  return met & kinds.wide ? 'text' : 'double'
}

/** The kind of a value, by its JSON; 0 for null. */
export function kindOf(bytes: Buffer, start: number, end: number): number {
  const first = bytes[start]!
  if (first === 0x22) return kinds.text
  if (first === 0x7b || first === 0x5b) return kinds.nested
  if (first === 0x6e) return 0
  if (first === 0x74 || first === 0x66) return kinds.boolean
  return kindOfNumber(bytes, start, end)
}

/** A whole number of up to 15 digits fits a double as well. */
const narrowDigits = 15

/** `wide`: a 64-bit integer that a double may not hold exactly. `odd`: a number that fits neither type. */
function kindOfNumber(bytes: Buffer, start: number, end: number): number {
  let isWhole = true
  let hasExponent = false
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte === 0x2e) isWhole = false
    else if (byte === 0x65 || byte === 0x45) hasExponent = true
  }
  const isNegative = bytes[start] === 0x2d
  if (isWhole && !hasExponent) {
    // An integer has no minus zero.
    if (isNegative && bytes[start + 1] === 0x30) return kinds.double
    const length = end - start - (isNegative ? 1 : 0)
    if (length <= narrowDigits) return kinds.integer
    if (length > 19) return kinds.odd
    const value = BigInt(bytes.toString('latin1', start, end))
    return BigInt.asIntN(64, value) === value ? kinds.wide : kinds.odd
  }
  if (!hasExponent && end - start <= narrowDigits + 1) return kinds.double
  return printsBack(bytes.toString('latin1', start, end)) ? kinds.double : kinds.odd
}
