/**
 * SQLite has one writer: writes that arrive while it commits wait together and share the next commit, each in a savepoint
 * of its own, so that one that fails takes none of the others along. None is answered, and nobody is told of it, before
 * the commit is on disk.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Db } from '../schema/schema.ts'
import { encodeSignal, type Signal } from '../signals.ts'
import type { WriteOptions } from '../store.ts'
import { makeWriteGuard } from '../write-guard.ts'
import { makeSqliteDb } from './dialect.ts'
import type { Durability } from './durability.ts'
import type { TableVersions } from './table-versions.ts'

/** So many waiting writes share one commit at most: enough to hide the disk, few enough to keep each one's wait short. */
const maxBatch = 256

type Task = { run(trx: Db): Promise<unknown>; settle(outcome: Outcome): void; mayBeLost: boolean }
type Outcome = { value: unknown } | { error: unknown }

type Needs = {
  readonly connection: DatabaseSync
  readonly durability: Durability
  readonly versions: Pick<TableVersions, 'touch' | 'settle'>
  /** May answer what the next commit has to wait for. */
  noteCommit(): Promise<void> | undefined
  deliver(signals: Signal[]): void
}

export function makeGroupCommit({ connection, durability, versions, noteCommit, deliver }: Needs) {
  const trx: Db = makeSqliteDb(connection, versions.touch)
  const begin = connection.prepare('begin immediate')
  const savepoint = connection.prepare('savepoint task')
  const release = connection.prepare('release task')
  const commit = connection.prepare('commit')
  const changeCount = connection.prepare('select total_changes() as count')
  /** What the writes of the open transaction want told once it is committed. */
  const outbox: Signal[] = []
  const waiting: Task[] = []
  const guard = makeWriteGuard()
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const settle = await commitTogether(waiting.splice(0, maxBatch))
      try {
        // Told before any writer goes on: what it then reads must not be what was cached before.
        deliver(outbox.splice(0))
      } finally {
        settle()
      }
      try {
        if (durability.isSound()) await noteCommit()
      } catch {
        // The commit is on disk: what tidies up behind it may fail, and the next write must not.
      }
    }
    draining = undefined
  }

  /** Answers how to tell each writer what became of its write. */
  async function commitTogether(batch: Task[]): Promise<() => void> {
    const outcomes: Outcome[] = []
    try {
      const changesBefore = countChanges()
      durability.demandSound()
      begin.run()
      for (const task of batch) outcomes.push(await runInSavepoint(task))
      // Without a sync of its own, what was committed is on disk with the next one.
      const needsSync = countChanges() !== changesBefore && !batch.every(({ mayBeLost }) => mayBeLost)
      // What was cached before is old from the moment on at which readers see the commit, and not sooner.
      if (needsSync) await durability.commit(() => commit.run(), versions.settle)
      else {
        commit.run()
        versions.settle()
      }
    } catch (error) {
      rollBack()
      outbox.length = 0
      outcomes.splice(0, outcomes.length, ...batch.map(() => ({ error })))
    }
    return () => {
      batch.forEach((task, i) => {
        task.settle(outcomes[i]!)
      })
    }
  }

  /** Where even that fails, the next transaction can't begin, and its writers are told. */
  function rollBack(): void {
    try {
      if (connection.isTransaction) connection.exec('rollback')
    } catch {}
  }

  /** Rows changed by this connection so far. A transaction that changed none writes nothing to the log. */
  const countChanges = () => changeCount.get()!.count

  /** A full disk ends the whole transaction: then the savepoint is gone, and the batch fails as one. */
  async function runInSavepoint(task: Task): Promise<Outcome> {
    const signalsBefore = outbox.length
    savepoint.run()
    try {
      const value = await task.run(trx)
      release.run()
      return { value }
    } catch (error) {
      if (!connection.isTransaction) throw error
      connection.exec('rollback to task; release task')
      outbox.length = signalsBefore
      return { error }
    }
  }

  return {
    write: <T>(act: (trx: Db) => Promise<T>, { mayBeLost = false }: WriteOptions = {}): Promise<T> => {
      guard.demandNoneOpen()
      const turn = Promise.withResolvers<Db>()
      // Begun here and not by the group's turn, so that it runs in the context of the request that it belongs to.
      const running = turn.promise.then((on) => guard.run(() => act(on)))
      return new Promise<T>((resolve, reject) => {
        waiting.push({
          run: (on) => {
            turn.resolve(on)
            return running
          },
          mayBeLost,
          settle: (outcome) => ('error' in outcome ? reject(outcome.error) : resolve(outcome.value as T)),
        })
        draining ??= drain()
      })
    },
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
