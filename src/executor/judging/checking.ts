/** Judges a whole output in a file: by a built-in comparison or by the problem's checker. */
import { readTokenArguments } from '../../lib/judging-rules/token-arguments.ts'
import { CheckerFault } from '../checkers/checker-program.ts'
import { type CheckerCall, runChecker } from '../checkers/checker-run.ts'
import type { Feedback } from '../checkers/feedback.ts'
import type { Ruling } from '../checkers/ruling.ts'
import type { ComparisonRule, Difference } from '../comparison/comparison.ts'
import { quoteBeginning } from '../comparison/excerpt.ts'
import type { KeptFile } from '../sandboxes/sandbox.ts'
import { openComparison, openFile } from './output-sinks.ts'
import type { PassInput } from './passes.ts'
import type { BuiltInChecker, ProgramChecker, TestCase, TestContext } from './test-case.ts'
import { type Result, result } from './verdict.ts'

export type Checking = {
  readonly result: Result
  readonly ruling: Ruling | null
  readonly feedback: Feedback | null
  readonly difference: Difference | null
}

/** Null if it was aborted. */
export async function checkOutput(
  context: TestContext,
  test: TestCase,
  input: PassInput,
  output: KeptFile,
): Promise<Checking | null> {
  const { checker } = context.method
  if (!('program' in checker)) return compareFile(ruleFor(checker, test), test, output)
  const end = await runChecker(context, callOf(context, test, input, checker), output)
  if (!end) return null
  const isRefused = end.ruling.verdict === 'refused'
  const difference = isRefused ? { expected: quoteFile(test.outputPath), got: quoteFile(output.path) } : null
  return { ...end, result: results[end.ruling.verdict], difference }
}

/** A checker that judges a whole output and exceeds its time is at fault: nothing else ran meanwhile. */
const results: Record<Ruling['verdict'], Result> = {
  accepted: result.ok,
  refused: result.wrongAnswer,
  fault: result.judgeFailure,
  overtime: result.judgeFailure,
}

export const callOf = (
  { method }: TestContext,
  test: TestCase,
  input: PassInput,
  { kind, program }: Pick<ProgramChecker, 'kind' | 'program'>,
): CheckerCall => ({
  kind,
  program,
  inputPath: input.path,
  answerPath: test.outputPath,
  arguments: test.arguments ?? method.checker.arguments,
  group: test.group ?? '',
  isMultiPass: method.passLimit > 1,
  feedbackBefore: input.feedbackBefore,
})

export function ruleFor(checker: BuiltInChecker, test: TestCase): ComparisonRule {
  if (checker.kind === 'lines') return { kind: 'lines' }
  const settings = readTokenArguments(test.arguments ?? checker.arguments)
  if ('wrong' in settings) throw new CheckerFault(`The comparison by tokens ${settings.wrong}.`)
  return { kind: 'tokens', settings }
}

function compareFile(rule: ComparisonRule, test: TestCase, output: KeptFile): Checking {
  const sink = openComparison(rule, test.outputPath)
  const file = openFile(output.path)
  try {
    for (let chunk = file.read(); chunk.length > 0; chunk = file.read()) sink.write(chunk)
    const { difference } = sink.finish()
    const verdict = difference === null ? result.ok : result.wrongAnswer
    return { result: verdict, ruling: null, feedback: null, difference }
  } finally {
    sink.drop()
    file.close()
  }
}

function quoteFile(path: string): string {
  const file = openFile(path)
  try {
    return quoteBeginning(file.read())
  } finally {
    file.close()
  }
}
