/** How many users and problems are in each block of ids, maintained by triggers. */
import type { Ddl } from './ddl.ts'

const levels = [18, 12, 6]

export const listCounts = ({ engine }: Ddl): string[] => [
  `create table list_count (
    list text not null,
    owner_id bigint not null,
    level bigint not null,
    block bigint not null,
    count bigint not null,
    primary key (list, owner_id, level, block)
  ) ${engine === 'sqlite' ? 'without rowid' : ''}`,
  ...levels.flatMap((level) => [
    `insert into list_count select 'user', 0, ${level}, id >> ${level}, count(*) from account
      where kind = 'user' group by id >> ${level}`,
    `insert into list_count select 'problem', 0, ${level}, id >> ${level}, count(*) from problem group by id >> ${level}`,
    `insert into list_count select 'problem', author_id, ${level}, id >> ${level}, count(*) from problem
      group by author_id, id >> ${level}`,
  ]),
  ...(engine === 'sqlite' ? sqliteTriggers : postgresTriggers),
]

const change = (list: string, owners: readonly string[], row: 'new' | 'old'): string => {
  const blocks = owners.flatMap((owner) =>
    levels.map((level) => `('${list}', ${owner}, ${level}, ${row}.id >> ${level}, ${row === 'new' ? 1 : -1})`),
  )
  return `insert into list_count (list, owner_id, level, block, count) values ${blocks.join(', ')}
    on conflict (list, owner_id, level, block) do update set count = list_count.count + excluded.count`
}

const sqliteTriggers = [
  `create trigger user_counted after insert on account when new.kind = 'user' begin ${change('user', ['0'], 'new')}; end`,
  `create trigger user_uncounted after delete on account when old.kind = 'user' begin ${change('user', ['0'], 'old')}; end`,
  `create trigger problem_counted after insert on problem begin
    ${change('problem', ['0', 'new.author_id'], 'new')}; end`,
  `create trigger problem_uncounted after delete on problem begin
    ${change('problem', ['0', 'old.author_id'], 'old')}; end`,
]

const postgresTriggers = [
  `create function count_user() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${change('user', ['0'], 'new')};
    else ${change('user', ['0'], 'old')};
    end if;
    return null;
  end
  $$`,
  `create trigger user_counted after insert on account for each row when (new.kind = 'user') execute function count_user()`,
  `create trigger user_uncounted after delete on account for each row when (old.kind = 'user') execute function count_user()`,
  `create function count_problem() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then ${change('problem', ['0', 'new.author_id'], 'new')};
    else ${change('problem', ['0', 'old.author_id'], 'old')};
    end if;
    return null;
  end
  $$`,
  `create trigger problem_counted after insert or delete on problem for each row execute function count_problem()`,
]
