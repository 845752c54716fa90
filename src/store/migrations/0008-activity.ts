/** Activity: what happened in the forge, recorded in the same write, and passed to consumers. */
import type { Ddl } from './ddl.ts'

export const activity = ({ id }: Ddl): string[] => [
  // No references: its subject may be gone, for example after a deletion.
  `create table activity (
    id ${id},
    kind text not null,
    actor_id bigint not null,
    repository_id bigint,
    organisation_id bigint,
    subject_id bigint,
    data text not null,
    created_at bigint not null,
    told_at bigint
  )`,
  'create index activity_untold on activity (id) where told_at is null',
  'create index activity_by_repository on activity (repository_id, id)',
  'create index activity_by_actor on activity (actor_id, id)',
  'create index activity_by_time on activity (created_at)',
]
