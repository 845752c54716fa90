/** PostgreSQL: a pool of connections, the same queries, several servers at once. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { OperatorError } from '../../lib/failure.ts'
import { hideSecrets, type Log } from '../../lib/log.ts'
import { quoteName } from '../dump/dump.ts'
import { postgresDdl } from '../migrations/ddl.ts'
import { type MigrationPort, migrate } from '../migrations/migrations.ts'
import type { Db, Schema } from '../schema/schema.ts'
import { isConflict, type Probe, type Store, type WriteOptions } from '../store.ts'
import { makeWriteGuard } from '../write-guard.ts'
import { makeConnectionOptions } from './connection-options.ts'
import { makeConnections } from './connections.ts'
import { makeDatabaseClock } from './database-clock.ts'
import { takesNoChanges } from './heartbeat.ts'
import { makeKeyedMutex } from './keyed-mutex.ts'
import { openPostgresSignals, type PostgresSignals, sendSignal } from './signals.ts'
import { readPostgresSnapshot } from './snapshot.ts'
import { isNameRefused } from './statement-names.ts'
import { makeWriteSlots } from './write-slots.ts'

/** PostgreSQL's documentation recommends this for a few cores; a setting overrides it. */
export const usualConnections = 10

/** A longer wait is reported by the readiness check. */
const busyAfterMs = 2_000
const maxTries = 5
const deadlock = '40P01'

export async function openPostgres(url: string, log: Log, most = usualConnections): Promise<Store> {
  const options = makeConnectionOptions(url, pg)
  const connections = makeConnections(options, most, log)
  const clock = makeDatabaseClock()
  const db: Db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: connections }) })
  const guard = makeWriteGuard()
  const runExclusively = makeKeyedMutex()
  const slots = makeWriteSlots(most)
  let signals: PostgresSignals | undefined
  try {
    await migratePostgres(connections.pool)
    signals = await openPostgresSignals({ options, log, onBeat: clock.note, onAway: connections.setAway })
  } catch (error) {
    await signals?.close()
    await connections.end()
    throw error instanceof OperatorError ? error : unusable(url, error)
  }
  return {
    engine: 'postgres',
    db,
    notify: (trx, channel, payload) => sendSignal(trx, { channel, payload }),
    listen: signals.listen,
    write: (act, options) => {
      guard.demandNoneOpen()
      const run = (trx: Db) => guard.run(() => act(trx))
      return runExclusively(options?.locks ?? [], () =>
        slots.run((lockMs) => writeWithRetry(db, run, openingOf(lockMs, options))),
      )
    },
    readSnapshot: (read) => readPostgresSnapshot(options, read),
    version: () => undefined,
    tableVersion: () => undefined,
    alignClock: clock.align,
    ping: async () => {
      if ((await signals.beat()).isReadOnly) return 'read-only'
      if (connections.isDiskFull()) return 'full'
      return Math.max(connections.waitedMs(), slots.waitedMs()) > busyAfterMs ? 'busy' : 'ok'
    },
    // Space that a plain vacuum can't cut off the end of the file is reused by later rows: a full one would lock out
    // all others.
    reclaim: async (table) => {
      await connections.pool.query(`vacuum (skip_locked) ${quoteName(table)}`)
    },
    close: async () => {
      await signals.close()
      await db.destroy()
      // Kysely ends the pool only if it ever ran a query.
      if (!connections.pool.ending) await connections.end()
    },
  }
}

export async function probePostgres(url: string): Promise<Probe> {
  const pool = new pg.Pool({ ...makeConnectionOptions(url, pg), max: 1 })
  // A connection that is cut while it closes emits an error, which without a listener would end the process.
  pool.on('error', () => {})
  try {
    const { rows } = await pool.query(`select ${takesNoChanges} as is_read_only,
      array(select tablename::text from pg_tables where schemaname = current_schema()) as tables`)
    return { tables: new Set(rows[0].tables), isReadOnly: rows[0].is_read_only }
  } catch (error) {
    throw unusable(url, error)
  } finally {
    await pool.end()
  }
}

export const readPostgresOnce = <T>(url: string, read: (db: Db) => Promise<T>): Promise<T> =>
  readPostgresSnapshot(makeConnectionOptions(url, pg), read)

export const unusable = (url: string, error: unknown) =>
  new OperatorError(
    `The database ${hideSecrets(url)} can't be used: ${describe(error)}. Check DATABASE_URL and that PostgreSQL is running.`,
  )

async function writeWithRetry<T>(db: Db, act: (trx: Db) => Promise<T>, opening: string): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (trx) => {
        await sql.raw(opening).execute(trx)
        return act(trx)
      })
    } catch (error) {
      if (attempt >= maxTries || !(isConflict(error) || isNameRefused(error))) throw error
    }
  }
}

/** One text without values, so that it is sent with the start of the transaction. */
function openingOf(lockMs: number, { locks = [], sharedLocks = [], mayBeLost = false }: WriteOptions = {}): string {
  const lock = (how: string) => (name: string) => `select ${how}(hashtextextended(${pg.escapeLiteral(name)}, 0))`
  return [
    `set local lock_timeout = ${lockMs}`,
    ...(mayBeLost ? ['set local synchronous_commit = off'] : []),
    ...[...locks].sort().map(lock('pg_advisory_xact_lock')),
    ...[...sharedLocks].sort().map(lock('pg_advisory_xact_lock_shared')),
  ].join('; ')
}

export const makePostgresPort = (client: pg.ClientBase): MigrationPort => ({
  ddl: postgresDdl,
  applied: async () => {
    const { rows } = await client.query('select number::int, hash from schema_migration')
    return rows
  },
  run: async (statement) => {
    await client.query(statement)
  },
  record: async ({ number, name }, hash) => {
    await client.query('insert into schema_migration values ($1, $2, $3, $4)', [number, name, hash, Date.now()])
  },
})

/** Until the transaction ends, excludes others that change tables. */
export const lockSchema = (client: pg.ClientBase) =>
  client.query("select pg_advisory_xact_lock(hashtextextended('guildhall schema', 0))")

async function migratePostgres(pool: pg.Pool): Promise<void> {
  const client = await pool.connect()
  try {
    for (let attempt = 1; !(await tryMigration(client, attempt < maxTries)); attempt++);
  } finally {
    client.release()
  }
}

/** Returns whether it succeeded: it locks many tables, which a running older server may lock in another order. */
async function tryMigration(client: pg.PoolClient, mayFail: boolean): Promise<boolean> {
  try {
    await client.query('begin')
    // A migration may take any time, and so may waiting for another server's.
    await client.query('set local statement_timeout = 0')
    await lockSchema(client)
    await migrate(makePostgresPort(client))
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback').catch(() => {})
    if (mayFail && (error as { code?: string }).code === deadlock) return false
    throw error
  }
}

function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  return hideSecrets((error as Error).message || String((error as { code?: string }).code))
}
