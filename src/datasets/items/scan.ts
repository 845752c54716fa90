/**
 * Scans a pushed body byte by byte: validates the JSON, splits it into items and removes the white space between tokens. What
 * is stored is each item's own bytes, one item a line: without that white space no item contains a line break.
 */
import { isUtf8 } from 'node:buffer'
import { demand, Failure } from '../../base/failure.ts'
import { ItemScanner } from './item-scanner.ts'
import { eachLine } from './lines.ts'
import { fault } from './scan-value.ts'
import { isSpace, skipSpace } from './white-space.ts'

declare module '../../base/failure.ts' {
  interface FailureDetail {
    /** The index of the item that is at fault. */
    readonly itemPosition?: number
  }
}

export type ScannedItems = {
  /** The items as lines, each ended by `\n`. */
  readonly lines: Buffer
  readonly count: number
  /** Items with at least one field that is not hidden. */
  readonly cleanCount: number
  /** Items with at least one hidden field. */
  readonly hiddenCount: number
  /** Top-level names in the order first seen, hidden ones too. */
  readonly names: readonly string[]
}

/** Takes ownership of the body: the items of an array are compacted in place. */
export function scanItems(body: Buffer): ScannedItems {
  const isText = isUtf8(body)
  const scanned = scanBytes(body)
  if (!isText) throw faultOfEncoding(scanned.lines)
  return scanned
}

function scanBytes(body: Buffer): ScannedItems {
  const start = skipSpace(body, body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0, body.length)
  demand(start < body.length, 'invalid', 'invalid-json', 'The body is empty: send an object or an array of objects.')
  if (body[start] === 0x5b) return scanArray(body, start)
  demand(
    body[start] === 0x7b,
    'invalid',
    isValueStart(body[start]) ? 'invalid-value' : 'invalid-json',
    'The body must be a JSON object or an array of JSON objects.',
    { itemPosition: 0 },
  )
  return scanSingle(body.subarray(start))
}

function scanSingle(text: Buffer): ScannedItems {
  const bytes = Buffer.alloc(text.length + 1)
  text.copy(bytes)
  const scanner = new ItemScanner(bytes, text.length)
  const itemEnd = scanner.read(0)
  const rest = skipSpace(bytes, itemEnd, scanner.end)
  demand(rest === scanner.end, 'invalid', 'invalid-json', 'The body is not valid JSON: there is text after the item.')
  bytes[itemEnd] = 0x0a
  return describe(scanner, 0, itemEnd + 1)
}

function scanArray(bytes: Buffer, start: number): ScannedItems {
  const scanner = new ItemScanner(bytes, bytes.length)
  const first = skipSpace(bytes, start + 1, scanner.end)
  let at = first
  let isClosed = bytes[at] === 0x5d
  while (!isClosed) {
    if (bytes[at] !== 0x7b) throw faultOfElement(bytes[at], scanner.count)
    at = scanner.read(at)
    if (isSpace(bytes[at])) scanner.removeWhiteSpaceFrom(at)
    isClosed = bytes[at] === 0x5d
    if (!isClosed && bytes[at] !== 0x2c) throw fault('expected , or ] after it', scanner.count - 1)
    bytes[at++] = 0x0a
    if (!isClosed && isSpace(bytes[at])) scanner.removeWhiteSpaceFrom(at)
  }
  const rest = skipSpace(bytes, at + (at === first ? 1 : 0), scanner.end)
  demand(rest === scanner.end, 'invalid', 'invalid-json', 'The body is not valid JSON: there is text after the array.')
  return describe(scanner, first, at)
}

function describe(
  { bytes, count, cleanCount, hiddenCount, names }: ItemScanner,
  start: number,
  end: number,
): ScannedItems {
  return { lines: bytes.subarray(start, end), count, cleanCount, hiddenCount, names: [...names] }
}

function faultOfElement(byte: number | undefined, position: number): Failure {
  if (!isValueStart(byte)) return fault('expected an object', position)
  return new Failure('invalid', 'invalid-value', `Item ${position} is not a JSON object: every item must be one.`, {
    itemPosition: position,
  })
}

const isValueStart = (byte: number | undefined) => byte !== undefined && /["[{0-9tfn-]/.test(String.fromCharCode(byte))

/** Bytes that are not UTF-8 pass the JSON scan only inside strings, so they are in an item. */
function faultOfEncoding(lines: Buffer): Failure {
  let position = 0
  for (const [start, end] of eachLine(lines)) {
    if (!isUtf8(lines.subarray(start, end))) break
    position++
  }
  const message = `The body is not valid UTF-8, in item ${position}: send JSON encoded as UTF-8.`
  return new Failure('invalid', 'invalid-json', message, { itemPosition: position })
}
