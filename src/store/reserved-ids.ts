/** Ids reserved before rows are inserted, so that many rows that refer to each other are written at once. */
import { sql } from 'kysely'
import type { Db, Schema } from './schema/schema.ts'
import type { Store } from './store.ts'

type Engine = Store['engine']

/** Reserves the next ids of a table, in order. Must run in a write: on SQLite nobody else reserves ids meanwhile. */
export async function reserveIds(
  engine: Engine,
  trx: Db,
  table: keyof Schema & string,
  count: number,
): Promise<number[]> {
  if (engine === 'postgres') {
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence(${table}, 'id'))::bigint as id from generate_series(1, ${count})`.execute(
      trx,
    )
    return rows.map(({ id }) => Number(id)).sort((a, b) => a - b)
  }
  const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(trx)
  const last = Number(rows[0]?.seq ?? 0)
  return Array.from({ length: count }, (_, i) => last + 1 + i)
}

/** After inserting rows with given ids: moves the sequence past them. SQLite does that itself. */
export async function advanceSequence(
  engine: Engine,
  trx: Db,
  table: keyof Schema & string,
  most: number,
): Promise<void> {
  if (engine !== 'postgres') return
  await sql`select setval(seq, greatest(${most}, coalesce(pg_sequence_last_value(seq), 0)))
    from (select pg_get_serial_sequence(${table}, 'id')::regclass as seq) one`.execute(trx)
}
