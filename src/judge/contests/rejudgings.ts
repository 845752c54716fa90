/**
 * Rejudgings: submissions are judged again while their present results still count; then either all results change at
 * once, or none.
 */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import {
  applyHiddenResults,
  lockSubmissions,
  restorePresentResults,
  startHiddenRejudging,
} from '../judging/hidden-rejudging.ts'
import type { Limits } from '../limits.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import type { ContestDoors } from './contest-doors.ts'
import { appendLog, holdContest, type LogEntry } from './contest-log.ts'
import type { ContestPhases } from './contest-phases.ts'
import type { ContestSubmissions } from './contest-submissions.ts'

export type RejudgingFilter = {
  readonly problemId?: string
  readonly teamId?: string
  readonly language?: string
  readonly result?: number
  readonly fromTime?: number
  readonly toTime?: number
  readonly submissionIds?: readonly number[]
}

export type Rejudging = {
  readonly id: number
  readonly reason: string
  readonly state: string
  readonly createdBy: string
  readonly createdAt: number
  readonly endedAt: number | null
  readonly total: number
  readonly judged: number
  readonly changed: number
}

export type RejudgedSubmission = {
  readonly id: number
  readonly teamId: string
  readonly problemId: string
  readonly oldResult: number
  /** Null if it is not judged yet. */
  readonly newResult: number | null
}

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  doors: ContestDoors
  phases: ContestPhases
  contestSubmissions: ContestSubmissions
  events: SubmissionEventPublisher
}

export type Rejudgings = ReturnType<typeof makeRejudgings>

const finished = 3

