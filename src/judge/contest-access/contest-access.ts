/**
 * Access control of contests, all of it in this file: jury, staff and teams of a contest, the held problems that it
 * opens, and who sees how much of its submissions. Problems, submissions and contests call it.
 */
import { type Actor, isAdmin, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { prepareQuery } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem, requireJudgeScope } from '../access.ts'
import { type Contest, hasEnded, hasStarted, isRunning, toContest } from './contest.ts'

/** An actor's roles in a contest. `teamId` is null without a team. */
export type Standing = {
  readonly contest: Contest
  readonly isJury: boolean
  readonly isStaff: boolean
  readonly teamId: number | null
  /** Whether they manage the problems of this author. */
  ownsProblemsOf(authorId: number): boolean
}

export const isOutsider = ({ contest, isJury, isStaff, teamId }: Standing): boolean =>
  !contest.isPublic && !isJury && !isStaff && teamId === null

/** For readers of boards. `others` may see a private contest; of a public one it is empty. */
export type ContestPeople = { readonly jury: ReadonlySet<number>; readonly others: ReadonlySet<number> }

export const isOfJury = (actor: Actor, { ownerId }: Contest, isListed: boolean): boolean =>
  isAdmin(actor) || (ownerId === actor.account?.id && actor.account.role === 'problem_setter') || isListed

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
  const peopleOf = prepareQuery(db, ({ contestId }: { contestId: number }) =>
    db.selectFrom('contest_person').select(['account_id', 'role']).where('contest_id', '=', contestId),
  )
  const membersOf = prepareQuery(db, ({ contestId }: { contestId: number }) =>
    db.selectFrom('contest_member').select('account_id').where('contest_id', '=', contestId),
  )
  const contestsOf = prepareQuery(db, ({ problemId }: { problemId: number }) =>
    db
      .selectFrom('contest_problem')
      .innerJoin('contest', 'contest.id', 'contest_problem.contest_id')
      .selectAll('contest')
      .select('contest_problem.opens_held')
      .where('contest_problem.problem_id', '=', problemId),
  )

  /** Finds the actor's roles in this contest. */
  async function stand(actor: Actor, contest: Contest, within: Db = db): Promise<Standing> {
    const { account } = actor
    if (!account) return { contest, isJury: false, isStaff: false, teamId: null, ownsProblemsOf: () => false }
    requireJudgeScope(actor)
    const who = { contestId: contest.id, accountId: account.id }
    const [role] = await roleIn(who, within)
    const [member] = await teamIn(who, within)
    return {
      contest,
      isJury: isOfJury(actor, contest, role?.role === 'jury'),
      isStaff: role?.role === 'staff',
      teamId: member?.team_id ?? null,
      ownsProblemsOf: (authorId) => ownsProblem(actor as SignedIn, { authorId }),
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

    async readPeople({ id, isPublic }: Contest): Promise<ContestPeople> {
      const people = await peopleOf({ contestId: id })
      const members = isPublic ? [] : await membersOf({ contestId: id })
      const jury = people.filter(({ role }) => role === 'jury').map(({ account_id }) => account_id)
      const others = isPublic ? [] : [...people, ...members].map(({ account_id }) => account_id)
      return { jury: new Set(jury), others: new Set(others) }
    },

    /**
     * Whether a contest opens this held problem to the actor, if one of the problem's owners added it there: to its
     * jury always, to its teams from the start, and to everybody if the contest says so.
     */
    async opensTo(actor: SignedIn, problem: { id: number }): Promise<boolean> {
      const now = clock.now()
      for (const row of await contestsOf({ problemId: problem.id })) {
        if (row.opens_held === 0) continue
        const standing = await stand(actor, toContest(row))
        if (standing.isJury || seesProblems(standing, now)) return true
      }
      return false
    },

    /** Whether the actor is on the jury of a contest with this problem. */
    async judges(actor: SignedIn, problem: { id: number }): Promise<boolean> {
      for (const row of await contestsOf({ problemId: problem.id }))
        if ((await stand(actor, toContest(row))).isJury) return true
      return false
    },

    /**
     * The running contest in which the actor's team has this problem: their submissions belong there. If somebody else
     * added them to the team, that holds only after they have submitted to the contest, or for problems whose owners
     * added them to it.
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

/** Statements are visible to teams from the start on, and to the public if the contest says so. */
export function seesProblems(standing: Standing, now: number): boolean {
  const { contest, isJury, teamId } = standing
  if (isJury) return true
  if (!hasStarted(contest, now)) return false
  return teamId !== null || (contest.showsProblemsToPublic && !isOutsider(standing)) || hasEnded(contest, now)
}

type ContestProblem = { readonly author_id: number; readonly is_held: number; readonly opens_held: number }

/** A contest can't open a held problem that was added by somebody who does not own it. */
export const isHeldFrom = ({ ownsProblemsOf }: Standing, problem: ContestProblem): boolean =>
  problem.is_held === 1 && problem.opens_held === 0 && !ownsProblemsOf(problem.author_id)

export const seesStatements = (standing: Standing, now: number, problem: ContestProblem): boolean =>
  seesProblems(standing, now) && !isHeldFrom(standing, problem)
