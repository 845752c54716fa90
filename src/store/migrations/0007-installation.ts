/** The id that a database shares with its data folder, deliberate deletions, and running backups. */
import type { Ddl } from './ddl.ts'

export const installation = (_: Ddl): string[] => [
  `create table installation (
    singleton bigint primary key check (singleton = 1),
    id text not null,
    created_at bigint not null
  )`,
  // No reference to the repository: the row exists from its deletion until its folder is gone.
  `create table repository_deletion (
    repository_id bigint primary key,
    deleted_at bigint not null
  )`,
  `create table backup_hold (
    id text primary key,
    expires_at bigint not null
  )`,
]
