/**
 * A mutex for each name, within this process: who must wait for what another writer is alone about waits here, with no
 * connection in hand. Else as many writers of one repository as there are connections would keep all readers out.
 */
import { lockRefused } from './refusals.ts'
import { makeTimedSemaphore, type TimedSemaphore } from './timed-semaphore.ts'

const bounds = {
  limit: 1,
  timeoutMs: 30_000,
  makeError: () => lockRefused('others changed the same thing for too long'),
}

export type KeyedMutex = <T>(names: readonly string[], act: () => Promise<T>) => Promise<T>

export function makeKeyedMutex(): KeyedMutex {
  /** Of each name that somebody has. */
  const mutexes = new Map<string, TimedSemaphore>()

  async function runAlone<T>(name: string, act: () => Promise<T>): Promise<T> {
    const own = mutexes.get(name) ?? makeTimedSemaphore(bounds)
    mutexes.set(name, own)
    try {
      return await own.run(act)
    } finally {
      if (own.isIdle()) mutexes.delete(name)
    }
  }

  return (names, act) => {
    // All in the same order, so that no two wait for each other.
    const sorted = [...new Set(names)].sort().reverse()
    return sorted.reduce((inner, name) => () => runAlone(name, inner), act)()
  }
}
