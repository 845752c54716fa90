/** Types of reviews and line comments. */
import type { DiffSide, ReviewState } from '../../../store/schema/pull-tables.ts'
import type { Association, ReactionCounts } from '../../issues/issue.ts'
import type { Person } from '../../person.ts'

export type Review = {
  readonly id: number
  readonly author: Person
  readonly association: Association
  readonly state: ReviewState
  readonly body: string
  readonly commitSha: string
  readonly submittedAt: Date | null
}

export type ReviewComment = {
  readonly id: number
  readonly issueId: number
  /** The pull's number. */
  readonly number: number
  readonly reviewId: number
  readonly replyToId: number | null
  readonly author: Person
  readonly association: Association
  readonly path: string
  readonly body: string
  readonly subject: 'line' | 'file'
  readonly hunk: string
  readonly side: DiffSide
  readonly startSide: DiffSide | null
  readonly commitSha: string
  readonly originalCommitSha: string
  readonly originalPosition: number
  readonly originalLine: number
  readonly originalStartLine: number | null
  /** Null if the line is gone: the comment is outdated. */
  readonly position: number | null
  readonly line: number | null
  readonly startLine: number | null
  readonly reactions: ReactionCounts
  readonly createdAt: Date
  readonly updatedAt: Date
}
