/**
 * Keeps files of a disk in the page cache: they are read once before the first box uses them, and again whenever the
 * kernel has reclaimed memory. No box can cause this for a file on purpose: the filter allows no call that drops pages,
 * and a box short of memory loses only its own.
 */
import { readProc } from '../processes.ts'
import { markPagesSlowly } from './page-marks.ts'

export type PageCacheKeeper = {
  /** Resolves when all of these files are in the page cache. */
  keep(paths: readonly string[]): Promise<void>
}

/** On a machine that is always short of memory, reading would otherwise dominate. */
const leastPauseMs = 5_000

export function makePageCacheKeeper(
  readReclaim: () => string = readReclaimed,
  readFile: (path: string) => Promise<void> = markPagesSlowly,
): PageCacheKeeper {
  const warmed = new Map<string, { reclaim: string; at: number; done: Promise<void> }>()

  const readAgain = (path: string, reclaim: string) => {
    const done = readFile(path)
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

/** How many pages the kernel has reclaimed so far, from any process. */
const readReclaimed = (): string =>
  readProc('vmstat')
    .split('\n')
    .filter((line) => /^(?:pgsteal_|drop_pagecache)/.test(line))
    .join()
