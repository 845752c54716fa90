/**
 * Turns by name, within this process: who must wait for what another writer is alone about waits here, with no connection in
 * hand. Else as many writers of one repository as there are connections would keep all readers out.
 */
import { lockRefused } from './refusals.ts'
import { makeTurns, type Turns } from './turns.ts'

const bounds = {
  places: 1,
  patienceMs: 30_000,
  makeError: () => lockRefused('others changed the same thing for too long'),
}

export type NamedTurns = <T>(names: readonly string[], act: () => Promise<T>) => Promise<T>

export function makeNamedTurns(): NamedTurns {
  /** Of each name that somebody has. */
  const turns = new Map<string, Turns>()

  async function runNamed<T>(name: string, act: () => Promise<T>): Promise<T> {
    const own = turns.get(name) ?? makeTurns(bounds)
    turns.set(name, own)
    try {
      return await own.run(act)
    } finally {
      if (own.isIdle()) turns.delete(name)
    }
  }

  return (names, act) => {
    // All in the same order, so that no two wait for each other.
    const sorted = [...new Set(names)].sort().reverse()
    return sorted.reduce((inner, name) => () => runNamed(name, inner), act)()
  }
}
