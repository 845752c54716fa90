/**
 * Turns by name, within this process: who must wait for what another writer is alone about waits here, with no connection in
 * hand. Else as many writers of one repository as there are connections would keep all readers out.
 */
import { databaseBusy } from './connections.ts'

/** Who waited so long is told, not kept. */
const patienceMs = 30_000

export type NamedTurns = <T>(names: readonly string[], act: () => Promise<T>) => Promise<T>

export function makeNamedTurns(): NamedTurns {
  /** Of each name that somebody has, who is next. */
  const lines = new Map<string, (() => void)[]>()

  function take(name: string): Promise<void> | undefined {
    const line = lines.get(name)
    if (!line) {
      lines.set(name, [])
      return undefined
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(enter), 1)
        reject(databaseBusy('others changed the same thing for too long'))
      }, patienceMs).unref()
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      line.push(enter)
    })
  }

  function leave(name: string): void {
    const next = lines.get(name)!.shift()
    if (next) next()
    else lines.delete(name)
  }

  return async (names, act) => {
    const taken: string[] = []
    try {
      // All in the same order, so that no two wait for each other.
      for (const name of new Set([...names].sort())) {
        await take(name)
        taken.push(name)
      }
      return await act()
    } finally {
      for (const name of taken) leave(name)
    }
  }
}
