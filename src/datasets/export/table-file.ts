/** Renders a short table from items in memory, one row each, for other parts of the server. */
import { setImmediate } from 'node:timers/promises'
import { makeColumnUnion, nameColumns } from '../columns.ts'
import { frameOf } from '../formats/frame.ts'
import { packSlice, renderSlice, type SlicePart, surveySlice } from '../formats/slice.ts'
import { renameColumns, settleColumns } from '../formats/table-rows.ts'
import { maxSheetRows } from '../formats/xlsx/sheet.ts'
import { streamWorkbook } from '../formats/xlsx/stream.ts'
import { scanItems } from '../items/scan.ts'
import { applyView, parseItemQuery } from '../query/item-query.ts'
import { type RecordPosition, sliceStart } from '../query/records.ts'

export type TableFormat = 'csv' | 'xlsx'

/** Only rss has a feed. */
const noFeed = { title: '', description: '', link: '', self: '' }

/** Rows rendered in one turn of the event loop. */
const rowsAtOnce = 200

/** The columns are the members of the first item, in their order. */
export async function renderTable(items: readonly object[], format: TableFormat): Promise<Buffer> {
  // Without a list of fields, columns would be sorted by name.
  const fields = items.length > 0 ? Object.keys(items[0]!) : null
  const query = { ...applyView(parseItemQuery(new URLSearchParams({ format })), null), fields }
  const slices: Buffer[] = []
  for (let at = 0; at < items.length; at += rowsAtOnce) {
    slices.push(scanItems(Buffer.from(JSON.stringify(items.slice(at, at + rowsAtOnce)))).lines)
    await setImmediate()
  }
  const union = makeColumnUnion()
  const rowCounts: number[] = []
  for (const slice of slices) {
    const parts = listParts((from) => surveySlice(slice, query, from))
    for (const { columns } of parts) union.add(columns)
    rowCounts.push(parts.reduce((sum, { rowCount }) => sum + rowCount, 0))
    await setImmediate()
  }
  const { columns } = settleColumns(union.survey(), query)
  const names = nameColumns(renameColumns(columns, query))
  const sheet = { columns, names, hasHeader: true, sheetRows: maxSheetRows }
  const plan = { query, columns, sheet, columnar: null }
  const parts: Buffer[] = []
  if (format === 'xlsx') {
    const rowCount = rowCounts.reduce((sum, count) => sum + count, 0)
    for await (const part of streamWorkbook(sheet, rowCount, 0, pack())) parts.push(part)
    return Buffer.concat(parts)
  }
  const { start, separator, end } = frameOf(query, { names, title: '', feed: noFeed })
  for (const slice of slices) {
    for (const bytes of listParts((from) => renderSlice(slice, plan, from)))
      if (bytes.length > 0) parts.push(...(parts.length > 0 ? [separator] : []), bytes)
    await setImmediate()
  }
  return Buffer.concat([start, ...parts, end])

  async function* pack() {
    let firstRow = 0
    for (const [at, slice] of slices.entries()) {
      yield packSlice(slice, plan, sliceStart, firstRow).made
      firstRow += rowCounts[at]!
      await setImmediate()
    }
  }
}

function listParts<T>(act: (from: RecordPosition) => SlicePart<T>): T[] {
  const parts: T[] = []
  for (let from: RecordPosition | null = sliceStart; from !== null; ) {
    const { made, next }: SlicePart<T> = act(from)
    parts.push(made)
    from = next
  }
  return parts
}
