/**
 * Memory is the whole program's, in whatever part of it. What the runtime takes by itself, as the self-test measured it, is
 * the language's. A heap holds rubbish until it is full, so a peak over the limit says nothing by itself where the runtime
 * collects: the program is run once more in a box with no room for rubbish, and that run decides.
 */
import type { BoxOutcome } from '../sandboxes/sandbox.ts'
import type { ProgramContext } from './program-context.ts'
import { type Result, result } from './verdict.ts'

/** The runtime says so. */
export const isHeapExhausted = ({ language }: ProgramContext, run: BoxOutcome): boolean =>
  language.heapExhausted?.test(textOf(run.stderr)) ?? false

/** Whether it took more than the limit beside what the runtime takes. */
export const isOverMemory = ({ limits, runtimeBytes = 0 }: ProgramContext, run: BoxOutcome): boolean =>
  run.isOutOfMemory || run.peakMemoryBytes - runtimeBytes > limits.memoryLimitBytes

/** Whether a run that was not stopped may have taken too much all the same. */
export const needsTightRun = (context: ProgramContext, run: BoxOutcome, verdict: Result): boolean =>
  context.language.tight !== undefined && judgedAnew.includes(verdict) && isOverMemory(context, run)

/** Whether a run that the kernel stopped may do with less: only where the collector can be told to be eager. */
export const mayDoWithLess = ({ language }: ProgramContext, verdict: Result): boolean =>
  language.tight?.run !== undefined && verdict === result.memoryLimitExceeded

/** Of the tight run: whether the room did not suffice. */
export const isOverWhenTight = ({ language }: ProgramContext, tight: BoxOutcome): boolean =>
  tight.isOutOfMemory || tight.stopped === 'memory' || (language.tight?.exhausted.test(textOf(tight.stderr)) ?? false)

/** Of the tight run after a run that the kernel stopped: whether it came to an end, in time, with an answer. */
export const didWithLess = (context: ProgramContext, tight: BoxOutcome, verdict: Result): boolean =>
  !isOverWhenTight(context, tight) && (verdict === result.ok || verdict === result.wrongAnswer)

/** An eager collector takes time, which is not judged again where the first run was in time. */
export const withPatience = <Context extends ProgramContext>(context: Context): Context => ({
  ...context,
  limits: { ...context.limits, timeLimitMs: 2 * context.limits.timeLimitMs },
})

const judgedAnew: readonly Result[] = [result.ok, result.wrongAnswer, result.runtimeError]

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
