/**
 * How problems are judged: checkers, interactors, groups and points, features that an executor needs, and results. A
 * held problem is only in its author's list.
 */
import type { Ddl } from './ddl.ts'

const levels = [18, 12, 6]

export const judging = ({ engine, bytes }: Ddl): string[] => [
  'alter table problem add column is_held bigint not null default 0',
  'alter table problem add column needs bigint not null default 0',
  `alter table problem add column judging_state text not null default ''`,
  `alter table problem add column time_factors text not null default '[]'`,
  'alter table problem add column fault_count bigint not null default 0',
  'create index problem_held on problem (author_id, id) where is_held = 1',
  `create table problem_judging (
    problem_id ${engine === 'sqlite' ? 'integer primary key' : 'bigint primary key'} references problem (id) on delete cascade,
    owner_id bigint not null,
    bytes bigint not null,
    settings text not null,
    checker ${bytes},
    interactor ${bytes}
  )`,
  `alter table test_case add column group_name text not null default ''`,
  'alter table test_case add column points bigint',
  'alter table test_case add column arguments text',

  'alter table submission add column needs bigint not null default 0',
  'alter table submission add column score bigint',
  'alter table submission add column maximum_score bigint',
  'drop index submission_waiting_by_turn',
  'drop index submission_waiting_by_language_and_turn',
  'create index submission_waiting_by_needs on submission (needs, id) where status = 1',
  'create index submission_waiting_by_needs_and_language on submission (needs, language, id) where status = 1',
  'create index submission_waiting_by_turn on submission (needs, is_rejudged, turn, id) where status = 1',
  `create index submission_waiting_by_language_and_turn on submission (needs, language, is_rejudged, turn, id)
    where status = 1`,
  'alter table executor add column features bigint not null default 0',

  `insert into list_count (list, owner_id, level, block, count)
    select 'own-problem', owner_id, level, block, count from list_count where list = 'problem' and owner_id <> 0`,
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const count = (list: string, owners: readonly string[], row: 'new' | 'old', step: 1 | -1): string => {
  const blocks = owners.flatMap((owner) =>
    levels.map((level) => `('${list}', ${owner}, ${level}, ${row}.id >> ${level}, ${step})`),
  )
  return `insert into list_count (list, owner_id, level, block, count) values ${blocks.join(', ')}
    on conflict (list, owner_id, level, block) do update set count = list_count.count + excluded.count`
}
const countShown = (row: 'new' | 'old', step: 1 | -1) => count('problem', ['0', `${row}.author_id`], row, step)
const countOwn = (row: 'new' | 'old', step: 1 | -1) => count('own-problem', [`${row}.author_id`], row, step)

const use = (owner: string, bytes: string): string =>
  `insert into test_usage (account_id, bytes) values (${owner}, ${bytes})
    on conflict (account_id) do update set bytes = test_usage.bytes + excluded.bytes`

const sqliteTriggers = [
  'drop trigger problem_counted',
  'drop trigger problem_uncounted',
  `create trigger problem_counted after insert on problem when new.is_held = 0 begin ${countShown('new', 1)}; end`,
  `create trigger problem_uncounted after delete on problem when old.is_held = 0 begin ${countShown('old', -1)}; end`,
  `create trigger problem_held after update of is_held on problem when old.is_held = 0 and new.is_held = 1 begin
    ${countShown('new', -1)}; end`,
  `create trigger problem_released after update of is_held on problem when old.is_held = 1 and new.is_held = 0 begin
    ${countShown('new', 1)}; end`,
  `create trigger own_problem_counted after insert on problem begin ${countOwn('new', 1)}; end`,
  `create trigger own_problem_uncounted after delete on problem begin ${countOwn('old', -1)}; end`,

  `create trigger programs_added after insert on problem_judging begin ${use('new.owner_id', 'new.bytes')}; end`,
  `create trigger programs_removed after delete on problem_judging begin ${use('old.owner_id', '-old.bytes')}; end`,
  `create trigger programs_resized after update of bytes on problem_judging begin
    ${use('new.owner_id', 'new.bytes - old.bytes')}; end`,
]

const postgresTriggers = [
  'drop trigger problem_counted on problem',
  `create or replace function count_problem() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      ${countOwn('new', 1)};
      if new.is_held = 0 then ${countShown('new', 1)}; end if;
    elsif tg_op = 'DELETE' then
      ${countOwn('old', -1)};
      if old.is_held = 0 then ${countShown('old', -1)}; end if;
    elsif new.is_held = 1 then ${countShown('new', -1)};
    else ${countShown('new', 1)};
    end if;
    return null;
  end
  $$`,
  `create trigger problem_counted after insert or delete on problem for each row execute function count_problem()`,
  `create trigger problem_held after update of is_held on problem
    for each row when (old.is_held is distinct from new.is_held) execute function count_problem()`,

  `create function count_programs() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${use('new.owner_id', 'new.bytes')};
    elsif tg_op = 'DELETE' then ${use('old.owner_id', '-old.bytes')};
    else ${use('new.owner_id', 'new.bytes - old.bytes')};
    end if;
    return null;
  end
  $$`,
  `create trigger programs_counted after insert or delete or update of bytes on problem_judging
    for each row execute function count_programs()`,
]
