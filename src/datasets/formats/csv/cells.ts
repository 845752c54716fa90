/** Writes the cells of csv straight from the bytes of JSON values. */

import { firstMarked, markByte, repeatByte, viewWords } from '../../items/byte-words.ts'
import type { ByteWriter } from '../../items/byte-writer.ts'

/** Bytes are copied four at a time, past the end of a cell: what comes after it is written over them. */
const excessBytes = 4

const backslashes = repeatByte(0x5c)

export class CsvCells {
  private readonly out: ByteWriter
  private readonly columnCount: number
  private readonly delimiter: string
  private readonly separator: Buffer
  private readonly delimiters: number
  private readonly mayHoldDelimiter: boolean
  private bytes: Buffer = Buffer.alloc(0)
  private words: DataView = viewWords(this.bytes)
  private rowStart = 0

  constructor(out: ByteWriter, columnCount: number, delimiter: string) {
    this.out = out
    this.columnCount = columnCount
    this.delimiter = delimiter
    this.separator = Buffer.from(delimiter)
    this.delimiters = repeatByte(this.separator[0]!)
    this.mayHoldDelimiter = /[0-9a-z+.E-]/.test(delimiter)
  }

  /** Makes room for all cells of an item of this length: a quote in it may double, and a cell may get two around it. */
  openRow(bytes: Buffer, length: number) {
    this.bytes = bytes
    this.words = viewWords(bytes)
    this.rowStart = this.out.length
    this.out.reserve(2 * length + this.columnCount * (this.separator.length + 2) + 2 + excessBytes)
  }

  separate() {
    const { out, separator } = this
    if (separator.length === 1) out.bytes[out.length++] = separator[0]!
    else out.addRange(separator, 0, separator.length)
  }

  endRow() {
    const { out } = this
    if (out.length === this.rowStart) out.length += out.bytes.write('""', out.length)
    out.bytes[out.length++] = 0x0d
    out.bytes[out.length++] = 0x0a
  }

  write(start: number, end: number) {
    const { bytes, out } = this
    const first = bytes[start]
    if (first === 0x22) this.writeText(start + 1, end - 1)
    else if (first === 0x6e) return
    else if (this.mayHoldDelimiter) out.addText(quoteWhereNeeded(bytes.toString('latin1', start, end), this.delimiter))
    else out.addRange(bytes, start, end)
  }

  /** Writes the inner text of a JSON string. Most have no escapes, and are the same in csv, with quotes around them or not. */
  private writeText(start: number, end: number) {
    const { bytes, out, separator } = this
    const stop = this.copyText(start, end, 0, this.delimiters)
    if (stop === end && !isBlank(bytes[start]!) && !isBlank(bytes[end - 1]!)) out.length += end - start
    else if (
      separator.length === 1 &&
      (stop === end || bytes[stop] === separator[0]) &&
      this.copyText(start, end, 1, backslashes) === end
    ) {
      out.bytes[out.length] = 0x22
      out.length += end - start + 2
      out.bytes[out.length - 1] = 0x22
    } else this.writeCarefully(start, end)
  }

  /** Copies text behind what is written, and answers where it met a backslash or such a byte, or where it had to stop. */
  private copyText(start: number, end: number, gap: number, repeated: number): number {
    const { words, out } = this
    const into = out.words
    const lastWord = words.byteLength - 4
    let to = out.length + gap
    for (let at = start; at < end; at += 4) {
      if (at > lastWord) return at
      const word = words.getInt32(at, true)
      into.setInt32(to, word, true)
      to += 4
      const marks = markByte(word, backslashes) | markByte(word, repeated)
      if (marks !== 0) return Math.min(at + firstMarked(marks), end)
    }
    return end
  }

  private writeCarefully(start: number, end: number) {
    const { bytes, out, delimiter } = this
    const isWritten = this.separator.length === 1 && writeCare(bytes, start, end, delimiter.charCodeAt(0), out)
    if (!isWritten)
      out.addText(quoteWhereNeeded(JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string, delimiter))
  }
}

const unescaped = new Uint8Array(256)
for (const [letter, character] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  unescaped[letter!.charCodeAt(0)] = character!.charCodeAt(0)

/** A cell with escapes, delimiters or blanks at an end; false where there is a `\u` escape, and nothing is written then. */
function writeCare(bytes: Buffer, start: number, end: number, delimiter: number, out: ByteWriter): boolean {
  const into = out.bytes
  const cellStart = out.length
  let at = cellStart + 1
  let needsQuotes = false
  for (let i = start; i < end; i++) {
    let byte = bytes[i]!
    if (byte === 0x5c) {
      byte = unescaped[bytes[++i]!]!
      if (byte === 0) return false
      if (byte === 0x22) into[at++] = 0x22
      if (byte === 0x22 || byte === 0x0a || byte === 0x0d) needsQuotes = true
    }
    if (byte === delimiter) needsQuotes = true
    into[at++] = byte
  }
  if (needsQuotes || isBlank(into[cellStart + 1]!) || isBlank(into[at - 1]!)) {
    into[cellStart] = 0x22
    into[at++] = 0x22
    out.length = at
  } else {
    into.copyWithin(cellStart, cellStart + 1, at)
    out.length = at - 1
  }
  return true
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09

export function quoteWhereNeeded(text: string, delimiter: string): string {
  if (!/["\r\n]|^[ \t]|[ \t]$/.test(text) && !text.includes(delimiter)) return text
  return `"${text.replaceAll('"', '""')}"`
}
