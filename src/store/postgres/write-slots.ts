/**
 * How writes share the connections. Some connections are left to readers. A write that waits for the lock of a row gives its
 * connection back soon, and from then on tries again beside a few of its like: others' writes go on meanwhile, however many
 * wait for what a server holds that stands still.
 */
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { databaseBusy, isLockRefused, lockRefused } from './refusals.ts'

/** For a lock, the first time and from then on: the second is longer than PostgreSQL takes to find a deadlock (1 s). */
const firstLockMs = 500
const laterLockMs = 2_000
/** Longer than PostgreSQL lets a server that stands still keep its locks. */
const lockTimeoutMs = 15_000
const connectionTimeoutMs = 30_000

export type WriteSlots = {
  /** Runs a write, and again where it was refused a lock; `lockMs` is how long it may wait for one. */
  run<T>(write: (lockMs: number) => Promise<T>): Promise<T>
  /** For how long the first of those who wait has waited. */
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
      try {
        return await writers.run('', () => write(firstLockMs))
      } catch (error) {
        if (!isLockRefused(error)) throw error
      }
      for (;;) {
        try {
          return await refused.run('', () => writers.run('', () => write(laterLockMs)))
        } catch (error) {
          if (!isLockRefused(error) || performance.now() - begunAt > lockTimeoutMs) throw error
        }
      }
    },
    waitedMs: () => Math.max(writers.waitedMs(), refused.waitedMs()),
  }
}
