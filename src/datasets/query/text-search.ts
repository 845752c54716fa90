/** Whether a text contains another, in time that grows with the two lengths and never with their product. */

/** The engine's own search is the fastest for short texts; for long ones it may compare this many units for each. */
const shortLength = 32

export function makeTextSearch(wanted: string): (text: string) => boolean {
  if (wanted.length <= shortLength) return (text) => text.includes(wanted)
  const borders = findBorders(wanted)
  return (text) => holdsUnits(text, wanted, borders)
}

/** A string, or an object read like one. */
export type Units = Pick<string, 'length' | 'charCodeAt'>

/** For each prefix of the text, the length of its longest proper border (Knuth, Morris and Pratt). */
export function findBorders(wanted: string): Int32Array {
  const borders = new Int32Array(wanted.length)
  for (let i = 1, length = 0; i < wanted.length; i++) {
    const unit = wanted.charCodeAt(i)
    while (length > 0 && wanted.charCodeAt(length) !== unit) length = borders[length - 1]!
    if (wanted.charCodeAt(length) === unit) length++
    borders[i] = length
  }
  return borders
}

/** Reads each unit of the text once. */
export function holdsUnits(text: Units, wanted: string, borders: Int32Array): boolean {
  if (wanted.length === 0) return true
  const { length } = text
  let found = 0
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    while (found > 0 && wanted.charCodeAt(found) !== unit) found = borders[found - 1]!
    if (wanted.charCodeAt(found) === unit && ++found === wanted.length) return true
  }
  return false
}
