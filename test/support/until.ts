/** Waiting in tests: for a condition, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises'

const longestMs = 60_000

/** Resolves once the condition holds; fails with its source after a minute. It looks again every few milliseconds. */
export async function until(condition: () => unknown, everyMs = 5): Promise<void> {
  const deadline = performance.now() + longestMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`This did not come true within a minute: ${condition}`)
    await sleep(everyMs)
  }
}
