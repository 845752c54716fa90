/** The table of imports by address and of mirrors. */

export type RepositorySourceTable = {
  repository_id: number
  /** The responsible account: fetches act with its rights, as long as it administers the repository. */
  requester_id: number
  url: string
  /** Stored in clear, because the source is sent them; never shown, and deleted once they are not needed any more. */
  username: string | null
  password: string | null
  /** Null for an import that happens once. */
  interval_ms: number | null
  state: 'pending' | 'fetching' | 'complete' | 'failed'
  /** The id of the fetch under way: another one that was taken for dead can change nothing. */
  run: string | null
  received_bytes: number
  branch_count: number
  tag_count: number
  /** JSON: {count, names}. */
  skipped_refs: string
  failure: string | null
  /** Consecutive failed fetches. */
  failure_count: number
  started_at: number | null
  fetched_at: number | null
  /** When it is fetched next; null if it is not. */
  next_at: number | null
  created_at: number
  updated_at: number
}

export type SourcesSchema = { repository_source: RepositorySourceTable }
