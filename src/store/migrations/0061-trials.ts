/** Trials: programs run without a submission. */
import type { Ddl } from './ddl.ts'

export const trials = ({ id, bytes }: Ddl): string[] => [
  `create table trial (
    id ${id},
    account_id bigint not null references account (id) on delete cascade,
    problem_id bigint not null references problem (id) on delete cascade,
    language text not null,
    content ${bytes} not null,
    input ${bytes},
    status bigint not null,
    created_at bigint not null,
    waits_since bigint not null,
    claimed_by bigint,
    lease text,
    lease_expires_at bigint,
    losses bigint not null,
    report text)`,
  'create index trial_by_account on trial (account_id)',
  'create index trial_by_problem on trial (problem_id)',
  'create index trial_by_status on trial (status, id)',
]
