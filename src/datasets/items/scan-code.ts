/** Code that scans items which have the steps of one that was met often: `ItemScanner` does the same by their numbers. */
import { firstMarked, markTextEndOrControl } from './byte-words.ts'
import { scanString, scanWord } from './scan-value.ts'
import { makeCode, writeStepCode } from './step-code.ts'

/** Answers where the item ends; -1 where it has other steps. `count`: how many items came before it. */
export type ScanCode = (bytes: Buffer, words: DataView, start: number, end: number, count: number) => number

/** Null where it would be too long. */
export function writeScanCode(numbers: Int32Array): ScanCode | null {
  const steps = writeStepCode(numbers, () => valueCode, 'return at')
  if (steps === null) return null
  const body = `
    const lastWord = end - 4
    let at = start | 0
    let byte = 0
    let marks = 0
    ${steps}`
  const known = { markTextEndOrControl, firstMarked, scanString, scanWord, startsWord }
  return makeCode(['bytes', 'words', 'start', 'end', 'count'], body, known)
}

const startsWord = new Uint8Array(256)
for (const letter of '-0123456789tfn') startsWord[letter.charCodeAt(0)] = 1

/** Most texts end at the first byte that may end one; what else there may be is left to `scanString`. */
const valueCode = `
  byte = bytes[at]
  if (byte === 0x22) {
    at = (at + 1) | 0
    marks = 0
    while (at <= lastWord) {
      marks = markTextEndOrControl(words.getInt32(at, true))
      if (marks !== 0) break
      at = (at + 4) | 0
    }
    if (marks !== 0) at = (at + firstMarked(marks)) | 0
    if (marks !== 0 && bytes[at] === 0x22) at = (at + 1) | 0
    else at = scanString(bytes, words, at, end, count)
  } else if (startsWord[byte] === 1) at = scanWord(bytes, at, count)
  else return -1
`
