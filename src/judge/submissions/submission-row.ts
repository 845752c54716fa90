/** The row of a submission, joined to its author and problem, and the submission as other modules see it. */
import { type AccountRow, accountColumns, toAccount } from '../../accounts/account-row.ts'
import type { Account } from '../../accounts/actor.ts'
import type { ProblemRef } from '../problems/problems.ts'
import { executing } from './status.ts'

export type SubmissionSnippet = {
  readonly id: number
  readonly problem: ProblemRef
  readonly author: Account
  readonly language: string
  readonly status: number
  readonly result: number
  readonly createdAt: Date
  readonly finishedAt: Date | undefined
  /** The highest figures of all tests; undefined if nothing was measured. */
  readonly cpuMs: number | undefined
  readonly memoryBytes: number | undefined
  /** In millionths; null without points, and for readers who may not see them. */
  readonly score: number | null
  readonly maximumScore: number | null
  /** The contest that it was submitted to. */
  readonly contestId: number | null
}

export type Submission = SubmissionSnippet & { readonly content: string }

/** Columns of the submission alone. */
export const ownColumns = [
  'submission.id',
  'submission.language',
  'submission.status',
  'submission.result',
  'submission.created_at',
  'submission.finished_at',
  'submission.lease_expires_at',
  'submission.cpu_ms',
  'submission.memory_bytes',
  'submission.score',
  'submission.maximum_score',
  'submission.contest_id',
] as const

export const problemColumns = [
  'problem.id as problem_id',
  'problem.uuid as problem_uuid',
  'problem.display_name as problem_display_name',
  'problem.author_id as problem_author_id',
  'problem.is_held as problem_is_held',
] as const

export const snippetColumns = [...ownColumns, ...problemColumns, ...accountColumns] as const

export type OwnRow = {
  id: number
  language: string
  status: number
  result: number
  created_at: number
  finished_at: number | null
  lease_expires_at: number | null
  cpu_ms: number | null
  memory_bytes: number | null
  score: number | null
  maximum_score: number | null
  contest_id: number | null
}

export type ProblemRow = {
  problem_id: number
  problem_uuid: string
  problem_display_name: string
  problem_author_id: number
  problem_is_held: number
}

export type SnippetRow = OwnRow & ProblemRow & AccountRow

export const toSnippet = (row: SnippetRow): SubmissionSnippet => joinSnippet(row, toProblemRef(row), toAccount(row))

export const toProblemRef = (row: ProblemRow): ProblemRef => ({
  id: row.problem_id,
  uuid: row.problem_uuid,
  displayName: row.problem_display_name,
  authorId: row.problem_author_id,
  isHeld: row.problem_is_held === 1,
})

export const joinSnippet = (row: OwnRow, problem: ProblemRef, author: Account): SubmissionSnippet => ({
  id: row.id,
  problem,
  author,
  language: row.language,
  status: row.status,
  result: row.result,
  createdAt: new Date(row.created_at),
  finishedAt: row.finished_at === null ? undefined : new Date(row.finished_at),
  cpuMs: row.cpu_ms ?? undefined,
  memoryBytes: row.memory_bytes ?? undefined,
  score: row.score,
  maximumScore: row.maximum_score,
  contestId: row.contest_id,
})

/** Content is stored as bytes but used as text. */
export const toText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()

/** Whether its lease has expired, but it has not been requeued yet. */
export const hasExpired = ({ status, lease_expires_at }: OwnRow, now: number): boolean =>
  status === executing && lease_expires_at !== null && lease_expires_at <= now
