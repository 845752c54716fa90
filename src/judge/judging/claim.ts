/** A claim: a submission that an executor holds under a lease. */
import type { SubmissionQueries } from '../submissions/submission-queries.ts'
import { type Submission, toSnippet, toText } from '../submissions/submission-row.ts'

export type Claim = { readonly submission: Submission; readonly lease: string; readonly leaseExpiresAt: number }

/** In these languages, or in any; in the fair order, or the oldest of all. */
export type ClaimWish = { readonly languages?: readonly string[] | undefined; readonly isFair?: boolean }

type Row = Awaited<ReturnType<SubmissionQueries['demand']>>

export const toClaim = (row: Row, lease: string, leaseExpiresAt: number): Claim => ({
  submission: { ...toSnippet(row), content: toText(row.content) },
  lease,
  leaseExpiresAt,
})

export const unclaimed = { claimed_by: null, lease: null, lease_expires_at: null }
