/** A submission's verdict as lines for a terminal: while it is judged, and then test by test. */
import { describeResult } from '../../judge/submissions/status.ts'
import { alignColumns } from '../command-line/columns.ts'
import { finished, type Seen, type SubmissionSnippet } from './following.ts'
import { harmless, type Style } from './style.ts'

export type TestReport = {
  readonly Result: number
  readonly CPUTimeInMillisecond: number
  readonly PeakMemoryInByte: number
  readonly Stderr: string
  readonly ExitCode: number | null
  readonly Signal: string | null
  readonly Score?: number | null
  readonly TeamMessage?: string | null
  readonly JudgeMessage?: string | null
  readonly Expected?: string | null
  readonly DifferenceLine?: number | null
  readonly Got?: string | null
}

export type Report = {
  readonly Result: number
  readonly CompilerOutput: string
  readonly JudgeMessage?: string | null
  readonly TestList: readonly TestReport[]
  readonly Score?: number | null
  readonly MaximumScore?: number | null
  readonly GroupList?: readonly { readonly Name: string; readonly Score: number; readonly Result: number }[] | null
}

const accepted = 1
const compileError = 2
const executing = 2
/** For a larger report, only the tests that did not pass are listed. */
const listedTests = 20
const shownLines = 20

/** The progress in one line. */
export function describeProgress({ submission, progress }: Seen, style: Style, columns = 80): string {
  if (submission.Status === finished) return style.soft('judged')
  if (submission.Status !== executing) return style.waiting('waiting for an executor …')
  const { FinishedTestCaseCount: done, TotalTestCaseCount: total } = progress
  if (total === 0) return style.waiting('compiling …')
  const width = Math.max(1, Math.min(total, columns - 30))
  const filled = Math.floor((width * done) / total)
  const bar = style.good('●'.repeat(filled)) + style.soft('○'.repeat(width - filled))
  return `${style.waiting('judging')} ${bar} ${done} of ${total}`
}

export function describeVerdict(submission: SubmissionSnippet, report: Report | null, style: Style): string {
  const { Result, CPUTimeInMillisecond: cpuMs, PeakMemoryInByte: bytes } = submission
  const words = describeResult(Result)
  const failedAt = report ? report.TestList.findIndex((test) => test.Result > accepted) + 1 : 0
  const parts = [paint(Result, style)(style.bold(words.charAt(0).toUpperCase() + words.slice(1)))]
  if (failedAt > 0) parts[0] += ` on test ${failedAt}`
  const score = report?.Score ?? submission.Score
  const most = report?.MaximumScore ?? submission.MaximumScore
  if (typeof score === 'number') parts.push(`${score}${typeof most === 'number' ? ` of ${most}` : ''} points`)
  if (cpuMs !== null && bytes !== null) parts.push(`${cpuMs} ms`, describeMemory(bytes))
  return parts.join(' · ')
}

/** Details below the verdict; empty if there is nothing to add. */
export function describeReport(report: Report | null, style: Style): string {
  if (!report) return ''
  if (report.Result === compileError) return block('The compiler says', report.CompilerOutput, style)
  const ownMessage = block('For the problem’s author', report.JudgeMessage ?? '', style)
  return [listGroups(report, style), listTests(report, style), explainFailure(report, style), ownMessage]
    .filter(Boolean)
    .join('\n')
}

function listGroups({ GroupList }: Report, style: Style): string {
  if (!GroupList || GroupList.length === 0) return ''
  const rows = GroupList.map(({ Name, Score, Result }) => [Name, describeTest(Result), String(Score)])
  return colourRows(
    alignColumns(['GROUP', 'RESULT', 'POINTS'], rows),
    GroupList.map(({ Result }) => Result),
    style,
  )
}

function listTests({ TestList }: Report, style: Style): string {
  const numbered = TestList.map((test, i) => ({ ...test, number: i + 1 }))
  const listed = numbered.length <= listedTests ? numbered : numbered.filter(({ Result }) => Result > accepted)
  if (listed.length === 0) return ''
  const hasScores = listed.some(({ Score }) => typeof Score === 'number')
  const rows = listed
    .slice(0, 2 * listedTests)
    .map((test) => [
      String(test.number),
      describeTest(test.Result),
      test.Result === 0 ? '-' : `${test.CPUTimeInMillisecond} ms`,
      test.Result === 0 ? '-' : describeMemory(test.PeakMemoryInByte),
      ...(hasScores ? [typeof test.Score === 'number' ? String(test.Score) : '-'] : []),
    ])
  const heads = ['TEST', 'RESULT', 'TIME', 'MEMORY', ...(hasScores ? ['POINTS'] : [])]
  return colourRows(
    alignColumns(heads, rows),
    listed.map(({ Result }) => Result),
    style,
  )
}

/** The first test that did not pass, as far as the user may see it. */
function explainFailure({ TestList }: Report, style: Style): string {
  const number = TestList.findIndex(({ Result }) => Result > accepted) + 1
  const test = TestList[number - 1]
  if (!test) return ''
  const ending = test.Signal
    ? `It was ended by ${test.Signal}.`
    : test.ExitCode
      ? `It ended with exit code ${test.ExitCode}.`
      : ''
  return [
    ending,
    block(
      `Test ${number} expected${test.DifferenceLine ? `, from line ${test.DifferenceLine} on` : ''}`,
      test.Expected ?? '',
      style,
    ),
    block('The program printed', test.Got ?? '', style),
    block('The judge says', test.TeamMessage ?? '', style),
    block('For the problem’s author', test.JudgeMessage ?? '', style),
    block('It wrote to stderr', test.Stderr, style),
  ]
    .filter(Boolean)
    .join('\n')
}

function block(title: string, text: string, style: Style): string {
  if (text.trim() === '') return ''
  const lines = harmless(text).trimEnd().split('\n')
  const shown = lines.slice(0, shownLines).map((line) => `  ${line}`)
  if (lines.length > shownLines) shown.push(style.soft(`  … and ${lines.length - shownLines} more lines`))
  return [`${style.bold(title)}:`, ...shown].join('\n')
}

/** Colours are added after aligning the columns, because they count as characters. */
function colourRows(table: string, results: readonly number[], style: Style): string {
  const [heads = '', ...rows] = table.trimEnd().split('\n')
  return [style.soft(heads), ...rows.map((row, i) => paint(results[i] ?? 0, style)(row))].join('\n')
}

export const paint = (result: number, style: Style) =>
  result === accepted ? style.good : result === 0 ? style.soft : style.bad

const describeTest = (result: number): string => (result === 0 ? 'not run' : describeResult(result))

export const describeMemory = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`
