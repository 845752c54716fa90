/** User migrations: what an account exports, the resulting archive, and the repositories locked meanwhile. */
import type { Ddl } from './ddl.ts'

export const userMigrations = ({ id }: Ddl): string[] => [
  // The migration that locks the repository, if any; of several the newest.
  'alter table repository add column lock_migration_id bigint',
  `create table migration (
    id ${id},
    guid text not null unique,
    owner_id bigint not null references account (id) on delete cascade,
    state text not null,
    origin text not null,
    lock_repositories bigint not null,
    exclude_metadata bigint not null,
    exclude_git_data bigint not null,
    exclude_attachments bigint not null,
    exclude_releases bigint not null,
    exclude_owner_projects bigint not null,
    org_metadata_only bigint not null,
    repository_count bigint not null,
    job_id bigint not null,
    run text,
    progress bigint not null,
    failure_reason text,
    signing_key text not null,
    archive_hash text,
    archive_bytes bigint,
    exported_at bigint,
    archive_removed_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index migration_by_owner on migration (owner_id, id)',
  `create index migration_unfinished on migration (id) where state in ('pending', 'exporting')`,
  'create index migration_by_archive on migration (archive_hash) where archive_hash is not null',
  `create table migration_repository (
    migration_id bigint not null references migration (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    is_locked bigint not null,
    primary key (migration_id, repository_id)
  )`,
  'create index migration_repository_by_repository on migration_repository (repository_id, migration_id)',
]
