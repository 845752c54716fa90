/** A user migration as the modules see it, and its row. */
import type { Selectable } from 'kysely'
import type { MigrationState, UserMigrationTable } from '../../store/schema/migration-tables.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { Person } from '../person.ts'

/** The options of a migration besides its repositories. */
export type MigrationFlags = {
  readonly lockRepositories: boolean
  readonly excludeMetadata: boolean
  readonly excludeGitData: boolean
  readonly excludeAttachments: boolean
  readonly excludeReleases: boolean
  readonly excludeOwnerProjects: boolean
  readonly orgMetadataOnly: boolean
}

export type MigrationDraft = MigrationFlags & {
  /** `owner/name`, or only the name of one's own repository. */
  readonly repositories: readonly string[]
  /** The web address that records begin with. */
  readonly origin: string
}

export type Archive = { readonly hash: string; readonly bytes: number }

export type Migration = MigrationFlags & {
  readonly id: number
  readonly guid: string
  readonly owner: Person
  readonly state: MigrationState
  /** From 0 to 100. */
  readonly progress: number
  readonly failureReason: string | null
  readonly hasArchive: boolean
  /** Those that still exist and that the caller may see. */
  readonly repositories: readonly OpenRepository[]
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type MigrationRow = Selectable<UserMigrationTable>

const dayMs = 24 * 60 * 60 * 1000
/** How long an archive can be downloaded. */
export const keptMs = 7 * dayMs

export function findArchive(row: MigrationRow, now: number): Archive | undefined {
  const { state, archive_hash: hash, archive_bytes: bytes, exported_at, archive_removed_at } = row
  if (state !== 'exported' || hash === null || archive_removed_at !== null) return undefined
  return exported_at! + keptMs > now ? { hash, bytes: bytes! } : undefined
}

export const isFinished = ({ state }: Pick<MigrationRow, 'state'>): boolean =>
  state === 'exported' || state === 'failed'

export const flagsOf = (row: MigrationRow): MigrationFlags => ({
  lockRepositories: row.lock_repositories === 1,
  excludeMetadata: row.exclude_metadata === 1,
  excludeGitData: row.exclude_git_data === 1,
  excludeAttachments: row.exclude_attachments === 1,
  excludeReleases: row.exclude_releases === 1,
  excludeOwnerProjects: row.exclude_owner_projects === 1,
  orgMetadataOnly: row.org_metadata_only === 1,
})

export const spellFlags = (flags: MigrationFlags) => ({
  lock_repositories: Number(flags.lockRepositories),
  exclude_metadata: Number(flags.excludeMetadata),
  exclude_git_data: Number(flags.excludeGitData),
  exclude_attachments: Number(flags.excludeAttachments),
  exclude_releases: Number(flags.excludeReleases),
  exclude_owner_projects: Number(flags.excludeOwnerProjects),
  org_metadata_only: Number(flags.orgMetadataOnly),
})

export function toMigration(
  row: MigrationRow,
  owner: Person,
  repositories: readonly OpenRepository[],
  now: number,
): Migration {
  return {
    ...flagsOf(row),
    id: row.id,
    guid: row.guid,
    owner,
    state: row.state,
    progress: row.progress,
    failureReason: row.failure_reason,
    hasArchive: findArchive(row, now) !== undefined,
    repositories,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }
}
