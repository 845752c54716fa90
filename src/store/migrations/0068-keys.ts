/** Keys: for git over SSH, and for verifying signatures. */
import type { Ddl } from './ddl.ts'

export const keys = ({ id }: Ddl): string[] => [
  `create table ssh_key (
    id ${id},
    fingerprint text not null unique,
    key_text text not null,
    title text not null,
    account_id bigint not null references account (id) on delete cascade,
    repository_id bigint references repository (id) on delete cascade,
    is_read_only bigint not null,
    created_at bigint not null)`,
  'create index ssh_key_by_account on ssh_key (account_id, id)',
  'create index ssh_key_by_repository on ssh_key (repository_id, id) where repository_id is not null',
  // A token of its own states a key's rights and ends with it, as do the tokens that it was exchanged for.
  'alter table token add column key_id bigint references ssh_key (id) on delete cascade',
  'create index token_by_key on token (key_id) where key_id is not null',
  `create table ssh_signing_key (
    id ${id},
    account_id bigint not null references account (id) on delete cascade,
    fingerprint text not null,
    key_text text not null,
    title text not null,
    created_at bigint not null)`,
  'create unique index ssh_signing_key_by_fingerprint on ssh_signing_key (fingerprint)',
  'create index ssh_signing_key_by_account on ssh_signing_key (account_id, id)',
  `create table gpg_key (
    id ${id},
    account_id bigint not null references account (id) on delete cascade,
    name text,
    key_id text not null,
    fingerprint text not null unique,
    armored text not null,
    details text not null,
    created_at bigint not null,
    expires_at bigint)`,
  'create index gpg_key_by_account on gpg_key (account_id, id)',
  `create table gpg_key_part (
    gpg_key_id bigint not null references gpg_key (id) on delete cascade,
    key_id text not null,
    primary key (gpg_key_id, key_id))`,
  'create index gpg_key_part_by_key on gpg_key_part (key_id)',
]
