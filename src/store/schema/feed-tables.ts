/** The table of feed events. */
import type { Generated } from 'kysely'

export type FeedEventTable = {
  id: Generated<number>
  /** The type as it is sent: `PushEvent`, `IssuesEvent`. */
  type: string
  action: string | null
  actor_id: number
  repository_id: number
  organisation_id: number | null
  /** Whether the repository was private when it happened. */
  is_private: number
  /** The issue, release or user, depending on the type. */
  subject_id: number | null
  /** JSON object: data that the subject does not have. */
  data: string
  created_at: number
}

export type FeedsSchema = { feed_event: FeedEventTable }
