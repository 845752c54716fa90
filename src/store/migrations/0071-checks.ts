/** Checks: suites, runs and annotations. */
import type { Ddl } from './ddl.ts'

export const checks = ({ id }: Ddl): string[] => [
  `create table check_suite (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    sha text not null,
    app_id bigint references app (id) on delete set null,
    head_branch text,
    status text not null,
    conclusion text,
    latest_count bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create unique index check_suite_by_commit on check_suite (repository_id, sha, app_id)',
  'create index check_suite_by_app on check_suite (app_id) where app_id is not null',
  `create table check_run (
    id ${id},
    suite_id bigint not null references check_suite (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    sha text not null,
    app_id bigint references app (id) on delete set null,
    name text not null,
    external_id text,
    details_url text,
    status text not null,
    conclusion text,
    started_at bigint,
    completed_at bigint,
    body text,
    annotation_count bigint not null,
    created_at bigint not null
  )`,
  'create index check_run_by_suite on check_run (suite_id, name, id)',
  'create index check_run_by_commit on check_run (repository_id, sha, name, id)',
  'create index check_run_by_app on check_run (app_id) where app_id is not null',
  `create table check_annotation (
    id ${id},
    run_id bigint not null references check_run (id) on delete cascade,
    path text not null,
    start_line bigint not null,
    end_line bigint not null,
    start_column bigint,
    end_column bigint,
    level text not null,
    body text not null
  )`,
  'create index check_annotation_by_run on check_annotation (run_id, id)',
]
