/** Verdicts: maps measurements to the judge's results. The functions are pure. */
import type { Ruling } from '../checkers/ruling.ts'
import type { BoxOutcome } from '../sandboxes/sandbox.ts'

export const result = {
  /** A test that was not run. */
  none: 0,
  ok: 1,
  compileError: 2,
  runtimeError: 3,
  timeLimitExceeded: 4,
  memoryLimitExceeded: 5,
  wrongAnswer: 6,
  unsupportedLanguage: 7,
  outputLimitExceeded: 8,
  judgeFailure: 9,
} as const

export type Result = (typeof result)[keyof typeof result]

/** A run is stopped only this far beyond its limit, so that one near the limit can be told from one far beyond it. */
export const graceOf = (timeLimitMs: number): number => timeLimitMs + Math.max(50, timeLimitMs / 4)

export const wallCapOf = (timeLimitMs: number): number => 2 * timeLimitMs + 1_000
/** For two programs that talk: includes the time of the partner. */
export const pairWallCapOf = (timeLimitMs: number): number => 4 * timeLimitMs + 2_000

export type Judged = Pick<
  BoxOutcome,
  'exitCode' | 'signal' | 'cpuMs' | 'isOutOfMemory' | 'stopped' | 'ranConcurrently' | 'wasHeldUp' | 'wallMs'
> & {
  readonly matches: boolean
}

/**
 * An exceeded limit takes precedence over a crash, since it is often the cause; an exit code alone never means an
 * exceeded limit.
 */
export function judgeRun(run: Judged, timeLimitMs: number): Result {
  if (run.stopped === 'memory' || run.isOutOfMemory) return result.memoryLimitExceeded
  if (run.stopped === 'cpu' || run.stopped === 'wall' || run.cpuMs > timeLimitMs) return result.timeLimitExceeded
  if (run.stopped === 'output') return result.outputLimitExceeded
  if (run.signal !== null || run.exitCode !== 0) return result.runtimeError
  return run.matches ? result.ok : result.wrongAnswer
}

export type JudgedPair = {
  readonly program: Omit<Judged, 'matches'>
  readonly partner: Ruling['verdict']
  readonly endedFirst: 'program' | 'partner'
}

/** The result of an interaction: the first rule that applies. */
export function judgePair({ program, partner, endedFirst }: JudgedPair, timeLimitMs: number): Result {
  if (program.stopped === 'output') return result.outputLimitExceeded
  if (partner === 'fault') return result.judgeFailure
  if (partner === 'refused' && endedFirst === 'partner') return result.wrongAnswer
  if (program.stopped === 'memory' || program.isOutOfMemory) return result.memoryLimitExceeded
  if (program.stopped === 'cpu' || program.cpuMs > timeLimitMs) return result.timeLimitExceeded
  if (program.stopped === 'wall' || partner === 'overtime') return result.timeLimitExceeded
  if (program.signal !== null || program.exitCode !== 0) return result.runtimeError
  return partner === 'refused' ? result.wrongAnswer : result.ok
}

/**
 * Concurrent runs slow a program down. A timeout that they may have caused is repeated alone: for a run that ended
 * shortly past its limit with others running, or one that hit the wall clock because others had the processors, however
 * little CPU time it got. An idle run is not repeated: it would hold up all others for nothing.
 */
export function needsSecondRun(run: Omit<Judged, 'matches'>, verdict: Result): boolean {
  if (verdict !== result.timeLimitExceeded || run.stopped === 'cpu') return false
  return run.stopped === 'wall' ? run.wasHeldUp : run.ranConcurrently
}
