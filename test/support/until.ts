/** Waiting in tests: for a condition, never for a time. */
import { setTimeout as sleep } from 'node:timers/promises'

const longestMs = 60_000

/** A wait that lasts is looked at less often: many ask a server, which takes the processor from what is waited for. */
const mostRarelyMs = 100

/** Resolves once the condition holds; fails with its source after a minute. It looks again every few milliseconds. */
export async function until(condition: () => unknown, everyMs = 5): Promise<void> {
  const begun = performance.now()
  while (!(await condition())) {
    const passed = performance.now() - begun
    if (passed > longestMs) throw new Error(`This did not come true within a minute: ${condition}`)
    await sleep(Math.max(everyMs, Math.min(passed / 20, mostRarelyMs)))
  }
}
