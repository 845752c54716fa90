/** Problems, test cases, submissions and their queue, and executors that have connected. */
import type { Ddl } from './ddl.ts'

export const judge = ({ engine, id, bytes }: Ddl): string[] => {
  // SQLite: the key is the rowid, or the row is stored in the key's index; otherwise there would be two trees.
  const key = engine === 'sqlite' ? 'integer primary key' : 'bigint primary key'
  const inKey = engine === 'sqlite' ? 'without rowid' : ''
  return [
    `create table problem (
    id ${id},
    uuid text not null unique,
    author_id bigint not null references account (id),
    display_name text not null,
    description text not null,
    time_limit_ms bigint not null,
    memory_limit_bytes bigint not null,
    examples text not null,
    test_hash text not null,
    test_count bigint not null,
    next_position bigint not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
    'create index problem_by_author on problem (author_id, id)',

    `create table test_case (
    id ${id},
    uuid text not null unique,
    problem_id bigint references problem (id) on delete cascade,
    upload_id text,
    position bigint not null,
    is_hidden bigint not null,
    digest text not null,
    input_start ${bytes} not null,
    output_start ${bytes} not null
  )`,
    'create index test_case_by_place on test_case (problem_id, position)',
    'create index test_case_by_upload on test_case (upload_id) where upload_id is not null',
    `create table test_data (
    test_case_id ${key} references test_case (id) on delete cascade,
    input ${bytes} not null,
    output ${bytes} not null
  )`,
    `create table test_upload (
    id text primary key,
    started_at bigint not null
  )`,

    `create table submission (
    id ${id},
    problem_id bigint not null references problem (id),
    author_id bigint not null references account (id),
    language text not null,
    status bigint not null,
    result bigint not null,
    created_at bigint not null,
    finished_at bigint,
    losses bigint not null,
    claimed_by bigint,
    lease text,
    lease_expires_at bigint,
    finished_tests bigint not null,
    total_tests bigint not null,
    cpu_ms bigint,
    memory_bytes bigint
  )`,
    'create index submission_by_author on submission (author_id, id)',
    'create index submission_by_problem on submission (problem_id, id)',
    'create index submission_by_author_and_problem on submission (author_id, problem_id, id)',
    'create index submission_waiting on submission (id) where status = 1',
    'create index submission_waiting_by_language on submission (language, id) where status = 1',
    'create index submission_waiting_by_author on submission (author_id) where status = 1',
    'create index submission_leased on submission (lease_expires_at) where status = 2',
    `create table submission_source (
    submission_id ${key} references submission (id) on delete cascade,
    content ${bytes} not null
  )`,
    `create table submission_report (
    submission_id ${key} references submission (id) on delete cascade,
    report text not null
  )`,

    `create table submission_count (
    author_id bigint not null,
    problem_id bigint not null,
    level bigint not null,
    block bigint not null,
    count bigint not null,
    primary key (author_id, problem_id, level, block)
  ) ${inKey}`,
    'create index submission_count_by_problem on submission_count (problem_id, author_id)',
    `create table submission_counted (
    id bigint primary key,
    up_to bigint not null
  )`,
    'insert into submission_counted (id, up_to) values (1, 0)',

    `create table executor (
    account_id bigint not null references account (id) on delete cascade,
    name text not null,
    languages text not null,
    parallel_runs bigint not null,
    first_seen_at bigint not null,
    seen_at bigint not null,
    primary key (account_id, name)
  )`,
  ]
}