export function makeRejudgings({ store, clock, limits, doors, phases, contestSubmissions, events }: Needs) {
  async function findWanted(contestId: number, filter: RejudgingFilter): Promise<number[]> {
    const { problemId, teamId, language, result, fromTime, toTime, submissionIds } = filter
    const rows = await store.db
      .selectFrom('contest_submission')
      .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
      .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
      .innerJoin('contest_problem', 'contest_problem.id', 'contest_submission.contest_problem_id')
      .select('submission.id')
      .where('contest_submission.contest_id', '=', contestId)
      .where('submission.status', '=', finished)
      .$if(problemId !== undefined, (query) => query.where('contest_problem.public_id', '=', problemId!))
      .$if(teamId !== undefined, (query) => query.where('contest_team.public_id', '=', teamId!))
      .$if(language !== undefined, (query) => query.where('submission.language', '=', language!))
      .$if(result !== undefined, (query) => query.where('submission.result', '=', result!))
      .$if(fromTime !== undefined, (query) => query.where('contest_submission.handed_in_at', '>=', fromTime!))
      .$if(toTime !== undefined, (query) => query.where('contest_submission.handed_in_at', '<', toTime!))
      .$if(submissionIds !== undefined, (query) => query.where('submission.id', 'in', submissionIds!))
      .orderBy('submission.id')
      .limit(limits.rejudgedSubmissions + 1)
      .execute()
    const most = `A rejudging has at most ${limits.rejudgedSubmissions} submissions: choose fewer.`
    demand(rows.length <= limits.rejudgedSubmissions, 'limited', 'rejudging-too-large', most)
    return rows.map(({ id }) => id)
  }

  async function listIds(db: Db, rejudgingId: number): Promise<number[]> {
    const rows = await db
      .selectFrom('contest_rejudged')
      .select('submission_id')
      .where('rejudging_id', '=', rejudgingId)
      .orderBy('submission_id')
      .execute()
    return rows.map((row) => row.submission_id)
  }

  async function find(db: Db, contestId: number, id: number) {
    const row = await db
      .selectFrom('contest_rejudging')
      .selectAll()
      .where('contest_id', '=', contestId)
      .where('id', '=', id)
      .executeTakeFirst()
    demand(row, 'not-found', 'rejudging-unknown', `There is no rejudging ${id}.`)
    return row
  }

  async function findOpen(db: Db, contestId: number, id: number) {
    const row = await find(db, contestId, id)
    demand(row.state === 'open', 'precondition', 'rejudging-ended', `This rejudging is ${row.state} already.`)
    return row
  }

  async function read(contestId: number, id: number): Promise<Rejudging> {
    const row = await find(store.db, contestId, id)
    const rejudged = await selectRejudged(store.db, id).execute()
    const seen = rejudged.map((one) => ({ old: one.old_result, now: newResultOf(row.state, one) }))
    const { name } = await store.db
      .selectFrom('account')
      .select('name')
      .where('id', '=', row.created_by)
      .executeTakeFirstOrThrow()
    return {
      id: row.id,
      reason: row.reason,
      state: row.state,
      createdBy: name,
      createdAt: row.created_at,
      endedAt: row.ended_at,
      total: seen.length,
      judged: seen.filter(({ now }) => now !== null).length,
      changed: seen.filter(({ old, now }) => now !== null && now !== old).length,
    }
  }

  const close = (trx: Db, id: number, state: string) =>
    trx.updateTable('contest_rejudging').set({ state, ended_at: clock.now() }).where('id', '=', id).execute()

  return {
    async create(actor: Actor, contestId: string, filter: RejudgingFilter, reason: string): Promise<Rejudging> {
      const { contest, actor: jury } = await doors.change(actor, contestId)
      const wanted = await findWanted(contest.id, filter)
      const id = await store.write(async (trx) => {
        await lockSubmissions(trx, wanted)
        await holdContest(trx, contest.id)
        await doors.change(actor, contestId, trx)
        const { count } = await trx
          .selectFrom('contest_rejudging')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('contest_id', '=', contest.id)
          .executeTakeFirstOrThrow()
        const most = `A contest has at most ${limits.contestRejudgings} rejudgings.`
        demand(Number(count) < limits.contestRejudgings, 'limited', 'too-many-rejudgings', most)
        const begun = await startHiddenRejudging(trx, wanted)
        const none = 'No finished submissions are selected that are not already being rejudged.'
        demand(begun.length > 0, 'precondition', 'nothing-to-rejudge', none)
        const made = await trx
          .insertInto('contest_rejudging')
          .values({
            contest_id: contest.id,
            reason,
            state: 'open',
            created_by: jury.account.id,
            created_at: clock.now(),
            ended_at: null,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        for (let at = 0; at < begun.length; at += portion) {
          const part = begun.slice(at, at + portion)
          const old = await trx
            .selectFrom('present_result')
            .select(['submission_id', 'result'])
            .where('submission_id', 'in', part)
            .execute()
          await trx
            .insertInto('contest_rejudged')
            .values(
              old.map((row) => ({
                rejudging_id: made.id,
                submission_id: row.submission_id,
                old_result: row.result,
                new_result: null,
              })),
            )
            .execute()
        }
        return made.id
      })
      events.publishWaiting()
      return read(contest.id, id)
    },

    /** Submissions whose result changes, or is unknown yet, come first. */
    async get(actor: Actor, contestId: string, id: number, { offset, limit }: PageRequest) {
      const { contest } = await doors.judge(actor, contestId)
      const rejudging = await read(contest.id, id)
      const rows = await selectRejudged(store.db, id).execute()
      const items = rows
        .map((row) => ({ row, newResult: newResultOf(rejudging.state, row) }))
        .sort((a, b) => Number(a.newResult === a.row.old_result) - Number(b.newResult === b.row.old_result))
        .slice(offset, offset + limit)
        .map(({ row, newResult }) => ({
          id: row.submission_id,
          teamId: row.team,
          problemId: row.problem,
          oldResult: row.old_result,
          newResult,
        }))
      return { rejudging, submissions: { total: rows.length, items } satisfies Page<RejudgedSubmission> }
    },

    /** Newest first. */
    async list(actor: Actor, contestId: string, { offset, limit }: PageRequest): Promise<Page<Rejudging>> {
      const { contest } = await doors.judge(actor, contestId)
      const all = store.db.selectFrom('contest_rejudging').where('contest_id', '=', contest.id)
      const { count } = await all.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await all.select('id').orderBy('id', 'desc').offset(offset).limit(limit).execute()
      const items: Rejudging[] = []
      for (const { id } of rows) items.push(await read(contest.id, id))
      return { total: Number(count), items }
    },

    async apply(actor: Actor, contestId: string, id: number): Promise<Rejudging> {
      const { contest } = await doors.change(actor, contestId)
      const ids = await listIds(store.db, (await find(store.db, contest.id, id)).id)
      await store.write(async (trx) => {
        await lockSubmissions(trx, ids)
        const held = (await holdContest(trx, contest.id))!
        await doors.change(actor, contestId, trx)
        await findOpen(trx, contest.id, id)
        const rows = await selectRejudged(trx, id).execute()
        const waiting = rows.find((row) => row.status !== finished)
        const message = `Submission ${waiting?.submission_id} is not judged yet: wait until all are.`
        demand(!waiting, 'precondition', 'not-judged', message)
        for (const row of rows) {
          await trx
            .updateTable('contest_rejudged')
            .set({ new_result: row.result })
            .where('rejudging_id', '=', id)
            .where('submission_id', '=', row.submission_id)
            .execute()
          await trx
            .updateTable('contest_submission')
            .set({ group_scores: null })
            .where('submission_id', '=', row.submission_id)
            .execute()
          await contestSubmissions.storeGroups(trx, row.submission_id)
        }
        await applyHiddenResults(trx, ids)
        await close(trx, id, 'applied')
        await phases.recompute(trx, held)
        const entries = ids.flatMap((one): LogEntry[] => [
          { type: 'judgements', id: String(one) },
          { type: 'runs', id: String(one) },
        ])
        await appendLog(store, trx, held, [...entries, { type: 'awards', id: null }])
      })
      for (const one of ids) events.publishFinished(one)
      return read(contest.id, id)
    },

    async cancel(actor: Actor, contestId: string, id: number): Promise<Rejudging> {
      const { contest } = await doors.change(actor, contestId)
      const ids = await listIds(store.db, (await find(store.db, contest.id, id)).id)
      await store.write(async (trx) => {
        await lockSubmissions(trx, ids)
        await holdContest(trx, contest.id)
        await doors.change(actor, contestId, trx)
        await findOpen(trx, contest.id, id)
        for (const row of await selectRejudged(trx, id).execute())
          if (row.status === finished)
            await trx
              .updateTable('contest_rejudged')
              .set({ new_result: row.result })
              .where('rejudging_id', '=', id)
              .where('submission_id', '=', row.submission_id)
              .execute()
        await restorePresentResults(trx, ids)
        await close(trx, id, 'cancelled')
      })
      return read(contest.id, id)
    },
  }
}

const selectRejudged = (db: Db, rejudgingId: number) =>
  db
    .selectFrom('contest_rejudged')
    .innerJoin('submission', 'submission.id', 'contest_rejudged.submission_id')
    .innerJoin('contest_submission', 'contest_submission.submission_id', 'submission.id')
    .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
    .innerJoin('contest_problem', 'contest_problem.id', 'contest_submission.contest_problem_id')
    .select(['contest_rejudged.submission_id', 'old_result', 'new_result', 'submission.status', 'submission.result'])
    .select(['contest_team.public_id as team', 'contest_problem.public_id as problem'])
    .where('rejudging_id', '=', rejudgingId)
    .orderBy('contest_rejudged.submission_id')

/** While it is open, the result in the queue's table; afterwards the recorded one. */
const newResultOf = (state: string, row: { status: number; result: number; new_result: number | null }) =>
  state === 'open' ? (row.status === finished ? row.result : null) : row.new_result

const portion = 500
