/** The columns of a page, found before its first row is written. */
import { Failure } from '../../base/failure.ts'
import { type ColumnSurvey, makeColumnUnion } from '../columns.ts'
import type { Part } from '../formats/piece.ts'
import { keepsRows, readsStoredItems, type Survey, settleColumns, surveySummary } from '../formats/table-rows.ts'
import type { Piece } from '../item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import type { Place } from '../query/records.ts'
import { parseSummary } from '../summary.ts'
import { inParts } from './in-order.ts'
import type { Workshop } from './workshop.ts'

/** A part of a piece, and how many rows it makes. */
export type RowsOfPart = { readonly piece: Piece; readonly from: Place; readonly rowCount: number }

/** `rows` is there where rows must be known and can't be told from the items. */
export type PageColumns = ColumnSurvey & { readonly rows: readonly RowsOfPart[] | null }

/** Work that comes before the first byte has no reader whose leaving would end it. */
export function demandWanted(isGone: () => boolean): void {
  if (isGone()) throw new Failure('unavailable', 'client-gone', 'The client left before the first byte.')
}

export async function surveyPage(
  pieces: AsyncIterable<Piece>,
  workshop: Workshop,
  query: ItemQuery,
  isGone: () => boolean,
): Promise<PageColumns> {
  const union = makeColumnUnion()
  const rows = query.format === 'xlsx' && !keepsRows(query) ? ([] as RowsOfPart[]) : null
  const survey = async (piece: Piece, from: Place): Promise<Part<Survey>> => {
    const maySkim = piece.summary !== null && rows === null && readsStoredItems(query)
    if (!maySkim) return workshop.survey(piece, from)
    return { made: surveySummary(parseSummary(piece.summary), query, piece.to - piece.from), next: null }
  }
  for await (const { piece, from, made } of inParts(pieces, survey)) {
    demandWanted(isGone)
    union.add(made.columns)
    rows?.push({ piece: { ...piece, summary: null }, from, rowCount: made.rowCount })
  }
  return { ...settleColumns(union.survey(), query), rows }
}
