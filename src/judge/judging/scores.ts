/** The points of a report by the problem's rules. */
import { type Scores, scoreTests, scoreWhole } from '../../lib/judging-rules/scoring/scoring.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { features } from '../features.ts'
import { scoringOf } from '../problem-judging/judging.ts'
import { readSettings } from '../problem-judging/judging-row.ts'
import { listScoredTests } from '../test-cases/test-judging.ts'
import type { ReportScores, TestReport } from './report.ts'

export function makeScores({ db }: Store) {
  const findProblem = prepareQuery(db, ({ id }: { id: number }) =>
    db
      .selectFrom('submission')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(['problem.id', 'problem.needs'])
      .where('submission.id', '=', id),
  )

  /** Undefined for a problem without points. A report without tests gives all or nothing. */
  return async function readScores(
    submissionId: number,
    result: number,
    tests: readonly TestReport[] = [],
  ): Promise<ReportScores | undefined> {
    const [problem] = await findProblem({ id: submissionId })
    if (!problem || (problem.needs & features.score) === 0) return undefined
    const rules = scoringOf(await readSettings(db, problem.id))
    if (!rules) return undefined
    const maximumScore = rules.maximum
    let scores: Scores
    if (tests.length === 0) scores = scoreWhole(rules, result)
    else {
      const outcomes = new Map(tests.map((test) => [test.testCaseUuid.toLowerCase(), test]))
      const scored = await listScoredTests(db, problem.id)
      const known = scored.map(({ uuid }) => outcomes.get(uuid))
      scores = scoreTests(rules, scored, known)
    }
    return { score: scores.score, maximumScore, groups: scores.groups }
  }
}

/**
 * Scores submissions that end with this result and without tests, and returns their scores, except for problems without
 * points.
 */
export async function scoreUntested(
  trx: Db,
  submissionIds: readonly number[],
  result: number,
): Promise<ReadonlyMap<number, ReportScores>> {
  const scores = new Map<number, ReportScores>()
  if (submissionIds.length === 0) return scores
  const rows = await trx
    .selectFrom('submission')
    .innerJoin('problem', 'problem.id', 'submission.problem_id')
    .select(['submission.id', 'problem.needs', 'problem_id'])
    .where('submission.id', 'in', submissionIds)
    .execute()
  const scored = Object.groupBy(
    rows.filter(({ needs }) => (needs & features.score) !== 0),
    (row) => row.problem_id,
  )
  for (const [problemId, members = []] of Object.entries(scored)) {
    const rules = scoringOf(await readSettings(trx, Number(problemId)))
    if (!rules) continue
    const whole = { ...scoreWhole(rules, result), maximumScore: rules.maximum }
    const ids = members.map(({ id }) => id)
    const points = { score: whole.score, maximum_score: whole.maximumScore }
    await trx.updateTable('submission').set(points).where('id', 'in', ids).execute()
    for (const id of ids) scores.set(id, whole)
  }
  return scores
}
