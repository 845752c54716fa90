/** Back-off: pauses that grow while something does not answer, with jitter, so that many executors don't return at once. */
import { setTimeout as sleep } from 'node:timers/promises'

export type BackOff = {
  /** Waits, each time longer. It resolves early when the signal is aborted. */
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
