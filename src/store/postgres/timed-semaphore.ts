/** A semaphore with a timeout: so many acts at a time, the others wait in the order they came, and not for ever. */
import { makeWaitQueue } from './wait-queue.ts'

export type TimedSemaphore = {
  run<T>(act: () => Promise<T>): Promise<T>
  /** Nothing runs or waits. */
  isIdle(): boolean
  /** For how long the first of those who wait has waited. */
  waitedMs(): number
}

type Bounds = { readonly limit: number; readonly timeoutMs: number; makeError(): Error }

export function makeTimedSemaphore({ limit, ...timeout }: Bounds): TimedSemaphore {
  const queue = makeWaitQueue(timeout)
  let running = 0

  return {
    async run(act) {
      if (running < limit) running++
      else await queue.wait()
      try {
        return await act()
      } finally {
        // Whoever is next has the slot at once: nobody comes in between.
        if (!queue.wakeNext()) running--
      }
    },
    isIdle: () => running === 0,
    waitedMs: queue.waitedMs,
  }
}
