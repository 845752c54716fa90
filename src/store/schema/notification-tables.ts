/** The tables of notifications: subjects, threads with their subscriptions, and inboxes. */
import type { Generated } from 'kysely'

/** `external`: other systems told of it, and gave it a title and an address. */
export type ThreadSubjectKind = 'issue' | 'commit' | 'release' | 'invitation' | 'external'

export type ThreadSubjectTable = {
  id: Generated<number>
  repository_id: number
  kind: ThreadSubjectKind
  /** What tells it from others of its kind in the repository: the id of the issue, the sha of the commit. */
  key: string
  /** Of an issue or pull. */
  issue_id: number | null
  /** Its word for the subject's type, its title and addresses, where they are not read from the subject itself. */
  type: string | null
  title: string | null
  url: string | null
  latest_comment_url: string | null
}

/** `none`: nothing was delivered yet; the row holds the subscription alone. */
export type ThreadState = 'none' | 'unread' | 'read' | 'done'
export type SubscriptionState = 'none' | 'subscribed' | 'ignored' | 'muted'

/** What one user has to do with one subject. */
export type ThreadTable = {
  id: Generated<number>
  user_id: number
  subject_id: number
  repository_id: number
  subscription: SubscriptionState
  /** Why later activity is delivered, whatever it is. */
  stored_reason: string | null
  subscribed_at: number | null
  /** Of the newest notification. */
  reason: string
  is_participating: number
  state: ThreadState
  /** Whole seconds: threads of one second are in the order of their ids. */
  updated_at: number
  last_read_at: number | null
  /** The newest activity that was delivered: none is delivered twice. */
  last_activity_id: number
  /** The inbox's change with which it was delivered. */
  change: number
}

/** How many threads a user has, by repository and state. Triggers keep it. */
export type ThreadCountTable = {
  user_id: number
  repository_id: number
  state: ThreadState
  is_participating: number
  count: number
}

/** How often an inbox changed, and its Last-Modified: whole seconds, later with every change. */
export type InboxTable = { user_id: number; change: number; modified_at: number }

/** Many threads that are marked as read in the background. */
export type InboxMarkTable = {
  id: Generated<number>
  user_id: number
  repository_id: number | null
  /** Threads that were updated after it stay as they are; so do those that changed after `up_to_change`. */
  up_to: number
  up_to_change: number
  /** Without an end: `up_to` is when it was asked for, and excludes nothing. */
  is_open: number
  total: number
  marked: number
  created_at: number
  finished_at: number | null
}

/** `filters`: a list of names and queries, as JSON. */
export type InboxFiltersTable = { user_id: number; filters: string }

export type NotificationsSchema = {
  thread_subject: ThreadSubjectTable
  thread: ThreadTable
  thread_count: ThreadCountTable
  inbox: InboxTable
  inbox_mark: InboxMarkTable
  inbox_filters: InboxFiltersTable
}
