/** The tables of user migrations: exports of an account's repositories, not the history of this schema. */
import type { Generated } from 'kysely'

export type MigrationState = 'pending' | 'exporting' | 'exported' | 'failed'

export type UserMigrationTable = {
  id: Generated<number>
  guid: string
  owner_id: number
  state: MigrationState
  /** The web address that records begin with: that of the request, unless the server has one of its own. */
  origin: string
  lock_repositories: number
  exclude_metadata: number
  exclude_git_data: number
  exclude_attachments: number
  exclude_releases: number
  exclude_owner_projects: number
  org_metadata_only: number
  /** How many it was asked for: one that was deleted since has no row any more. */
  repository_count: number
  job_id: number
  /** Drawn anew each time the export begins: only the newest run may end it. */
  run: string | null
  /** From 0 to 100. */
  progress: number
  failure_reason: string | null
  /** What addresses of the archive are signed with. */
  signing_key: string
  /** Written down before the archive has its name in the store, so that none is ever there that no row knows. */
  archive_hash: string | null
  archive_bytes: number | null
  exported_at: number | null
  archive_removed_at: number | null
  created_at: number
  updated_at: number
}

export type MigrationRepositoryTable = { migration_id: number; repository_id: number; is_locked: number }

export type ImportState = 'pending' | 'importing' | 'imported' | 'failed'

/** The archive of a migration that an admin handed in. */
export type MigrationImportTable = {
  id: Generated<number>
  requester_id: number | null
  state: ImportState
  /** JSON object. */
  options: string
  /** The blob, until the import has ended. */
  archive_hash: string | null
  archive_bytes: number
  job_id: number
  /** Drawn anew each time the import begins: only the newest run may end it. */
  run: string | null
  /** From 0 to 100. */
  progress: number
  failure_reason: string | null
  /** JSON array: the ids of those that came of it. */
  repositories: string
  record_count: number | null
  created_at: number
  updated_at: number
}

export type UserMigrationsSchema = {
  migration_import: MigrationImportTable
  migration: UserMigrationTable
  migration_repository: MigrationRepositoryTable
}
