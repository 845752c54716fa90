/** Notifications: subjects of threads, each user's threads and their counts, and how often an inbox changed. */
import type { Ddl } from './ddl.ts'

export const notifications = (ddl: Ddl): string[] => [...threads(ddl), ...counts(ddl), ...inboxes(ddl)]

const threads = ({ id }: Ddl): string[] => [
  `create table thread_subject (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    kind text not null,
    key text not null,
    issue_id bigint,
    type text,
    title text,
    url text,
    latest_comment_url text,
    unique (repository_id, kind, key)
  )`,
  `create table thread (
    id ${id},
    user_id bigint not null references account (id) on delete cascade,
    subject_id bigint not null references thread_subject (id) on delete cascade,
    repository_id bigint not null,
    subscription text not null,
    stored_reason text,
    subscribed_at bigint,
    reason text not null,
    is_participating bigint not null,
    state text not null,
    updated_at bigint not null,
    last_read_at bigint,
    last_activity_id bigint not null,
    change bigint not null,
    unique (subject_id, user_id)
  )`,
  // One per list: threads outside a list cost it nothing.
  ...lists.flatMap(([name, where]) => [
    `create index thread_${name} on thread (user_id, updated_at, id) where ${where}`,
    `create index thread_${name}_of_repository on thread (user_id, repository_id, updated_at, id) where ${where}`,
  ]),
]

const lists = [
  ['unread', "state = 'unread'"],
  ['listed', "state in ('unread', 'read')"],
  ['done', "state = 'done'"],
  ['unread_participating', "state = 'unread' and is_participating = 1"],
  ['listed_participating', "state in ('unread', 'read') and is_participating = 1"],
] as const

const counts = ({ engine }: Ddl): string[] => [
  // No references: the remaining rows show whose threads were deleted with a repository.
  `create table thread_count (
    user_id bigint not null,
    repository_id bigint not null,
    state text not null,
    is_participating bigint not null,
    count bigint not null,
    primary key (user_id, repository_id, state, is_participating)
  ) ${engine === 'sqlite' ? 'without rowid' : ''}`,
  'create index thread_count_by_repository on thread_count (repository_id, user_id)',
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const count = (row: 'new' | 'old'): string =>
  `insert into thread_count (user_id, repository_id, state, is_participating, count)
    values (${row}.user_id, ${row}.repository_id, ${row}.state, ${row}.is_participating, ${row === 'new' ? 1 : -1})
    on conflict (user_id, repository_id, state, is_participating)
    do update set count = thread_count.count + excluded.count`

const isMoved =
  '(old.state <> new.state or old.is_participating <> new.is_participating or old.repository_id <> new.repository_id)'

const sqliteTriggers = [
  `create trigger thread_counted after insert on thread when new.state <> 'none' begin ${count('new')}; end`,
  `create trigger thread_uncounted after delete on thread when old.state <> 'none' begin ${count('old')}; end`,
  `create trigger thread_left after update on thread when old.state <> 'none' and ${isMoved} begin ${count('old')}; end`,
  `create trigger thread_moved after update on thread when new.state <> 'none' and ${isMoved} begin ${count('new')}; end`,
]

const postgresTriggers = [
  `create function count_thread() returns trigger language plpgsql as $$
  begin
    if tg_op <> 'INSERT' and old.state <> 'none' then ${count('old')}; end if;
    if tg_op <> 'DELETE' and new.state <> 'none' then ${count('new')}; end if;
    return null;
  end
  $$`,
  'create trigger thread_counted after insert or delete on thread for each row execute function count_thread()',
  `create trigger thread_moved after update on thread for each row when ${isMoved} execute function count_thread()`,
]

const inboxes = ({ id }: Ddl): string[] => [
  `create table inbox (
    user_id bigint primary key references account (id) on delete cascade,
    change bigint not null,
    modified_at bigint not null
  )`,
  `create table inbox_mark (
    id ${id},
    user_id bigint not null references account (id) on delete cascade,
    repository_id bigint,
    up_to bigint not null,
    up_to_change bigint not null,
    is_open bigint not null,
    total bigint not null,
    marked bigint not null,
    created_at bigint not null,
    finished_at bigint
  )`,
  'create index inbox_mark_by_user on inbox_mark (user_id, id)',
]
