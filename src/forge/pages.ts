/** Counting what a page is a slice of. */
import type { SelectQueryBuilder } from 'kysely'
import type { Schema } from '../store/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: any query can be counted, whatever it is joined of
export async function countRows(query: SelectQueryBuilder<any, any, any>): Promise<number> {
  const counted = query as SelectQueryBuilder<Schema, keyof Schema, object>
  const row = await counted
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(row.total)
}
