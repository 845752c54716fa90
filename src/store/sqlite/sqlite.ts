/** SQLite: one writer connection, whose commits all waiting writes share, and one read-only connection. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { sqliteDdl } from '../migrations/ddl.ts'
import { type MigrationPort, migrate } from '../migrations/migrations.ts'
import type { Db } from '../schema/schema.ts'
import { makeListeners } from '../signals.ts'
import type { Store } from '../store.ts'
import { lastResortPages, makeCheckpoints } from './checkpoints.ts'
import { busyTimeoutMs, demandOurs, unopened } from './database-file.ts'
import { makeSqliteDb } from './dialect.ts'
import { makeDurability } from './durability.ts'
import { makeGroupCommit } from './group-commit.ts'
import { readSqliteSnapshot } from './snapshot.ts'
import { givePagesBack, makeShrinkable } from './space.ts'
import { makeTableVersions } from './table-versions.ts'
import { prepareWal, walSizeLimit } from './wal.ts'

export async function openSqlite(path: string, log?: Log): Promise<Store> {
  const connection = openWriter(path)
  await migrateSqlite(connection, path)
  leaveSyncsToDurability(connection, path)
  const reading = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  // Not memory-mapped: an export would make everything that it reads resident (measured, 150 MB more, and no faster).
  reading.exec('pragma cache_size = -32768')
  const listeners = makeListeners()
  const versions = makeTableVersions(connection, () => reading.isTransaction)
  const checkpoints = makeCheckpoints(path)
  const durability = makeDurability(path, reading, log)
  const writer = makeGroupCommit({
    connection,
    durability,
    versions,
    noteCommit: checkpoints.note,
    deliver: (signals) => signals.forEach(listeners.deliver),
  })
  const db: Db = makeSqliteDb(reading)
  return {
    engine: 'sqlite',
    db,
    write: writer.write,
    readSnapshot: (read) => readSqliteSnapshot(path, read),
    notify: async (_trx, channel, payload) => writer.send({ channel, payload }),
    listen: listeners.add,
    version: versions.version,
    tableVersion: versions.tableVersion,
    alignClock: (clock) => clock,
    ping: async () => {
      reading.prepare('select 1').get()
      return durability.isSound() ? 'ok' : 'read-only'
    },
    reclaim: async () => {
      while (await writer.write(async () => givePagesBack(connection), { mayBeLost: true }));
      await checkpoints.run()
    },
    close: async () => {
      await writer.finish()
      await checkpoints.close()
      await durability.close().catch(() => {})
      // The last connection that may write moves the log into the file, unless a reader is left. A log that could not
      // be synced must not be moved, and stays as it is for the next start.
      const [first, last] = durability.isSound() ? [reading, connection] : [connection, reading]
      first.close()
      last.close()
    },
  }
}

function openWriter(path: string): DatabaseSync {
  let connection: DatabaseSync | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    connection = new DatabaseSync(path, { timeout: busyTimeoutMs })
    demandOurs(connection)
    makeShrinkable(connection)
    connection.exec(`
      pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;
      pragma temp_store = memory; pragma cache_size = -65536; pragma journal_size_limit = ${walSizeLimit};
      pragma wal_autocheckpoint = ${lastResortPages}`)
    return connection
  } catch (error) {
    connection?.close()
    throw unopened(path, error)
  }
}

export const makeSqlitePort = (connection: DatabaseSync): MigrationPort => ({
  ddl: sqliteDdl,
  applied: async () =>
    connection.prepare('select number, hash from schema_migration').all() as { number: number; hash: string }[],
  run: async (statement) => connection.exec(statement),
  record: async ({ number, name }, hash) => {
    connection.prepare('insert into schema_migration values (?, ?, ?, ?)').run(number, name, hash, Date.now())
  },
})

/** From here on a commit only appends to the log: `durability` syncs it beside the event loop. */
function leaveSyncsToDurability(connection: DatabaseSync, path: string): void {
  try {
    prepareWal(connection, path)
    connection.exec('pragma synchronous = normal')
  } catch (error) {
    connection.close()
    throw unopened(path, error)
  }
}

async function migrateSqlite(connection: DatabaseSync, path: string): Promise<void> {
  try {
    connection.exec('begin immediate')
    await migrate(makeSqlitePort(connection))
    // The pages of a new database would stay in the cache, although most of them are not needed.
    connection.exec('commit; pragma shrink_memory')
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback')
    connection.close()
    if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error
    throw new OperatorError(`The database ${path} can't be brought up to date: ${(error as Error).message}.`)
  }
}
