/** Runs one test: the program reads the input in a box, and its output is compared as it arrives. */
import { closeSync, openSync, readSync } from 'node:fs'
import { fillTemplate, type Language, mebibyte, programPath } from '../languages/language.ts'
import type { BoxOutcome, KeptFile, Sandbox } from '../sandboxes/sandbox.ts'
import { makeChecker } from './checker.ts'
import { graceOf, judgeRun, needsSecondRun, type Result, wallCapOf } from './verdict.ts'

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
}

const leastOutputBytes = 16 * mebibyte
const folderBytes = 64 * mebibyte
const processes = 128

/** Answers null when the run was aborted. */
export async function runTest(context: TestContext, test: TestCase): Promise<TestResult | null> {
  const { timeLimitMs } = context.limits
  const first = await runOnce(context, test, false)
  if (first.stopped === 'abort') return null
  if (!needsSecondRun(first, timeLimitMs)) return present(context, test, first)
  const second = await runOnce(context, test, true)
  return second.stopped === 'abort' ? null : present(context, test, second)
}

async function runOnce(
  context: TestContext,
  test: TestCase,
  alone: boolean,
): Promise<BoxOutcome & { matches: boolean }> {
  const { language, limits } = context
  const memoryBytes = limits.memoryLimitBytes + language.extraMemoryBytes
  const expected = openExpected(test.outputPath)
  const checker = makeChecker(expected.read)
  try {
    const outcome = await context.sandbox.run(
      {
        command: fillTemplate(language.run, {
          source: programPath(language),
          program: programPath(language),
          heapMiB: Math.max(8, Math.floor(limits.memoryLimitBytes / mebibyte)),
          memoryMiB: Math.ceil((2 * memoryBytes) / mebibyte),
        }),
        environment: language.environment,
        folders: language.folders,
        files: [...language.files, { from: context.program.path, at: programPath(language) }],
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
      { alone },
    )
    return { ...outcome, matches: checker.finish() }
  } finally {
    expected.close()
  }
}

function present(context: TestContext, test: TestCase, run: BoxOutcome & { matches: boolean }): TestResult {
  const stderr = Buffer.from(run.stderr).toString('utf8')
  const hasExhaustedHeap = context.language.heapExhausted?.test(stderr) ?? false
  return {
    uuid: test.uuid,
    result: judgeRun({ ...run, hasExhaustedHeap }, context.limits.timeLimitMs),
    cpuMs: Math.round(run.cpuMs),
    wallMs: Math.round(run.wallMs),
    peakMemoryBytes: run.peakMemoryBytes,
    stderr,
    exitCode: run.exitCode,
    signal: run.signal,
  }
}

/** Reads the expected output chunk by chunk into one buffer, so that memory does not grow with it. */
function openExpected(path: string): { read(): Uint8Array; close(): void } {
  const descriptor = openSync(path, 'r')
  const buffer = Buffer.allocUnsafe(64 * 1024)
  return {
    read: () => buffer.subarray(0, readSync(descriptor, buffer)),
    close: () => closeSync(descriptor),
  }
}
