/** Back-off: waits that grow while something stays away, spread so that many executors don't come back as one. */
import { setTimeout as sleep } from 'node:timers/promises'

export type BackOff = {
  /** Waits, each time longer; ends early, without a throw, when the signal says so. */
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
