/** What a repository's wiki takes: it counts to its owner's quota, and has no row of its own. */
import type { Ddl } from './ddl.ts'

export const wikiUsage = (_: Ddl): string[] => [
  `create table wiki_usage (
    repository_id bigint primary key references repository (id) on delete cascade,
    size_kib bigint not null
  )`,
]
