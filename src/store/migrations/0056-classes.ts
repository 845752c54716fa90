/** Classes: a teacher's students, with their roster names. */
import type { Ddl } from './ddl.ts'

export const classes = ({ id }: Ddl): string[] => [
  `create table class (
    id ${id},
    public_id text not null unique,
    name text not null,
    join_code text unique,
    is_archived bigint not null default 0,
    created_at bigint not null)`,
  `create table class_member (
    class_id bigint not null references class (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    role text not null,
    roster_name text not null,
    is_created_here bigint not null default 0,
    is_put_in bigint not null default 0,
    joined_at bigint not null,
    primary key (class_id, account_id))`,
  'create index class_member_by_account on class_member (account_id, class_id)',
]
