/** What a repository was generated from. */
export const templates = (): string[] => [
  'alter table repository add column template_id bigint references repository (id) on delete set null',
  'create index repository_by_template on repository (template_id) where template_id is not null',
]
