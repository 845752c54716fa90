/**
 * Submissions to a contest: made by its teams while it runs, ignored and overridden by its jury, counted as they are
 * judged.
 */
import { type Actor, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { Switches } from '../../accounts/switches.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import { type Contest, contestTimeOf, hasStarted, isRunning } from '../contest-access/contest.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import {
  type GroupPoints,
  groupScoresIn,
  lockSubmissions,
  overrideResult,
  readGroupScores,
} from '../judging/hidden-rejudging.ts'
import type { Limits } from '../limits.ts'
import type { FinishedSubmissions } from '../submissions/finished-submissions.ts'
import { countingLock } from '../submissions/submission-counts.ts'
import type { SubmissionEventPublisher } from '../submissions/submission-events.ts'
import type { SubmissionSnippet } from '../submissions/submission-row.ts'
import type { Submissions } from '../submissions/submissions.ts'
import { applySolvings } from './balloons.ts'
import { recomputeCell } from './board/recomputing.ts'
import { type ContestDoors, demandOpen } from './contest-doors.ts'
import { appendLog, appendReserved, holdContest, type LogEntry } from './contest-log.ts'
import { unknownPart } from './contest-parts.ts'

export type ContestDraft = {
  readonly problemId: string
  readonly language: string
  readonly content: string | Uint8Array
  readonly entryPoint?: string | null
}

/** A submission that the jury makes for a team, at a given time. */
export type ProxyDraft = ContestDraft & { readonly teamId: string; readonly time: number }

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  switches: Switches
  doors: ContestDoors
  contestAccess: ContestAccess
  submissions: Submissions
  events: SubmissionEventPublisher
  finishedSubmissions: FinishedSubmissions
  demandPassword(actor: SignedIn, password: string): Promise<void>
  record(trx: Db, actor: SignedIn, action: string, data: Record<string, string | number | boolean>): Promise<void>
}

export type ContestSubmissions = ReturnType<typeof makeContestSubmissions>

