/**
 * Turns in the queue, among authors with equally many submissions being judged; and indexes of waiting submissions in
 * each order of search, so that no claim scans those of others.
 */
import type { Ddl } from './ddl.ts'

export const judgingTurns = ({ engine }: Ddl): string[] => [
  'alter table submission add column turn bigint not null default 0',
  // Author 0: the last turn that was served.
  `create table judging_turn (
    author_id bigint not null,
    is_rejudged bigint not null,
    turn bigint not null,
    primary key (author_id, is_rejudged)
  ) ${engine === 'sqlite' ? 'without rowid' : ''}`,
  'insert into judging_turn (author_id, is_rejudged, turn) values (0, 0, 0), (0, 1, 0)',
  `update submission set turn = (
    select count(*) from submission as other
    where other.status = 1 and other.author_id = submission.author_id and other.is_rejudged = submission.is_rejudged
      and other.id <= submission.id
  ) where status = 1`,
  `insert into judging_turn (author_id, is_rejudged, turn)
    select author_id, is_rejudged, max(turn) from submission where status = 1 group by author_id, is_rejudged`,
  'drop index submission_waiting_by_author',
  'drop index submission_waiting_first',
  'drop index submission_waiting_first_by_language',
  'create index submission_waiting_by_author on submission (author_id, is_rejudged, id) where status = 1',
  'create index submission_waiting_by_turn on submission (is_rejudged, turn, id) where status = 1',
  'create index submission_waiting_by_language_and_turn on submission (language, is_rejudged, turn, id) where status = 1',
]
