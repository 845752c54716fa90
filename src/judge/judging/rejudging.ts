/**
 * Rejudging: one finished submission, or all of a problem, return to the queue. In the fair order they come after all
 * others.
 */
import { sql } from 'kysely'
import type { Actor } from '../../accounts/actor.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { makeFairScheduler } from '../../lib/scheduling/fair-scheduler.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { demandOwnProblem, requireAct } from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import { finished, noResult, submitted } from '../submissions/status.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import { makeSubmissionQueries } from '../submissions/submission-queries.ts'
import { type SubmissionSnippet, toSnippet } from '../submissions/submission-row.ts'
import type { Submissions } from '../submissions/submissions.ts'
import { countless, makeTurns } from '../submissions/turns.ts'
import type { ChangedVerdicts } from './changed-verdicts.ts'

/** Every submission to the problem that was finished by this time is judged again. */
type Order = { readonly problemId: number; readonly finishedBy: number }

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  events: SubmissionEventPublisher
  problems: Problems
  submissions: Submissions
  changedVerdicts: Pick<ChangedVerdicts, 'keepWithin'>
}

const jobKind = 'judge.rejudge'
/** Writing 500 submissions takes a few milliseconds, during which nobody else can write to SQLite. */
const portion = 500
/** The job waits this long: by then the call itself has done the work, unless its server was killed. */
const resumeAfterMs = 60_000

const ofProblem = (column: 'needs' | 'author_id') =>
  sql<number>`(select ${sql.ref(`problem.${column}`)} from problem where problem.id = submission.problem_id)`

export type Rejudging = ReturnType<typeof makeRejudging>

export function makeRejudging(needs: Needs) {
  const { store, clock, jobs, events, problems, submissions, changedVerdicts } = needs
  const queries = makeSubmissionQueries(store)
  const turns = makeTurns(store)
  /** One at a time per problem: concurrent ones would all process the same submissions. */
  const { run: takeTurn } = makeFairScheduler({
    slots: Number.POSITIVE_INFINITY,
    slotsPerCaller: 1,
    queuePerCaller: 20,
    queue: 1_000,
    what: 'submissions to be judged again',
  })

  /** Resets the finished ones among these to the submitted state, and returns how many there were. */
  async function restart(trx: Db, ids: readonly number[]): Promise<number> {
    const turnOf = await giveTurns(trx, ids)
    if (turnOf.size === 0) return 0
    await changedVerdicts.keepWithin(trx, ids)
    await trx.deleteFrom('submission_report').where('submission_id', 'in', ids).execute()
    const cases = [...turnOf].map(([id, turn]) => sql`when ${id} then cast(${turn} as bigint)`)
    const { numUpdatedRows } = await trx
      .updateTable('submission')
      .set({ status: submitted, result: noResult, losses: 0, finished_at: null, cpu_ms: null, memory_bytes: null })
      .set({ finished_tests: 0, total_tests: 0, is_rejudged: 1, score: null, maximum_score: null })
      .set({ needs: ofProblem('needs'), rejudged_for: ofProblem('author_id') })
      .set({ turn: sql<number>`case id ${sql.join(cases, sql` `)} else turn end` })
      .where('id', 'in', ids)
      .where('status', '=', finished)
      .executeTakeFirstOrThrow()
    return Number(numUpdatedRows)
  }

  /** Authors take turns among rejudged submissions, too. */
  async function giveTurns(trx: Db, ids: readonly number[]): Promise<Map<number, number>> {
    const rows = await trx
      .selectFrom('submission')
      .select(['id', 'author_id'])
      .where('id', 'in', ids)
      .where('status', '=', finished)
      .orderBy('author_id')
      .orderBy('id')
      .execute()
    const turnOf = new Map<number, number>()
    // In the order of authors, so that two concurrent rejudgings can't deadlock.
    for (const [authorId, own] of Map.groupBy(rows, ({ author_id }) => author_id)) {
      const wish = { authorId, isRejudged: 1, count: own.length, waiting: countless } as const
      const first = await turns.take(trx, wish)
      for (const [i, { id }] of own.entries()) turnOf.set(id, first + i)
    }
    return turnOf
  }

  async function findFinished({ problemId, finishedBy }: Order, after: number): Promise<number[]> {
    const rows = await store.db
      .selectFrom('submission')
      .select('id')
      .where('problem_id', '=', problemId)
      .where('id', '>', after)
      // A literal: finished submissions have a partial index, so waiting ones are not scanned.
      .where('status', '=', sql.lit(finished))
      .where('finished_at', '<=', finishedBy)
      // Contests have rejudgings of their own.
      .where('contest_id', 'is', null)
      .orderBy('id')
      .limit(portion)
      .execute()
    return rows.map(({ id }) => id)
  }

  /** Works in portions, so that others can write in between. It is idempotent, as a job must be. */
  async function restartFinished(order: Order): Promise<number> {
    let count = 0
    for (let after = 0; ; ) {
      const ids = await findFinished(order, after)
      if (ids.length === 0) return count
      count += await store.write((trx) => restart(trx, ids))
      events.publishWaiting()
      after = ids.at(-1)!
    }
  }

  jobs.define<Order>(jobKind, restartFinished)

  return {
    async rejudgeSubmission(actor: Actor, id: number): Promise<SubmissionSnippet> {
      requireAct(actor, 'rejudge')
      const { problem, contestId } = await submissions.get(actor, id)
      demandOwnProblem(actor, problem, 'rejudge its submissions')
      const instead = 'It belongs to a contest: its jury can start a rejudging (create_rejudging).'
      demand(contestId === null, 'precondition', 'in-contest', instead)
      const again = await store.write(async (trx) => {
        const count = await restart(trx, [id])
        demand(count > 0, 'precondition', 'not-finished', 'Only a finished submission can be judged again.')
        return queries.demand(id, trx)
      })
      events.publishWaiting()
      return toSnippet(again)
    },

    /** Returns how many submissions will be judged again. If the server is killed meanwhile, a job does the rest. */
    async rejudgeProblem(actor: Actor, problemUuid: string): Promise<number> {
      requireAct(actor, 'rejudge')
      const problem = await problems.find(actor, problemUuid)
      demandOwnProblem(actor, problem, 'rejudge its submissions')
      // A second call waits for the first, and then finds only submissions finished since.
      return takeTurn(String(problem.id), async () => {
        const order = { problemId: problem.id, finishedBy: clock.now() }
        if ((await findFinished(order, 0)).length === 0) return 0
        await store.write((trx) => jobs.enqueue(trx, jobKind, order, { runAt: order.finishedBy + resumeAfterMs }))
        return restartFinished(order)
      })
    },
  }
}
