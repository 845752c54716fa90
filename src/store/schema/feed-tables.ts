/** The table of feed events. */
import type { Generated } from 'kysely'

export type FeedEventTable = {
  id: Generated<number>
  /** As it goes out: `PushEvent`, `IssuesEvent`. */
  type: string
  action: string | null
  actor_id: number
  repository_id: number
  organisation_id: number | null
  /** Whether the repository was private when it happened. */
  is_private: number
  /** The issue, the release, the user: what the type says. */
  subject_id: number | null
  /** JSON object: what the subject does not tell. */
  data: string
  created_at: number
}

export type FeedsSchema = { feed_event: FeedEventTable }
