/** Decides whether a run hit the wall clock because others had the processors. */
import type { ThreadTime } from '../processes.ts'
import type { BoxLimits } from '../sandbox.ts'

/** A run that waited for a processor for less than this fraction was idle, not held up. */
const waitedPart = 0.1
/** Nor was a run held up that was ready for less than this fraction. */
const readyPart = 0.5

/**
 * By its busiest thread: threads that wake together wait for each other, and many short waits of sleepers would add up
 * to a long one. A computing program has a thread that is always ready.
 */
export function isHeldUp(
  { ranMs, waitedMs }: ThreadTime,
  { wallMs, partnerMs = 0 }: Pick<BoxLimits, 'wallMs' | 'partnerMs'>,
): boolean {
  const ownMs = wallMs - partnerMs
  return waitedMs >= waitedPart * ownMs && ranMs + waitedMs >= readyPart * ownMs
}

/** However little CPU time it got, a box ends after this multiple of its wall-clock limit. */
export const longestWait = 5

/**
 * How long it waited while others had the processors: by its busiest thread, minus the time of its other threads
 * meanwhile; or by all threads together, if some were always ready. This does not count as its time.
 */
export function measureWait(
  busiest: ThreadTime | null,
  { readyMs, ranMs }: { readonly readyMs: number; readonly ranMs: number },
  wallMs: number,
): number {
  const byThread = busiest === null ? 0 : busiest.waitedMs - Math.max(0, ranMs - busiest.ranMs)
  const byAll = readyMs >= starvedReadyPart * wallMs ? readyMs - ranMs : 0
  return Math.max(0, byThread, byAll)
}

/** Of its time: the least fraction in which it was ready to run, and the least in which it had no processor. */
const [starvedReadyPart, starvedPart] = [0.9, 0.25]

/**
 * By all threads together, for a program whose work moves between threads or processes, so that none is busy for long:
 * some thread was nearly always ready (`readyMs`, polled at unpredictable moments), but all together, including ended
 * ones, ran far less. Threads that wait for each other don't count, since one of them runs meanwhile; and a program
 * that sleeps from time to time is not ready meanwhile.
 */
export function isStarved(
  { readyMs, ranMs }: { readonly readyMs: number; readonly ranMs: number },
  { wallMs, partnerMs = 0 }: Pick<BoxLimits, 'wallMs' | 'partnerMs'>,
): boolean {
  const ownMs = wallMs - partnerMs
  return readyMs >= starvedReadyPart * ownMs && readyMs - ranMs >= starvedPart * ownMs
}
