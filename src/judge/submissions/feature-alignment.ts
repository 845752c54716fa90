/**
 * Keeps the queued submissions' copies of features equal to their problems': if a problem needs other features, its
 * waiting submissions move to the right executors' part of the queue. They are moved in portions, so that nobody waits
 * for it.
 */
import type { Jobs } from '../../jobs/jobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { finished } from './status.ts'
import type { SubmissionEventPublisher } from './submission-events.ts'

type Order = { readonly problemId: number }
type Needs = { store: Store; jobs: Jobs; events: SubmissionEventPublisher; clock: { now(): number } }

const jobKind = 'judge.align-features'
const portion = 500
/** By then the call itself has done the work; the job finds later submissions, and the rest if a server was killed. */
const againAfterMs = 60_000

export type FeatureAlignment = ReturnType<typeof makeFeatureAlignment>

export function makeFeatureAlignment({ store, jobs, events, clock }: Needs) {
  async function findSome(problemId: number, after: number): Promise<number[]> {
    const rows = await store.db
      .selectFrom('submission')
      .select('id')
      .where('problem_id', '=', problemId)
      .where('id', '>', after)
      .where('status', '!=', finished)
      .orderBy('id')
      .limit(portion)
      .execute()
    return rows.map(({ id }) => id)
  }

  async function align(problemId: number): Promise<void> {
    for (let after = 0; ; ) {
      const ids = await findSome(problemId, after)
      if (ids.length === 0) return
      await store.write((trx) =>
        trx
          .updateTable('submission')
          .set({ needs: neededBy(trx, problemId) })
          .where('id', 'in', ids)
          .execute(),
      )
      events.publishWaiting()
      after = ids.at(-1)!
    }
  }

  jobs.define<Order>(jobKind, ({ problemId }) => align(problemId))

  return {
    align,
    enqueue: (trx: Db, problemId: number) =>
      jobs.enqueue(trx, jobKind, { problemId } satisfies Order, {
        runAt: clock.now() + againAfterMs,
        key: String(problemId),
      }),
  }
}

/** The problem's present features, as a column expression. */
export const neededBy = (db: Db, problemId: number) =>
  db.selectFrom('problem').select('needs').where('id', '=', problemId)
