/** Code that reads items of a shape that was met often: `ItemShape` does the same by the shape's numbers. */
import { firstMarked, markTextEnd } from '../items/byte-words.ts'
import { endsScalar, findStringEnd, skipValue } from '../items/json-walk.ts'
import { makeCode, writeStepCode } from '../items/step-code.ts'

/** Where the values of an item stand, by the slots of their columns. */
export type CellPlaces = {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly stamps: Int32Array
  /** The length in bytes of the longest text or number. */
  longest: number
}

/** The tag of a step is the slot of the value after it: none, or one that was not asked for. */
export const noSlot = -1
export const leftOut = -2

export const startsScalar = new Uint8Array(256)
for (const letter of '-0123456789tfn') startsScalar[letter.charCodeAt(0)] = 1

/** Answers where the item ends; -1 where it has another shape. */
export type ReadShape = (bytes: Buffer, words: DataView, start: number, item: number, places: CellPlaces) => number

/** Code for the shapes that this thread met last: each slice is read by a reader of its own. */
const maxCodes = 16
const codes = new Map<string, ReadShape | null>()

const keyOf = (numbers: Int32Array, isShallow: boolean) => `${isShallow} ${numbers}`

/** Code that was written before. */
export const findCode = (numbers: Int32Array, isShallow: boolean): ReadShape | null =>
  codes.get(keyOf(numbers, isShallow)) ?? null

/** Writes the code of a shape; null where it would be too long. */
export function keepCode(numbers: Int32Array, isShallow: boolean): ReadShape | null {
  const made = writeCode(numbers, isShallow)
  if (codes.size >= maxCodes) codes.delete(codes.keys().next().value!)
  codes.set(keyOf(numbers, isShallow), made)
  return made
}

function writeCode(numbers: Int32Array, isShallow: boolean): ReadShape | null {
  const steps = writeStepCode(numbers, (slot) => writeValue(slot, isShallow), 'places.longest = longest\nreturn at')
  if (steps === null) return null
  const body = `
    const { starts, ends, stamps } = places
    const end = bytes.length
    const lastWord = end - 4
    let at = start | 0
    let longest = 0
    let valueAt = 0
    let byte = 0
    let marks = 0
    ${steps}`
  const known = { markTextEnd, firstMarked, findStringEnd, skipValue, startsScalar, endsScalar }
  return makeCode(['bytes', 'words', 'start', 'item', 'places'], body, known)
}

function writeValue(slot: number, isShallow: boolean): string {
  const ofWhole =
    slot === leftOut || isShallow ? 'if (byte === 0x7b || byte === 0x5b) at = skipValue(bytes, at)\nelse' : ''
  const length = slot === leftOut ? '' : 'if (at - valueAt > longest) longest = at - valueAt\n'
  const place = slot < 0 ? '' : `starts[${slot}] = valueAt\nends[${slot}] = at\nstamps[${slot}] = item\n`
  return `
    valueAt = at
    byte = bytes[at]
    if (byte === 0x22) {
      at = (at + 1) | 0
      for (;;) {
        if (at > lastWord) {
          at = findStringEnd(bytes, at)
          break
        }
        marks = markTextEnd(words.getInt32(at, true))
        if (marks === 0) {
          at = (at + 4) | 0
          continue
        }
        at = (at + firstMarked(marks)) | 0
        if (bytes[at] === 0x22) break
        at = (at + 2) | 0
      }
      at = (at + 1) | 0
    } else if (startsScalar[byte] === 1) do at = (at + 1) | 0; while (endsScalar[bytes[at]] === 0)
    else ${ofWhole} return -1
    ${length}${place}`
}
