/**
 * Backlogs: how many rows of a queue wait, and since when. Each is counted in an index, at most up to `mostCounted`.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema/schema.ts'

export type Backlog = {
  readonly count: number
  /** When the first of them began to wait; undefined if none waits. */
  readonly since: number | undefined
}

/** Bounds the count to some milliseconds, however many wait. */
export const mostCounted = 10_000

/**
 * `rows` must select only `id`, so that an index suffices; `at` is the table's column with the time since when a row
 * waits.
 */
export async function readBacklog(db: Db, table: string, at: string, rows: RawBuilder<unknown>): Promise<Backlog> {
  const { rows: found } = await sql<{ count: number; since: number | null }>`
    select waiting.count as count, ${sql.ref(at)} as since
    from (select count(*) as count, min(id) as first from (${rows} limit ${sql.lit(mostCounted)}) as counted) as waiting
    left join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = waiting.first`.execute(db)
  const { count, since } = found[0]!
  return { count: Number(count), since: since === null ? undefined : Number(since) }
}

export async function countUpTo(db: Db, rows: RawBuilder<unknown>): Promise<number> {
  const { rows: found } = await sql<{ count: number }>`
    select count(*) as count from (${rows} limit ${sql.lit(mostCounted)}) as counted`.execute(db)
  return Number(found[0]!.count)
}
