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
