/** SQLite: one writer connection, whose commits are shared by all writes that wait, and one read-only connection. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../base/failure.ts'
import { type MigrationPort, migrate } from './migrations.ts'
import type { Db } from './schema.ts'
import { encodeSignal, makeListeners, type Signal } from './signals.ts'
import { makeSqliteDb } from './sqlite-dialect.ts'
import { busyTimeoutMs, copySqlite, demandOurs, unopened } from './sqlite-file.ts'
import type { Store } from './store.ts'
import { sqliteWords } from './words.ts'

/** So many waiting writes share one commit at most: enough to hide the disk, few enough to keep each one's wait short. */
const maxBatch = 256

export async function openSqlite(path: string): Promise<Store> {
  const connection = openWriter(path)
  await migrateSqlite(connection, path)
  const reading = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs })
  // Not mapped into memory: an export would make all that it reads resident (measured, 150 MB more, and no faster).
  reading.exec('pragma cache_size = -32768')
  const listeners = makeListeners()
  const changes = countChanges(reading)
  const writer = makeWriter(connection, (signals) => {
    changes.add()
    signals.forEach(listeners.deliver)
  })
  const db: Db = makeSqliteDb(reading)
  return {
    engine: 'sqlite',
    db,
    write: writer.write,
    notify: async (_trx, channel, payload) => writer.send({ channel, payload }),
    listen: listeners.add,
    changes: changes.count,
    copyTo: (target) => copySqlite(path, target),
    ping: async () => {
      reading.prepare('select 1').get()
    },
    close: async () => {
      await writer.finish()
      reading.close()
      connection.close()
    },
  }
}

function openWriter(path: string): DatabaseSync {
  let connection: DatabaseSync | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    connection = new DatabaseSync(path, { timeout: busyTimeoutMs })
    demandOurs(connection)
    connection.exec(`
      pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;
      pragma temp_store = memory; pragma cache_size = -65536; pragma journal_size_limit = 67108864`)
    return connection
  } catch (error) {
    connection?.close()
    throw unopened(path, error)
  }
}

async function migrateSqlite(connection: DatabaseSync, path: string): Promise<void> {
  const port: MigrationPort = {
    words: sqliteWords,
    applied: async () =>
      connection.prepare('select number, hash from schema_migration').all() as { number: number; hash: string }[],
    run: async (statement) => connection.exec(statement),
    record: async ({ number, name }, hash) => {
      connection.prepare('insert into schema_migration values (?, ?, ?, ?)').run(number, name, hash, Date.now())
    },
  }
  try {
    connection.exec('begin immediate')
    await migrate(port)
    connection.exec('commit')
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback')
    connection.close()
    if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') throw error
    throw new OperatorError(`The database ${path} can't be brought up to date: ${(error as Error).message}.`)
  }
}

const foreignLookMs = 50

/** Our own commits are counted as they happen; those of other processes show in the data version, which costs a look. */
function countChanges(reading: DatabaseSync): { add(): void; count(): number } {
  const dataVersion = reading.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const look = () => (dataVersion.get() as unknown as [number])[0]
  let [count, lookedAt, seen] = [0, performance.now(), look()]
  return {
    add() {
      count++
    },
    count() {
      const now = performance.now()
      if (now - lookedAt >= foreignLookMs) {
        lookedAt = now
        const version = look()
        if (version !== seen) {
          seen = version
          count++
        }
      }
      return count
    },
  }
}

type Task = { run(trx: Db): Promise<unknown>; settle(outcome: Outcome): void }
type Outcome = { value: unknown } | { error: unknown }

/**
 * Group commit: writes that arrive while another commits wait together and share the next commit, each in a savepoint of
 * its own, so that one that fails takes none of the others along. None is answered before the commit is on disk.
 */
function makeWriter(connection: DatabaseSync, deliver: (signals: Signal[]) => void) {
  const trx: Db = makeSqliteDb(connection)
  /** What the writes of the open transaction want told once it is committed. */
  const outbox: Signal[] = []
  const waiting: Task[] = []
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const settle = await commitTogether(connection, trx, waiting.splice(0, maxBatch), outbox)
      // Told before any writer goes on: what it then reads must not be what was remembered before.
      deliver(outbox.splice(0))
      settle()
    }
    draining = undefined
  }

  return {
    write: <T>(act: (trx: Db) => Promise<T>): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({
          run: act,
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
        })
        draining ??= drain()
      }),
    send: (signal: Signal): void => {
      if (!connection.isTransaction) throw new Error('A signal is sent inside store.write.')
      encodeSignal(signal)
      outbox.push(signal)
    },
    finish: async () => {
      while (draining) await draining
    },
  }
}

/** Answers how to tell each writer what became of its write. */
async function commitTogether(connection: DatabaseSync, trx: Db, batch: Task[], outbox: Signal[]): Promise<() => void> {
  const outcomes: Outcome[] = []
  try {
    connection.exec('begin immediate')
    for (const task of batch) outcomes.push(await runInSavepoint(connection, trx, task, outbox))
    connection.exec('commit')
  } catch (error) {
    if (connection.isTransaction) connection.exec('rollback')
    outbox.length = 0
    outcomes.splice(0, outcomes.length, ...batch.map(() => ({ error })))
  }
  return () => {
    batch.forEach((task, i) => {
      task.settle(outcomes[i]!)
    })
  }
}

/** A full disk ends the whole transaction: then the savepoint is gone, and the batch fails as one. */
async function runInSavepoint(connection: DatabaseSync, trx: Db, task: Task, outbox: Signal[]): Promise<Outcome> {
  const signalsBefore = outbox.length
  connection.exec('savepoint task')
  try {
    const value = await task.run(trx)
    connection.exec('release task')
    return { value }
  } catch (error) {
    if (!connection.isTransaction) throw error
    connection.exec('rollback to task; release task')
    outbox.length = signalsBefore
    return { error }
  }
}
