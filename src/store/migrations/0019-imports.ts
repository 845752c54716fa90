/** Imports of archives of user migrations: the uploads and their results. */
import type { Ddl } from './ddl.ts'

export const imports = ({ id }: Ddl): string[] => [
  `create table migration_import (
    id ${id},
    requester_id bigint references account (id) on delete set null,
    state text not null,
    options text not null,
    archive_hash text,
    archive_bytes bigint not null,
    job_id bigint not null,
    run text,
    progress bigint not null,
    failure_reason text,
    repositories text not null,
    record_count bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  `create index migration_import_unfinished on migration_import (id) where state in ('pending', 'importing')`,
  'create index migration_import_by_archive on migration_import (archive_hash) where archive_hash is not null',
]
