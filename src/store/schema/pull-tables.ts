/** The tables of pulls: their own columns, merges in progress, reviews, comments on lines, and review requests. */
import type { Generated } from 'kysely'

export type PullTable = {
  /** A pull is also an issue, whose row has its title, text, state and number. */
  issue_id: number
  repository_id: number
  base_ref: string
  /** The base branch's commit when the pull was last updated; for a merged pull, the one before the merge. */
  base_sha: string
  /** For a merged pull, the last common commit of base and head. */
  fork_sha: string | null
  /** Null once the repository is gone. */
  head_repository_id: number | null
  head_owner_id: number | null
  /** The account that opened it, or turned another's issue into it; null if unknown. */
  opener_id: number | null
  head_ref: string
  head_sha: string
  /**
   * Whether the head was private when the pull was opened: if not, nothing pushed to it while it is private is shown.
   */
  was_head_private: number
  is_head_deleted: number
  /** The last value written to `refs/pull/{number}/head`; null before the first time. */
  ref_sha: string | null
  is_draft: number
  may_maintainers_push: number
  merged_at: number | null
  merged_by_id: number | null
  merge_sha: string | null
  /** The last test merge without a conflict, and the commits that it was made from. */
  test_merge_sha: string | null
  test_base_sha: string | null
  test_head_sha: string | null
  /** The newest pushes to head and base whose events are recorded. */
  head_push_id: number
  base_push_id: number
}

/** A merge that is recorded but not settled yet, by its push. */
export type PullMergeTable = {
  push_id: number
  issue_id: number
  base_sha: string
  fork_sha: string
  head_sha: string
  merge_sha: string
}

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED'

export type ReviewTable = {
  id: Generated<number>
  issue_id: number
  repository_id: number
  author_id: number
  state: ReviewState
  body: string
  /** The reviewed commit. */
  commit_sha: string
  submitted_at: number | null
  created_at: number
  updated_at: number
}

export type DiffSide = 'LEFT' | 'RIGHT'

export type ReviewCommentTable = {
  id: Generated<number>
  issue_id: number
  repository_id: number
  review_id: number
  author_id: number
  /** The first comment of its thread. */
  reply_to_id: number | null
  path: string
  body: string
  subject_kind: 'line' | 'file'
  diff_hunk: string
  side: DiffSide
  start_side: DiffSide | null
  /** Its place when it was written. */
  original_commit_sha: string
  original_position: number
  original_line: number
  original_start_line: number | null
  /** Only for the first comment of a resolved thread. */
  resolved_by_id: number | null
  resolved_at: number | null
  created_at: number
  updated_at: number
}

/** A request to a user or to a team. */
export type ReviewRequestTable = {
  id: Generated<number>
  issue_id: number
  user_id: number | null
  team_id: number | null
  created_at: number
}

/** Work on pulls, with owners taking turns: pushes to follow, merges to try. */
export type PullWorkTable = {
  id: Generated<number>
  owner_id: number
  repository_id: number
  /** `held-push`: for a repository that was archived or locked meanwhile, until it accepts writes again. */
  kind: 'push' | 'held-push' | 'test-merge'
  /** The push or the pull. */
  subject_id: number
  /** The progress of the work. */
  position: number
  /** Grows if the same work is requested again. */
  version: number
}

/** A pull that is to be merged as soon as it may be. */
export type PullAutoMergeTable = {
  issue_id: number
  repository_id: number
  /** By whose rights. */
  actor_id: number
  /** JSON: what it was asked for by. */
  credential: string
  /** The head that may be merged. */
  head_sha: string
  method: string
  title: string | null
  message: string | null
  created_at: number
  tried_at: number
}

/**
 * The size that a pull has brought from a fork, charged to an account until it is merged. Without an issue: of a pull
 * that was not opened.
 */
export type PullUsageTable = {
  id: Generated<number>
  repository_id: number
  account_id: number
  issue_id: number | null
  size_kib: number
  /** The head that it came with. Null for rows from before this was recorded. */
  sha: string | null
}

export type PullsSchema = {
  pull_auto_merge: PullAutoMergeTable
  pull_usage: PullUsageTable
  pull_work: PullWorkTable
  pull: PullTable
  pull_merge: PullMergeTable
  review: ReviewTable
  review_comment: ReviewCommentTable
  review_request: ReviewRequestTable
}
