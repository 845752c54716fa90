/**
 * A mutex per name, within this process: a write that needs a lock held by another waits here, without a connection.
 * Otherwise as many writers of one repository as there are connections would block all readers.
 */
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import { lockRefused } from './refusals.ts'

const maxWaitMs = 30_000

export type KeyedMutex = <T>(names: readonly string[], act: () => Promise<T>) => Promise<T>

export function makeKeyedMutex(): KeyedMutex {
  const { run } = makeFairScheduler({
    slots: Number.POSITIVE_INFINITY,
    slotsPerCaller: 1,
    maxWaitMs,
    what: () => lockRefused('others changed the same thing for too long'),
  })

  return (names, act) => {
    // Always in the same order, so that no two deadlock.
    const sorted = [...new Set(names)].sort().reverse()
    return sorted.reduce((inner, name) => () => run(name, inner), act)()
  }
}
