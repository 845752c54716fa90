/** Runs the submission's program on one input: in a box with the problem's limits, once more where company may have cost it its time. */
import type { Difference } from '../comparison/comparison.ts'
import { fillTemplate, heapValues, type Language, mebibyte, programPath, youngMiB } from '../languages/language.ts'
import type { BoxOutcome, BoxProgram, KeptFile, RunOptions, Sandbox } from '../sandboxes/sandbox.ts'
import { graceOf, judgeRun, needsSecondRun, type Result, result, wallCapOf } from './verdict.ts'

export type ProblemLimits = { readonly timeLimitMs: number; readonly memoryLimitBytes: number }

export type ProgramContext = {
  readonly sandbox: Sandbox
  readonly language: Language
  readonly program: KeptFile
  readonly limits: ProblemLimits
  readonly signal: AbortSignal
  readonly owner?: RunOptions['owner']
  /** What the runtime takes by itself, as the self-test measured it. */
  readonly runtimeBytes?: number
}

/** Where a program's output goes, and what became of it. */
export type OutputSink = { write(chunk: Uint8Array): void; finish(): TakenOutput; drop(): void }
export type TakenOutput = { readonly difference: Difference | null; readonly output: KeptFile | null }

export type ProgramInput = { readonly path: string; readonly outputBytes: number; openSink(): OutputSink }

export type ProgramRun = BoxOutcome & TakenOutput
export type ProgramChange = {
  readonly heapMiB?: number | undefined
  /** A box as small as the limit and what the runtime takes: nothing is left for what the heap could do without. */
  readonly isTight?: boolean | undefined
}
type RunChange = ProgramChange & { readonly alone?: boolean }

const folderBytes = 64 * mebibyte
const processes = 128
/** A program's own file counts as its memory from here on: its pages are the system's, and no cgroup counts them for the box. */
const largeProgramBytes = 16 * mebibyte
/** As large as the largest array that Java knows. */
export const boundlessHeapMiB = 20 * 1024
/** For what a runtime takes more of for a larger program than for its self-test: compiled code, classes, stacks. */
const tightHeadroomBytes = 24 * mebibyte
const tightYoungMiB = 4

/** Answers null when the run was aborted. */
export async function runProgram(
  context: ProgramContext,
  input: ProgramInput,
): Promise<{ readonly run: ProgramRun; readonly verdict: Result } | null> {
  let run = await runOnce(context, input)
  let verdict = verdictOf(context, run)
  if (needsSecondRun(run, verdict)) {
    run.output?.drop()
    run = await runOnce(context, input, { alone: true })
    verdict = verdictOf(context, run)
  }
  if (run.stopped === 'abort') return dropRun(run)
  if (verdict !== result.runtimeError || !isHeapExhausted(context, run)) {
    const isOver = await isOverWhenTight(context, input, run, verdict)
    return { run, verdict: isOver ? result.memoryLimitExceeded : verdict }
  }
  const boundless = await runOnce(context, input, { heapMiB: boundlessHeapMiB })
  boundless.output?.drop()
  if (boundless.stopped === 'abort') return dropRun(run)
  if (!isOverMemory(context, boundless)) return { run, verdict }
  run.output?.drop()
  return { run: boundless, verdict: result.memoryLimitExceeded }
}

/**
 * A heap holds rubbish until it is full, so a peak over the limit says nothing by itself where the runtime collects: the
 * program is run once more in a box with no room for rubbish. What it takes outside its heap counts there as what it takes
 * inside. Its time is not judged again.
 */
async function isOverWhenTight(
  context: ProgramContext,
  input: ProgramInput,
  run: ProgramRun,
  verdict: Result,
): Promise<boolean> {
  const judged: Result[] = [result.ok, result.wrongAnswer, result.runtimeError]
  if (!context.language.heapExhausted || !judged.includes(verdict) || !isOverMemory(context, run)) return false
  const { timeLimitMs, ...limits } = context.limits
  const patient = { ...context, limits: { ...limits, timeLimitMs: 2 * timeLimitMs } }
  const tight = await runOnce(patient, input, { isTight: true })
  tight.output?.drop()
  return tight.isOutOfMemory || isHeapExhausted(context, tight)
}

/** The runtime says so. */
export const isHeapExhausted = ({ language }: ProgramContext, run: BoxOutcome): boolean =>
  language.heapExhausted?.test(textOf(run.stderr)) ?? false

/** Whether it took more than the limit beside what the runtime takes. */
export const isOverMemory = ({ limits, runtimeBytes = 0 }: ProgramContext, run: BoxOutcome): boolean =>
  run.isOutOfMemory || run.peakMemoryBytes - runtimeBytes > limits.memoryLimitBytes

const verdictOf = ({ limits }: ProgramContext, run: ProgramRun): Result =>
  judgeRun({ ...run, matches: run.difference === null }, limits.timeLimitMs)

function dropRun(run: ProgramRun): null {
  run.output?.drop()
  return null
}

async function runOnce(context: ProgramContext, input: ProgramInput, change: RunChange = {}): Promise<ProgramRun> {
  const { alone = false } = change
  const sink = input.openSink()
  try {
    const box = describeProgram(context, change)
    const outcome = await context.sandbox.run(
      {
        ...box,
        input: input.path,
        limits: { ...box.limits, outputBytes: input.outputBytes },
        onOutput: sink.write,
      },
      { alone, owner: context.owner },
    )
    return { ...withOwnFile(context, outcome), ...sink.finish() }
  } catch (error) {
    sink.drop()
    throw error
  }
}

/** The box of the program, with no input yet, and nobody who takes its output. */
export function describeProgram(context: ProgramContext, { heapMiB, isTight }: ProgramChange = {}): BoxProgram {
  const { language, limits, program, runtimeBytes = 0 } = context
  const extraBytes = isTight ? runtimeBytes + tightHeadroomBytes : language.extraMemoryBytes
  const memoryBytes = limits.memoryLimitBytes + extraBytes
  const limitMiB = Math.max(8, Math.floor(limits.memoryLimitBytes / mebibyte))
  return {
    command: fillTemplate(language.run, {
      source: programPath(language),
      program: programPath(language),
      ...heapValues(heapMiB ?? limitMiB, isTight ? tightYoungMiB : youngMiB),
      memoryMiB: Math.ceil((2 * memoryBytes) / mebibyte),
    }),
    environment: language.environment,
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
    onOutput: () => undefined,
    signal: context.signal,
  }
}

export function withOwnFile({ program, limits, language }: ProgramContext, outcome: BoxOutcome): BoxOutcome {
  const peakMemoryBytes = Math.max(outcome.peakMemoryBytes, program.size > largeProgramBytes ? program.size : 0)
  const isOver = peakMemoryBytes > limits.memoryLimitBytes + language.extraMemoryBytes
  return { ...outcome, peakMemoryBytes, isOutOfMemory: outcome.isOutOfMemory || isOver }
}

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')
