/** The text of a spreadsheet cell: removes forbidden characters, and decides which numbers stay numbers. */

import { printsBack } from '../../items/double-text.ts'
import { isString, readString } from '../../items/json-text.ts'

/** Excel's own limit on the characters of a cell. */
export const maxCellLength = 32_767

const care =
  /[<>&]|_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Whether a value, by its JSON, is longer than a cell can hold. */
export function isCutCell(json: string): boolean {
  if (json.length <= maxCellLength) return false
  return (isString(json) ? readString(json) : json).length > maxCellLength
}

/**
 * Cuts a text to the length of a cell. Characters that XML forbids, and text that looks like their escape, are written
 * as `_xHHHH_`.
 */
export function escapeCell(text: string): string {
  return cutCell(text).replace(care, (character) => {
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    if (character === '&') return '&amp;'
    return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
  })
}

/** Cuts between characters, never inside one. */
export function cutCell(text: string): string {
  if (text.length <= maxCellLength) return text
  const last = text.charCodeAt(maxCellLength - 1)
  const next = text.charCodeAt(maxCellLength)
  const splits = last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff
  return text.slice(0, splits ? maxCellLength - 1 : maxCellLength)
}

/**
 * Whether a spreadsheet keeps the number: one with a fraction or an exponent if the nearest double prints the same
 * value; a whole number if it has up to 15 digits, since longer ones are ids, which a spreadsheet would show rounded.
 */
export function isExactNumber(text: string): boolean {
  if (!/[.eE]/.test(text)) return text.length - (text.startsWith('-') ? 1 : 0) <= 15
  return printsBack(text)
}
