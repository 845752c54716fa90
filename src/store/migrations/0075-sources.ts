/** Imports by address and mirrors: where a repository's git data comes from. */
export const sources = (): string[] => [
  'alter table repository add column mirror_url text',
  `create table repository_source (
    repository_id bigint primary key references repository (id) on delete cascade,
    requester_id bigint not null references account (id) on delete cascade,
    url text not null,
    username text,
    password text,
    interval_ms bigint,
    state text not null,
    run text,
    received_bytes bigint not null default 0,
    branch_count bigint not null default 0,
    tag_count bigint not null default 0,
    skipped_refs text not null default '{"count":0,"names":[]}',
    failure text,
    failure_count bigint not null default 0,
    started_at bigint,
    fetched_at bigint,
    next_at bigint,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create index repository_source_by_requester on repository_source (requester_id)',
  'create index repository_source_by_next on repository_source (next_at) where next_at is not null',
]
