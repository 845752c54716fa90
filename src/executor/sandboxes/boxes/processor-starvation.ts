/** Whether a run met the wall clock because others had the processors. */
import type { ThreadTime } from '../processes.ts'
import type { BoxLimits } from '../sandbox.ts'

/** One that waited for a processor for less than this part of its time was idle, not held up. */
const waitedPart = 0.1
/** Nor was one that was not even ready to run for this part of it. */
const readyPart = 0.5

/**
 * By one thread, the busiest: threads that wake together wait for each other, and many short waits of sleepers would add up
 * to a long one. A program that computes has a thread that is always ready.
 */
export function isHeldUp(
  { ranMs, waitedMs }: ThreadTime,
  { wallMs, partnerMs = 0 }: Pick<BoxLimits, 'wallMs' | 'partnerMs'>,
): boolean {
  const ownMs = wallMs - partnerMs
  return waitedMs >= waitedPart * ownMs && ranMs + waitedMs >= readyPart * ownMs
}

/** However little it had of the processors, a box ends after so many times its wall-clock limit. */
export const longestWait = 5

/**
 * How long it waited while others had the processors: by its busiest thread, without what its own threads ran meanwhile; or by
 * all of them, where some were ready all the time. This does not count as its time.
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

/** Of its time, the part in which one that computes is ready to run, and that in which it had no processor. */
const [starvedReadyPart, starvedPart] = [0.9, 0.25]

/**
 * By all threads together, for a program whose work goes from thread to thread or from process to process, so that none of
 * them is busy for long: some thread was ready to run nearly always (`readyMs`, by looks at moments that nobody can foresee),
 * and all of them together, those that have ended too, ran for far less. Threads that wait for each other don't count, since
 * one of them runs meanwhile; and who sleeps now and then is not ready meanwhile.
 */
export function isStarved(
  { readyMs, ranMs }: { readonly readyMs: number; readonly ranMs: number },
  { wallMs, partnerMs = 0 }: Pick<BoxLimits, 'wallMs' | 'partnerMs'>,
): boolean {
  const ownMs = wallMs - partnerMs
  return readyMs >= starvedReadyPart * ownMs && readyMs - ranMs >= starvedPart * ownMs
}
