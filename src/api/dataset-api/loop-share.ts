/**
 * The share of the event loop that exports get: at most half of it while other requests arrive. An export that only
 * copies bytes would keep the loop and a processor busy without a pause, and the kernel's scheduler disfavours threads
 * that never sleep.
 */
import { setTimeout } from 'node:timers/promises'

/** After a request, others are expected for this long. */
const companyMs = 100
/** The longest pause: an export must finish even if other requests alone keep the loop busy. */
const maxPauseMs = 5
/** The resolution of a timer. */
const minPauseMs = 0.5

/** Awaited after each piece of a response. */
export type Rest = () => Promise<void>

/** `countRequests` returns how many requests have begun so far. */
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
