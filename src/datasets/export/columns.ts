/** Finds the columns of a page before its first row is written. */
import { Failure } from '../../base/failure.ts'
import { type ColumnSurvey, makeColumnUnion } from '../columns.ts'
import { isSelective } from '../formats/selection.ts'
import type { Part } from '../formats/slice.ts'
import { keepsRows, readsStoredItems, type Survey, settleColumns, surveySummary } from '../formats/table-rows.ts'
import { maxCellLength } from '../formats/xlsx/cell-text.ts'
import type { Slice } from '../log/item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { Place } from '../query/records.ts'
import { parseSummary } from '../summaries/summary.ts'
import { mapParts } from './ordered-map.ts'
import type { SliceRenderer } from './slice-renderer.ts'

/** A part of a slice, and how many rows it makes. */
export type RowsOfPart = { readonly slice: Slice; readonly from: Place; readonly rowCount: number }

/** `rows` is set where the number of rows must be known and does not follow from the number of items. */
export type PageColumns = ColumnSurvey & { readonly rows: readonly RowsOfPart[] | null; readonly cutCells: number }

/** Work before the first byte is not ended by a stream that closes, so it asks itself whether the client is still there. */
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
  let cutCells = 0
  const rows = query.format === 'xlsx' && !keepsRows(query) ? ([] as RowsOfPart[]) : null
  const survey = async (slice: Slice, from: Place): Promise<Part<Survey>> => {
    if (slice.summary === null || rows !== null || isSelective(query) || !readsStoredItems(query))
      return renderer.survey(slice, from)
    const summary = parseSummary(slice.summary)
    const mayCut = query.format === 'xlsx' && (summary.longest ?? Number.POSITIVE_INFINITY) > maxCellLength
    if (mayCut) return renderer.survey(slice, from)
    return { made: surveySummary(summary, query, slice.to - slice.from), next: null }
  }
  for await (const { slice, from, made } of mapParts(slices, survey)) {
    demandWanted(isGone)
    union.add(made.columns)
    cutCells += made.cutCells
    rows?.push({ slice: { ...slice, summary: null }, from, rowCount: made.rowCount })
  }
  return { ...settleColumns(union.survey(), query), rows, cutCells: query.format === 'xlsx' ? cutCells : 0 }
}
