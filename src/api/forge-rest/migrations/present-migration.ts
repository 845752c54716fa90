/** Presents user migrations: their options, state and repositories. */
import type { OpenRepository } from '../../../forge/access/repository.ts'
import type { Migration } from '../../../forge/migrations/migration.ts'
import { presentUser } from '../people/present-people.ts'
import { presentRepository, presentWholeRepository } from '../repositories/present-repository.ts'
import { formatTime, nodeId, type View } from '../view.ts'

export const migrationUrl = ({ base }: View, { id }: { id: number }): string => `${base}/user/migrations/${id}`

export function presentMigration(migration: Migration, view: View, hasRepositories = true) {
  const url = migrationUrl(view, migration)
  return {
    id: migration.id,
    node_id: nodeId('Migration', migration.id),
    owner: presentUser(migration.owner, view),
    guid: migration.guid,
    state: migration.state,
    lock_repositories: migration.lockRepositories,
    exclude_metadata: migration.excludeMetadata,
    exclude_git_data: migration.excludeGitData,
    exclude_attachments: migration.excludeAttachments,
    exclude_releases: migration.excludeReleases,
    exclude_owner_projects: migration.excludeOwnerProjects,
    org_metadata_only: migration.orgMetadataOnly,
    ...(hasRepositories && { repositories: migration.repositories.map((one) => presentMigrated(one, view)) }),
    url,
    ...(migration.hasArchive && { archive_url: `${url}/archive` }),
    progress: migration.progress,
    failure_reason: migration.failureReason,
    created_at: formatTime(migration.createdAt),
    updated_at: formatTime(migration.updatedAt),
  }
}

/**
 * A repository within a migration: in full in the older version; in the newer one with its 46 members, which lack git's
 * addresses.
 */
export function presentMigrated(repository: OpenRepository, view: View) {
  if (view.version === '2022-11-28') return presentWholeRepository(repository, view)
  const { git_url: _git, ssh_url: _ssh, ...links } = presentRepository(repository, view)
  return links
}
