/** Where a repository's git data comes from, as the modules see it, and its row. */
import type { Selectable } from 'kysely'
import type { RepositorySourceTable } from '../../store/schema/source-tables.ts'
import type { Person } from '../person.ts'
import type { SkippedRefs } from './fetch-plan.ts'

export type SourceRow = Selectable<RepositorySourceTable>

export type RepositorySource = {
  readonly url: string
  readonly username: string | null
  readonly hasPassword: boolean
  /** Undefined for an import that happens once. */
  readonly intervalMinutes: number | undefined
  readonly state: SourceRow['state']
  readonly failure: string | null
  readonly failureCount: number
  readonly receivedBytes: number
  readonly branchCount: number
  readonly tagCount: number
  readonly skipped: SkippedRefs
  readonly requester: Person
  readonly createdAt: Date
  readonly startedAt: Date | undefined
  readonly fetchedAt: Date | undefined
  readonly nextAt: Date | undefined
}

const minuteMs = 60_000

export const toRepositorySource = (row: SourceRow, requester: Person): RepositorySource => ({
  url: row.url,
  username: row.username,
  hasPassword: row.password !== null,
  intervalMinutes: row.interval_ms === null ? undefined : row.interval_ms / minuteMs,
  state: row.state,
  failure: row.failure,
  failureCount: row.failure_count,
  receivedBytes: row.received_bytes,
  branchCount: row.branch_count,
  tagCount: row.tag_count,
  skipped: JSON.parse(row.skipped_refs) as SkippedRefs,
  requester,
  createdAt: new Date(row.created_at),
  startedAt: toDate(row.started_at),
  fetchedAt: toDate(row.fetched_at),
  nextAt: toDate(row.next_at),
})

const toDate = (time: number | null): Date | undefined => (time === null ? undefined : new Date(time))
