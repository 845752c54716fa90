/** Presents submissions and their measurements. */
import { Type } from 'typebox'
import type { Claim } from '../../../judge/judging/claim.ts'
import type { Submission, SubmissionSnippet } from '../../../judge/submissions/submission-row.ts'
import { AccountSchema, NullableUint64, presentAccount, Uint64, Uuid } from './basic-shapes.ts'
import { NullableScore, presentScore } from './judging-shapes.ts'

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
  Score: NullableScore,
  MaximumScore: NullableScore,
})

export const SubmissionSchema = Type.Object({ ...SubmissionSnippetSchema.properties, Content: Type.String() })

export const ClaimSchema = Type.Object({
  ...SubmissionSchema.properties,
  Lease: Type.String(),
  LeaseExpiryTime: Uint64,
  JudgingHash: Type.String(),
  TimeLimitInMillisecond: Uint64,
  MemoryLimitInByte: Uint64,
  TestCaseHash: Type.String(),
  ChargedAccount: Type.Object({ ID: Uint64 }),
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
  Score: presentScore(submission.score),
  MaximumScore: presentScore(submission.maximumScore),
})

/** Members in the contract's order. */
export const presentSubmission = (submission: Submission) => {
  const { ID, Problem, Author, ...others } = presentSubmissionSnippet(submission)
  return { ID, Problem, Author, Content: submission.content, ...others }
}

export const presentClaim = (claim: Claim) => ({
  ...presentSubmission(claim.submission),
  Lease: claim.lease,
  LeaseExpiryTime: claim.leaseExpiresAt,
  JudgingHash: claim.judgingHash,
  TimeLimitInMillisecond: claim.timeLimitMs,
  MemoryLimitInByte: claim.memoryLimitBytes,
  TestCaseHash: claim.testHash,
  ChargedAccount: { ID: claim.chargedTo },
})
