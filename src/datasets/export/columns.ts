/** Finds the columns of a page before its first row is written. */
import { Failure } from '../../lib/failure.ts'
import { type Column, type ColumnSurvey, makeColumnUnion, maxColumns } from '../columns.ts'
import { type ColumnType, typeOf } from '../formats/columnar/column-type.ts'
import { isColumnar } from '../formats/columnar/columnar.ts'
import { isSelective } from '../formats/selection.ts'
import type { SlicePart } from '../formats/slice.ts'
import { keepsRows, readsStoredItems, type Survey, settleColumns, surveySummary } from '../formats/table-rows.ts'
import { maxCellLength } from '../formats/xlsx/cell-text.ts'
import type { Slice } from '../log/item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { RecordPosition } from '../query/records.ts'
import { parseSummary } from '../summaries/summary.ts'
import { mapParts } from './ordered-map.ts'
import type { SliceRenderer } from './slice-renderer.ts'

/** A part of a slice, and its number of rows. */
export type RowsOfPart = { readonly slice: Slice; readonly from: RecordPosition; readonly rowCount: number }

/** `rows` is set if the number of rows is needed and does not follow from the number of items. */
export type PageColumns = ColumnSurvey & {
  readonly rows: readonly RowsOfPart[] | null
  readonly cutCells: number
  /** The columns' types, for a columnar format. */
  readonly types: readonly ColumnType[]
}

/** Work before the first byte is not ended by a closed stream, so it checks itself whether the client is there. */
export function demandWanted(isGone: () => boolean): void {
  if (isGone()) throw new Failure('invalid', 'client-gone', 'The client left before the first byte.')
}

export async function surveyPage(
  slices: AsyncIterable<Slice>,
  renderer: SliceRenderer,
  query: ItemQuery,
  isGone: () => boolean,
): Promise<PageColumns> {
  const union = makeColumnUnion()
  const kinds = makeKindUnion()
  let cutCells = 0
  const rows = query.format === 'xlsx' && !keepsRows(query) ? ([] as RowsOfPart[]) : null
  const survey = async (slice: Slice, from: RecordPosition): Promise<SlicePart<Survey>> => {
    // A summary has the paths to values, not the values.
    const needsItems = rows !== null || isSelective(query) || !readsStoredItems(query) || isColumnar(query.format)
    if (slice.summary === null || needsItems) return renderer.survey(slice, from)
    const summary = parseSummary(slice.summary)
    const mayCut = query.format === 'xlsx' && (summary.longest ?? Number.POSITIVE_INFINITY) > maxCellLength
    if (mayCut) return renderer.survey(slice, from)
    return { made: surveySummary(summary, query, slice.to - slice.from), next: null }
  }
  for await (const { slice, from, made } of mapParts(slices, survey)) {
    demandWanted(isGone)
    union.add(made.columns)
    kinds.add(made, union.survey().columns)
    cutCells += made.cutCells
    rows?.push({ slice: { ...slice, summary: null }, from, rowCount: made.rowCount })
  }
  const settled = settleColumns(union.survey(), query)
  const types = settled.columns.map((column) => kinds.typeOf(column))
  return { ...settled, rows, cutCells: query.format === 'xlsx' ? cutCells : 0, types }
}

/** The kinds of values in each column over all slices. Columns beyond the first ones are forgotten: never used. */
function makeKindUnion() {
  let met = new Map<string, number>()
  const nameOf = ({ path }: Column) => String(path[0])
  return {
    add({ columns: { columns }, kinds }: Survey, kept: readonly Column[]) {
      if (!kinds) return
      for (const [i, column] of columns.entries()) met.set(nameOf(column), (met.get(nameOf(column)) ?? 0) | kinds[i]!)
      if (met.size <= 2 * maxColumns) return
      const names = new Set(kept.map(nameOf))
      met = new Map([...met].filter(([name]) => names.has(name)))
    },
    typeOf: (column: Column): ColumnType => typeOf(met.get(nameOf(column)) ?? 0),
  }
}
