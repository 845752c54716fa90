/**
 * The phases of a contest: it starts, freezes, ends, and is thawed at a set time. Readers go by the clock; here phases
 * are written to the log, and problems are released at the end. A job checks every second.
 */
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import {
  type Contest,
  contestTimeOf,
  endOf,
  freezeStartOf,
  frozenSince,
  hasEnded,
  hasStarted,
  isBeforeFreeze,
  toContest,
  wallTimeOf,
} from '../contest-access/contest.ts'
import type { ReleaseProblems } from '../problems/releasing.ts'
import { applySolvings } from './balloons.ts'
import { recomputeContest } from './board/recomputing.ts'
import { appendLog, holdContest, type LogEntry, resetFeeds } from './contest-log.ts'

/** The bits of the phases that the log already contains. */
export const loggedPhases = { started: 1, frozen: 2, ended: 4 } as const

const jobKind = 'judge.contests'
const everyMs = 1_000

type Needs = { store: Store; clock: Clock; jobs: Jobs; releaseProblems: ReleaseProblems }

export type ContestPhases = ReturnType<typeof makeContestPhases>

export function makeContestPhases({ store, clock, jobs, releaseProblems }: Needs) {
  /** Shows the public everything that was hidden. Must run in a transaction that holds the contest. */
  async function thaw(trx: Db, contest: Contest, at: number): Promise<void> {
    await trx
      .updateTable('contest')
      .set({ thawed_at: at, thaw_time: null, frozen_from: freezeStartOf(contest) })
      .where('id', '=', contest.id)
      .execute()
    const thawed = { ...contest, thawedAt: at, thawTime: null }
    // No balloons for problems that were solved while hidden.
    await recomputeContest(trx, thawed)
    // The state comes last, since it may say that nothing more follows.
    await appendAllJudgements(trx, contest, atThaw)
  }

  /** Judgements that only their team could see are now visible to others. */
  async function appendAllJudgements(trx: Db, contest: Contest, others: readonly LogEntry[]): Promise<void> {
    await appendLog(store, trx, contest, [...(await listJudgements(trx, contest.id)), ...others])
  }

  /**
   * Contest times of submissions have changed, and with them what is visible. If something becomes hidden again, feeds
   * start anew.
   */
  async function logAllAgain(trx: Db, before: Contest, after: Contest): Promise<void> {
    const rows = await trx
      .selectFrom('contest_submission')
      .select(['submission_id', 'handed_in_at'])
      .where('contest_id', '=', before.id)
      .orderBy('submission_id')
      .execute()
    const isSeen = (contest: Contest, at: number) => isBeforeFreeze(contest, contestTimeOf(contest, at) ?? 0)
    if (rows.some(({ handed_in_at: at }) => isSeen(before, at) && !isSeen(after, at))) await resetFeeds(trx, before)
    const questions = await trx
      .selectFrom('contest_clarification')
      .select('id')
      .where('contest_id', '=', before.id)
      .orderBy('id')
      .execute()
    const types = ['submissions', 'judgements', 'runs'] as const
    const handedIn = rows.flatMap((row) => types.map((type): LogEntry => ({ type, id: String(row.submission_id) })))
    const asked = questions.map(({ id }): LogEntry => ({ type: 'clarifications', id: String(id) }))
    await appendLog(store, trx, before, [...handedIn, ...asked])
  }

  /** Brings the log up to date. Must run in a transaction that holds the contest. */
  async function advance(trx: Db, contest: Contest): Promise<void> {
    const now = clock.now()
    const entries: LogEntry[] = []
    let phase = 0
    if (hasStarted(contest, now)) phase += loggedPhases.started
    if (frozenSince(contest, now) !== null || (contest.loggedPhase & loggedPhases.frozen) !== 0)
      phase += loggedPhases.frozen
    if (hasEnded(contest, now)) phase += loggedPhases.ended
    const isNew = (bit: number) => (phase & bit) !== 0 && (contest.loggedPhase & bit) === 0
    const state: LogEntry = { type: 'state', id: null }
    if (phase !== contest.loggedPhase) entries.push(state)
    if (isNew(loggedPhases.started)) entries.push(...(await listVisible(trx, contest.id)))
    if (isNew(loggedPhases.ended)) {
      await releaseProblems(trx, await listReleased(trx, contest.id, now))
      entries.push(...(await listVisible(trx, contest.id)), { type: 'awards', id: null })
      if (freezeStartOf(contest) === null) entries.push(...(await listJudgements(trx, contest.id)))
      // If the contest is finalized at once, the last event says that nothing more follows.
      if (contest.finalizedAt !== null) entries.push(state)
    }
    if (contest.thawTime !== null && contest.thawTime <= now && hasEnded(contest, now))
      await thaw(trx, contest, contest.thawTime)
    await appendLog(store, trx, contest, entries)
    await trx
      .updateTable('contest')
      .set({ told_phase: phase, next_tick: nextTick({ ...contest, loggedPhase: phase }, now) })
      .where('id', '=', contest.id)
      .execute()
  }

  async function tick(): Promise<void> {
    const due = await store.db
      .selectFrom('contest')
      .select('id')
      .where('next_tick', 'is not', null)
      .where('next_tick', '<=', clock.now())
      .limit(contestsAtOnce)
      .execute()
    for (const { id } of due)
      await store.write(async (trx) => {
        const contest = await holdContest(trx, id)
        if (contest) await advance(trx, contest)
      })
  }

  jobs.define(jobKind, tick)
  jobs.every(jobKind, everyMs)

  return {
    tick,
    thaw,
    appendAllJudgements,
    logAllAgain,
    listVisible,

    /** After its times changed: reads it again. */
    async settle(trx: Db, contestId: number): Promise<void> {
      const contest = await holdContest(trx, contestId)
      if (contest) await advance(trx, contest)
    },

    /** After its rules changed. */
    async recompute(trx: Db, contest: Contest): Promise<void> {
      await applySolvings(trx, contest, await recomputeContest(trx, contest), clock.now())
    },
  }
}

