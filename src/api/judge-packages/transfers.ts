/**
 * Limits packages and files in transfer, per account and in all. If all places are taken, the slowest client below a
 * minimum rate loses its place: a few accounts with half-sent packages can't keep others out.
 */
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../lib/failure.ts'

const mostOfOne = 2
const mostInAll = 64
/** A transfer is not considered slow before this time. */
const graceMs = 5_000
/** A link of 128 kbit/s keeps its place, even if others wait. */
const leastBytesPerSecond = 16 * 1024

export type Transfer = {
  /** Records transferred bytes. */
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

  /** The slowest transfer below the minimum rate. */
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

  /** `cut` ends the connection. The caller has checked the rights before, so nobody without them takes a place. */
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
