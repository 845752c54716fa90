/** Runs one test: the output is compared as it arrives or judged by a checker, or the program talks to one. */
import { mebibyte } from '../../lib/text/bytes.ts'
import { checkOutput, ruleFor } from './checking.ts'
import { interact } from './interaction.ts'
import { openComparison, openOutputFile } from './output-sinks.ts'
import { type PassEnd, type PassInput, runPasses } from './passes.ts'
import { runProgram } from './program-run.ts'
import type { TestCase, TestContext, TestResult } from './test-case.ts'
import { result } from './verdict.ts'

const leastOutputBytes = 16 * mebibyte

/** Null if the run was aborted. */
export function runTest(context: TestContext, test: TestCase): Promise<TestResult | null> {
  const runPass = context.method.isInteractive ? interact : runBatch
  const passContext = { ...context, isMultiPass: context.method.passLimit > 1 }
  return runPasses(context, test, (input) => runPass(passContext, test, input))
}

async function runBatch(context: TestContext, test: TestCase, input: PassInput): Promise<PassEnd | null> {
  const { checker } = context.method
  const ran = await runProgram(context, {
    path: input.path,
    outputBytes: Math.max(leastOutputBytes, 2 * test.outputBytes),
    openSink: () =>
      'program' in checker ? openOutputFile(context.sandbox) : openComparison(ruleFor(checker, test), test.outputPath),
  })
  if (!ran) return null
  const { run, verdict } = ran
  const end: PassEnd = { run, result: verdict, ruling: null, feedback: null, difference: run.difference }
  if (run.output === null) return end
  try {
    if (verdict !== result.ok) return end
    const checking = await checkOutput(context, test, input, run.output)
    return checking && { ...end, ...checking }
  } finally {
    run.output.drop()
  }
}
