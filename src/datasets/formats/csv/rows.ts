/** Writes the cells of csv directly from the bytes of JSON values. */

import { type ByteWriter, copyRange } from '../../items/byte-writer.ts'
import type { ItemReader } from '../../items/item-reader.ts'

const backslash = 0x5c
const quote = 0x22

/** Writes rows from the cell offsets that a reader found. */
export class CsvRows {
  // The members are TypeScript's `private`, not `#`: this is the inner loop of csv.
  private readonly out: ByteWriter
  private readonly delimiter: string
  private readonly separator: Buffer
  private readonly mayHoldDelimiter: boolean

  constructor(out: ByteWriter, delimiter: string) {
    this.out = out
    this.delimiter = delimiter
    this.separator = Buffer.from(delimiter)
    this.mayHoldDelimiter = /[0-9a-z+.E-]/.test(delimiter)
  }

  /** Every quote may double, and a cell may get two more: reserves room for the whole row first. */
  write(bytes: Buffer, itemLength: number, { starts, ends, stamps, item }: ItemReader) {
    const { out, separator } = this
    const { length } = starts
    out.reserve(2 * itemLength + length * (separator.length + 2) + 4)
    const into = out.bytes
    const delimiter = separator[0]!
    const rowStart = out.length
    let to = rowStart
    for (let slot = 0; slot < length; slot++) {
      if (slot > 0) {
        into[to++] = delimiter
        for (let i = 1; i < separator.length; i++) into[to++] = separator[i]!
      }
      if (stamps[slot] === item) to = this.writeCell(into, to, bytes, starts[slot]!, ends[slot]!)
    }
    if (to === rowStart) {
      into[to++] = quote
      into[to++] = quote
    }
    into[to++] = 0x0d
    into[to++] = 0x0a
    out.length = to
  }

  private writeCell(into: Buffer, from: number, bytes: Buffer, start: number, end: number): number {
    const first = bytes[start]
    if (first === quote) return this.writeText(into, from, bytes, start + 1, end - 1)
    if (first === 0x6e) return from
    if (this.mayHoldDelimiter)
      return from + into.write(quoteWhereNeeded(bytes.toString('latin1', start, end), this.delimiter), from)
    return copyRange(into, from, bytes, start, end)
  }

  /** Writes the inner text of a JSON string. Most texts are the same in csv. */
  private writeText(into: Buffer, from: number, bytes: Buffer, start: number, end: number): number {
    const delimiter = this.separator[0]!
    let to = from
    let at = start
    for (; at < end; at++) {
      const byte = bytes[at]!
      if (byte === backslash || byte === delimiter) break
      into[to++] = byte
    }
    if (at === end && !isBlank(bytes[start]!) && !isBlank(bytes[end - 1]!)) return to
    if (this.separator.length === 1) {
      const written = writeCare(into, from, bytes, start, end, delimiter)
      if (written >= 0) return written
    }
    const text = JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string
    return from + into.write(quoteWhereNeeded(text, this.delimiter), from)
  }
}

const unescaped = new Uint8Array(256)
for (const [letter, character] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  unescaped[letter!.charCodeAt(0)] = character!.charCodeAt(0)

/** A cell with escapes, delimiters or outer blanks: answers its end, or -1 if it has a `\u` escape. */
function writeCare(into: Buffer, from: number, bytes: Buffer, start: number, end: number, delimiter: number): number {
  let to = from + 1
  let needsQuotes = false
  for (let at = start; at < end; at++) {
    let byte = bytes[at]!
    if (byte === backslash) {
      byte = unescaped[bytes[++at]!]!
      if (byte === 0) return -1
      if (byte === quote) into[to++] = quote
      if (byte === quote || byte === 0x0a || byte === 0x0d) needsQuotes = true
    }
    if (byte === delimiter) needsQuotes = true
    into[to++] = byte
  }
  if (needsQuotes || isBlank(into[from + 1]!) || isBlank(into[to - 1]!)) {
    into[from] = quote
    into[to++] = quote
    return to
  }
  into.copyWithin(from, from + 1, to)
  return to - 1
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09

export function quoteWhereNeeded(text: string, delimiter: string): string {
  if (!/["\r\n]|^[ \t]|[ \t]$/.test(text) && !text.includes(delimiter)) return text
  return `"${text.replaceAll('"', '""')}"`
}