const readPlaces = prepareFor((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('contest_submission')
    .leftJoin('present_result', 'present_result.submission_id', 'contest_submission.submission_id')
    .select(['contest_submission.submission_id as id', 'contest_id', 'team_id', 'contest_problem_id'])
    .select('present_result.submission_id as hidden_rejudging')
    .where('contest_submission.submission_id', 'in', ids),
)

/** Without a report for problems without points, which have no groups. */
const readFinished = prepareFor((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('contest_submission')
    .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
    .leftJoin('present_result', 'present_result.submission_id', 'contest_submission.submission_id')
    .leftJoin('submission_report', (join) =>
      join
        .onRef('submission_report.submission_id', '=', 'contest_submission.submission_id')
        .on((eb) => eb.or([eb('submission.score', 'is not', null), eb('submission.maximum_score', 'is not', null)])),
    )
    .select(['submission.id', 'contest_submission.contest_id', 'team_id', 'contest_problem_id'])
    .select(['present_result.submission_id as hidden_rejudging', 'submission_report.report'])
    .where('contest_submission.submission_id', 'in', ids),
)

export function makeContestSubmissions(needs: Needs) {
  const { store, clock, limits, switches, doors, contestAccess, submissions, events, finishedSubmissions } = needs

  /** Recomputes the cell of a submission. The caller must hold the contest. */
  async function recountCell(trx: Db, contest: Contest, row: ContestSubmissionKey): Promise<void> {
    const solving = await recomputeCell(trx, contest, { teamId: row.team_id, problemId: row.contest_problem_id })
    if (solving) await applySolvings(trx, contest, [solving], clock.now())
  }

  /** The same, and logs it. */
  async function recount(
    trx: Db,
    contest: Contest,
    row: ContestSubmissionKey,
    entries: readonly LogEntry[],
  ): Promise<void> {
    await recountCell(trx, contest, row)
    await appendLog(store, trx, contest, entries)
  }

  async function putGroups(trx: Db, id: number, groups: readonly GroupPoints[]): Promise<void> {
    if (groups.length > 0)
      await trx
        .updateTable('contest_submission')
        .set({ group_scores: JSON.stringify(groups) })
        .where('submission_id', '=', id)
        .execute()
  }

  const storeGroups = async (trx: Db, id: number) => putGroups(trx, id, await readGroupScores(trx, id))

  /**
   * A hidden rejudging does not change the present result. Contests are locked in the order of their ids. An executor
   * waits for this: it takes few queries.
   */
  async function countFinished(trx: Db, ids: readonly number[]): Promise<void> {
    const found = await readFinished(trx, { ids })
    const seen = found.filter(({ hidden_rejudging }) => hidden_rejudging === null)
    const byContest = [...Map.groupBy(seen, (row) => row.contest_id)].sort(([a], [b]) => a - b)
    for (const [contestId, rows] of byContest) {
      const entries = rows.flatMap(({ id }): LogEntry[] => [
        { type: 'judgements', id: String(id) },
        { type: 'runs', id: String(id) },
      ])
      const contest = await holdContest(trx, contestId, entries.length)
      if (!contest) continue
      for (const row of rows) {
        if (row.report !== null) await putGroups(trx, row.id, groupScoresIn(row.report))
        await recountCell(trx, contest, row)
      }
      await appendReserved(store, trx, contest, entries)
    }
  }

  async function countDeletion(trx: Db, { id, contest_id }: { id: number; contest_id: number | null }) {
    if (contest_id === null) return async () => {}
    const [place] = await readPlaces(trx, { ids: [id] })
    const contest = (await holdContest(trx, contest_id))!
    demandOpen(contest)
    const removed = String(id)
    return () =>
      recount(trx, contest, place!, [
        { type: 'runs', id: removed },
        { type: 'judgements', id: removed },
        { type: 'submissions', id: removed },
      ])
  }

  finishedSubmissions.consumeContests(countFinished, countDeletion)

  type Handing = { teamId: number; authorId: number; at: number; isByJury: boolean }

  async function handIn(trx: Db, contest: Contest, draft: ContestDraft, handing: Handing): Promise<number> {
    const { teamId, authorId, at, isByJury } = handing
    const problem = await trx
      .selectFrom('contest_problem')
      .select(['id', 'problem_id'])
      .where('contest_id', '=', contest.id)
      .where('public_id', '=', draft.problemId)
      .executeTakeFirst()
    if (!problem) throw unknownPart('problem', draft.problemId)
    const isAllowed = contest.languages.length === 0 || contest.languages.some((one) => one.language === draft.language)
    demand(isAllowed, 'precondition', 'language-denied', `The contest does not allow ${draft.language}.`)
    if (!isByJury) {
      const { count } = await trx
        .selectFrom('contest_submission')
        .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('contest_submission.team_id', '=', teamId)
        .where('submission.status', '=', 1)
        .where('submission.is_rejudged', '=', 0)
        .executeTakeFirstOrThrow()
      const message = `A team has at most ${limits.teamWaitingSubmissions} submissions waiting: wait until some are judged.`
      demand(Number(count) < limits.teamWaitingSubmissions, 'limited', 'too-many-waiting', message)
    }
    const author = { id: authorId }
    const id = await submissions.insertForContest(trx, author, problem.problem_id, draft, contest.id, at)
    const place = { id, contest_id: contest.id, team_id: teamId, contest_problem_id: problem.id }
    await trx
      .insertInto('contest_submission')
      .values({
        submission_id: id,
        contest_id: contest.id,
        team_id: teamId,
        contest_problem_id: problem.id,
        handed_in_at: at,
        entry_point: draft.entryPoint ?? null,
      })
      .execute()
    await recount(trx, contest, place, [{ type: 'submissions', id: String(id) }])
    return id
  }

  /** One that is hidden from the actor is refused as one that does not exist, in the same words. */
  async function findShown(actor: SignedIn, id: number, contest: Contest): Promise<void> {
    const isShown = await doors
      .find(actor, contest.publicId)
      .then(() => submissions.present(actor, id))
      .catch((error) => {
        if (error instanceof Failure && error.kind === 'not-found') return undefined
        throw error
      })
    if (!isShown) throw unknownSubmission(id)
  }

  /** A change by the jury of a submission, whose row is locked before the contest's. */
  async function change(
    actor: SignedIn,
    id: number,
    act: (trx: Db, contest: Contest, place: ContestSubmissionKey) => Promise<readonly LogEntry[]>,
  ): Promise<SubmissionSnippet> {
    const [place] = await readPlaces(store.db, { ids: [id] })
    const contest = place && (await contestAccess.readContest(place.contest_id))
    if (!contest) throw unknownSubmission(id)
    await findShown(actor, id, contest)
    await doors.change(actor, contest.publicId)
    await store.write(async (trx) => {
      await lockSubmissions(trx, [id])
      const held = (await holdContest(trx, contest.id))!
      await doors.change(actor, contest.publicId, trx)
      const [now] = await readPlaces(trx, { ids: [id] })
      if (!now) throw unknownSubmission(id)
      await recount(trx, held, now, await act(trx, held, now))
    })
    events.publishFinished(id)
    return submissions.present(actor, id)
  }

  return {
    async create(actor: Actor, contestId: string, draft: ContestDraft): Promise<SubmissionSnippet> {
      requireAct(actor, 'submit')
      await switches.demandSubmissionCreation()
      const standing = await doors.find(actor, contestId)
      const id = await store.write(
        async (trx) => {
          const contest = (await holdContest(trx, standing.contest.id))!
          const { teamId } = await contestAccess.stand(actor, contest, trx)
          const at = clock.now()
          const before = hasStarted(contest, at) ? 'It is over.' : 'It has not started.'
          demand(isRunning(contest, at), 'precondition', 'not-running', before)
          demand(teamId !== null, 'precondition', 'no-team', 'You are in no team of this contest.')
          await trx
            .updateTable('contest_member')
            .set({ is_invited: 0 })
            .where('contest_id', '=', contest.id)
            .where('account_id', '=', actor.account.id)
            .where('is_invited', '=', 1)
            .execute()
          return handIn(trx, contest, draft, { teamId, authorId: actor.account.id, at, isByJury: false })
        },
        { sharedLocks: [countingLock] },
      )
      submissions.announce(id)
      return submissions.present(actor, id)
    },

    /**
     * The author is the team's first account, or the caller if that account has not accepted its team, so that nobody
     * submits under a stranger's name. The time may be long past, but not before the start.
     */
    async createFor(actor: Actor, contestId: string, draft: ProxyDraft): Promise<SubmissionSnippet> {
      requireSignIn(actor)
      const standing = await doors.change(actor, contestId)
      const id = await store.write(
        async (trx) => {
          const contest = (await holdContest(trx, standing.contest.id))!
          demandOpen(contest)
          const team = await trx
            .selectFrom('contest_team')
            .leftJoin('contest_member', 'contest_member.team_id', 'contest_team.id')
            .select(['contest_team.id', 'contest_member.account_id', 'contest_member.is_invited'])
            .where('contest_team.contest_id', '=', contest.id)
            .where('contest_team.public_id', '=', draft.teamId)
            .orderBy('contest_member.position')
            .limit(1)
            .executeTakeFirst()
          if (!team) throw unknownPart('team', draft.teamId)
          demand(team.account_id !== null, 'precondition', 'no-account', 'The team has no account to hand in for.')
          const isPast = draft.time <= clock.now() && hasStarted(contest, draft.time)
          demand(isPast, 'precondition', 'wrong-time', 'The time must lie between the start and now.')
          const authorId = team.is_invited === 1 ? actor.account.id : team.account_id
          const handing = { teamId: team.id, authorId, at: draft.time, isByJury: true }
          return handIn(trx, contest, draft, handing)
        },
        { sharedLocks: [countingLock] },
      )
      submissions.announce(id)
      return submissions.present(actor, id)
    },

    async ignore(actor: Actor, id: number, isIgnored: boolean): Promise<SubmissionSnippet> {
      requireSignIn(actor)
      return change(actor, id, async (trx) => {
        await trx
          .updateTable('contest_submission')
          .set({ is_ignored: Number(isIgnored) })
          .where('submission_id', '=', id)
          .execute()
        await needs.record(trx, actor, 'contest.ignore_submission', { submission: id, ignored: isIgnored })
        const one = String(id)
        const types = ['submissions', 'judgements', 'runs'] as const
        const ordered = isIgnored ? types.toReversed() : types
        return ordered.map((type) => ({ type, id: one }))
      })
    },

    /** The password proves that nobody else is using the jury's browser. */
    async override(actor: Actor, id: number, override: { result: number; password: string; reason: string }) {
      requireSignIn(actor)
      const { result, password, reason } = override
      const [place] = await readPlaces(store.db, { ids: [id] })
      const contest = place && (await contestAccess.readContest(place.contest_id))
      if (!contest) throw unknownSubmission(id)
      await findShown(actor, id, contest)
      await doors.judge(actor, contest.publicId)
      await needs.demandPassword(actor, password)
      return change(actor, id, async (trx) => {
        const isDone = await overrideResult(trx, id, result)
        demand(isDone, 'precondition', 'not-finished', 'It is being judged: override it once it is finished.')
        await trx
          .updateTable('contest_submission')
          .set({ group_scores: null })
          .where('submission_id', '=', id)
          .execute()
        await needs.record(trx, actor, 'contest.override_result', { submission: id, result, reason })
        return [
          { type: 'judgements', id: String(id) },
          { type: 'runs', id: String(id) },
        ]
      })
    },

    /**
     * For the jury: the team of each submission, and whether it counts. Submissions outside this contest are left out.
     */
    async listPlaces(actor: Actor, contestId: string, ids: readonly number[]): Promise<SubmissionPlace[]> {
      const { contest } = await doors.judge(actor, contestId)
      const rows = await store.db
        .selectFrom('contest_submission')
        .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
        .innerJoin('contest_problem', 'contest_problem.id', 'contest_submission.contest_problem_id')
        .select(['submission_id', 'handed_in_at', 'is_ignored', 'contest_team.public_id as team'])
        .select('contest_problem.public_id as problem')
        .where('contest_submission.contest_id', '=', contest.id)
        .where('submission_id', 'in', ids)
        .orderBy('submission_id', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.submission_id,
        teamId: row.team,
        problemId: row.problem,
        contestMs: contestTimeOf(contest, row.handed_in_at) ?? 0,
        isIgnored: row.is_ignored === 1,
      }))
    },

    recount,
    storeGroups,
  }
}

export type SubmissionPlace = {
  readonly id: number
  readonly teamId: string
  readonly problemId: string
  readonly contestMs: number
  readonly isIgnored: boolean
}

export type ContestSubmissionKey = {
  readonly id: number
  readonly contest_id: number
  readonly team_id: number
  readonly contest_problem_id: number
}

const unknownSubmission = (id: number) =>
  new Failure('not-found', 'submission-unknown', `There is no submission ${id} of a contest.`)
