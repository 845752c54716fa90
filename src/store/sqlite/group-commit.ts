/**
 * SQLite has one writer: writes that arrive during a commit share the next one, each in its own savepoint, so that a
 * failing one does not affect the others. None is answered, and no signal is sent, before the commit is on disk.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Db } from '../schema/schema.ts'
import { encodeSignal, type Signal } from '../signals.ts'
import type { WriteOptions } from '../store.ts'
import { makeWriteGuard } from '../write-guard.ts'
import { makeSqliteDb } from './dialect.ts'
import type { Durability } from './durability.ts'
import type { TableVersions } from './table-versions.ts'

/** The most writes that share a commit: enough to hide the disk's latency, few enough to keep each wait short. */
const maxBatch = 256

type Task = { run(trx: Db): Promise<unknown>; settle(outcome: Outcome): void; mayBeLost: boolean }
type Outcome = { value: unknown } | { error: unknown }

type Needs = {
  readonly connection: DatabaseSync
  readonly durability: Durability
  readonly versions: Pick<TableVersions, 'touch' | 'settle'>
  /** May return what the next commit must wait for. */
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
  /** Signals of the writes in the open transaction, sent after its commit. */
  const outbox: Signal[] = []
  const waiting: Task[] = []
  const guard = makeWriteGuard()
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const settle = await commitTogether(waiting.splice(0, maxBatch))
      try {
        // Delivered before any writer continues: it must not then read what was cached before.
        deliver(outbox.splice(0))
      } finally {
        settle()
      }
      try {
        if (durability.isSound()) await noteCommit()
      } catch {
        // The commit is on disk: cleaning up after it may fail without affecting the next write.
      }
    }
    draining = undefined
  }

  /** Returns a function that tells each writer the outcome. */
  async function commitTogether(batch: Task[]): Promise<() => void> {
    const outcomes: Outcome[] = []
    try {
      const changesBefore = countChanges()
      durability.demandSound()
      begin.run()
      for (const task of batch) outcomes.push(await runInSavepoint(task))
      // A commit without its own sync reaches the disk with the next one.
      const needsSync = countChanges() !== changesBefore && !batch.every(({ mayBeLost }) => mayBeLost)
      // Caches are outdated exactly when readers see the commit, and not sooner.
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

  /** If even that fails, the next transaction can't begin, and its writers get the error. */
  function rollBack(): void {
    try {
      if (connection.isTransaction) connection.exec('rollback')
    } catch {}
  }

  /** Rows changed by this connection so far. A transaction without changes writes nothing to the log. */
  const countChanges = () => changeCount.get()!.count

  /** A full disk ends the whole transaction: the savepoint is then gone, and the batch fails as one. */
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
      // Started here instead of in the group's turn, so that it runs in the async context of its request.
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
