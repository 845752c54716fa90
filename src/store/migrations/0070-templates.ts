/** What a repository was generated from; and pulls that are merged as soon as they may be. */
export const templates = (): string[] => [
  'alter table repository add column template_id bigint references repository (id) on delete set null',
  'create index repository_by_template on repository (template_id) where template_id is not null',
  `create table pull_auto_merge (
    issue_id bigint primary key references issue (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    actor_id bigint not null references account (id) on delete cascade,
    credential text not null,
    head_sha text not null,
    method text not null,
    title text,
    message text,
    created_at bigint not null,
    tried_at bigint not null
  )`,
  'create index pull_auto_merge_by_head on pull_auto_merge (repository_id, head_sha)',
  'create index pull_auto_merge_by_try on pull_auto_merge (tried_at)',
]
