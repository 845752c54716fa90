/**
 * Who sees what of a contest, decided here alone: who is its jury, its staff and its teams, which problems it opens and
 * holds back, and what of its submissions is shown to whom. Problems, submissions and contests ask here.
 */
import { type Actor, isAdmin, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem, requireJudgeScope } from '../access.ts'
import { type Contest, hasEnded, hasStarted, isRunning, toContest } from './contest.ts'

/** What somebody is in a contest. `teamId`: null for those in no team. */
export type Standing = {
  readonly contest: Contest
  readonly isJury: boolean
  readonly isStaff: boolean
  readonly teamId: number | null
  /** Whether they keep a problem of this author. */
  keeps(authorId: number): boolean
}

export const isOutsider = ({ contest, isJury, isStaff, teamId }: Standing): boolean =>
  !contest.isPublic && !isJury && !isStaff && teamId === null

export type ContestAccess = ReturnType<typeof makeContestAccess>

export function makeContestAccess({ store: { db }, clock }: { store: Pick<Store, 'db'>; clock: Clock }) {
  const byPublicId = prepareQuery(db, ({ publicId }: { publicId: string }) =>
    db.selectFrom('contest').selectAll().where('public_id', '=', publicId),
  )
  const byId = prepareQuery(db, ({ id }: { id: number }) => db.selectFrom('contest').selectAll().where('id', '=', id))
  const roleIn = prepareQuery(db, ({ contestId, accountId }: { contestId: number; accountId: number }) =>
    db
      .selectFrom('contest_person')
      .select('role')
      .where('contest_id', '=', contestId)
      .where('account_id', '=', accountId),
  )
  const teamIn = prepareQuery(db, ({ contestId, accountId }: { contestId: number; accountId: number }) =>
    db
      .selectFrom('contest_member')
      .select(['team_id', 'is_invited'])
      .where('contest_id', '=', contestId)
      .where('account_id', '=', accountId),
  )
  const contestsOf = prepareQuery(db, ({ problemId }: { problemId: number }) =>
    db
      .selectFrom('contest_problem')
      .innerJoin('contest', 'contest.id', 'contest_problem.contest_id')
      .selectAll('contest')
      .select('contest_problem.opens_held')
      .where('contest_problem.problem_id', '=', problemId),
  )

  /** What the actor is in this contest. */
  async function stand(actor: Actor, contest: Contest, within: Db = db): Promise<Standing> {
    const { account } = actor
    if (!account) return { contest, isJury: false, isStaff: false, teamId: null, keeps: () => false }
    requireJudgeScope(actor)
    const who = { contestId: contest.id, accountId: account.id }
    const [role] = await roleIn(who, within)
    const [member] = await teamIn(who, within)
    const isOwner = contest.ownerId === account.id && account.role === 'problem_setter'
    return {
      contest,
      isJury: isAdmin(actor) || isOwner || role?.role === 'jury',
      isStaff: role?.role === 'staff',
      teamId: member?.team_id ?? null,
      keeps: (authorId) => ownsProblem(actor as SignedIn, { authorId }),
    }
  }

  async function standAll(actor: Actor, contestIds: readonly number[]): Promise<Map<number, Standing>> {
    const found = new Map<number, Standing>()
    for (const id of contestIds) {
      const [row] = await byId({ id })
      if (row) found.set(id, await stand(actor, toContest(row)))
    }
    return found
  }

  return {
    stand,
    standAll,

    async findContest(publicId: string, within: Db = db): Promise<Contest | undefined> {
      const [row] = await byPublicId({ publicId }, within)
      return row && toContest(row)
    },

    async readContest(id: number, within: Db = db): Promise<Contest | undefined> {
      const [row] = await byId({ id }, within)
      return row && toContest(row)
    },

    /** Whether a contest into which one of its keepers put this held problem opens it to the actor: to its jury always, to its teams once it runs, and to all if it says so. */
    async opensTo(actor: SignedIn, problem: { id: number }): Promise<boolean> {
      const now = clock.now()
      for (const row of await contestsOf({ problemId: problem.id })) {
        if (row.opens_held === 0) continue
        const standing = await stand(actor, toContest(row))
        if (standing.isJury || seesProblems(standing, now)) return true
      }
      return false
    },

    /** Whether the actor is of the jury of a contest that has the problem. */
    async judges(actor: SignedIn, problem: { id: number }): Promise<boolean> {
      for (const row of await contestsOf({ problemId: problem.id }))
        if ((await stand(actor, toContest(row))).isJury) return true
      return false
    },

    /**
     * The running contest in which the actor's team has the problem: what they hand in belongs there. One into whose team
     * another put them binds them once they have handed in there, or to problems of those who keep them.
     */
    async findRunning(actor: SignedIn, problem: { id: number }): Promise<Contest | undefined> {
      for (const row of await contestsOf({ problemId: problem.id })) {
        const contest = toContest(row)
        if (!isRunning(contest, clock.now())) continue
        if ((await stand(actor, contest)).teamId === null) continue
        const [member] = await teamIn({ contestId: contest.id, accountId: actor.account.id })
        if (member?.is_invited === 0 || row.opens_held === 1) return contest
      }
      return undefined
    },
  }
}

/** The statements: its teams from the start, the public too where the contest says so. */
export function seesProblems(standing: Standing, now: number): boolean {
  const { contest, isJury, teamId } = standing
  if (isJury) return true
  if (!hasStarted(contest, now)) return false
  return teamId !== null || (contest.showsProblemsToPublic && !isOutsider(standing)) || hasEnded(contest, now)
}

type ContestProblem = { readonly author_id: number; readonly is_held: number; readonly opens_held: number }

/** A contest does not open what is held by somebody who did not put it there. */
export const isHeldFrom = ({ keeps }: Standing, problem: ContestProblem): boolean =>
  problem.is_held === 1 && problem.opens_held === 0 && !keeps(problem.author_id)

export const seesStatements = (standing: Standing, now: number, problem: ContestProblem): boolean =>
  seesProblems(standing, now) && !isHeldFrom(standing, problem)
