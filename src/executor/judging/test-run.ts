/** Runs one test: the program reads the input in a box, and its output is compared as it arrives. */
import { closeSync, openSync, readSync } from 'node:fs'
import { fillTemplate, type Language, mebibyte, programPath } from '../languages/language.ts'
import type { BoxOutcome, KeptFile, RunOptions, Sandbox } from '../sandboxes/sandbox.ts'
import { makeChecker } from './checker.ts'
import { graceOf, judgeRun, needsSecondRun, type Result, result, wallCapOf } from './verdict.ts'

export type TestCase = {
  readonly uuid: string
  readonly inputPath: string
  readonly outputPath: string
  readonly outputBytes: number
}

export type ProblemLimits = { readonly timeLimitMs: number; readonly memoryLimitBytes: number }

export type TestResult = {
  readonly uuid: string
  readonly result: Result
  readonly cpuMs: number
  readonly wallMs: number
  readonly peakMemoryBytes: number
  readonly stderr: string
  readonly exitCode: number | null
  readonly signal: string | null
}

export type TestContext = {
  readonly sandbox: Sandbox
  readonly language: Language
  readonly program: KeptFile
  readonly limits: ProblemLimits
  readonly signal: AbortSignal
  readonly owner?: RunOptions['owner']
  /** What the runtime takes by itself, as the self-test measured it. */
  readonly runtimeBytes?: number
}

const leastOutputBytes = 16 * mebibyte
const folderBytes = 64 * mebibyte
const processes = 128
/** A program's own file counts as its memory from here on: its pages are the system's, and no cgroup counts them for the box. */
const largeProgramBytes = 16 * mebibyte
/** As large as the largest array that Java knows. */
const boundlessHeapMiB = 20 * 1024

type Run = BoxOutcome & { readonly matches: boolean }
type RunChange = { readonly alone?: boolean; readonly heapMiB?: number }

/** Answers null when the run was aborted. */
export async function runTest(context: TestContext, test: TestCase): Promise<TestResult | null> {
  const { timeLimitMs } = context.limits
  let run = await runOnce(context, test)
  if (needsSecondRun(run, timeLimitMs)) run = await runOnce(context, test, { alone: true })
  if (run.stopped === 'abort') return null
  const verdict = judgeRun(run, timeLimitMs)
  if (verdict !== result.runtimeError || !context.language.heapExhausted?.test(textOf(run))) {
    return present(test, run, verdict)
  }
  const boundless = await runOnce(context, test, { heapMiB: boundlessHeapMiB })
  if (boundless.stopped === 'abort') return null
  const ownBytes = boundless.peakMemoryBytes - (context.runtimeBytes ?? 0)
  const isOverLimit = boundless.isOutOfMemory || ownBytes > context.limits.memoryLimitBytes
  return isOverLimit ? present(test, boundless, result.memoryLimitExceeded) : present(test, run, verdict)
}

async function runOnce(context: TestContext, test: TestCase, { alone = false, heapMiB }: RunChange = {}): Promise<Run> {
  const { language, limits, program } = context
  const memoryBytes = limits.memoryLimitBytes + language.extraMemoryBytes
  const expected = openExpected(test.outputPath)
  const checker = makeChecker(expected.read)
  try {
    const outcome = await context.sandbox.run(
      {
        command: fillTemplate(language.run, {
          source: programPath(language),
          program: programPath(language),
          heapMiB: heapMiB ?? Math.max(8, Math.floor(limits.memoryLimitBytes / mebibyte)),
          memoryMiB: Math.ceil((2 * memoryBytes) / mebibyte),
        }),
        environment: language.environment,
        folders: language.folders,
        files: [...language.files, { from: program.path, at: programPath(language) }],
        input: test.inputPath,
        limits: {
          cpuMs: graceOf(limits.timeLimitMs),
          wallMs: wallCapOf(limits.timeLimitMs),
          memoryBytes,
          outputBytes: Math.max(leastOutputBytes, 2 * test.outputBytes),
          folderBytes,
          processes,
        },
        onOutput: checker.feed,
        signal: context.signal,
      },
      { alone, owner: context.owner },
    )
    const peakMemoryBytes = Math.max(outcome.peakMemoryBytes, program.size > largeProgramBytes ? program.size : 0)
    const isOutOfMemory = outcome.isOutOfMemory || peakMemoryBytes > memoryBytes
    return { ...outcome, peakMemoryBytes, isOutOfMemory, matches: checker.finish() }
  } finally {
    expected.close()
  }
}

const textOf = (run: BoxOutcome): string => Buffer.from(run.stderr).toString('utf8')

const present = (test: TestCase, run: Run, verdict: Result): TestResult => ({
  uuid: test.uuid,
  result: verdict,
  cpuMs: Math.round(run.cpuMs),
  wallMs: Math.round(run.wallMs),
  peakMemoryBytes: run.peakMemoryBytes,
  stderr: textOf(run),
  exitCode: run.exitCode,
  signal: run.signal,
})

/** Reads the expected output chunk by chunk into one buffer, so that memory does not grow with it. */
function openExpected(path: string): { read(): Uint8Array; close(): void } {
  const descriptor = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(64 * 1024)
  return {
    read: () => buffer.subarray(0, readSync(descriptor, buffer)),
    close: () => closeSync(descriptor),
  }
}
