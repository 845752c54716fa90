/** How much of a contest's submission an actor sees: nothing, its existence, the verdict, or all of it. */
import { sql } from 'kysely'
import { type Actor, isAdmin, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { prepareFor, prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isWorker, maySeeProblem } from '../access.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import { contestTimeOf, hasStarted, isBeforeFreeze, isThawed } from './contest.ts'
import { type ContestAccess, isOutsider, type Standing } from './contest-access.ts'

/** `work`: everything that is not reserved for the jury. `existence`: that it exists, but not its verdict. */
export type Exposure = 'nothing' | 'existence' | 'verdict' | 'work' | 'all'

export type ContestSubmission = {
  readonly id: number
  readonly teamId: number
  readonly isHiddenTeam: boolean
  readonly handedInAt: number
  readonly problemAuthorId: number
}

/** Implements the table of who sees what. */
export function exposureTo(standing: Standing, submission: ContestSubmission, now: number): Exposure {
  const { contest, isJury, teamId, ownsProblemsOf } = standing
  if (isJury) return 'all'
  if (isOutsider(standing)) return 'nothing'
  if (submission.teamId === teamId) return 'work'
  if (submission.isHiddenTeam || !hasStarted(contest, now)) return 'nothing'
  // Until the thaw, the problem's author sees what the public sees.
  if (isThawed(contest, now)) return ownsProblemsOf(submission.problemAuthorId) ? 'all' : 'verdict'
  const contestMs = contestTimeOf(contest, submission.handedInAt) ?? 0
  return isBeforeFreeze(contest, contestMs) ? 'verdict' : 'existence'
}

type Present = {
  readonly result: number
  readonly finishedAt: number
  readonly cpuMs: number | null
  readonly memoryBytes: number | null
  readonly score: number | null
  readonly maximumScore: number | null
}

type Found = ContestSubmission & {
  readonly contestId: number
  /** The result that counts during a hidden rejudging. */
  readonly present: Present | undefined
}

type MaskableProblem = {
  readonly id: number
  readonly displayName: string
  readonly authorId: number
  readonly isHeld: boolean
}

/** Replaces the name of a held problem in submissions whose reader may not see the problem. */
export const unpublishedName = '(not yet public)'

/** A submission in a list. */
export type Maskable = {
  readonly id: number
  readonly contestId: number | null
  readonly problem: MaskableProblem
  readonly status: number
  readonly result: number
  readonly finishedAt: Date | undefined
  readonly cpuMs: number | undefined
  readonly memoryBytes: number | undefined
  readonly score: number | null
  readonly maximumScore: number | null
}

const executing = 2
const finished = 3
const judgeFailure = 9
const unjudged = {
  status: executing,
  result: 0,
  finishedAt: undefined,
  cpuMs: undefined,
  memoryBytes: undefined,
  score: null,
  maximumScore: null,
}

export type ShownSubmissions = ReturnType<typeof makeShownSubmissions>

type Needs = {
  store: Pick<Store, 'db'>
  clock: Clock
  contestAccess: ContestAccess
  sheetAccess: Pick<SheetAccess, 'opensTo'>
}

export function makeShownSubmissions({ store: { db }, clock, contestAccess, sheetAccess }: Needs) {
  const anyOpened = prepareQuery(db, (viewer: { accountId: number; now: number }) =>
    selectContestOpened(db, viewer).limit(1),
  )
  const anyHidden = prepareQuery(db, ({ accountId }: { accountId: number }) =>
    selectHiddenTeams(db, accountId).limit(1),
  )

  async function find(ids: readonly number[]): Promise<Map<number, Found>> {
    const rows = []
    for (let at = 0; at < ids.length; at += portion) {
      const part = ids.slice(at, at + portion)
      rows.push(...(await findRows(db, { ids: part })))
    }
    return new Map(rows.map((row) => [row.id, toFound(row)]))
  }

  /** How much the actor sees of each submission, by id; submissions outside contests are left out. */
  async function expose(actor: Actor, items: readonly { id: number; contestId: number | null }[]) {
    const ids = items.filter(({ contestId }) => contestId !== null).map(({ id }) => id)
    const exposures = new Map<number, { readonly exposure: Exposure; readonly found: Found }>()
    if (ids.length === 0) return exposures
    const found = await find(ids)
    const standings = await contestAccess.standAll(actor, [
      ...new Set([...found.values()].map(({ contestId }) => contestId)),
    ])
    const now = clock.now()
    for (const one of found.values()) {
      const exposure = exposureTo(standings.get(one.contestId)!, one, now)
      exposures.set(one.id, { exposure, found: one })
    }
    return exposures
  }

  /** Hides the names of held problems from those who may not see them. */
  async function hideNames<T extends Maskable>(actor: SignedIn, items: readonly T[]): Promise<T[]> {
    const isOpened = new Map<number, boolean>()
    for (const { contestId, problem } of items) {
      if (contestId === null || isOpened.has(problem.id)) continue
      const isSeen =
        maySeeProblem(actor, problem) ||
        (await contestAccess.opensTo(actor, problem)) ||
        (await sheetAccess.opensTo(actor, problem))
      isOpened.set(problem.id, isSeen)
    }
    return items.map((item) =>
      isOpened.get(item.problem.id) === false
        ? { ...item, problem: { ...item.problem, displayName: unpublishedName } }
        : item,
    )
  }

  return {
    expose,

    /** The submissions as the actor may see them; hidden ones are left out. Executors see what they judge. */
    async mask<T extends Maskable>(actor: SignedIn, items: readonly T[]): Promise<T[]> {
      if (items.every(({ contestId }) => contestId === null) || isWorker(actor)) return [...items]
      const exposures = await expose(actor, items)
      const masked = items.flatMap((item) => {
        const one = exposures.get(item.id)
        if (!one) return item.contestId === null ? [item] : []
        return one.exposure === 'nothing' ? [] : [maskOne(item, one.exposure, one.found.present)]
      })
      return hideNames(actor, masked)
    },

    /** How much of a submission is shown; undefined if it belongs to no contest. */
    async exposureOf(actor: SignedIn, item: { id: number; contestId: number | null }): Promise<Exposure | undefined> {
      if (item.contestId === null) return undefined
      return (await expose(actor, [item])).get(item.id)?.exposure ?? 'nothing'
    },

    /** Whether contests open held problems to the actor, who then sees their own submissions to them. */
    opensAny: async (actor: SignedIn): Promise<boolean> =>
      (await anyOpened({ accountId: actor.account.id, now: clock.now() })).length > 0,

    /** Whether some contest submissions are hidden from the actor. */
    async hidesAny(actor: SignedIn): Promise<boolean> {
      if (isAdmin(actor) || isWorker(actor)) return false
      return (await anyHidden({ accountId: actor.account.id })).length > 0
    },
  }
}

/** Ids of problems that contests open to their teams, who see their own submissions to them. */
export const selectContestOpened = (db: Db, { accountId, now }: { accountId: number; now: number }) =>
  db
    .selectFrom('contest_member')
    .innerJoin('contest', 'contest.id', 'contest_member.contest_id')
    .innerJoin('contest_problem', 'contest_problem.contest_id', 'contest.id')
    .select('contest_problem.problem_id as id')
    .where('contest_member.account_id', '=', accountId)
    .where('contest.start_time', '<=', now)
    .where('contest_problem.opens_held', '=', 1)

/**
 * Ids of teams whose submissions are hidden from this account: teams of private contests of others, and hidden teams.
 */
export const selectHiddenTeams = (db: Db, accountId: number) =>
  db
    .selectFrom('contest_team')
    .innerJoin('contest', 'contest.id', 'contest_team.contest_id')
    .select('contest_team.id')
    .where((eb) => eb.or([eb('contest.is_public', '=', 0), eb('contest_team.is_hidden', '=', 1)]))
    .where('contest.owner_id', '!=', accountId)
    .where('contest_team.id', 'not in', ownTeams(db, accountId))
    .where('contest.id', 'not in', juryContests(db, accountId))
    .where((eb) =>
      eb.or([eb('contest_team.is_hidden', '=', 1), eb('contest.id', 'not in', joinedContests(db, accountId))]),
    )

const ownTeams = (db: Db, accountId: number) =>
  db.selectFrom('contest_member').select('team_id').where('account_id', '=', accountId)
const joinedContests = (db: Db, accountId: number) =>
  db
    .selectFrom('contest_member')
    .select('contest_id')
    .where('account_id', '=', accountId)
    .union(db.selectFrom('contest_person').select('contest_id').where('account_id', '=', accountId))
const juryContests = (db: Db, accountId: number) =>
  db.selectFrom('contest_person').select('contest_id').where('account_id', '=', accountId).where('role', '=', 'jury')

/** Ids of submissions hidden from this account. */
export const selectHiddenSubmissions = (db: Db, accountId: number) =>
  db.selectFrom('contest_submission').select('submission_id').where('team_id', 'in', selectHiddenTeams(db, accountId))

const findRows = prepareFor((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('contest_submission')
    .innerJoin('contest_team', 'contest_team.id', 'contest_submission.team_id')
    .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
    .innerJoin('problem', 'problem.id', 'submission.problem_id')
    .leftJoin('present_result', 'present_result.submission_id', 'contest_submission.submission_id')
    .select([
      'contest_submission.submission_id as id',
      'contest_submission.contest_id',
      'contest_submission.team_id',
      'contest_submission.handed_in_at',
      'contest_team.is_hidden',
      'problem.author_id',
      'present_result.result',
      'present_result.finished_at',
      'present_result.cpu_ms',
      'present_result.memory_bytes',
      'present_result.score',
      'present_result.maximum_score',
    ])
    .where('contest_submission.submission_id', 'in', ids),
)
type Row = Awaited<ReturnType<typeof findRows>>[number]

const toFound = (row: Row): Found => ({
  id: row.id,
  contestId: row.contest_id,
  teamId: row.team_id,
  isHiddenTeam: row.is_hidden === 1,
  handedInAt: row.handed_in_at,
  problemAuthorId: row.author_id,
  present:
    row.result === null
      ? undefined
      : {
          result: row.result,
          finishedAt: row.finished_at!,
          cpuMs: row.cpu_ms,
          memoryBytes: row.memory_bytes,
          score: row.score,
          maximumScore: row.maximum_score,
        },
})

function maskOne<T extends Maskable>(item: T, exposure: Exposure, present: Present | undefined): T {
  const now = present
    ? {
        ...item,
        ...present,
        status: finished,
        finishedAt: new Date(present.finishedAt),
        cpuMs: present.cpuMs ?? undefined,
        memoryBytes: present.memoryBytes ?? undefined,
      }
    : item
  if (exposure === 'all') return now
  // A failure of the judge is hidden from those who can't act on it.
  const isUnsettled = now.status !== finished || now.result === judgeFailure
  if (exposure === 'existence' || (isUnsettled && now.result !== 0)) return { ...now, ...unjudged }
  if (exposure === 'work') return now
  const hidden = { finishedAt: undefined, cpuMs: undefined, memoryBytes: undefined, score: null, maximumScore: null }
  return now.status === finished ? { ...now, ...hidden } : { ...now, ...unjudged }
}

const portion = 100
/** For conditions in plain SQL. */
export const inHiddenSubmissions = (db: Db, accountId: number) =>
  sql<boolean>`submission.id in (${selectHiddenSubmissions(db, accountId)})`
