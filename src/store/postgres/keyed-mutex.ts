/**
 * A mutex for each name, within this process: who must wait for what another writer is alone about waits here, with no
 * connection in hand. Else as many writers of one repository as there are connections would keep all readers out.
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
    // All in the same order, so that no two wait for each other.
    const sorted = [...new Set(names)].sort().reverse()
    return sorted.reduce((inner, name) => () => run(name, inner), act)()
  }
}
