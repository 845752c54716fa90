/** csv by RFC 4180: CRLF after every row, quotes only if needed, text unchanged. */
import type { Column } from '../../columns.ts'
import { ByteWriter } from '../../items/byte-writer.ts'
import { type FieldSelector, ItemReader } from '../../items/item-reader.ts'
import { walkRows } from '../table-rows.ts'
import { CsvRows, quoteWhereNeeded } from './rows.ts'

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
  const reader = new ItemReader(selectField, columns)
  const rows = new CsvRows(out, delimiter)
  walkRows(lines, reader, skipEmpty, (bytes, start, end) => rows.write(bytes, end - start, reader))
  return out.take()
}
