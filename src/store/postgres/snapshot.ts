/** Reads of one moment: a repeatable-read transaction on a connection of its own, so that none of the pool's is held. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Db, Schema } from '../schema/schema.ts'
import type { ConnectionOptions } from './connection-options.ts'

/** What is read is written elsewhere between two queries, and a slow disk may take its time. */
const idleInTransactionMs = 600_000

export async function readPostgresSnapshot<T>(options: ConnectionOptions, read: (db: Db) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...options, max: 1 })
  // What breaks a connection fails its query as well.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        // The view is taken with the first query.
        await sql`set local idle_in_transaction_session_timeout = ${sql.lit(idleInTransactionMs)}`.execute(trx)
        await trx.selectFrom('schema_migration').select('number').limit(1).execute()
        return read(trx)
      })
  } finally {
    await db.destroy()
    if (!pool.ending) await pool.end()
  }
}
