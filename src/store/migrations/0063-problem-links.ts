/**
 * Files of repositories that are submitted when they are pushed, the result of each, and copies of sheets' templates.
 */
import type { Ddl } from './ddl.ts'

export const problemLinks = ({ id }: Ddl): string[] => [
  `create table problem_link (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    problem_id bigint not null references problem (id) on delete cascade,
    path text not null,
    branch text,
    language text not null,
    created_at bigint not null)`,
  'create unique index problem_link_by_repository on problem_link (repository_id, problem_id)',
  'create index problem_link_by_problem on problem_link (problem_id)',
  `create table pushed_file (
    push_id bigint not null,
    problem_id bigint not null references problem (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    sha text not null,
    pusher_id bigint not null,
    context text not null,
    submission_id bigint references submission (id) on delete set null,
    told text not null,
    primary key (push_id, problem_id))`,
  'create index pushed_file_by_submission on pushed_file (submission_id)',
  'create index pushed_file_by_problem on pushed_file (problem_id)',
  'create index pushed_file_by_repository on pushed_file (repository_id)',
  'alter table sheet add column template_set_by bigint references account (id) on delete set null',
  'create index sheet_by_template_setter on sheet (template_set_by)',
  `create table sheet_copy (
    sheet_id bigint not null references sheet (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    created_at bigint not null,
    primary key (sheet_id, account_id))`,
  'create index sheet_copy_by_account on sheet_copy (account_id)',
  'create index sheet_copy_by_repository on sheet_copy (repository_id)',
]
