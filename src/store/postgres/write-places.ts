/**
 * How writes share the connections. Some connections are left to readers. A write that waits for the lock of a row gives its
 * connection back soon, and from then on tries again beside a few of its like: others' writes go on meanwhile, however many
 * wait for what a server holds that stands still.
 */
import { databaseBusy, isLockRefused, lockRefused } from './refusals.ts'
import { makeTurns } from './turns.ts'

/** For a lock, the first time and from then on: the second is longer than PostgreSQL takes to find a deadlock (1 s). */
const firstLockMs = 500
const laterLockMs = 2_000
/** Longer than PostgreSQL lets a server that stands still keep its locks. */
const lockPatienceMs = 15_000
const patienceMs = 30_000

export type WritePlaces = {
  /** Runs a write, and again where it was refused a lock; `lockMs` is how long it may wait for one. */
  run<T>(write: (lockMs: number) => Promise<T>): Promise<T>
  /** For how long the first of those who wait has waited. */
  waitedMs(): number
}

export function makeWritePlaces(connections: number): WritePlaces {
  const places = Math.max(1, connections - Math.max(1, Math.floor(connections / 5)))
  const writers = makeTurns({
    places,
    patienceMs,
    makeError: () => databaseBusy('no database connection became free in time'),
  })
  const refused = makeTurns({
    places: Math.max(1, Math.floor(places / 4)),
    patienceMs: lockPatienceMs,
    makeError: () => lockRefused('others changed the same thing for too long'),
  })

  return {
    async run(write) {
      const begunAt = performance.now()
      try {
        return await writers.run(() => write(firstLockMs))
      } catch (error) {
        if (!isLockRefused(error)) throw error
      }
      for (;;) {
        try {
          return await refused.run(() => writers.run(() => write(laterLockMs)))
        } catch (error) {
          if (!isLockRefused(error) || performance.now() - begunAt > lockPatienceMs) throw error
        }
      }
    },
    waitedMs: () => Math.max(writers.waitedMs(), refused.waitedMs()),
  }
}
