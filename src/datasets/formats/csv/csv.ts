/** csv as RFC 4180 has it: CRLF at every end, quotes only where they are needed, text kept as it is. */
import type { Column } from '../../columns.ts'
import { ByteWriter } from '../../items/byte-writer.ts'
import { type FieldSelector, ItemReader } from '../../items/item-reader.ts'
import { walkRows } from '../table-rows.ts'
import { CsvCells, quoteWhereNeeded } from './cells.ts'

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
  const cells = new CsvCells(out, columns.length, delimiter)
  walkRows(lines, reader, skipEmpty, (bytes, start, end) => {
    const { starts, ends, stamps, item } = reader
    cells.openRow(end - start)
    for (let slot = 0; slot < starts.length; slot++) {
      if (slot > 0) cells.separate()
      if (stamps[slot] === item) cells.write(bytes, starts[slot]!, ends[slot]!)
    }
    cells.endRow()
  })
  return out.take()
}
