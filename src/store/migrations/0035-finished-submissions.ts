/** A problem's finished submissions, so that a rejudging does not scan waiting ones. */
import type { Ddl } from './ddl.ts'

export const finishedSubmissions = (_: Ddl): string[] => [
  'create index submission_finished_by_problem on submission (problem_id, id) where status = 3',
]
