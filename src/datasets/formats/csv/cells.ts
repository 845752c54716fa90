/** Writes the cells of csv straight from the bytes of JSON values. */

import type { ByteWriter } from '../../items/byte-writer.ts'

const backslash = 0x5c
const quote = 0x22

export class CsvCells {
  // The members are TypeScript's `private`, not `#`: this is the inner loop of csv.
  private readonly out: ByteWriter
  private readonly columnCount: number
  private readonly delimiter: string
  private readonly separator: Buffer
  private readonly mayHoldDelimiter: boolean
  private rowStart = 0

  constructor(out: ByteWriter, columnCount: number, delimiter: string) {
    this.out = out
    this.columnCount = columnCount
    this.delimiter = delimiter
    this.separator = Buffer.from(delimiter)
    this.mayHoldDelimiter = /[0-9a-z+.E-]/.test(delimiter)
  }

  /** Makes room for all cells of an item of this length: a quote in it may double, and a cell may get two around it. */
  openRow(length: number) {
    this.rowStart = this.out.length
    this.out.reserve(2 * length + this.columnCount * (this.separator.length + 2) + 2)
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

  write(bytes: Buffer, start: number, end: number) {
    const { out } = this
    const first = bytes[start]
    if (first === quote) this.writeText(bytes, start + 1, end - 1)
    else if (first === 0x6e) return
    else if (this.mayHoldDelimiter) out.addText(quoteWhereNeeded(bytes.toString('latin1', start, end), this.delimiter))
    else out.addRange(bytes, start, end)
  }

  /** Writes the inner text of a JSON string. Most are the same in csv. */
  private writeText(bytes: Buffer, start: number, end: number) {
    const into = this.out.bytes
    const delimiter = this.separator[0]!
    let to = this.out.length
    let at = start
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte === backslash || byte === delimiter) break
      into[to++] = byte
    }
    if (at === end && !isBlank(bytes[start]!) && !isBlank(bytes[end - 1]!)) this.out.length = to
    else if (this.separator.length > 1 || !writeCare(bytes, start, end, delimiter, this.out)) {
      const text = JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string
      this.out.addText(quoteWhereNeeded(text, this.delimiter))
    }
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
    if (byte === backslash) {
      byte = unescaped[bytes[++i]!]!
      if (byte === 0) return false
      if (byte === quote) into[at++] = quote
      if (byte === quote || byte === 0x0a || byte === 0x0d) needsQuotes = true
    }
    if (byte === delimiter) needsQuotes = true
    into[at++] = byte
  }
  if (needsQuotes || isBlank(into[cellStart + 1]!) || isBlank(into[at - 1]!)) {
    into[cellStart] = quote
    into[at++] = quote
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
