/** Reads one page of a query's rows together with the total. */
import type { SelectQueryBuilder } from 'kysely'
import type { Page, PageRequest } from '../lib/page.ts'
import type { Schema } from '../store/schema/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: any query can be paged and counted, whatever it is joined of
export type AnyQuery<Row> = SelectQueryBuilder<any, any, Row>

export async function countRows(query: AnyQuery<unknown>): Promise<number> {
  const row = await countedBy(query).executeTakeFirstOrThrow()
  return Number(row.total)
}

/** A query for one number, usable as a column of another query. */
export const countedBy = (query: AnyQuery<unknown>) =>
  (query as SelectQueryBuilder<Schema, keyof Schema, object>)
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))

/** The query sets filter and order. The total is read with the rows in one query. */
export async function readRows<Row>(query: AnyQuery<Row>, { offset, limit }: PageRequest): Promise<Page<Row>> {
  const counted = query.select(countedBy(query).as('row_total'))
  const rows: (Row & { row_total?: number | null })[] = await counted.offset(offset).limit(limit).execute()
  const total = rows.length === 0 && mayHaveMissed({ offset, limit }) ? await countRows(query) : rows[0]?.row_total
  return { total: Number(total ?? 0), items: rows }
}

/** Whether the page may be empty although the list is not: past its end, or if only the total is asked for. */
export const mayHaveMissed = ({ offset, limit }: PageRequest): boolean => offset > 0 || limit === 0

/** The same, converting each row. */
export async function readPage<Row, T>(
  query: AnyQuery<Row>,
  request: PageRequest,
  toItem: (row: Row) => T,
): Promise<Page<T>> {
  const { total, items } = await readRows(query, request)
  return { total, items: items.map(toItem) }
}

/** The same, reading more about all rows together. */
export async function readCompletePage<Row, T>(
  query: AnyQuery<Row>,
  request: PageRequest,
  complete: (rows: readonly Row[]) => Promise<readonly T[]>,
): Promise<Page<T>> {
  const { total, items } = await readRows(query, request)
  return { total, items: await complete(items) }
}
