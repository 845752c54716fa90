/**
 * Shares the thread among SSH connections: their input is parsed in slices, each connection in turn, for a few
 * milliseconds at a time; the server does its other work in between.
 */

/** Some thirty of the smallest packets, of which each costs up to 0.3 ms if it asks for a reply. */
export const sliceBytes = 1024
const turnMs = 4

export type Input = {
  readonly source: { pause(): unknown; resume(): unknown }
  readonly from: number
  readonly to: number
  /** Answers false if the rest is not wanted. It does not throw. */
  parse(from: number, to: number): boolean
}

export type InputScheduler = ReturnType<typeof makeInputScheduler>

export function makeInputScheduler(now = () => performance.now()) {
  /** Those that have waited longest come first. */
  const waiting = new Set<Input>()

  function run(): void {
    const end = now() + turnMs
    for (const input of waiting) {
      waiting.delete(input)
      const { source, from, to } = input
      const next = Math.min(from + sliceBytes, to)
      if (input.parse(from, next) && next < to) waiting.add({ ...input, from: next })
      else source.resume()
      if (now() >= end) break
    }
    if (waiting.size > 0) setImmediate(run)
  }

  return {
    /** Pauses the source until its input is parsed. */
    take(input: Input): void {
      input.source.pause()
      if (waiting.size === 0) setImmediate(run)
      waiting.add(input)
    },
  }
}
