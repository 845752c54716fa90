/** What is finished of a problem's submissions, so that judging it again does not walk through what waits. */
import type { Ddl } from './ddl.ts'

export const finishedSubmissions = (_: Ddl): string[] => [
  'create index submission_finished_by_problem on submission (problem_id, id) where status = 3',
]
