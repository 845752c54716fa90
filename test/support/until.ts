/** Waits for a condition, never for a time of its own choosing: the test run's own time-out ends what never comes true. */
import { setTimeout as sleep } from 'node:timers/promises'

export async function until(isTrue: () => unknown): Promise<void> {
  while (!(await isTrue())) await sleep(10)
}
