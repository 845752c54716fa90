/**
 * Scans a pushed body byte by byte: validates the JSON, splits it into items and removes white space between tokens.
 * Each item's own bytes are stored, one item per line: without that white space no item contains a line break.
 */
import { isUtf8 } from 'node:buffer'
import { demand, Failure } from '../../lib/failure.ts'
import { maxNames } from './field-names.ts'
import { ItemReader } from './item-reader.ts'
import { eachLine } from './lines.ts'
import { fault, WhiteSpaceFound } from './scan-value.ts'
import { isSpace, removeWhiteSpace, skipSpace } from './white-space.ts'

declare module '../../lib/failure.ts' {
  interface FailureDetail {
    /** The index of the faulty item. */
    readonly itemPosition?: number
  }
}

export type ScannedItems = {
  /**
   * The items as lines, each ended by `
   * `.
   */
  readonly lines: Buffer
  readonly count: number
  /** Items with at least one field that is not hidden. */
  readonly cleanCount: number
  /** Items with at least one hidden field. */
  readonly hiddenCount: number
  /** Top-level names in the order first seen, including hidden ones. */
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
  const body = new Body(text)
  const itemEnd = body.read(0)
  const rest = skipSpace(body.bytes, itemEnd, body.bytes.length)
  const hasMore = rest < body.bytes.length
  demand(!hasMore, 'invalid', 'invalid-json', 'The body is not valid JSON: there is text after the item.')
  return body.describe(Buffer.concat([body.bytes.subarray(0, itemEnd), Buffer.from('\n')]))
}

function scanArray(bytes: Buffer, start: number): ScannedItems {
  const body = new Body(bytes)
  const first = skipSpace(bytes, start + 1, bytes.length)
  let at = first
  let isClosed = bytes[at] === 0x5d
  while (!isClosed) {
    if (body.bytes[at] !== 0x7b) throw faultOfElement(body.bytes[at], body.count)
    at = body.read(at)
    if (isSpace(body.bytes[at])) body.removeWhiteSpaceFrom(at)
    isClosed = body.bytes[at] === 0x5d
    if (!isClosed && body.bytes[at] !== 0x2c) throw fault('expected , or ] after it', body.count - 1)
    body.bytes[at++] = 0x0a
    if (!isClosed && isSpace(body.bytes[at])) body.removeWhiteSpaceFrom(at)
  }
  const rest = skipSpace(body.bytes, at + (at === first ? 1 : 0), body.bytes.length)
  const hasMore = rest < body.bytes.length
  demand(!hasMore, 'invalid', 'invalid-json', 'The body is not valid JSON: there is text after the array.')
  return body.describe(body.bytes.subarray(first, at))
}

/** A body being read, with counts of its items so far. */
class Body {
  bytes: Buffer
  count = 0
  private cleanCount = 0
  private hiddenCount = 0
  private readonly reader = new ItemReader(() => 0, [], true, 2 * maxNames)

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Reads the item that starts here and answers where it ends. */
  read(start: number): number {
    const { reader } = this
    let end: number
    try {
      end = reader.read(this.bytes, start, this.count)
    } catch (error) {
      if (!(error instanceof WhiteSpaceFound)) throw error
      this.removeWhiteSpaceFrom(error.at)
      end = reader.read(this.bytes, start, this.count)
    }
    this.count++
    if (reader.memberCount > reader.hiddenCount) this.cleanCount++
    if (reader.hiddenCount > 0) this.hiddenCount++
    return end
  }

  /** Removes all white space from here on. */
  removeWhiteSpaceFrom(at: number) {
    const end = removeWhiteSpace(this.bytes, at, this.bytes.length)
    if (end < 0) throw fault('expected , or : or a bracket', this.count)
    this.bytes = this.bytes.subarray(0, end)
  }

  describe(lines: Buffer): ScannedItems {
    const { count, cleanCount, hiddenCount } = this
    const names = [...this.reader.columns()].map(({ path }) => String(path[0])).slice(0, maxNames)
    return { lines, count, cleanCount, hiddenCount, names }
  }
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
