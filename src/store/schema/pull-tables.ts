/** The tables of pulls: their own columns, merges in progress, reviews, comments on lines, and review requests. */
import type { Generated } from 'kysely'

export type PullTable = {
  /** A pull is an issue: title, text, state and number are there. */
  issue_id: number
  repository_id: number
  base_ref: string
  /** The base branch's commit when the pull was last looked at; of a merged pull, the one before the merge. */
  base_sha: string
  /** Of a merged pull, the last commit that base and head had in common. */
  fork_sha: string | null
  /** Null once the repository is gone. */
  head_repository_id: number | null
  head_owner_id: number | null
  /** Who made it, be it of another's issue; null where that is not known. */
  opener_id: number | null
  head_ref: string
  head_sha: string
  /** Whether the head was private when the pull was opened: if not, nothing that is pushed to it while it is private is told. */
  was_head_private: number
  is_head_deleted: number
  /** What `refs/pull/{number}/head` was last written as; null before the first time. */
  ref_sha: string | null
  is_draft: number
  may_maintainers_push: number
  merged_at: number | null
  merged_by_id: number | null
  merge_sha: string | null
  /** The merge that was tried last, where there was no conflict, and the commits it was tried with. */
  test_merge_sha: string | null
  test_base_sha: string | null
  test_head_sha: string | null
  /** The newest pushes to the head and to the base whose events are recorded. */
  head_push_id: number
  base_push_id: number
}

/** A merge between being written down and being settled, by the push that it is. */
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
  /** What was reviewed. */
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
  /** Where it stood when it was written. */
  original_commit_sha: string
  original_position: number
  original_line: number
  original_start_line: number | null
  /** Of the first of a thread that was resolved. */
  resolved_by_id: number | null
  resolved_at: number | null
  created_at: number
  updated_at: number
}

/** Of a user or of a team. */
export type ReviewRequestTable = {
  id: Generated<number>
  issue_id: number
  user_id: number | null
  team_id: number | null
  created_at: number
}

/** What is to be done about pulls, one owner's beside another's: pushes to follow, merges to try. */
export type PullWorkTable = {
  id: Generated<number>
  owner_id: number
  repository_id: number
  /** `held-push`: for a repository that was archived or locked meanwhile, until it takes writes again. */
  kind: 'push' | 'held-push' | 'test-merge'
  /** The push, or the pull. */
  subject_id: number
  /** How much of it is done. */
  position: number
  /** Grows when the same is wanted again. */
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

/** What a pull has brought from a fork, for whoever's it is until it is merged. Without an issue: of one that was not opened. */
export type PullUsageTable = {
  id: Generated<number>
  repository_id: number
  account_id: number
  issue_id: number | null
  size_kib: number
  /** The head it came with. Null for what came before this was noted. */
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
