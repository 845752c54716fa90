/** The total size of the tests of each author's problems, maintained by triggers. */
import type { Ddl } from './ddl.ts'

export const testUsage = ({ engine }: Ddl): string[] => [
  'alter table test_case add column owner_id bigint not null default 0',
  'alter table test_case add column bytes bigint not null default 0',
  `update test_case set
    owner_id = coalesce((select author_id from problem where problem.id = test_case.problem_id), 0),
    bytes = coalesce((select length(input) + length(output) from test_data where test_case_id = test_case.id), 0)`,
  `create table test_usage (
    account_id bigint primary key,
    bytes bigint not null
  )`,
  'insert into test_usage (account_id, bytes) select owner_id, sum(bytes) from test_case group by owner_id',
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const add = (rows: string): string =>
  `insert into test_usage (account_id, bytes) ${rows}
    on conflict (account_id) do update set bytes = test_usage.bytes + excluded.bytes`

const sqliteTriggers = [
  `create trigger test_added after insert on test_case begin
    ${add('values (new.owner_id, new.bytes)')}; end`,
  `create trigger test_removed after delete on test_case begin
    ${add('values (old.owner_id, -old.bytes)')}; end`,
  `create trigger test_resized after update of bytes on test_case begin
    ${add('values (new.owner_id, new.bytes - old.bytes)')}; end`,
]

/** Once per statement: a row changed thousands of times in one transaction leaves as many dead versions. */
const postgresTriggers = [
  ['added', 'insert', 'new', ''],
  ['removed', 'delete', 'old', '-'],
].flatMap(([name, act, rows, sign]) => [
  `create function count_test_${name}() returns trigger language plpgsql as $$
  begin
    ${add(`select owner_id, ${sign}sum(bytes) from changed group by owner_id`)};
    return null;
  end
  $$`,
  `create trigger test_${name} after ${act} on test_case referencing ${rows} table as changed
    for each statement execute function count_test_${name}()`,
])
postgresTriggers.push(
  `create function count_test_resized() returns trigger language plpgsql as $$
  begin
    ${add('values (new.owner_id, new.bytes - old.bytes)')};
    return null;
  end
  $$`,
  `create trigger test_resized after update of bytes on test_case
    for each row when (old.bytes is distinct from new.bytes) execute function count_test_resized()`,
)
