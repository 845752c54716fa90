import type { Ddl } from './ddl.ts'

/**
 * The key of a problem's TestCaseHash; rejudgings, behind all submissions that people wait for; and waiting
 * submissions, by author.
 */
export const fairJudging = ({ engine }: Ddl): string[] => [
  `alter table problem add column hash_key text not null default ''`,
  engine === 'sqlite'
    ? 'update problem set hash_key = hex(randomblob(32))'
    : `update problem set hash_key = gen_random_uuid()::text || gen_random_uuid()::text`,
  'alter table submission add column is_rejudged integer not null default 0',
  'drop index submission_waiting_by_author',
  'create index submission_waiting_by_author on submission (author_id, id) where status = 1',
  'create index submission_waiting_first on submission (id) where status = 1 and is_rejudged = 0',
  'create index submission_waiting_first_by_language on submission (language, id) where status = 1 and is_rejudged = 0',
]
