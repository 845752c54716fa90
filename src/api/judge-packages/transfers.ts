/**
 * Packages and files that come and go: so many at a time, of an account and in all. Where all places are taken, one whose
 * client sends or reads hardly anything gives up its own: a few accounts with half-sent packages keep nobody out.
 */
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'

const mostOfOne = 2
const mostInAll = 64
/** Nobody is slow before. */
const graceMs = 5_000
/** A link of 128 kbit/s keeps its place, even where others wait. */
const leastBytesPerSecond = 16 * 1024

export type Transfer = {
  /** So much has come or gone. */
  move(bytes: number): void
  leave(): void
}

type Entry = { readonly account: number; readonly startedAt: number; bytes: number; cut(): void }

export function makeTransfers(now: () => number = () => performance.now()) {
  const entries = new Set<Entry>()

  const countOf = (account: number): number => {
    let count = 0
    for (const entry of entries) if (entry.account === account) count++
    return count
  }

  /** The slowest of those that are slow. */
  function findSlow(): Entry | undefined {
    const at = now()
    let slowest: { entry: Entry; pace: number } | undefined
    for (const entry of entries) {
      const age = at - entry.startedAt
      const pace = (entry.bytes * 1000) / age
      if (age < graceMs || pace >= leastBytesPerSecond) continue
      if (!slowest || pace < slowest.pace) slowest = { entry, pace }
    }
    return slowest?.entry
  }

  /** `cut` ends the connection. The caller has looked at the rights before: who has none takes no place. */
  return ({ account }: Actor, cut: () => void): Transfer => {
    const entry: Entry = { account: account!.id, startedAt: now(), bytes: 0, cut }
    if (countOf(entry.account) >= mostOfOne)
      throw tooMany('You have two packages or files in transfer: finish one first.')
    if (entries.size >= mostInAll) {
      const slow = findSlow()
      if (!slow) throw tooMany('Many packages and files are in transfer: try again in a moment.')
      entries.delete(slow)
      slow.cut()
    }
    entries.add(entry)
    return {
      move(bytes) {
        entry.bytes += bytes
      },
      leave: () => void entries.delete(entry),
    }
  }
}

const tooMany = (message: string) => new Failure('limited', 'too-many-packages', message, { retryAfterSeconds: 5 })
