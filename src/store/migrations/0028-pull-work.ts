/**
 * Work on pulls that pushes leave behind, in turns by owner; and large files that a pull refers to and its fork has.
 */
import type { Ddl } from './ddl.ts'

/** `version` grows if the same work is requested again while it runs; `position` records its progress. */
export const pullWork = ({ id }: Ddl): string[] => [
  `create table pull_work (
    id ${id},
    owner_id bigint not null references account (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    kind text not null,
    subject_id bigint not null,
    position bigint not null,
    version bigint not null,
    unique (kind, subject_id)
  )`,
  'create index pull_work_by_owner on pull_work (owner_id, kind, id)',
  'create index pull_work_by_repository on pull_work (repository_id, kind, id)',
  `create table lfs_borrowing (
    repository_id bigint not null references repository (id) on delete cascade,
    lender_id bigint not null references repository (id) on delete cascade,
    blob_hash text not null,
    primary key (repository_id, blob_hash, lender_id)
  )`,
  'create index lfs_borrowing_by_lender on lfs_borrowing (lender_id)',
]
