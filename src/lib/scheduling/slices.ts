/** Runs long loops in slices of a few milliseconds: in between, the event loop serves others. */
import { performance } from 'node:perf_hooks'

const sliceMs = 8
/** The amount of text that is copied, escaped or hashed within a slice on a slow processor. */
export const sliceBytes = 1024 * 1024

export type Slices = {
  /** Whether it is time for a pause; called once per step, with the bytes that the step has processed. */
  isDue(bytes?: number): boolean
  pause(): Promise<void>
}

export function makeSlices(): Slices {
  let end = performance.now() + sliceMs
  let left = sliceBytes
  return {
    isDue(bytes = 0) {
      left -= bytes
      return left <= 0 || performance.now() >= end
    },
    async pause() {
      await takeTurn()
      end = performance.now() + sliceMs
      left = sliceBytes
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

const waiting: (() => void)[] = []

/**
 * Resolves in a later turn of the event loop; each turn runs one slice. Callbacks of `setImmediate` scheduled together
 * run within one turn: a hundred loops that pause at once would block it together.
 */
export const takeTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })

function giveTurn(): void {
  waiting[0]!()
  waiting.shift()
  if (waiting.length > 0) setImmediate(giveTurn)
}
