/** Columnar formats, Parquet and Arrow: a column for each top-level field, its type inferred; nested values as JSON. */
import type { Column } from '../../columns.ts'
import { type FieldSelector, ItemReader } from '../../items/item-reader.ts'
import type { Format } from '../../query/item-query.ts'
import { walkRows } from '../table-rows.ts'
import { BatchColumn, writeBatch } from './arrow/batch.ts'
import { kindOf } from './column-type.ts'
import type { ColumnWriter } from './column-values.ts'
import type { ColumnarPart, ColumnarPlan } from './columnar-part.ts'
import { PageWriter } from './parquet/page.ts'

export const isColumnar = (format: Format): boolean => format === 'parquet' || format === 'arrow'

/** The kinds of values in each column, as bits of `kinds`. */
export function surveyKinds(
  lines: Buffer,
  columns: readonly Column[],
  selectField: FieldSelector,
  skipEmpty: boolean,
): number[] {
  const met = columns.map(() => 0)
  const reader = new ItemReader(selectField, columns, true)
  walkRows(lines, reader, skipEmpty, (bytes) => {
    const { starts, ends, stamps, item } = reader
    for (let slot = 0; slot < starts.length; slot++)
      if (stamps[slot] === item) met[slot]! |= kindOf(bytes, starts[slot]!, ends[slot]!)
  })
  return met
}

export function packColumns(
  format: Format,
  lines: Buffer,
  { columns, types }: ColumnarPlan,
  selectField: FieldSelector,
  skipEmpty: boolean,
): ColumnarPart {
  if (format === 'arrow') {
    const batch = types.map((type) => new BatchColumn(type))
    return writeBatch(batch, fill(lines, columns, batch, selectField, skipEmpty))
  }
  const writers = types.map((type) => new PageWriter(type))
  const rowCount = fill(lines, columns, writers, selectField, skipEmpty)
  const pages = writers.map((writer) => writer.finish())
  return {
    rowCount,
    bytes: Buffer.concat(pages.map(({ bytes }) => bytes)),
    lengths: pages.map(({ bytes }) => bytes.length),
    rawLengths: pages.map(({ rawLength }) => rawLength),
    missing: pages.map(({ missing }) => missing),
  }
}

/** Answers the number of rows. */
function fill(
  lines: Buffer,
  columns: readonly Column[],
  writers: readonly ColumnWriter[],
  selectField: FieldSelector,
  skipEmpty: boolean,
): number {
  const reader = new ItemReader(selectField, columns, true)
  let rowCount = 0
  walkRows(lines, reader, skipEmpty, (bytes) => {
    const { starts, ends, stamps, item } = reader
    rowCount++
    for (let slot = 0; slot < writers.length; slot++) {
      const start = starts[slot]!
      // A null is missing, like an absent field.
      if (stamps[slot] !== item || bytes[start] === 0x6e) writers[slot]!.addMissing()
      else writers[slot]!.add(bytes, start, ends[slot]!)
    }
  })
  return rowCount
}
