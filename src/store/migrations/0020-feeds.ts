/** Feeds: public and private events of repositories, written when activity is processed, in the order of reading. */
import type { Ddl } from './ddl.ts'

export const feeds = ({ id }: Ddl): string[] => [
  // `is_private` is as of the event: events of a time when a repository was private stay private.
  `create table feed_event (
    id ${id},
    type text not null,
    action text,
    actor_id bigint not null references account (id) on delete cascade,
    repository_id bigint not null references repository (id) on delete cascade,
    organisation_id bigint,
    is_private bigint not null,
    subject_id bigint,
    data text not null,
    created_at bigint not null
  )`,
  'create index feed_event_by_repository on feed_event (repository_id, id)',
  'create index feed_event_by_actor on feed_event (actor_id, id)',
  'create index feed_event_public_by_actor on feed_event (actor_id, id) where is_private = 0',
  'create index feed_event_public_by_organisation on feed_event (organisation_id, id) where is_private = 0',
  'create index feed_event_public on feed_event (id) where is_private = 0',
  'create index feed_event_by_time on feed_event (created_at)',
]
