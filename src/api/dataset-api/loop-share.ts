/**
 * The share of the event loop that exports take: while others ask, half of it at most. One that only copies bytes would keep
 * it, and a processor, busy without a pause, and the system lets those wait who never sleep.
 */
import { setTimeout } from 'node:timers/promises'

/** For so long after a request others are expected. */
const companyMs = 100
/** A pause is no longer than this: what keeps the loop busy may be others alone, and an export comes to its end all the same. */
const maxPauseMs = 5
/** A timer is no more exact than this. */
const minPauseMs = 0.5

/** To be awaited after each piece of an answer. */
export type Rest = () => Promise<void>

/** `countRequests` tells how many were begun by now. */
export function makeLoopShare(countRequests: () => number): () => Rest {
  return () => {
    let seen = countRequests()
    let seenAt = Number.NEGATIVE_INFINITY
    let before = performance.eventLoopUtilization()
    return async () => {
      const now = performance.now()
      const count = countRequests()
      if (count !== seen) seenAt = now
      seen = count
      const after = performance.eventLoopUtilization()
      const { active, idle } = performance.eventLoopUtilization(after, before)
      before = after
      const owedMs = Math.min(active - idle, maxPauseMs)
      if (now - seenAt < companyMs && owedMs >= minPauseMs) await setTimeout(owedMs)
    }
  }
}
