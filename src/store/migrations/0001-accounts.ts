/** Accounts, sessions, tokens, lock-outs and settings. */
import type { Ddl } from './ddl.ts'

export const accounts = ({ id }: Ddl): string[] => [
  `create table account (
    id ${id},
    kind text not null,
    name text not null,
    name_key text not null unique,
    display_name text not null,
    role text not null,
    password_hash text,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index account_by_role on account (role, id)',
  `create table session (
    token_hash text primary key,
    account_id bigint not null references account (id) on delete cascade,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  'create index session_by_account on session (account_id)',
  'create index session_by_expiry on session (expires_at)',
  `create table token (
    id ${id},
    account_id bigint not null references account (id) on delete cascade,
    kind text not null,
    token_hash text not null unique,
    hint text not null,
    note text not null,
    scopes text not null,
    permissions text not null,
    repositories text not null,
    expires_at bigint,
    last_used_at bigint,
    created_at bigint not null
  )`,
  'create index token_by_account on token (account_id, id)',
  `create table lockout (
    key text primary key,
    failures text not null,
    blocked_until bigint not null
  )`,
  'create index lockout_by_end on lockout (blocked_until)',
  `create table setting (
    key text primary key,
    value text not null
  )`,
]
