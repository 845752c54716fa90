/** Scans the strings, numbers and words of JSON: answers where each ends, and refuses what is none. */
import { Failure } from '../../base/failure.ts'
import { firstMarked, markTextEndOrControl } from './byte-words.ts'
import { isSpace } from './white-space.ts'

export function fault(what: string, position: number): Failure {
  const message = `The body is not valid JSON: ${what}, in item ${position}.`
  return new Failure('invalid', 'invalid-json', message, { itemPosition: position })
}

/** White space is removed and the item scanned again: its place is answered as its bitwise complement. */
export function spaceOrFault(bytes: Buffer, at: number, what: string, position: number): number {
  if (isSpace(bytes[at])) return ~at
  throw fault(what, position)
}

/** From the byte after the opening quote to the one after the closing quote. `words` is a view of the bytes. */
export function scanString(bytes: Buffer, words: DataView, from: number, end: number, position: number): number {
  const lastWord = end - 4
  let at = from
  for (;;) {
    while (at <= lastWord) {
      const marks = markTextEndOrControl(words.getInt32(at, true))
      if (marks !== 0) {
        at += firstMarked(marks)
        break
      }
      at += 4
    }
    // Most texts end here.
    if (at < end && bytes[at] === 0x22) return at + 1
    while (at < end && !endsText(bytes[at]!)) at++
    if (at >= end) throw fault('a string is not closed', position)
    if (bytes[at] === 0x22) return at + 1
    if (bytes[at] !== 0x5c) throw fault('a control character in a string', position)
    at = scanEscape(bytes, at + 1, end, position)
  }
}

const endsText = (byte: number) => byte === 0x22 || byte === 0x5c || byte < 0x20

const escapeLetter = new Uint8Array(256)
for (const letter of '"\\/bfnrt') escapeLetter[letter.charCodeAt(0)] = 1

function scanEscape(bytes: Buffer, at: number, end: number, position: number): number {
  if (at >= end) throw fault('a string is not closed', position)
  if (escapeLetter[bytes[at]!] === 1) return at + 1
  if (bytes[at] !== 0x75 || at + 5 > end) throw fault('an unknown escape in a string', position)
  for (let i = 1; i <= 4; i++) if (!isHex(bytes[at + i]!)) throw fault('a bad \\u escape in a string', position)
  return at + 5
}

/** A number, `true`, `false` or `null`. */
export function scanWord(bytes: Buffer, at: number, position: number): number {
  const byte = bytes[at]!
  if (byte === 0x2d || isDigit(byte)) return scanNumber(bytes, at, position)
  const word = byte === 0x74 ? 'true' : byte === 0x66 ? 'false' : byte === 0x6e ? 'null' : ''
  if (word === '') return spaceOrFault(bytes, at, 'expected a value', position)
  for (let i = 1; i < word.length; i++)
    if (bytes[at + i] !== word.charCodeAt(i)) throw fault('an unknown word', position)
  return at + word.length
}

/** RFC 8259, section 6. */
function scanNumber(bytes: Buffer, from: number, position: number): number {
  let at = bytes[from] === 0x2d ? from + 1 : from
  at = bytes[at] === 0x30 ? at + 1 : scanDigits(bytes, at, position)
  if (bytes[at] === 0x2e) at = scanDigits(bytes, at + 1, position)
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at++
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++
    at = scanDigits(bytes, at, position)
  }
  return at
}

function scanDigits(bytes: Buffer, from: number, position: number): number {
  let at = from
  while (isDigit(bytes[at]!)) at++
  if (at === from) throw fault('a number lacks a digit', position)
  return at
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39

const isHex = (byte: number) => isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
