/** The bytes of an export as they are sent: framed text, sheets, and columns. */
import { streamArrow } from '../formats/columnar/arrow/stream.ts'
import { streamParquet } from '../formats/columnar/parquet/stream.ts'
import type { Frame } from '../formats/frame.ts'
import type { RenderPlan } from '../formats/slice.ts'
import { streamWorkbook } from '../formats/xlsx/stream.ts'
import type { ItemRange, Slice } from '../log/item-log.ts'
import type { RecordPosition } from '../query/records.ts'
import type { PageColumns, RowsOfPart } from './columns.ts'
import { mapOrdered, mapParts } from './ordered-map.ts'
import type { SliceRenderer } from './slice-renderer.ts'

/** Nothing is sent before the first slice is rendered, so that a fault in it can still be answered as an error. */
export async function* streamText(
  { start, separator, end }: Frame,
  rendered: AsyncIterable<{ made: Buffer }>,
): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const { made } of rendered) {
    if (made.length === 0) continue
    const before = isFirst ? start : separator
    if (before.length > 0) yield before
    isFirst = false
    yield made
  }
  const after = isFirst ? Buffer.concat([start, end]) : end
  if (after.length > 0) yield after
}

export function streamColumns(
  renderer: SliceRenderer,
  plan: RenderPlan,
  slices: AsyncIterable<Slice>,
): AsyncGenerator<Buffer> {
  async function* parts() {
    const pack = (slice: Slice, from: RecordPosition) => renderer.packColumns(slice, plan, from)
    for await (const { made } of mapParts(slices, pack)) yield made
  }
  return (plan.query.format === 'arrow' ? streamArrow : streamParquet)(plan.columnar!, parts())
}

export function streamSheets(
  renderer: SliceRenderer,
  plan: RenderPlan,
  rows: PageColumns['rows'],
  slices: AsyncIterable<Slice>,
  range: ItemRange,
  itemBytes: number,
): AsyncGenerator<Buffer> {
  if (rows === null) return streamWorkbook(plan.sheet!, range.to - range.from, itemBytes, packItems())
  const rowCount = rows.reduce((sum, part) => sum + part.rowCount, 0)
  return streamWorkbook(plan.sheet!, rowCount, itemBytes, packParts(rows))

  /** Every item is one row. */
  async function* packItems() {
    const rowOf = ({ from, to }: Slice) => (plan.query.desc ? range.to - to : from - range.from)
    const pack = (slice: Slice, from: RecordPosition) => renderer.pack(slice, plan, from, rowOf(slice) + from.item)
    for await (const { made } of mapParts(slices, pack)) yield made
  }

  async function* packParts(parts: readonly RowsOfPart[]) {
    let firstRow = 0
    const pack = ({ slice, from, rowCount }: RowsOfPart) => {
      const before = firstRow
      firstRow += rowCount
      return renderer.pack(slice, plan, from, before)
    }
    for await (const { made } of mapOrdered(parts, pack)) yield made
  }
}
