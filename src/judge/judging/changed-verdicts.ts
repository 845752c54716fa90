/**
 * Verdicts that a rejudging changed. A verdict is kept when its submission returns to the queue, and dropped if the next
 * one is the same. Contests have rejudgings of their own.
 */
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { FinishedSubmissions } from '../submissions/finished-submissions.ts'
import { finished } from '../submissions/status.ts'

/** Points are in millionths. */
export type ChangedVerdict = {
  readonly result: number
  readonly score: number | null
  readonly maximumScore: number | null
  /** When the new verdict came. */
  readonly changedAt: number
}

type Needs = { store: Store; clock: Clock; finishedSubmissions: Pick<FinishedSubmissions, 'consume'> }

export type ChangedVerdicts = ReturnType<typeof makeChangedVerdicts>

export function makeChangedVerdicts({ store, clock, finishedSubmissions }: Needs) {
  finishedSubmissions.consume(async (trx, { id }) => {
    const row = await trx
      .selectFrom('changed_verdict as before')
      .innerJoin('submission as now', 'now.id', 'before.submission_id')
      .select(['before.result', 'before.score', 'before.maximum_score'])
      .select(['now.result as newResult', 'now.score as newScore', 'now.maximum_score as newMaximum'])
      .where('before.submission_id', '=', id)
      .where('before.changed_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (!row) return
    const { result, score, maximum_score } = row
    const isSame = result === row.newResult && score === row.newScore && maximum_score === row.newMaximum
    if (isSame)
      await trx.deleteFrom('changed_verdict').where('submission_id', '=', id).where('changed_at', 'is', null).execute()
    else
      await trx
        .updateTable('changed_verdict')
        .set({ changed_at: clock.now() })
        .where('submission_id', '=', id)
        .where('changed_at', 'is', null)
        .execute()
  })

  return {
    /** Keeps the present verdicts of the finished ones among these. Runs in the write that returns them to the queue. */
    async keepWithin(trx: Db, ids: readonly number[]): Promise<void> {
      await trx
        .insertInto('changed_verdict')
        .columns(['submission_id', 'result', 'score', 'maximum_score'])
        .expression((eb) =>
          eb
            .selectFrom('submission')
            .select(['id', 'result', 'score', 'maximum_score'])
            .where('id', 'in', ids)
            .where('status', '=', finished),
        )
        .execute()
    },

    /** The verdict before the last change. */
    async findLast(submissionId: number): Promise<ChangedVerdict | undefined> {
      const row = await store.db
        .selectFrom('changed_verdict')
        .select(['result', 'score', 'maximum_score as maximumScore', 'changed_at'])
        .where('submission_id', '=', submissionId)
        .where('changed_at', 'is not', null)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (!row) return undefined
      const { changed_at, ...verdict } = row
      return { ...verdict, changedAt: changed_at! }
    },
  }
}
