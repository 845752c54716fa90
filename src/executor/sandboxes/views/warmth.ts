/**
 * Keeps files of a disk in memory: they are read through once before the first box shows them, and again after the kernel has
 * taken memory back from anybody. No box can make it do so for a file on purpose: the filter lets no call through that drops
 * pages, and what a box itself is short of is taken from its own.
 */
import { createReadStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { readProc } from '../processes.ts'

export type Warmth = {
  /** Resolves once none of these files is cold. */
  keep(paths: readonly string[]): Promise<void>
}

/** On a machine that is always short of memory, more would be read than is judged. */
const leastPauseMs = 5_000

export function makeWarmth(readReclaim: () => string = readReclaimed): Warmth {
  const warmed = new Map<string, { reclaim: string; at: number; done: Promise<void> }>()

  const readAgain = (path: string, reclaim: string) => {
    const done = readThrough(path)
    warmed.set(path, { reclaim, at: performance.now(), done })
    return done
  }
  return {
    async keep(paths) {
      if (paths.length === 0) return
      const reclaim = readReclaim()
      await Promise.all(
        paths.map((path) => {
          const before = warmed.get(path)
          if (before && (before.reclaim === reclaim || performance.now() - before.at < leastPauseMs)) return before.done
          return readAgain(path, reclaim)
        }),
      )
    },
  }
}

/** How many pages the kernel has taken back so far, from whom it likes. */
const readReclaimed = (): string =>
  readProc('vmstat')
    .split('\n')
    .filter((line) => /^(?:pgsteal_|drop_pagecache)/.test(line))
    .join()

async function readThrough(path: string): Promise<void> {
  const stream = createReadStream(path, { highWaterMark: 1 << 20 })
  stream.resume()
  await finished(stream)
}
