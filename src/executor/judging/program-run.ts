/**
 * Runs the submission's program on one input, in a box with the problem's limits. Reruns it alone if concurrent runs
 * may have caused the timeout.
 */
import { mebibyte } from '../../lib/text/bytes.ts'
import type { Difference } from '../comparison/comparison.ts'
import { fillTemplate, heapValues, programPath, youngMiB } from '../languages/language.ts'
import { longestWait } from '../sandboxes/boxes/processor-starvation.ts'
import type { BoxOutcome, BoxProgram, KeptFile } from '../sandboxes/sandbox.ts'
import { TooSlow } from '../sandboxes/shortage.ts'
import {
  didWithLess,
  isHeapExhausted,
  isOverMemory,
  isOverWhenTight,
  mayDoWithLess,
  needsTightRun,
  withPatience,
} from './memory-rules.ts'
import type { ProgramContext } from './program-context.ts'
import { graceOf, judgeRun, needsSecondRun, type Result, result, wallCapOf } from './verdict.ts'

/** A destination for a program's output, and the result. */
export type OutputSink = { write(chunk: Uint8Array): void; finish(): TakenOutput; drop(): void }
export type TakenOutput = { readonly difference: Difference | null; readonly output: KeptFile | null }

export type ProgramInput = { readonly path: string; readonly outputBytes: number; openSink(): OutputSink }

export type ProgramRun = BoxOutcome & TakenOutput
export type ProgramChange = {
  readonly heapMiB?: number | undefined
  /** The box has only the limit and the runtime's own memory, so that the heap has no room for garbage. */
  readonly isTight?: boolean | undefined
}
type RunChange = ProgramChange & { readonly isExclusive?: boolean }

const folderBytes = 64 * mebibyte
const processes = 128
/**
 * A larger program's own file counts as its memory: its pages belong to the page cache, and no cgroup charges them to
 * the box.
 */
const largeProgramBytes = 16 * mebibyte
/** The size of the largest array in Java. */
export const boundlessHeapMiB = 20 * 1024
const tightYoungMiB = 4

/** Null if the run was aborted. */
export async function runProgram(
  context: ProgramContext,
  input: ProgramInput,
): Promise<{ readonly run: ProgramRun; readonly verdict: Result } | null> {
  let run = await runOnce(context, input)
  let verdict = verdictOf(context, run)
  if (needsSecondRun(run, verdict)) {
    run.output?.drop()
    run = await runOnce(context, input, { isExclusive: !context.owner?.isBehind })
    verdict = verdictOf(context, run)
    // No other run was concurrent, or this one goes after all others: other processes of this machine use the
    // processors, which is no verdict.
    if (run.stopped === 'wall' && run.wallMs >= longestWait * wallCapOf(context.limits.timeLimitMs)) {
      run.output?.drop()
      throw new TooSlow('A run did not get the processors that it needs, though no other run was beside it.')
    }
  }
  if (run.stopped === 'abort') return dropRun(run)
  if (mayDoWithLess(context, verdict)) {
    const tight = await runOnce(context, input, { isTight: true })
    const tightVerdict = verdictOf(context, tight)
    const isRight = didWithLess(context, tight, tightVerdict)
    dropRun(isRight ? run : tight)
    return isRight ? { run: tight, verdict: tightVerdict } : { run, verdict }
  }
  if (verdict !== result.runtimeError || !isHeapExhausted(context, run)) {
    const isTooMuch = needsTightRun(context, run, verdict) && (await isOver(context, input))
    return { run, verdict: isTooMuch ? result.memoryLimitExceeded : verdict }
  }
  const boundless = await runOnce(context, input, { heapMiB: boundlessHeapMiB })
  boundless.output?.drop()
  if (boundless.stopped === 'abort') return dropRun(run)
  if (!isOverMemory(context, boundless)) return { run, verdict }
  run.output?.drop()
  return { run: boundless, verdict: result.memoryLimitExceeded }
}

async function isOver(context: ProgramContext, input: ProgramInput): Promise<boolean> {
  const tight = await runOnce(withPatience(context), input, { isTight: true })
  tight.output?.drop()
  return isOverWhenTight(context, tight)
}

const verdictOf = ({ limits }: ProgramContext, run: ProgramRun): Result =>
  judgeRun({ ...run, matches: run.difference === null }, limits.timeLimitMs)

function dropRun(run: ProgramRun): null {
  run.output?.drop()
  return null
}

async function runOnce(context: ProgramContext, input: ProgramInput, change: RunChange = {}): Promise<ProgramRun> {
  const { isExclusive = false } = change
  const sink = input.openSink()
  const { capture } = context
  capture?.begin()
  try {
    const box = describeProgram(context, change)
    const outcome = await context.sandbox.run(
      {
        ...box,
        input: input.path,
        limits: { ...box.limits, outputBytes: input.outputBytes },
        onOutput: capture
          ? (chunk) => {
              capture.write(chunk)
              sink.write(chunk)
            }
          : sink.write,
      },
      { isExclusive, owner: context.owner },
    )
    return { ...withOwnFile(context, outcome), ...sink.finish() }
  } catch (error) {
    sink.drop()
    throw error
  }
}

/** The program's box, without an input and a receiver of its output. */
export function describeProgram(context: ProgramContext, { heapMiB, isTight }: ProgramChange = {}): BoxProgram {
  const { language, limits, program, runtimeBytes = 0, isMultiPass = false } = context
  const tight = isTight ? language.tight : undefined
  const extraBytes = tight ? runtimeBytes + tight.headroomBytes : language.extraMemoryBytes
  const memoryBytes = limits.memoryLimitBytes + extraBytes
  const limitMiB = Math.max(8, Math.floor(limits.memoryLimitBytes / mebibyte))
  return {
    command: fillTemplate(tight?.run ?? language.run, {
      source: programPath(language),
      program: programPath(language),
      ...heapValues(heapMiB ?? limitMiB, tight ? tightYoungMiB : youngMiB),
      memoryMiB: Math.ceil((2 * memoryBytes) / mebibyte),
    }),
    environment: language.environment,
    view: language.view,
    folders: language.folders,
    files: [...language.files, { from: program.path, at: programPath(language) }],
    limits: {
      cpuMs: graceOf(limits.timeLimitMs),
      wallMs: wallCapOf(limits.timeLimitMs),
      memoryBytes,
      outputBytes: 0,
      folderBytes,
      processes,
    },
    isAnew: isMultiPass,
    onOutput: () => undefined,
    signal: context.signal,
  }
}

export function withOwnFile({ program, limits, language }: ProgramContext, outcome: BoxOutcome): BoxOutcome {
  const peakMemoryBytes = Math.max(outcome.peakMemoryBytes, program.size > largeProgramBytes ? program.size : 0)
  const isOver = peakMemoryBytes > limits.memoryLimitBytes + language.extraMemoryBytes
  return { ...outcome, peakMemoryBytes, isOutOfMemory: outcome.isOutOfMemory || isOver }
}
