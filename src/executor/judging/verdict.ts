/** Verdicts: what was measured, turned into one of the judge's results. Pure. */
import type { BoxOutcome } from '../sandboxes/sandbox.ts'

export const result = {
  ok: 1,
  compileError: 2,
  runtimeError: 3,
  timeLimitExceeded: 4,
  memoryLimitExceeded: 5,
  wrongAnswer: 6,
  unsupportedLanguage: 7,
  outputLimitExceeded: 8,
} as const

export type Result = (typeof result)[keyof typeof result]

/** A run goes on a little past its limit, so that one near it can be told from one far beyond it. */
export const graceOf = (timeLimitMs: number): number => timeLimitMs + Math.max(50, timeLimitMs / 4)

export const wallCapOf = (timeLimitMs: number): number => 2 * timeLimitMs + 1_000

export type Judged = Pick<
  BoxOutcome,
  'exitCode' | 'signal' | 'cpuMs' | 'isOutOfMemory' | 'stopped' | 'hadCompany' | 'wallMs'
> & {
  readonly matches: boolean
  /** The runtime itself said that the program wanted more heap than the limit we gave it. */
  readonly hasExhaustedHeap?: boolean
}

/** Overruns come before a crash, for they are often its cause; an exit code never stands for an overrun. */
export function judgeRun(run: Judged, timeLimitMs: number): Result {
  if (run.stopped === 'memory' || run.isOutOfMemory) return result.memoryLimitExceeded
  if (run.stopped === 'cpu' || run.stopped === 'wall' || run.cpuMs > timeLimitMs) return result.timeLimitExceeded
  if (run.stopped === 'output') return result.outputLimitExceeded
  if (run.signal !== null || run.exitCode !== 0) {
    return run.hasExhaustedHeap ? result.memoryLimitExceeded : result.runtimeError
  }
  return run.matches ? result.ok : result.wrongAnswer
}

/**
 * Neighbours slow a program down. A time-limit verdict that they may have caused is asked again with the machine
 * to itself: one that ended shortly past its limit, or one that was still computing when the wall clock ran out.
 */
export function needsSecondRun(run: Judged, timeLimitMs: number): boolean {
  if (!run.hadCompany || judgeRun(run, timeLimitMs) !== result.timeLimitExceeded) return false
  if (run.stopped === 'cpu') return false
  return run.stopped !== 'wall' || run.cpuMs > timeLimitMs / 4
}
