/** Scans JSON values: answers where each ends, and throws if it is invalid. */
import { Failure } from '../../lib/failure.ts'
import { isSpace } from './white-space.ts'

/** The item itself has depth 1. */
export const maxDepth = 256

/** Thrown at white space between tokens: it is removed, and the item scanned again. */
export class WhiteSpaceFound {
  readonly at: number
  constructor(at: number) {
    this.at = at
  }
}

export function fault(what: string, position: number): Failure {
  const message = `The body is not valid JSON: ${what}, in item ${position}.`
  return new Failure('invalid', 'invalid-json', message, { itemPosition: position })
}

/** Throws for the byte that stands here; `what` was expected. */
export function refuse(bytes: Uint8Array, at: number, what: string, position: number): never {
  if (isSpace(bytes[at])) throw new WhiteSpaceFound(at)
  throw fault(what, position)
}

/** The offset after the value that starts here, in an object or array of this depth. */
export function scanValue(bytes: Uint8Array, at: number, depth: number, position: number): number {
  const byte = bytes[at]
  if (byte === 0x22) return scanString(bytes, at + 1, position)
  if (byte === 0x7b) return scanObject(bytes, at, depth + 1, position)
  return byte === 0x5b ? scanArray(bytes, at, depth + 1, position) : scanWord(bytes, at, position)
}

function scanObject(bytes: Uint8Array, start: number, depth: number, position: number): number {
  demandDepth(depth, position)
  let at = start + 1
  if (bytes[at] === 0x7d) return at + 1
  for (;;) {
    if (bytes[at] !== 0x22) refuse(bytes, at, 'expected a name in quotes', position)
    at = scanString(bytes, at + 1, position)
    if (bytes[at] !== 0x3a) refuse(bytes, at, 'expected :', position)
    at = scanValue(bytes, at + 1, depth, position)
    if (bytes[at] === 0x7d) return at + 1
    if (bytes[at] !== 0x2c) refuse(bytes, at, 'expected , or }', position)
    at++
  }
}

function scanArray(bytes: Uint8Array, start: number, depth: number, position: number): number {
  demandDepth(depth, position)
  let at = start + 1
  if (bytes[at] === 0x5d) return at + 1
  for (;;) {
    at = scanValue(bytes, at, depth, position)
    if (bytes[at] === 0x5d) return at + 1
    if (bytes[at] !== 0x2c) refuse(bytes, at, 'expected , or ]', position)
    at++
  }
}

export function demandDepth(depth: number, position: number): void {
  if (depth <= maxDepth) return
  const message = `Item ${position} is nested deeper than ${maxDepth} levels: flatten it before pushing.`
  throw new Failure('invalid', 'invalid-value', message, { itemPosition: position })
}

/** From the byte after the opening quote to the one after the closing quote. */
export function scanString(bytes: Uint8Array, from: number, position: number): number {
  let at = from
  for (;;) {
    let byte = bytes[at]!
    // A quote, a backslash or a control character ends a run of plain text; so does the end, where a byte is undefined.
    while (byte >= 0x20 && byte !== 0x22 && byte !== 0x5c) byte = bytes[++at]!
    if (byte === 0x22) return at + 1
    at = scanEscape(bytes, at, position)
  }
}

const escapeLetter = new Uint8Array(256)
for (const letter of '"\\/bfnrt') escapeLetter[letter.charCodeAt(0)] = 1

function scanEscape(bytes: Uint8Array, start: number, position: number): number {
  if (start + 1 >= bytes.length) throw fault('a string is not closed', position)
  if (bytes[start] !== 0x5c) throw fault('a control character in a string', position)
  const at = start + 1
  if (escapeLetter[bytes[at]!] === 1) return at + 1
  if (bytes[at] !== 0x75) throw fault('an unknown escape in a string', position)
  for (let i = 1; i <= 4; i++) if (!isHex(bytes[at + i]!)) throw fault('a bad \\u escape in a string', position)
  return at + 5
}

/** A number, `true`, `false` or `null`. */
export function scanWord(bytes: Uint8Array, at: number, position: number): number {
  const byte = bytes[at]!
  if (byte === 0x2d || isDigit(byte)) return scanNumber(bytes, at, position)
  const word = byte === 0x74 ? 'true' : byte === 0x66 ? 'false' : byte === 0x6e ? 'null' : ''
  if (word === '') refuse(bytes, at, 'expected a value', position)
  for (let i = 1; i < word.length; i++)
    if (bytes[at + i] !== word.charCodeAt(i)) throw fault('an unknown word', position)
  return at + word.length
}

/** RFC 8259, section 6. */
function scanNumber(bytes: Uint8Array, from: number, position: number): number {
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

function scanDigits(bytes: Uint8Array, from: number, position: number): number {
  let at = from
  while (isDigit(bytes[at]!)) at++
  if (at === from) throw fault('a number lacks a digit', position)
  return at
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39

const isHex = (byte: number) => isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
