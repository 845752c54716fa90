/** The tables of notifications: subjects, threads with their subscriptions, and inboxes. */
import type { Generated } from 'kysely'

/** `external`: delivered by another system, with a title and an address. */
export type ThreadSubjectKind = 'issue' | 'commit' | 'release' | 'invitation' | 'external'

export type ThreadSubjectTable = {
  id: Generated<number>
  repository_id: number
  kind: ThreadSubjectKind
  /** Unique for its kind in the repository: the id of the issue, the sha of the commit. */
  key: string
  /** Only for an issue or pull. */
  issue_id: number | null
  /** The subject's type, title and addresses, if they are not read from the subject itself. */
  type: string | null
  title: string | null
  url: string | null
  latest_comment_url: string | null
}

/** `none`: nothing was delivered yet; the row holds only the subscription. */
export type ThreadState = 'none' | 'unread' | 'read' | 'done'
export type SubscriptionState = 'none' | 'subscribed' | 'ignored' | 'muted'

/** One user's relation to one subject. */
export type ThreadTable = {
  id: Generated<number>
  user_id: number
  subject_id: number
  repository_id: number
  subscription: SubscriptionState
  /** The reason why any later activity is delivered. */
  stored_reason: string | null
  subscribed_at: number | null
  /** The reason of the newest notification. */
  reason: string
  is_participating: number
  state: ThreadState
  /** In whole seconds: threads of the same second are ordered by id. */
  updated_at: number
  last_read_at: number | null
  /** The newest delivered activity, so that none is delivered twice. */
  last_activity_id: number
  /** The inbox's change number of the delivery. */
  change: number
}

/** How many threads a user has, by repository and state. Maintained by triggers. */
export type ThreadCountTable = {
  user_id: number
  repository_id: number
  state: ThreadState
  is_participating: number
  count: number
}

/** How often an inbox changed, and its Last-Modified: in whole seconds, increasing with every change. */
export type InboxTable = { user_id: number; change: number; modified_at: number }

/** A request to mark many threads as read in the background. */
export type InboxMarkTable = {
  id: Generated<number>
  user_id: number
  repository_id: number | null
  /** Threads updated after it are not marked, nor those changed after `up_to_change`. */
  up_to: number
  up_to_change: number
  /** Without an end: `up_to` is the time of the request, and excludes nothing. */
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
