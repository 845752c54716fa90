/** The account that a rejudging is for: the author of the problem, whose share of the executors it uses. */
import type { Ddl } from './ddl.ts'

export const rejudgedFor = (_: Ddl): string[] => [
  'alter table submission add column rejudged_for bigint not null default 0',
  `update submission set rejudged_for = (select problem.author_id from problem where problem.id = submission.problem_id)
    where is_rejudged = 1 and status <> 3`,
  'drop index submission_waiting_by_turn',
  'drop index submission_waiting_by_language_and_turn',
  `create index submission_waiting_by_turn on submission (needs, is_rejudged, rejudged_for, turn, id)
    where status = 1`,
  `create index submission_waiting_by_language_and_turn on submission
    (needs, language, is_rejudged, rejudged_for, turn, id) where status = 1`,
]
