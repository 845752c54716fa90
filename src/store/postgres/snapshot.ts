/** Reads of one moment: a repeatable-read transaction on its own connection, so that none of the pool's is occupied. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Db, Schema } from '../schema/schema.ts'
import type { ConnectionOptions } from './connection-options.ts'

/** Between two queries the rows are written elsewhere, perhaps to a slow disk. */
const idleInTransactionMs = 600_000

export async function readPostgresSnapshot<T>(options: ConnectionOptions, read: (db: Db) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...options, max: 1 })
  // An error that breaks the connection also fails its query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        // The first query fixes the snapshot.
        await sql`set local idle_in_transaction_session_timeout = ${sql.lit(idleInTransactionMs)}`.execute(trx)
        await trx.selectFrom('schema_migration').select('number').limit(1).execute()
        return read(trx)
      })
  } finally {
    await db.destroy()
    if (!pool.ending) await pool.end()
  }
}
