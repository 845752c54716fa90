/**
 * Rejudging while the present result still counts: the submission returns to the queue, and its present result is
 * stored separately until the new one is applied, or restored if it is not.
 */
import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import { finished, noResult, submitted } from '../submissions/status.ts'
import { turnOfRejudged } from '../submissions/turns.ts'
import { unclaimed } from './claim.ts'
import { scoreUntested } from './scores.ts'

/**
 * Must be called before contests are locked: a submission that finishes is locked first, and then waits for its
 * contest.
 */
export async function lockSubmissions(trx: Db, ids: readonly number[]): Promise<void> {
  for (const part of portionsOf(ids))
    await trx.updateTable('submission').set({ losses: sql<number>`losses` }).where('id', 'in', part).execute()
}

/**
 * Queues those that are finished and not already being rejudged, behind everything that people wait for. Returns their
 * ids.
 */
export async function startHiddenRejudging(trx: Db, ids: readonly number[]): Promise<number[]> {
  const begun: number[] = []
  for (const part of portionsOf(ids)) {
    const free = trx
      .selectFrom('submission')
      .leftJoin('submission_report', 'submission_report.submission_id', 'submission.id')
      .select(['submission.id', 'submission.result', 'submission.finished_at', 'submission.is_rejudged'])
      .select(['submission.cpu_ms', 'submission.memory_bytes', 'submission.finished_tests', 'submission.total_tests'])
      .select(['submission.score', 'submission.maximum_score', 'submission_report.report'])
      .where('submission.id', 'in', part)
      .where('submission.status', '=', finished)
      .where('submission.id', 'not in', trx.selectFrom('present_result').select('submission_id'))
    const rows = await free.execute()
    if (rows.length === 0) continue
    const values = rows.map(({ id, finished_at, ...row }) => ({ ...row, submission_id: id, finished_at: finished_at! }))
    await trx.insertInto('present_result').values(values).execute()
    const own = rows.map(({ id }) => id)
    await trx.deleteFrom('submission_report').where('submission_id', 'in', own).execute()
    await trx
      .updateTable('submission')
      .set({ ...unclaimed, status: submitted, result: noResult, losses: 0, finished_at: null, cpu_ms: null })
      .set({ memory_bytes: null, finished_tests: 0, total_tests: 0, is_rejudged: 1, score: null, maximum_score: null })
      .set({
        needs: ofProblem('needs'),
        rejudged_for: ofProblem('author_id'),
        turn: turnOfRejudged,
      })
      .where('id', 'in', own)
      .execute()
    begun.push(...own)
  }
  return begun
}

const ofProblem = (column: 'needs' | 'author_id') =>
  sql<number>`(select ${sql.ref(`problem.${column}`)} from problem where problem.id = submission.problem_id)`

/** From now on the new results count. */
export async function applyHiddenResults(trx: Db, ids: readonly number[]): Promise<void> {
  for (const part of portionsOf(ids))
    await trx.deleteFrom('present_result').where('submission_id', 'in', part).execute()
}

/** Discards the new results; rejudgings in progress are cancelled. */
export async function restorePresentResults(trx: Db, ids: readonly number[]): Promise<void> {
  for (const part of portionsOf(ids)) {
    const rows = await trx.selectFrom('present_result').selectAll().where('submission_id', 'in', part).execute()
    await trx.deleteFrom('submission_report').where('submission_id', 'in', part).execute()
    for (const { submission_id: id, report, ...columns } of rows) {
      await trx
        .updateTable('submission')
        .set({ ...columns, ...unclaimed, status: finished, losses: 0 })
        .where('id', '=', id)
        .execute()
      if (report !== null) await trx.insertInto('submission_report').values({ submission_id: id, report }).execute()
    }
    await trx.deleteFrom('present_result').where('submission_id', 'in', part).execute()
  }
}

/** The jury's result replaces the judged one. Returns whether the submission was finished. */
export async function overrideResult(trx: Db, id: number, result: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('submission')
    .set({ result })
    .where('id', '=', id)
    .where('status', '=', finished)
    .where('id', 'not in', trx.selectFrom('present_result').select('submission_id'))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return false
  await scoreUntested(trx, [id], result)
  return true
}

export type GroupPoints = { readonly name: string; readonly score: number }

/** The points of the groups, from the report. */
export async function readGroupScores(trx: Db, id: number): Promise<readonly GroupPoints[]> {
  const row = await trx
    .selectFrom('submission_report')
    .select('report')
    .where('submission_id', '=', id)
    .executeTakeFirst()
  return row ? groupScoresIn(row.report) : []
}

/** The same from the stored text of the report. */
export function groupScoresIn(report: string): readonly GroupPoints[] {
  const { scores } = JSON.parse(report) as { scores?: { groups?: GroupPoints[] } }
  return (scores?.groups ?? []).map(({ name, score }) => ({ name, score }))
}

function* portionsOf(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += portion) yield ids.slice(at, at + portion)
}

const portion = 500
