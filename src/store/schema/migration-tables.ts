/** The tables of user migrations: exports of an account's repositories, not the history of this schema. */
import type { Generated } from 'kysely'

export type MigrationState = 'pending' | 'exporting' | 'exported' | 'failed'

export type UserMigrationTable = {
  id: Generated<number>
  guid: string
  owner_id: number
  state: MigrationState
  /** The web origin of addresses in records: the request's, unless the server has a configured one. */
  origin: string
  lock_repositories: number
  exclude_metadata: number
  exclude_git_data: number
  exclude_attachments: number
  exclude_releases: number
  exclude_owner_projects: number
  org_metadata_only: number
  /** How many were requested: deleted ones no longer have a row. */
  repository_count: number
  job_id: number
  /** New at each start of the export: only the newest run may finish it. */
  run: string | null
  /** From 0 to 100. */
  progress: number
  failure_reason: string | null
  /** The key that signs addresses of the archive. */
  signing_key: string
  /** Recorded before the archive has its name in the store, so that no archive exists without a row. */
  archive_hash: string | null
  archive_bytes: number | null
  exported_at: number | null
  archive_removed_at: number | null
  created_at: number
  updated_at: number
}

export type MigrationRepositoryTable = { migration_id: number; repository_id: number; is_locked: number }

/** `previewed`: the archive was checked and planned, and nothing was written. */
export type ImportState = 'pending' | 'importing' | 'imported' | 'previewed' | 'failed'

/** The archive of a migration that an admin uploaded. */
export type MigrationImportTable = {
  id: Generated<number>
  requester_id: number | null
  state: ImportState
  /** JSON object. */
  options: string
  /** The blob, until the import has finished. */
  archive_hash: string | null
  archive_bytes: number
  job_id: number
  /** New at each start of the import: only the newest run may finish it. */
  run: string | null
  /** From 0 to 100. */
  progress: number
  failure_reason: string | null
  /** JSON array: the ids of the created repositories. */
  repositories: string
  record_count: number | null
  /** JSON object: what it brings and leaves out. */
  summary: string | null
  created_at: number
  updated_at: number
}

export type UserMigrationsSchema = {
  migration_import: MigrationImportTable
  migration: UserMigrationTable
  migration_repository: MigrationRepositoryTable
}
