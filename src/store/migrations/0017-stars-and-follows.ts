/** Stars of repositories, and who follows whom. Triggers count them, so that neither lists nor counts are scanned. */
import type { Ddl } from './ddl.ts'

const levels = [18, 12, 6]

export const starsAndFollows = ({ id, engine }: Ddl): string[] => [
  'alter table repository add column star_count bigint not null default 0',
  `create table star (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    user_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    unique (repository_id, user_id)
  )`,
  'create index star_by_repository on star (repository_id, id)',
  'create index star_by_user on star (user_id, id)',
  `create table follow (
    id ${id},
    follower_id bigint not null references account (id) on delete cascade,
    followed_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    unique (follower_id, followed_id)
  )`,
  `create table follow_count (
    account_id bigint primary key references account (id) on delete cascade,
    followers bigint not null,
    following bigint not null
  )`,
  'create index follow_by_follower on follow (follower_id, id)',
  'create index follow_by_followed on follow (followed_id, id)',
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

type Row = 'new' | 'old'

/** A list, and the column with its owner. */
type Counted = readonly [list: string, owner: string]

const change = (lists: readonly Counted[], row: Row): string => {
  const blocks = lists.flatMap(([list, owner]) =>
    levels.map((level) => `('${list}', ${row}.${owner}, ${level}, ${row}.id >> ${level}, ${row === 'new' ? 1 : -1})`),
  )
  return `insert into list_count (list, owner_id, level, block, count) values ${blocks.join(', ')}
    on conflict (list, owner_id, level, block) do update set count = list_count.count + excluded.count`
}

const ofStars = (row: Row): string =>
  `${change([['stargazer', 'repository_id']], row)};
  update repository set star_count = star_count ${row === 'new' ? '+' : '-'} 1 where id = ${row}.repository_id`

const followLists: readonly Counted[] = [
  ['follower', 'followed_id'],
  ['following', 'follower_id'],
]

/** Profiles show the counts. They have rows of their own, since those of lists change with every event of an issue. */
const ofFollows = {
  new: `${change(followLists, 'new')};
  insert into follow_count (account_id, followers, following)
    values (new.followed_id, 1, 0), (new.follower_id, 0, 1)
    on conflict (account_id) do update set
      followers = follow_count.followers + excluded.followers, following = follow_count.following + excluded.following`,
  old: `${change(followLists, 'old')};
  update follow_count set followers = followers - 1 where account_id = old.followed_id;
  update follow_count set following = following - 1 where account_id = old.follower_id`,
}

const sqliteTriggers = [
  `create trigger star_counted after insert on star begin ${ofStars('new')}; end`,
  `create trigger star_uncounted after delete on star begin ${ofStars('old')}; end`,
  `create trigger follow_counted after insert on follow begin ${ofFollows.new}; end`,
  `create trigger follow_uncounted after delete on follow begin ${ofFollows.old}; end`,
]

const postgresTrigger = (table: string, count: (row: Row) => string): string[] => [
  `create function count_${table}() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${count('new')};
    else ${count('old')};
    end if;
    return null;
  end
  $$`,
  `create trigger ${table}_counted after insert or delete on ${table} for each row execute function count_${table}()`,
]

const postgresTriggers = [...postgresTrigger('star', ofStars), ...postgresTrigger('follow', (row) => ofFollows[row])]
