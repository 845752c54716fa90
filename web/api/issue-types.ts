/**
 * Issues, pulls and what belongs to them, as the forge's REST interface answers them and several parts of the page
 * show them.
 */
import type { Repository, User } from './forge-types.ts'

export type Label = {
  readonly id: number
  readonly name: string
  readonly color: string
  readonly description: string | null
  readonly default: boolean
}

export type Milestone = {
  readonly number: number
  readonly title: string
  readonly description: string | null
  readonly state: 'open' | 'closed'
  readonly open_issues: number
  readonly closed_issues: number
  readonly due_on: string | null
  readonly updated_at: string
  readonly closed_at: string | null
}

export const reactionContents = ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'] as const
export type ReactionContent = (typeof reactionContents)[number]
export type Reactions = { readonly url: string; readonly total_count: number } & Readonly<
  Record<ReactionContent, number>
>

/** What people write: read with the media type `full`, it has its HTML as well. */
export type Written = {
  readonly body: string | null
  readonly body_html?: string
}

export type StateReason = 'completed' | 'not_planned' | 'duplicate' | 'reopened' | null

export type Issue = Written & {
  readonly id: number
  readonly node_id: string
  readonly url: string
  readonly repository_url: string
  readonly html_url: string
  readonly number: number
  readonly title: string
  readonly user: User | null
  readonly labels: readonly Label[]
  readonly state: 'open' | 'closed'
  readonly state_reason: StateReason
  readonly locked: boolean
  readonly active_lock_reason: string | null
  readonly assignees: readonly User[]
  readonly milestone: Milestone | null
  readonly comments: number
  readonly created_at: string
  readonly updated_at: string
  readonly closed_at: string | null
  readonly author_association: string
  readonly draft?: boolean
  readonly pull_request?: { readonly merged_at: string | null }
  readonly reactions: Reactions
  readonly repository?: Repository
}

export type Comment = Written & {
  readonly id: number
  readonly url: string
  readonly html_url: string
  readonly user: User | null
  readonly created_at: string
  readonly updated_at: string
  readonly author_association: string
  readonly reactions: Reactions
}

export type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING'

export type Review = Written & {
  readonly id: number
  readonly user: User | null
  readonly state: ReviewState
  readonly html_url: string
  readonly submitted_at?: string
  readonly commit_id: string
  readonly author_association: string
}

export type ReviewComment = Comment & {
  readonly pull_request_review_id: number | null
  readonly in_reply_to_id?: number
  readonly diff_hunk: string
  readonly path: string
  readonly line: number | null
  readonly original_line: number | null
  readonly start_line: number | null
  readonly original_start_line: number | null
  readonly side: 'LEFT' | 'RIGHT'
  readonly start_side: 'LEFT' | 'RIGHT' | null
  readonly subject_type: 'line' | 'file'
  readonly position: number | null
  readonly commit_id: string
  readonly original_commit_id: string
  /** On the first comment of a thread: the thread's id, and whether it is resolved. */
  readonly thread?: { readonly id: string; readonly isResolved: boolean; readonly by: string | undefined }
}

export type IssueEvent = {
  readonly id: number
  readonly event: string
  readonly actor: User | null
  readonly created_at: string
  readonly commit_id: string | null
  readonly commit_url?: string | null
  readonly label?: { readonly name: string; readonly color: string }
  readonly milestone?: { readonly title: string }
  readonly assignee?: User | null
  readonly rename?: { readonly from: string; readonly to: string }
  readonly state_reason?: StateReason
  readonly lock_reason?: string | null
  readonly requested_reviewer?: User
  readonly requested_team?: { readonly name: string; readonly slug: string }
  readonly dismissed_review?: { readonly review_id: number; readonly dismissal_message: string | null }
}

export type TimelineItem =
  | (Comment & { readonly event: 'commented' })
  | (Review & { readonly event: 'reviewed' })
  | {
      readonly event: 'committed'
      readonly sha: string
      readonly message: string
      readonly author: { readonly name: string; readonly date: string }
      readonly committer: { readonly name: string; readonly date: string }
    }
  | {
      readonly event: 'cross-referenced'
      readonly actor: User | null
      readonly created_at: string
      readonly source: { readonly issue: Issue }
    }
  | (IssueEvent & { readonly event: Exclude<string, 'commented' | 'reviewed' | 'committed' | 'cross-referenced'> })

export type PullEnd = {
  readonly label: string
  readonly ref: string
  readonly sha: string
  readonly user: User | null
  readonly repo: Repository | null
}

export type MergeMethod = 'merge' | 'squash' | 'rebase'

export type Pull = Omit<Issue, 'pull_request' | 'repository' | 'reactions' | 'state_reason'> & {
  readonly head: PullEnd
  readonly base: PullEnd
  readonly draft: boolean
  readonly merged: boolean
  readonly merged_at: string | null
  readonly merged_by: User | null
  readonly merge_commit_sha: string | null
  readonly mergeable: boolean | null
  readonly rebaseable: boolean | null
  readonly mergeable_state: string
  readonly maintainer_can_modify: boolean
  readonly requested_reviewers: readonly User[]
  readonly requested_teams: readonly { readonly id: number; readonly name: string; readonly slug: string }[]
  readonly auto_merge: { readonly enabled_by: User; readonly merge_method: MergeMethod } | null
  readonly commits: number
  readonly additions: number
  readonly deletions: number
  readonly changed_files: number
  readonly review_comments: number
}
