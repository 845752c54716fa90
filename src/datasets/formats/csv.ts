/** csv as RFC 4180 has it: CRLF at every end, quotes only where they are needed, text kept as it is. */
import type { Column } from '../columns.ts'
import { ByteWriter } from '../items/byte-writer.ts'
import { holdsByte, viewWords } from '../items/json-walk.ts'
import { CellReader, type FieldSelector } from './cell-reader.ts'
import { walkRows } from './table-rows.ts'

export function writeCsvHeader(names: readonly string[], delimiter: string): string {
  if (names.length === 0) return ''
  const cells = names.map((name) => quoteWhereNeeded(name, delimiter))
  return `${cells.length === 1 && cells[0] === '' ? '""' : cells.join(delimiter)}\r\n`
}

export function writeCsvRows(
  lines: Buffer,
  columns: readonly Column[],
  selectField: FieldSelector,
  skipEmpty: boolean,
  delimiter: string,
): Buffer {
  const out = new ByteWriter(lines.length)
  if (columns.length === 0) return out.take()
  const reader = new CellReader(selectField, columns)
  const separator = Buffer.from(delimiter)
  const writeText = makeTextWriter(delimiter)
  const mayHoldDelimiter = /[0-9a-z+.E-]/.test(delimiter)
  walkRows(lines, reader, skipEmpty, (bytes) => {
    const { starts, ends, stamps, item } = reader
    const rowStart = out.length
    out.reserve(columns.length * separator.length + 4)
    for (let slot = 0; slot < starts.length; slot++) {
      if (slot > 0) out.addRange(separator, 0, separator.length)
      if (stamps[slot] !== item) continue
      const start = starts[slot]!
      const end = ends[slot]!
      const first = bytes[start]
      // A quote may double, and what is still to come needs its separators.
      out.reserve(2 * (end - start) + (columns.length - slot) * separator.length + 4)
      if (first === 0x22) writeText(bytes, start, end, out)
      else if (first === 0x6e) continue
      else if (mayHoldDelimiter) out.addText(quoteWhereNeeded(bytes.toString('latin1', start, end), delimiter))
      else out.addRange(bytes, start, end)
    }
    if (out.length === rowStart) out.length += out.bytes.write('""', out.length)
    out.bytes[out.length++] = 0x0d
    out.bytes[out.length++] = 0x0a
  })
  return out.take()
}

type TextWriter = (bytes: Buffer, start: number, end: number, out: ByteWriter) => void

/** Writes a JSON string, quotes included in its range, as a cell. */
function makeTextWriter(delimiter: string): TextWriter {
  const special = new Uint8Array(256)
  special[0x5c] = 1
  const delimiterByte = Buffer.from(delimiter)[0]!
  special[delimiterByte] = 1
  const delimiters = Math.imul(delimiterByte, 0x01010101)
  return (bytes, start, end, out) => {
    const last = end - 1
    const into = out.bytes
    let at = out.length
    let i = start + 1
    const words = viewWords(bytes)
    const written = out.words
    for (; i <= last - 4; i += 4) {
      const word = words.getInt32(i, true)
      if (holdsByte(word, 0x5c5c5c5c) || holdsByte(word, delimiters)) break
      written.setInt32(at, word, true)
      at += 4
    }
    for (; i < last; i++) {
      const byte = bytes[i]!
      if (special[byte] === 1) break
      into[at++] = byte
    }
    const isPlain = i === last && !(isBlank(bytes[start + 1]!) || isBlank(bytes[last - 1]!))
    if (isPlain) out.length = at
    else if (
      delimiter.length > 1 ||
      delimiter > '\x7f' ||
      !writeCare(bytes, start + 1, last, delimiter.charCodeAt(0), out)
    )
      out.addText(quoteWhereNeeded(JSON.parse(bytes.toString('utf8', start, end)) as string, delimiter))
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

function quoteWhereNeeded(text: string, delimiter: string): string {
  if (!/["\r\n]|^[ \t]|[ \t]$/.test(text) && !text.includes(delimiter)) return text
  return `"${text.replaceAll('"', '""')}"`
}
