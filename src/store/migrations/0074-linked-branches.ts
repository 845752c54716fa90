/** Branches that were made for an issue. */
import type { Ddl } from './ddl.ts'

export const linkedBranches = ({ id }: Ddl): string[] => [
  `create table linked_branch (
    id ${id},
    issue_id bigint not null references issue (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    branch text not null,
    created_at bigint not null,
    unique (issue_id, repository_id, branch)
  )`,
  'create index linked_branch_by_repository on linked_branch (repository_id, branch)',
]
