/** Pages of what a query finds: the rows of one, and how many there are in all. */
import type { SelectQueryBuilder } from 'kysely'
import type { Page, PageRequest } from '../base/page.ts'
import type { Schema } from '../store/schema/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: any query can be paged and counted, whatever it is joined of
type AnyQuery<Row> = SelectQueryBuilder<any, any, Row>

export async function countRows(query: AnyQuery<unknown>): Promise<number> {
  const counted = query as SelectQueryBuilder<Schema, keyof Schema, object>
  const row = await counted
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(row.total)
}

/** The query says what is found and in which order. */
export async function readPage<Row, T>(
  query: AnyQuery<Row>,
  { offset, limit }: PageRequest,
  toItem: (row: Row) => T | Promise<T>,
): Promise<Page<T>> {
  const rows = await query.offset(offset).limit(limit).execute()
  return { total: await countRows(query), items: await Promise.all(rows.map(toItem)) }
}
