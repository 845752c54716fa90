/** Runs the submission's program on one input: in a box with the problem's limits, once more where company may have cost it its time. */
import type { Difference } from '../comparison/comparison.ts'
import { fillTemplate, type Language, mebibyte, programPath } from '../languages/language.ts'
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
type RunChange = { readonly alone?: boolean; readonly heapMiB?: number }

const folderBytes = 64 * mebibyte
const processes = 128
/** A program's own file counts as its memory from here on: its pages are the system's, and no cgroup counts them for the box. */
const largeProgramBytes = 16 * mebibyte
/** As large as the largest array that Java knows. */
export const boundlessHeapMiB = 20 * 1024

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
  if (verdict !== result.runtimeError || !isHeapExhausted(context, run)) return { run, verdict }
  const boundless = await runOnce(context, input, { heapMiB: boundlessHeapMiB })
  boundless.output?.drop()
  if (boundless.stopped === 'abort') return dropRun(run)
  if (!isOverMemory(context, boundless)) return { run, verdict }
  run.output?.drop()
  return { run: boundless, verdict: result.memoryLimitExceeded }
}

/** The runtime says so. */
export const isHeapExhausted = ({ language }: ProgramContext, run: BoxOutcome): boolean =>
  language.heapExhausted?.test(textOf(run.stderr)) ?? false

/** Of a run with a heap without bound: whether it took more than the limit beside what the runtime takes. */
export const isOverMemory = ({ limits, runtimeBytes = 0 }: ProgramContext, run: BoxOutcome): boolean =>
  run.isOutOfMemory || run.peakMemoryBytes - runtimeBytes > limits.memoryLimitBytes

const verdictOf = ({ limits }: ProgramContext, run: ProgramRun): Result =>
  judgeRun({ ...run, matches: run.difference === null }, limits.timeLimitMs)

function dropRun(run: ProgramRun): null {
  run.output?.drop()
  return null
}

async function runOnce(context: ProgramContext, input: ProgramInput, change: RunChange = {}): Promise<ProgramRun> {
  const { alone = false, heapMiB } = change
  const sink = input.openSink()
  try {
    const box = describeProgram(context, { heapMiB })
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
export function describeProgram(
  context: ProgramContext,
  { heapMiB }: { heapMiB?: number | undefined } = {},
): BoxProgram {
  const { language, limits, program } = context
  const memoryBytes = limits.memoryLimitBytes + language.extraMemoryBytes
  return {
    command: fillTemplate(language.run, {
      source: programPath(language),
      program: programPath(language),
      heapMiB: heapMiB ?? Math.max(8, Math.floor(limits.memoryLimitBytes / mebibyte)),
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
