/** Submissions and what the judge measured, as this wire spells them. */
import type { Static } from 'typebox'
import { Type } from '../../../base/schema.ts'
import type { Claim } from '../../../judge/judging/claim.ts'
import type { Report } from '../../../judge/judging/report.ts'
import type { SubmissionReport } from '../../../judge/judging/reports.ts'
import type { Submission, SubmissionSnippet } from '../../../judge/submissions/submission-row.ts'
import { AccountSchema, NullableUint64, orNull, presentAccount, Uint64, Uuid } from './basics.ts'

export const SubmissionSnippetSchema = Type.Object({
  ID: Uint64,
  Problem: Type.Object({ UUID: Uuid, DisplayName: Type.String() }),
  Author: AccountSchema,
  Language: Type.String(),
  Status: Type.Integer({ minimum: 1, maximum: 3 }),
  Result: Type.Integer({ minimum: 0, maximum: 9 }),
  CreatedTime: Uint64,
  FinishedTime: NullableUint64,
  CPUTimeInMillisecond: NullableUint64,
  PeakMemoryInByte: NullableUint64,
})

export const SubmissionSchema = Type.Object({ ...SubmissionSnippetSchema.properties, Content: Type.String() })

export const ClaimSchema = Type.Object({
  ...SubmissionSchema.properties,
  Lease: Type.String(),
  LeaseExpiryTime: Uint64,
})

export const presentSubmissionSnippet = (submission: SubmissionSnippet) => ({
  ID: submission.id,
  Problem: { UUID: submission.problem.uuid, DisplayName: submission.problem.displayName },
  Author: presentAccount(submission.author),
  Language: submission.language,
  Status: submission.status,
  Result: submission.result,
  CreatedTime: submission.createdAt.getTime(),
  FinishedTime: submission.finishedAt?.getTime() ?? null,
  CPUTimeInMillisecond: submission.cpuMs ?? null,
  PeakMemoryInByte: submission.memoryBytes ?? null,
})

/** In the contract's order. */
export const presentSubmission = (submission: Submission) => {
  const { ID, Problem, Author, ...others } = presentSubmissionSnippet(submission)
  return { ID, Problem, Author, Content: submission.content, ...others }
}

export const presentClaim = ({ submission, lease, leaseExpiresAt }: Claim) => ({
  ...presentSubmission(submission),
  Lease: lease,
  LeaseExpiryTime: leaseExpiresAt,
})

/** The judge stores at most this many characters of a program's or a compiler's output. */
const keptCharacters = 65_536
const Words = Type.String({ format: 'bytes', maxLength: keptCharacters })

export const ReportSchema = Type.Object({
  Result: Type.Integer({ minimum: 1, maximum: 8 }),
  CompilerOutput: Words,
  TestList: Type.Array(
    Type.Object({
      TestCaseUUID: Uuid,
      Result: Type.Integer({ minimum: 1, maximum: 8 }),
      CPUTimeInMillisecond: Uint64,
      WallTimeInMillisecond: Uint64,
      PeakMemoryInByte: Uint64,
      Stderr: Words,
      ExitCode: orNull<number>({ type: 'integer' }),
      Signal: orNull<string>({ type: 'string', format: 'bytes', maxLength: 32 }),
    }),
    { maxItems: 100_000 },
  ),
})

export const SubmissionReportSchema = Type.Object({
  Report: Type.Unsafe<Static<typeof ReportSchema> | null>({ ...ReportSchema, nullable: true }),
  Progress: Type.Object({ FinishedTestCaseCount: Uint64, TotalTestCaseCount: Uint64 }),
})

export const toReport = ({ Result, CompilerOutput, TestList }: Static<typeof ReportSchema>): Report => ({
  result: Result,
  compilerOutput: CompilerOutput,
  tests: TestList.map((test) => ({
    testCaseUuid: test.TestCaseUUID,
    result: test.Result,
    cpuMs: test.CPUTimeInMillisecond,
    wallMs: test.WallTimeInMillisecond,
    peakMemoryBytes: test.PeakMemoryInByte,
    stderr: test.Stderr,
    exitCode: test.ExitCode,
    signal: test.Signal,
  })),
})

export const presentReport = ({ report, progress }: SubmissionReport) => ({
  Report: report
    ? {
        Result: report.result,
        CompilerOutput: report.compilerOutput,
        TestList: report.tests.map((test) => ({
          TestCaseUUID: test.testCaseUuid,
          Result: test.result,
          CPUTimeInMillisecond: test.cpuMs,
          WallTimeInMillisecond: test.wallMs,
          PeakMemoryInByte: test.peakMemoryBytes,
          Stderr: test.stderr,
          ExitCode: test.exitCode,
          Signal: test.signal,
        })),
      }
    : null,
  Progress: { FinishedTestCaseCount: progress.finishedTests, TotalTestCaseCount: progress.totalTests },
})
