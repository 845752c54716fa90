/** Reads the items of a file with their lines: JSON lines, one JSON array, or rows of CSV. */
import { isUtf8 } from 'node:buffer'
import { CsvFault, type CsvOptions, CsvReader } from '../../datasets/items/csv-reading.ts'
import { OperatorError } from '../../lib/failure.ts'
import { notUtf8 } from '../../lib/text/utf8.ts'

/** As written in the file; not yet checked to be one JSON object. */
export type FileItem = { readonly json: Buffer; readonly line: number }

/** The largest body that a server accepts, less the brackets around one item. */
export const maxItemBytes = 9_437_184 - 2

const lineFeed = 0x0a
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

export async function* readItems(
  source: AsyncIterable<Buffer>,
  name: string,
  csv: CsvOptions | null,
): AsyncGenerator<FileItem> {
  const whole = withoutMark(source)
  if (csv) yield* readCsv(whole, name, csv)
  else yield* readJson(whole, name)
}

/** Skips the byte order mark with which files of some systems begin. */
async function* withoutMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0)
  for await (const chunk of source) {
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < 3) continue
    yield head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? head.subarray(3) : head
    head = null
  }
  if (head && head.length > 0) yield head
}

async function* readCsv(source: AsyncIterable<Buffer>, name: string, options: CsvOptions): AsyncGenerator<FileItem> {
  const reader = new CsvReader(options)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of source)
      for (const { json, line } of reader.read(decoder.decode(chunk, { stream: true })))
        yield { json: Buffer.from(json), line }
    for (const text of [decoder.decode()])
      for (const { json, line } of [...reader.read(text), ...reader.end()]) yield { json: Buffer.from(json), line }
  } catch (error) {
    if (error instanceof CsvFault) throw new OperatorError(`${name}, line ${error.line}: ${error.message}.`)
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      throw new OperatorError(`${name} is ${notUtf8}.`)
    throw error
  }
}

async function* readJson(source: AsyncIterable<Buffer>, name: string): AsyncGenerator<FileItem> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let cut: ((bytes: Buffer, line: number, isLast: boolean) => Cut) | undefined
  for await (const chunk of withEnd(source)) {
    const isLast = chunk === null
    if (chunk) rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const first = rest.find((byte) => !isBlank(byte))
    if (first === undefined && !isLast) continue
    cut ??= first === 0x5b ? makeArrayCutter(name) : cutLines
    const { items, done, lineAfter } = cut(rest, line, isLast)
    yield* items
    rest = rest.subarray(done)
    line = lineAfter
    if (rest.length > maxItemBytes) throw tooLong(name, line, rest.length, 'over ')
  }
}

async function* withEnd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  yield* source
  yield null
}

export const tooLong = (name: string, line: number, bytes: number, over = '') =>
  new OperatorError(
    `${name}, line ${line}: this item has ${over}${bytes.toLocaleString('en')} bytes, and one may have ${maxItemBytes.toLocaleString('en')} at most: split it, or leave a part of it out.`,
  )

/** The items that end in these bytes, the number of bytes consumed, and the line after them. */
type Cut = { readonly items: FileItem[]; readonly done: number; readonly lineAfter: number }

function cutLines(bytes: Buffer, firstLine: number, isLast: boolean): Cut {
  const items: FileItem[] = []
  let line = firstLine
  let at = 0
  while (at < bytes.length) {
    const feed = bytes.indexOf(lineFeed, at)
    if (feed === -1 && !isLast) break
    const end = feed === -1 ? bytes.length : feed
    const json = withoutBlanks(bytes.subarray(at, end))
    if (json.length > 0) items.push({ json, line })
    line++
    at = end + 1
  }
  return { items, done: Math.min(at, bytes.length), lineAfter: line }
}

/** Removes trailing blanks, above all a carriage return. */
function withoutBlanks(json: Buffer): Buffer {
  let end = json.length
  while (end > 0 && isBlank(json[end - 1]!)) end--
  return json.subarray(0, end)
}

/** Cuts one array at the commas between its elements. */
function makeArrayCutter(name: string): (bytes: Buffer, line: number, isLast: boolean) => Cut {
  let state: 'before' | 'within' | 'after' = 'before'
  return (bytes, firstLine, isLast) => {
    const items: FileItem[] = []
    let line = firstLine
    let done = 0
    let doneLine = firstLine
    let depth = 0
    let isText = false
    let itemStart = -1
    let itemLine = line
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === lineFeed) line++
      if (isText) {
        if (byte === 0x5c) at++
        else if (byte === 0x22) isText = false
        continue
      }
      if (isBlank(byte)) continue
      if (state === 'after') throw new OperatorError(`${name}, line ${line}: there is text after the array.`)
      if (state === 'before') {
        state = 'within'
        done = at + 1
        doneLine = line
        continue
      }
      const isEnd = depth === 0 && byte === 0x5d
      if (depth === 0 && (byte === 0x2c || isEnd)) {
        if (itemStart >= 0) items.push({ json: bytes.subarray(itemStart, at), line: itemLine })
        else if (!isEnd || items.length > 0 || done > 1) {
          if (!isEnd) throw new OperatorError(`${name}, line ${line}: a comma stands where an item should.`)
        }
        itemStart = -1
        done = at + 1
        doneLine = line
        if (isEnd) state = 'after'
        continue
      }
      if (itemStart < 0) {
        itemStart = at
        itemLine = line
      }
      if (byte === 0x22) isText = true
      else if (byte === 0x7b || byte === 0x5b) depth++
      else if (byte === 0x7d || byte === 0x5d) depth--
    }
    if (isLast && state !== 'after') throw new OperatorError(`${name}, line ${line}: the array is not closed.`)
    return { items, done, lineAfter: doneLine }
  }
}

/** The beginning of an item for a message, with unprintable characters replaced. */
export function beginningOf(json: Buffer): string {
  const text = json.toString(isUtf8(json) ? 'utf8' : 'latin1').trim()
  const shown = [...text.slice(0, 120)].slice(0, 60).join('').replace(/\p{C}/gu, '·')
  return shown.length < text.length ? `${shown}…` : shown
}
