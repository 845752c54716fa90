/** Forks: each one's parent, and the source of the whole network. */
export const forks = (): string[] => [
  'alter table repository add column parent_id bigint references repository (id) on delete set null',
  'alter table repository add column source_id bigint references repository (id) on delete set null',
  'create index repository_by_parent on repository (parent_id, is_private, created_at, id) where parent_id is not null',
  'create index repository_by_source on repository (source_id, owner_id) where source_id is not null',
]
