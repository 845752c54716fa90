/** The size of a repository's wiki: it counts towards its owner's quota, and has no row of its own. */
import type { Ddl } from './ddl.ts'

export const wikiUsage = (_: Ddl): string[] => [
  `create table wiki_usage (
    repository_id bigint primary key references repository (id) on delete cascade,
    size_kib bigint not null
  )`,
]
