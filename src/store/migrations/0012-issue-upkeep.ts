/** Numbers of milestones, users blocked by an organisation, and how many issue events are in each block of ids. */
import type { Ddl } from './ddl.ts'

const levels = [18, 12, 6]

export const issueUpkeep = ({ engine }: Ddl): string[] => [
  'alter table repository add column last_milestone_number bigint not null default 0',
  `create table organisation_block (
    organisation_id bigint not null references account (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    primary key (organisation_id, user_id)
  )`,
  'create index organisation_block_by_user on organisation_block (user_id)',
  ...levels.map(
    (level) => `insert into list_count select 'issue-event', repository_id, ${level}, id >> ${level}, count(*)
      from issue_event where is_hidden = 0 group by repository_id, id >> ${level}`,
  ),
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const change = (row: 'new' | 'old'): string => {
  const by = row === 'new' ? 1 : -1
  const blocks = levels.map((level) => `('issue-event', ${row}.repository_id, ${level}, ${row}.id >> ${level}, ${by})`)
  return `insert into list_count (list, owner_id, level, block, count) values ${blocks.join(', ')}
    on conflict (list, owner_id, level, block) do update set count = list_count.count + excluded.count`
}

/** An event that is hidden, or moves to another repository with its issue, is counted again. */
const sqliteTriggers = [
  `create trigger issue_event_counted after insert on issue_event when new.is_hidden = 0 begin ${change('new')}; end`,
  `create trigger issue_event_uncounted after delete on issue_event when old.is_hidden = 0 begin ${change('old')}; end`,
  `create trigger issue_event_left after update of repository_id, is_hidden on issue_event when old.is_hidden = 0 begin
    ${change('old')}; end`,
  `create trigger issue_event_came after update of repository_id, is_hidden on issue_event when new.is_hidden = 0 begin
    ${change('new')}; end`,
]

const postgresTriggers = [
  `create function count_issue_event() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'INSERT' and old.is_hidden = 0 then ${change('old')}; end if;
    if tg_op <> 'DELETE' and new.is_hidden = 0 then ${change('new')}; end if;
    return null;
  end
  $$`,
  `create trigger issue_event_counted after insert or delete or update of repository_id, is_hidden on issue_event
    for each row execute function count_issue_event()`,
]
