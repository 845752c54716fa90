/** Files of a problem, by their path in its package; package data without a place in problems; and names of tests. */
import type { Ddl } from './ddl.ts'

export const problemFiles = ({ id, engine }: Ddl): string[] => [
  `create table problem_file (
    id ${id},
    problem_id bigint not null references problem (id) on delete cascade,
    owner_id bigint not null,
    path text not null,
    bytes bigint not null,
    blob_hash text not null,
    unique (problem_id, path)
  )`,
  'create index problem_file_by_blob on problem_file (blob_hash)',
  `create table problem_package (
    problem_id bigint primary key references problem (id) on delete cascade,
    content text not null
  )`,
  `create table test_name (
    test_case_id bigint primary key references test_case (id) on delete cascade,
    name text not null
  )`,
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const use = (owner: string, bytes: string): string =>
  `insert into test_usage (account_id, bytes) values (${owner}, ${bytes})
    on conflict (account_id) do update set bytes = test_usage.bytes + excluded.bytes`
const note = `insert into blob_deletion (blob_hash, deleted_at) values (old.blob_hash, 0)
  on conflict (blob_hash) do nothing`

const sqliteTriggers = [
  `create trigger problem_file_added after insert on problem_file begin ${use('new.owner_id', 'new.bytes')}; end`,
  `create trigger problem_file_removed after delete on problem_file begin ${use('old.owner_id', '-old.bytes')}; ${note}; end`,
]

const postgresTriggers = [
  `create function keep_problem_file() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${use('new.owner_id', 'new.bytes')}; end if;
    if tg_op = 'DELETE' then ${use('old.owner_id', '-old.bytes')}; ${note}; end if;
    return null;
  end
  $$`,
  `create trigger problem_file_kept after insert or delete on problem_file
    for each row execute function keep_problem_file()`,
]
