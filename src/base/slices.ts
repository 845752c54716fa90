/** Long loops in slices of some milliseconds: between them the event loop turns, and others are served. */
import { performance } from 'node:perf_hooks'
import { setImmediate as turnLoop } from 'node:timers/promises'

const sliceMs = 8

export type Slices = {
  /** Whether it is time for a pause; asked once a step. */
  isDue(): boolean
  pause(): Promise<void>
}

export function makeSlices(): Slices {
  let end = performance.now() + sliceMs
  return {
    isDue: () => performance.now() >= end,
    async pause() {
      await turnLoop()
      end = performance.now() + sliceMs
    },
  }
}

export async function mapInSlices<T, R>(items: readonly T[], act: (item: T, index: number) => R): Promise<R[]> {
  const slices = makeSlices()
  const results: R[] = []
  for (let i = 0; i < items.length; i++) {
    results.push(act(items[i]!, i))
    if (slices.isDue()) await slices.pause()
  }
  return results
}
