/** The text of a spreadsheet cell: without forbidden characters, and numbers of at most 15 digits. */
import { withoutLastZeros } from '../../items/number-order.ts'

/** Excel's own limit on the characters of a cell. */
export const maxCellLength = 32_767

const care =
  /[<>&]|_(?=x[0-9A-Fa-f]{4}_)|[\x00-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Cuts a text to what a cell can hold, and writes characters that XML forbids, and text that looks like their escape, as `_xHHHH_`. */
export function escapeCell(text: string): string {
  return cut(text).replace(care, (character) => {
    if (character === '<') return '&lt;'
    if (character === '>') return '&gt;'
    if (character === '&') return '&amp;'
    return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
  })
}

/** Cuts between characters, never inside one. */
function cut(text: string): string {
  if (text.length <= maxCellLength) return text
  const last = text.charCodeAt(maxCellLength - 1)
  const next = text.charCodeAt(maxCellLength)
  const splits = last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff
  return text.slice(0, splits ? maxCellLength - 1 : maxCellLength)
}

/** Whether a spreadsheet keeps the number as it is written: 15 significant digits, within the range of a double. */
export function isExactNumber(text: string): boolean {
  const [mantissa, exponent] = text.split(/[eE]/) as [string, string | undefined]
  const digits = mantissa.replace(/^-/, '').replace('.', '').replace(/^0+/, '')
  const significant = mantissa.includes('.') ? withoutLastZeros(digits) : digits
  if (withoutLastZeros(significant).length > 15) return false
  if (exponent === undefined && digits.length <= 300) return true
  const size = Math.abs(Number(text))
  return significant === '' || (size >= 2.2251e-308 && size <= 9.99999999999999e307)
}
