/** The columns of a page, found before its first row is written. */
import { type ColumnSurvey, makeColumnUnion } from '../columns.ts'
import { keepsRows, readsStoredItems, type Survey, settleColumns, surveySummary } from '../formats/table-rows.ts'
import type { Piece } from '../item-log.ts'
import type { ItemQuery } from '../query/item-query.ts'
import { parseSummary } from '../summary.ts'
import { inOrder } from './in-order.ts'
import type { Workshop } from './workshop.ts'

/** `rows` says how many rows each piece makes, where that must be known and can't be told from its items. */
export type PageColumns = ColumnSurvey & { readonly rows: readonly (Piece & { rowCount: number })[] | null }

export async function surveyPage(
  pieces: AsyncIterable<Piece>,
  workshop: Workshop,
  query: ItemQuery,
): Promise<PageColumns> {
  const union = makeColumnUnion()
  const rows = query.format === 'xlsx' && !keepsRows(query) ? ([] as (Piece & { rowCount: number })[]) : null
  const survey = async (piece: Piece): Promise<[Piece, Survey]> => {
    const maySkim = piece.summary !== null && rows === null && readsStoredItems(query)
    if (maySkim) return [piece, surveySummary(parseSummary(piece.summary), query, piece.to - piece.from)]
    return [piece, await workshop.survey(piece)]
  }
  for await (const [piece, { columns, rowCount }] of inOrder(pieces, survey)) {
    union.add(columns)
    rows?.push({ ...piece, summary: null, rowCount })
  }
  return { ...settleColumns(union.survey(), query), rows }
}
