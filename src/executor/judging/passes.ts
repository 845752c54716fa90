/** Passes: a checker may give the program another input, up to the problem's number of passes. */
import type { Feedback } from '../checkers/feedback.ts'
import type { Ruling } from '../checkers/ruling.ts'
import type { Difference } from '../comparison/comparison.ts'
import type { BoxOutcome, KeptFile } from '../sandboxes/sandbox.ts'
import { textOf } from './memory-rules.ts'
import type { TestCase, TestContext, TestResult } from './test-case.ts'
import { type Result, result } from './verdict.ts'

export type PassInput = {
  readonly path: string
  /** The checker's folder as the previous pass left it. */
  readonly feedbackBefore: KeptFile | null
}

export type PassEnd = {
  readonly run: BoxOutcome
  readonly result: Result
  readonly ruling: Ruling | null
  readonly feedback: Feedback | null
  readonly difference: Difference | null
}

/** Null if a pass was aborted. */
export async function runPasses(
  { sandbox, method }: TestContext,
  test: TestCase,
  runPass: (input: PassInput) => Promise<PassEnd | null>,
): Promise<TestResult | null> {
  let input: PassInput = { path: test.inputPath, feedbackBefore: null }
  let kept: readonly KeptFile[] = []
  let largest: BoxOutcome | null = null
  const dropKept = () => {
    for (const file of kept) file.drop()
    kept = []
  }
  try {
    for (let pass = 1; ; pass++) {
      const end = await runPass(input)
      if (!end) return null
      largest = withLargest(end.run, largest)
      const next = end.result === result.ok ? end.feedback?.files.get('nextpass.in') : undefined
      if (!next) return present(test, largest, end)
      if (pass === method.passLimit) return present(test, largest, askedTooMuch(end, pass))
      const files = await Promise.all([sandbox.keep(next), sandbox.keep(end.feedback!.archive!)])
      dropKept()
      kept = files
      input = { path: files[0].path, feedbackBefore: files[1] }
    }
  } finally {
    dropKept()
  }
}

const askedTooMuch = (end: PassEnd, limit: number): PassEnd => ({
  ...end,
  result: result.judgeFailure,
  ruling: { ...end.ruling!, reason: `It wrote nextpass.in in pass ${limit}, and the problem has ${limit}.` },
})

/** Figures are the largest over all passes; the ending is that of the last one. */
const withLargest = (run: BoxOutcome, before: BoxOutcome | null): BoxOutcome => ({
  ...run,
  cpuMs: Math.max(run.cpuMs, before?.cpuMs ?? 0),
  wallMs: Math.max(run.wallMs, before?.wallMs ?? 0),
  peakMemoryBytes: Math.max(run.peakMemoryBytes, before?.peakMemoryBytes ?? 0),
})

const present = (test: TestCase, run: BoxOutcome, { result: verdict, ruling, difference }: PassEnd): TestResult => ({
  uuid: test.uuid,
  result: verdict,
  cpuMs: Math.round(run.cpuMs),
  wallMs: Math.round(run.wallMs),
  peakMemoryBytes: run.peakMemoryBytes,
  stderr: textOf(run.stderr),
  exitCode: run.exitCode,
  signal: run.signal,
  difference: verdict === result.wrongAnswer ? difference : null,
  judgeMessage: [verdict === result.judgeFailure ? ruling?.reason : '', ruling?.judgeMessage]
    .filter(Boolean)
    .join('\n'),
  teamMessage: ruling?.teamMessage ?? '',
  given: verdict === result.ok ? (ruling?.score ?? null) : null,
})
