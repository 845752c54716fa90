/** A claim: a submission that an executor holds under a lease. */
import type { Db } from '../../store/schema/schema.ts'
import type { FeatureSet } from '../features.ts'
import type { Limits } from '../limits.ts'
import type { LanguageFactor } from '../problem-judging/judging.ts'
import { hashJudging } from '../problems/judging-state.ts'
import { hideTestHash } from '../problems/test-list.ts'
import { submitted } from '../submissions/status.ts'
import type { SubmissionQueries } from '../submissions/submission-queries.ts'
import { type Submission, toSnippet, toText } from '../submissions/submission-row.ts'

export type Claim = {
  readonly submission: Submission
  readonly lease: string
  readonly leaseExpiresAt: number
  readonly judgingHash: string
  /** The problem's limit, times the factor of the submission's language. */
  readonly timeLimitMs: number
  readonly memoryLimitBytes: number
  readonly testHash: string
  /** The account whose share of executors it uses. For a rejudging that is not its author. */
  readonly chargedTo: number
}

/**
 * The wish of a claim: these languages or any; fair order or oldest first; only problems that need no other features.
 */
export type ClaimWish = {
  readonly languages?: readonly string[] | undefined
  readonly isFair?: boolean
  readonly features?: FeatureSet
}

type Row = Awaited<ReturnType<SubmissionQueries['demand']>>

export const toClaim = (row: Row, lease: string, leaseExpiresAt: number, limits: Limits): Claim => ({
  submission: { ...toSnippet(row), content: toText(row.content) },
  lease,
  leaseExpiresAt,
  judgingHash: hashJudging(row.problem_uuid, row.judging_state, row.test_hash),
  timeLimitMs: timeLimitOf(row, limits),
  memoryLimitBytes: row.memory_limit_bytes,
  testHash: hideTestHash(row.hash_key, row.test_hash),
  chargedTo: row.is_rejudged === 1 ? row.problem_author_id : row.account_id,
})

/** The problem's limit, times the factor of the language. */
export const timeLimitOf = (row: Timed, limits: Limits): number =>
  lengthenTime(row.time_limit_ms, factorOf(row), limits)

type Timed = Pick<Row, 'language' | 'time_factors' | 'time_limit_ms'> & { readonly contest_languages?: string | null }

/** A contest's own factors win; for a language without one, the problem's factor applies. */
function factorOf({ language, time_factors, contest_languages = null }: Timed): number {
  if (contest_languages !== null) {
    const own = (JSON.parse(contest_languages) as readonly LanguageFactor[]).find((one) => one.language === language)
    if (own) return own.timeFactor
  }
  if (time_factors === '[]') return 1
  const factors = JSON.parse(time_factors) as readonly LanguageFactor[]
  return factors.find((one) => one.language === language)?.timeFactor ?? 1
}

const lengthenTime = (limitMs: number, factor: number, { timeLimitMs: mostMs }: Limits): number =>
  Math.min(Math.round(limitMs * factor), Math.max(limitMs, mostMs))

/**
 * The submission's copy of the problem's features was outdated: returns it to the queue for executors with the right
 * features.
 */
export async function moveBack(trx: Db, { id, needs }: { id: number; needs: FeatureSet }): Promise<void> {
  await trx
    .updateTable('submission')
    .set({ ...unclaimed, status: submitted, needs })
    .where('id', '=', id)
    .execute()
}

export const unclaimed = { claimed_by: null, lease: null, lease_expires_at: null }
