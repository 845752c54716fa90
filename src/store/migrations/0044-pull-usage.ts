/**
 * The size that pulls have brought from forks to repositories: it counts towards the person who brought it, until the
 * merge.
 */
import type { Ddl } from './ddl.ts'

export const pullUsage = ({ id }: Ddl): string[] => [
  `create table pull_usage (
    id ${id},
    repository_id bigint not null references repository (id) on delete cascade,
    account_id bigint not null references account (id) on delete cascade,
    issue_id bigint references issue (id) on delete set null,
    size_kib bigint not null
  )`,
  'create index pull_usage_by_repository on pull_usage (repository_id)',
  'create index pull_usage_by_account on pull_usage (account_id)',
  'create index pull_usage_by_issue on pull_usage (issue_id)',
]
