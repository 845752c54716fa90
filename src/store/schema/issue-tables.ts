/** The tables of issues: labels, milestones, comments, and the events of actions on them. */
import type { Generated } from 'kysely'

export type LabelTable = {
  id: Generated<number>
  repository_id: number
  name: string
  name_key: string
  color: string
  description: string | null
  is_default: number
}

export type MilestoneTable = {
  id: Generated<number>
  repository_id: number
  number: number
  state: 'open' | 'closed'
  title: string
  title_key: string
  description: string | null
  creator_id: number
  open_issue_count: number
  closed_issue_count: number
  due_on: number | null
  closed_at: number | null
  created_at: number
  updated_at: number
}

export type StateReason = 'completed' | 'not_planned' | 'reopened' | 'duplicate'

/** Pulls are also issues, with an additional row in their own table. */
export type IssueTable = {
  id: Generated<number>
  repository_id: number
  number: number
  is_pull: number
  state: 'open' | 'closed'
  state_reason: StateReason | null
  title: string
  body: string | null
  author_id: number
  milestone_id: number | null
  is_locked: number
  lock_reason: string | null
  pinned_at: number | null
  duplicate_of_id: number | null
  comment_count: number
  /** The app through which it was written. */
  app_id: number | null
  closed_by_id: number | null
  closed_at: number | null
  created_at: number
  updated_at: number
  /**
   * The row stays, without title and text, so that its number is never reused and its events are known to be deleted.
   */
  deleted_at: number | null
}

export type IssueLabelTable = { issue_id: number; label_id: number }
export type IssueAssigneeTable = { issue_id: number; user_id: number; created_at: number }
/** Users mentioned in an issue or its comments. */
export type IssueMentionTable = { issue_id: number; user_id: number; created_at: number }
/** Former places of transferred issues. */
export type IssueFormerPlaceTable = { repository_id: number; number: number; issue_id: number }

export type IssueEventTable = {
  id: Generated<number>
  repository_id: number
  issue_id: number
  actor_id: number
  event: string
  commit_sha: string | null
  /** The commit's repository; null means the event's own, 0 unknown. */
  commit_repository_id: number | null
  /** JSON object: the members of its type. */
  data: string
  app_id: number | null
  /** Belongs to a deleted issue: it is in no list. */
  is_hidden: number
  created_at: number
}

export type IssueCommentTable = {
  id: Generated<number>
  repository_id: number
  issue_id: number
  author_id: number
  body: string
  app_id: number | null
  created_at: number
  updated_at: number
}

export type ReactionSubject = 'issue' | 'issue-comment' | 'commit-comment' | 'review-comment' | 'release'

export type ReactionTable = {
  id: Generated<number>
  subject_kind: ReactionSubject
  subject_id: number
  repository_id: number
  user_id: number
  content: string
  created_at: number
}

/** One issue refers to another, in its text or in a comment; only the first time is recorded. */
export type CrossReferenceTable = {
  id: Generated<number>
  target_id: number
  source_id: number
  actor_id: number
  created_at: number
}

/** Users whom an organisation excludes from its repositories. */
export type OrganisationBlockTable = { organisation_id: number; user_id: number; created_at: number }

/** A word of a text. `source`: -1 for the title, 0 for the text of the issue, otherwise the comment. */
export type IssueWordTable = { repository_id: number; word: string; issue_id: number; source: number }
/** A pull that closes an issue when it is merged. */
export type IssueConnectionTable = { issue_id: number; pull_id: number; created_at: number }

/** A branch that was made for an issue, in its repository or another. */
export type LinkedBranchTable = {
  id: Generated<number>
  issue_id: number
  repository_id: number
  branch: string
  created_at: number
}

export type IssuesSchema = {
  linked_branch: LinkedBranchTable
  issue_word: IssueWordTable
  issue_connection: IssueConnectionTable
  organisation_block: OrganisationBlockTable
  label: LabelTable
  milestone: MilestoneTable
  issue: IssueTable
  issue_label: IssueLabelTable
  issue_assignee: IssueAssigneeTable
  issue_mention: IssueMentionTable
  issue_former_place: IssueFormerPlaceTable
  issue_event: IssueEventTable
  issue_comment: IssueCommentTable
  reaction: ReactionTable
  cross_reference: CrossReferenceTable
}