const contestsAtOnce = 100
const atThaw: readonly LogEntry[] = [
  { type: 'awards', id: null },
  { type: 'contest', id: null },
  { type: 'state', id: null },
]

function nextTick(contest: Contest, now: number): number | null {
  const freeze = freezeStartOf(contest)
  const times = [
    contest.startTime,
    freeze === null || contest.thawedAt !== null ? null : wallTimeOf(contest, freeze),
    endOf(contest),
    contest.thawTime,
  ]
  const coming = times.filter((time): time is number => time !== null && time > now)
  return coming.length > 0 ? Math.min(...coming) : null
}

/** The objects that become visible at the start. */
async function listVisible(trx: Db, contestId: number): Promise<LogEntry[]> {
  const rows = await trx
    .selectFrom('contest_problem')
    .select('public_id')
    .where('contest_id', '=', contestId)
    .orderBy('ordinal')
    .execute()
  return rows.map((row) => ({ type: 'problems', id: row.public_id }))
}

async function listJudgements(trx: Db, contestId: number): Promise<LogEntry[]> {
  const rows = await trx
    .selectFrom('contest_submission')
    .select('submission_id')
    .where('contest_id', '=', contestId)
    .orderBy('submission_id')
    .execute()
  return rows.map(({ submission_id }) => ({ type: 'judgements', id: String(submission_id) }))
}

/**
 * Its problems, except those that another contest has yet to use. Contests to which a non-owner added the problem do
 * not count.
 */
async function listReleased(trx: Db, contestId: number, now: number): Promise<number[]> {
  const rows = await trx
    .selectFrom('contest_problem')
    .innerJoin('contest_problem as other', 'other.problem_id', 'contest_problem.problem_id')
    .innerJoin('contest', 'contest.id', 'other.contest_id')
    .selectAll('contest')
    .select('contest_problem.problem_id')
    .where('contest_problem.contest_id', '=', contestId)
    .where('contest_problem.opens_held', '=', 1)
    .where('other.opens_held', '=', 1)
    .execute()
  return [...Map.groupBy(rows, (row) => row.problem_id)]
    .filter(([, contests]) => contests.every((row) => hasEnded(toContest(row), now)))
    .map(([id]) => id)
}
