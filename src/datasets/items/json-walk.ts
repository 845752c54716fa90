/** Steps over JSON bytes that were validated when they were pushed, and have no white space outside strings. */
import { firstMarked, markTextEnd, viewWords } from './byte-words.ts'

/** The closing quote of the string that starts here. */
export function findStringEnd(bytes: Buffer, start: number): number {
  const words = viewWords(bytes)
  const lastWord = bytes.length - 4
  let at = start
  while (at <= lastWord) {
    const marks = markTextEnd(words.getInt32(at, true))
    if (marks === 0) {
      at += 4
      continue
    }
    at += firstMarked(marks)
    if (bytes[at] === 0x22) return at
    at += 2
  }
  while (bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1
  return at
}

/** What may stand after a number or a word. */
export const endsScalar = new Uint8Array(256)
for (const letter of ',}]') endsScalar[letter.charCodeAt(0)] = 1

export function findScalarEnd(bytes: Buffer, start: number): number {
  let at = start
  while (endsScalar[bytes[at]!] === 0) at++
  return at
}

/** The place after the value that starts here. */
export function findValueEnd(bytes: Buffer, start: number): number {
  const byte = bytes[start]
  if (byte === 0x22) return findStringEnd(bytes, start + 1) + 1
  return byte === 0x7b || byte === 0x5b ? skipValue(bytes, start) : findScalarEnd(bytes, start)
}

/** The comma or bracket after the value that starts here. */
export function skipValue(bytes: Buffer, start: number): number {
  let depth = 0
  let at = start
  for (;;) {
    const byte = bytes[at]!
    if (byte === 0x22) at = findStringEnd(bytes, at + 1)
    else if (byte === 0x7b || byte === 0x5b) depth++
    else if (depth === 0 && endsScalar[byte] === 1) return at
    else if (byte === 0x7d || byte === 0x5d) depth--
    at++
  }
}
