/**
 * How writes share the connections. Some connections are reserved for reads. Kinds of work take turns. A write that waits
 * for a row lock soon releases its connection, and then retries together with a few others like it: so other writes go
 * on, however many wait for locks of a hanging server.
 */
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { currentKind } from '../../lib/scheduling/work-kind.ts'
import { databaseBusy, isLockRefused, lockRefused } from './refusals.ts'

/** The wait for a lock, at first and later: the second is longer than PostgreSQL takes to detect a deadlock (1 s). */
const firstLockMs = 500
const laterLockMs = 2_000
/** Longer than PostgreSQL lets a hanging server keep its locks. */
const lockTimeoutMs = 15_000
const connectionTimeoutMs = 30_000

export type WriteSlots = {
  /** Runs a write, and retries it if it was refused a lock; `lockMs` is how long it may wait for one. */
  run<T>(write: (lockMs: number) => Promise<T>): Promise<T>
  /** How long the first of the waiting writes has waited. */
  waitedMs(): number
}

export function makeWriteSlots(connections: number): WriteSlots {
  const slots = Math.max(1, connections - Math.max(1, Math.floor(connections / 5)))
  const writers = makeFairScheduler({
    slots,
    maxWaitMs: connectionTimeoutMs,
    what: () => databaseBusy('no database connection became free in time'),
  })
  const refused = makeFairScheduler({
    slots: Math.max(1, Math.floor(slots / 4)),
    maxWaitMs: lockTimeoutMs,
    what: () => lockRefused('others changed the same thing for too long'),
  })

  return {
    async run(write) {
      const begunAt = performance.now()
      const kind = currentKind()
      try {
        return await writers.run(kind, () => write(firstLockMs))
      } catch (error) {
        if (!isLockRefused(error)) throw error
      }
      for (;;) {
        try {
          return await refused.run(kind, () => writers.run(kind, () => write(laterLockMs)))
        } catch (error) {
          if (!isLockRefused(error) || performance.now() - begunAt > lockTimeoutMs) throw error
        }
      }
    },
    waitedMs: () => Math.max(writers.waitedMs(), refused.waitedMs()),
  }
}
