/** Presents the judge's report on a submission. */
import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { Report, TestReport } from '../../../judge/judging/report.ts'
import type { SubmissionReport } from '../../../judge/judging/reports.ts'
import { judgeFailure } from '../../../judge/submissions/status.ts'
import { toMillionths, toPoints } from '../../../lib/judging-rules/scoring/rules.ts'
import { invalidParams } from '../method.ts'
import { orNull, Uint64, Uuid } from './basic-shapes.ts'
import { NullableScore, presentScore } from './judging-shapes.ts'

/** The judge stores at most this many characters of the output of a program, a compiler or a checker. */
const keptCharacters = 65_536
const Words = Type.String({ format: 'bytes', maxLength: keptCharacters })
const WordsOrNull = orNull<string>(Words)
/** About a screen: a message to the author of the submission, and each side of a difference. */
const ScreenOrNull = orNull<string>({ type: 'string', format: 'bytes', maxLength: 4_096 })

const measured = {
  TestCaseUUID: Uuid,
  Result: Type.Integer({ minimum: 0, maximum: 9 }),
  CPUTimeInMillisecond: Uint64,
  WallTimeInMillisecond: Uint64,
  PeakMemoryInByte: Uint64,
  Stderr: Words,
  ExitCode: orNull<number>({ type: 'integer' }),
  Signal: orNull<string>({ type: 'string', format: 'bytes', maxLength: 32 }),
}
const told = {
  Score: NullableScore,
  JudgeMessage: WordsOrNull,
  TeamMessage: ScreenOrNull,
  Expected: ScreenOrNull,
  Got: ScreenOrNull,
  DifferenceLine: orNull<number>({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
}
const whole = { Result: Type.Integer({ minimum: 1, maximum: 9 }), CompilerOutput: Words }

const Test = Type.Object({ ...measured, ...Type.Partial(Type.Object(told)).properties })

/** A report as executors send it. */
export const GivenReportSchema = Type.Object({
  ...whole,
  JudgeMessage: Type.Optional(WordsOrNull),
  TestList: Type.Array(Test, { maxItems: 100_000 }),
})

const ReportSchema = Type.Object({
  ...whole,
  JudgeMessage: Type.Optional(Words),
  Score: NullableScore,
  MaximumScore: NullableScore,
  GroupList: Type.Array(
    Type.Object({ Name: Type.String(), Score: Type.Number(), Result: Type.Integer({ minimum: 0, maximum: 9 }) }),
  ),
  TestList: Type.Array(Test),
})

const RejudgedSchema = Type.Object({
  Time: Uint64,
  ResultBefore: Type.Integer({ minimum: 1, maximum: 9 }),
  ScoreBefore: NullableScore,
  MaximumScoreBefore: NullableScore,
})

export const SubmissionReportSchema = Type.Object({
  Report: Type.Unsafe<Static<typeof ReportSchema> | null>({ ...ReportSchema, nullable: true }),
  Progress: Type.Object({ FinishedTestCaseCount: Uint64, TotalTestCaseCount: Uint64 }),
  /** The author's name in the caller's roster; null for callers who do not teach them. */
  RosterName: orNull<string>(Type.String()),
  /** Whether the caller may delete the submission. */
  MayDelete: Type.Boolean(),
  /** The verdict before the last rejudging that changed it, and when it changed. */
  Rejudged: orNull<Static<typeof RejudgedSchema>>(RejudgedSchema),
})

type GivenReport = Static<typeof GivenReportSchema>

export function toReport({ Result, CompilerOutput, JudgeMessage, TestList }: GivenReport): Report {
  if (Result === judgeFailure && !JudgeMessage)
    throw invalidParams([
      {
        field: 'Report.JudgeMessage',
        reason: 'is required with Result 9; an executor’s own failure is report_submission_failure’s',
      },
    ])
  return {
    result: Result,
    compilerOutput: CompilerOutput,
    judgeMessage: JudgeMessage ?? undefined,
    tests: TestList.map((test) => ({
      testCaseUuid: test.TestCaseUUID,
      result: test.Result,
      cpuMs: test.CPUTimeInMillisecond,
      wallMs: test.WallTimeInMillisecond,
      peakMemoryBytes: test.PeakMemoryInByte,
      stderr: test.Stderr,
      exitCode: test.ExitCode,
      signal: test.Signal,
      score: test.Score == null ? undefined : toMillionths(test.Score),
      judgeMessage: test.JudgeMessage ?? undefined,
      teamMessage: test.TeamMessage ?? undefined,
      expected: test.Expected ?? undefined,
      got: test.Got ?? undefined,
      differenceLine: test.DifferenceLine ?? undefined,
    })),
  }
}

export const presentReport = ({ report, progress, rosterName, mayDelete, changed }: SubmissionReport) => ({
  RosterName: rosterName ?? null,
  MayDelete: mayDelete,
  Rejudged: changed
    ? {
        Time: changed.changedAt,
        ResultBefore: changed.result,
        ScoreBefore: presentScore(changed.score),
        MaximumScoreBefore: presentScore(changed.maximumScore),
      }
    : null,
  Report: report
    ? {
        Result: report.result,
        CompilerOutput: report.compilerOutput,
        ...(report.judgeMessage !== undefined && { JudgeMessage: report.judgeMessage }),
        Score: presentScore(report.scores?.score ?? null),
        MaximumScore: presentScore(report.scores?.maximumScore ?? null),
        GroupList: (report.scores?.groups ?? []).map(({ name, score, result }) => ({
          Name: name,
          Score: toPoints(score),
          Result: result,
        })),
        TestList: report.tests.map(presentTest),
      }
    : null,
  Progress: { FinishedTestCaseCount: progress.finishedTests, TotalTestCaseCount: progress.totalTests },
})

const presentTest = (test: TestReport) => ({
  TestCaseUUID: test.testCaseUuid,
  Result: test.result,
  CPUTimeInMillisecond: test.cpuMs,
  WallTimeInMillisecond: test.wallMs,
  PeakMemoryInByte: test.peakMemoryBytes,
  Stderr: test.stderr,
  ExitCode: test.exitCode,
  Signal: test.signal,
  ...(test.score !== undefined && { Score: toPoints(test.score) }),
  ...(test.judgeMessage !== undefined && { JudgeMessage: test.judgeMessage }),
  ...(test.teamMessage !== undefined && { TeamMessage: test.teamMessage }),
  ...(test.expected !== undefined && { Expected: test.expected }),
  ...(test.got !== undefined && { Got: test.got }),
  ...(test.differenceLine !== undefined && { DifferenceLine: test.differenceLine }),
})
