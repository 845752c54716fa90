/**
 * Memory is measured for the whole program. The runtime's own part, as measured by the self-test, is charged to the
 * language. A heap keeps garbage until it is full, so for a runtime with a collector a peak over the limit proves
 * nothing: the program is run again in a box without room for garbage, and that run decides.
 */
import type { BoxOutcome } from '../sandboxes/sandbox.ts'
import type { ProgramContext } from './program-context.ts'
import { type Result, result } from './verdict.ts'

/** Whether the runtime reports it. */
export const isHeapExhausted = ({ language }: ProgramContext, run: BoxOutcome): boolean =>
  language.heapExhausted?.test(textOf(run.stderr)) ?? false

/** Whether it exceeded the limit beyond the runtime's own memory. */
export const isOverMemory = ({ limits, runtimeBytes = 0 }: ProgramContext, run: BoxOutcome): boolean =>
  run.isOutOfMemory || run.peakMemoryBytes - runtimeBytes > limits.memoryLimitBytes

/** Whether a run that was not stopped may have exceeded the limit. */
export const needsTightRun = (context: ProgramContext, run: BoxOutcome, verdict: Result): boolean =>
  context.language.tight !== undefined && judgedAnew.includes(verdict) && isOverMemory(context, run)

/** Whether a run that the kernel killed might need less: only if the collector can be made eager. */
export const mayDoWithLess = ({ language }: ProgramContext, verdict: Result): boolean =>
  language.tight?.run !== undefined && verdict === result.memoryLimitExceeded

/** Whether the room of the tight run was insufficient. */
export const isOverWhenTight = ({ language }: ProgramContext, tight: BoxOutcome): boolean =>
  tight.isOutOfMemory || tight.stopped === 'memory' || (language.tight?.exhausted.test(textOf(tight.stderr)) ?? false)

/** After a run that the kernel killed: whether the tight run ended in time with an answer. */
export const didWithLess = (context: ProgramContext, tight: BoxOutcome, verdict: Result): boolean =>
  !isOverWhenTight(context, tight) && (verdict === result.ok || verdict === result.wrongAnswer)

/** An eager collector takes time, which is not judged again if the first run was in time. */
export const withPatience = <Context extends ProgramContext>(context: Context): Context => ({
  ...context,
  limits: { ...context.limits, timeLimitMs: 2 * context.limits.timeLimitMs },
})

const judgedAnew: readonly Result[] = [result.ok, result.wrongAnswer, result.runtimeError]

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
