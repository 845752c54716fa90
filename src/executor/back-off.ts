/**
 * Back-off: growing pauses while something does not answer, with jitter, so that many executors do not return at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export type BackOff = {
  /** Waits longer each time. Resolves early when the signal is aborted. */
  wait(signal?: AbortSignal): Promise<void>
  reset(): void
}

export function makeBackOff({ firstMs = 250, longestMs = 15_000 } = {}): BackOff {
  let nextMs = firstMs
  return {
    async wait(signal) {
      const spread = 0.8 + 0.4 * Math.random()
      await sleep(nextMs * spread, undefined, signal ? { signal } : {}).catch(() => undefined)
      nextMs = Math.min(nextMs * 2, longestMs)
    },
    reset() {
      nextMs = firstMs
    },
  }
}

export type FailurePauses = {
  /** Waits longer each time for the same problem. */
  wait(problem: string, signal: AbortSignal): Promise<void>
  forget(problem: string): void
}

const mostProblems = 1_000

/** One back-off per problem: repeated failures of one do not delay the others. */
export function makeFailurePauses(firstMs: number): FailurePauses {
  const backOffs = new Map<string, BackOff>()
  return {
    async wait(problem, signal) {
      const backOff = backOffs.get(problem) ?? makeBackOff({ firstMs, longestMs: 30_000 })
      backOffs.set(problem, backOff)
      if (backOffs.size > mostProblems) backOffs.delete(backOffs.keys().next().value!)
      await backOff.wait(signal)
    },
    forget: (problem) => void backOffs.delete(problem),
  }
}
