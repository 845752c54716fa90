/** Judging again: finished submissions go back in the queue, at their old places, one or all to a problem. */
import { type Actor, requireRole } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { demand } from '../../base/failure.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isKeeper, type Problems, writers } from '../problems/problems.ts'
import { finished, noResult, submitted } from '../submissions/status.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import { makeSubmissionQueries } from '../submissions/submission-queries.ts'
import { type SubmissionSnippet, toSnippet } from '../submissions/submission-row.ts'
import type { Submissions } from '../submissions/submissions.ts'

/** What was finished by then, and to which problem. */
type Order = { readonly problemId: number; readonly finishedBy: number }

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  events: SubmissionEventPublisher
  problems: Problems
  submissions: Submissions
}

const jobKind = 'judge.rejudge'
/** So many in one write: a few milliseconds in which no other can write. */
const portion = 500
/** Of an order that is not carried out by then, the server was killed meanwhile. */
const takeUpMs = 60_000

export type Rejudging = ReturnType<typeof makeRejudging>

export function makeRejudging({ store, clock, jobs, events, problems, submissions }: Needs) {
  const queries = makeSubmissionQueries(store)

  /** As if they had just been handed in. Answers how many of them were finished. */
  async function restart(trx: Db, ids: readonly number[]): Promise<number> {
    await trx.deleteFrom('submission_report').where('submission_id', 'in', ids).execute()
    const { numUpdatedRows } = await trx
      .updateTable('submission')
      .set({ status: submitted, result: noResult, losses: 0, finished_at: null, cpu_ms: null, memory_bytes: null })
      .set({ finished_tests: 0, total_tests: 0 })
      .where('id', 'in', ids)
      .where('status', '=', finished)
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows)
  }

  async function findFinished({ problemId, finishedBy }: Order, after: number): Promise<number[]> {
    const rows = await store.db
      .selectFrom('submission')
      .select('id')
      .where('problem_id', '=', problemId)
      .where('id', '>', after)
      .where('status', '=', finished)
      .where('finished_at', '<=', finishedBy)
      .orderBy('id')
      .limit(portion)
      .execute()
    return rows.map(({ id }) => id)
  }

  /** A portion at a time, so that others may write in between. Done twice it finds nothing more to do. */
  async function carryOut(order: Order): Promise<number> {
    let count = 0
    for (let after = 0; ; ) {
      const ids = await findFinished(order, after)
      if (ids.length === 0) return count
      count += await store.write((trx) => restart(trx, ids))
      events.publishWaiting()
      after = ids.at(-1)!
    }
  }

  jobs.define<Order>(jobKind, carryOut)

  return {
    async one(actor: Actor, id: number): Promise<SubmissionSnippet> {
      requireRole(actor, writers, 'have submissions judged again')
      const { problem } = await submissions.get(actor, id)
      demand(isKeeper(actor, problem), 'forbidden', 'not-yours', notYourProblem)
      const again = await store.write(async (trx) => {
        const count = await restart(trx, [id])
        demand(count > 0, 'precondition', 'not-finished', 'Only a finished submission can be judged again.')
        return queries.demand(id, trx)
      })
      events.publishWaiting()
      return toSnippet(again)
    },

    /** Answers how many. Where the server is killed on the way, a job does the rest. */
    async allTo(actor: Actor, problemUuid: string): Promise<number> {
      requireRole(actor, writers, 'have submissions judged again')
      const problem = await problems.find(problemUuid)
      demand(isKeeper(actor, problem), 'forbidden', 'not-yours', notYourProblem)
      const order = { problemId: problem.id, finishedBy: clock.now() }
      await store.write((trx) => jobs.enqueue(trx, jobKind, order, { runAt: order.finishedBy + takeUpMs }))
      return carryOut(order)
    },
  }
}

const notYourProblem = 'This problem is another’s: only its author may have its submissions judged again.'
