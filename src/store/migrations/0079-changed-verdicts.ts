/** Verdicts that a rejudging changed: what they were before, so that whoever handed in can be told. */
import type { Ddl } from './ddl.ts'

export const changedVerdicts = ({ id }: Ddl): string[] => [
  `create table changed_verdict (
    id ${id},
    submission_id bigint not null references submission (id) on delete cascade,
    result bigint not null,
    score bigint,
    maximum_score bigint,
    changed_at bigint)`,
  'create index changed_verdict_by_submission on changed_verdict (submission_id, changed_at)',
]
