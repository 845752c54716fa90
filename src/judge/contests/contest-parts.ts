/** The problems, groups and organisations of a contest: its jury adds and deletes them until it is finalized. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { ownsProblem } from '../access.ts'
import { type Contest, hasStarted } from '../contest-access/contest.ts'
import type { ContestAccess } from '../contest-access/contest-access.ts'
import type { Limits } from '../limits.ts'
import type { Problems } from '../problems/problems.ts'
import { type ContestDoors, demandOpen } from './contest-doors.ts'
import { appendLog, holdContest, type LogType, resetFeeds } from './contest-log.ts'

export type ProblemDraft = {
  readonly id: string
  readonly label: string
  readonly uuid: string
  readonly ordinal: number
  readonly colour: string
}
export type NamedDraft = { readonly id: string; readonly name: string }
export type NamedKind = 'group' | 'organisation'

const tables = { group: 'contest_group', organisation: 'contest_organisation' } as const
const logTypes: Record<NamedKind, LogType> = { group: 'groups', organisation: 'organizations' }

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  doors: ContestDoors
  contestAccess: Pick<ContestAccess, 'stand'>
  problems: Problems
}

export type ContestParts = ReturnType<typeof makeContestParts>

/** Changes the contest by its jury while holding it, so that counts are exact. */
export const makeChange =
  ({ store, doors }: Pick<Needs, 'store' | 'doors'>) =>
  async <T>(actor: Actor, contestId: string, act: (trx: Db, contest: Contest) => Promise<T>): Promise<T> => {
    await doors.judge(actor, contestId)
    return store.write(async (trx) => {
      const { contest } = await doors.judge(actor, contestId, trx)
      const held = (await holdContest(trx, contest.id))!
      demandOpen(held)
      return act(trx, held)
    })
  }

export function makeContestParts({ store, clock, limits, doors, contestAccess, problems }: Needs) {
  const change = makeChange({ store, doors })

  async function demandSpace(trx: Db, table: CountedTable, { id }: Contest, most: number): Promise<void> {
    const { count } = await trx
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('contest_id', '=', id)
      .executeTakeFirstOrThrow()
    demand(Number(count) < most, 'limited', 'contest-full', `A contest has at most ${most} of these.`)
  }

  async function putProblem(
    trx: Db,
    contest: Contest,
    draft: ProblemDraft,
    problemId: number,
    isByOwner: boolean,
  ): Promise<void> {
    const { id: publicId, label, ordinal, colour } = draft
    const rows = await trx
      .selectFrom('contest_problem')
      .select(['id', 'public_id', 'problem_id', 'opens_held'])
      .where('contest_id', '=', contest.id)
      .execute()
    const before = rows.find((row) => row.public_id === publicId)
    const other = rows.find((row) => row.problem_id === problemId && row.public_id !== publicId)
    demand(!other, 'conflict', 'problem-twice', `The contest has this problem as ${other?.public_id} already.`)
    const wasByOwner = before?.problem_id === problemId && before.opens_held === 1
    const values = { label, ordinal, colour, problem_id: problemId, opens_held: Number(isByOwner || wasByOwner) }
    if (!before) {
      await demandSpace(trx, 'contest_problem', contest, limits.contestProblems)
      await trx
        .insertInto('contest_problem')
        .values({ ...values, contest_id: contest.id, public_id: publicId })
        .execute()
      return
    }
    const isMoved = before.problem_id !== problemId && (await isUsed(trx, 'contest_problem_id', before.id))
    demand(!isMoved, 'precondition', 'has-submissions', 'The problem has submissions: its UUID can’t be changed.')
    await trx.updateTable('contest_problem').set(values).where('id', '=', before.id).execute()
  }

  /** Questions about the problem become general ones. */
  async function removeProblem(trx: Db, contest: Contest, { id, publicId }: { id: number; publicId: string }) {
    await trx
      .updateTable('contest_clarification')
      .set({ contest_problem_id: null, category: 'general' })
      .where('contest_problem_id', '=', id)
      .execute()
    await trx.deleteFrom('contest_problem').where('id', '=', id).execute()
    await appendLog(store, trx, contest, [{ type: 'problems', id: publicId }, awards])
  }

  return {
    /** Only owners may add a held problem to a contest. */
    async putProblem(actor: Actor, contestId: string, draft: ProblemDraft) {
      const standing = await doors.change(actor, contestId)
      const problem = await problems.find(standing.actor, draft.uuid)
      return change(actor, contestId, async (trx, contest) => {
        const known = await trx
          .selectFrom('contest_problem')
          .select('id')
          .where('contest_id', '=', contest.id)
          .where('problem_id', '=', problem.id)
          .executeTakeFirst()
        const isByOwner = ownsProblem(standing.actor, problem)
        const mayPut = !problem.isHeld || isByOwner || known
        demand(mayPut, 'not-found', 'problem-unknown', `There is no problem ${draft.uuid}.`)
        await putProblem(trx, contest, draft, problem.id, isByOwner)
        const isSeen = hasStarted(contest, clock.now())
        await appendLog(store, trx, contest, [{ type: 'problems', id: draft.id }, ...(isSeen ? [awards] : [])])
        return { ...draft, uuid: problem.uuid, name: problem.displayName }
      })
    },

    deleteProblem: (actor: Actor, contestId: string, publicId: string): Promise<void> =>
      change(actor, contestId, async (trx, contest) => {
        const found = await trx
          .selectFrom('contest_problem')
          .select('id')
          .where('contest_id', '=', contest.id)
          .where('public_id', '=', publicId)
          .executeTakeFirst()
        demand(found, 'not-found', 'problem-unknown', `The contest has no problem ${publicId}.`)
        const hasSubmissions = await isUsed(trx, 'contest_problem_id', found.id)
        const message = 'It has submissions, so it can’t be removed.'
        demand(!hasSubmissions, 'precondition', 'has-submissions', message)
        await removeProblem(trx, contest, { id: found.id, publicId })
      }),

    /**
     * Removes a problem that its owner deletes from other people's contests without submissions to it: otherwise anyone
     * could prevent the deletion. The feed of a finalized contest starts anew.
     */
    async withdrawProblem(trx: Db, actor: SignedIn, problemId: number): Promise<void> {
      const rows = await trx
        .selectFrom('contest_problem')
        .select(['id', 'public_id', 'contest_id'])
        .where('problem_id', '=', problemId)
        .orderBy('contest_id')
        .execute()
      for (const row of rows) {
        const contest = (await holdContest(trx, row.contest_id))!
        const { isJury } = await contestAccess.stand(actor, contest, trx)
        const isFree = !isJury && !(await isUsed(trx, 'contest_problem_id', row.id))
        demand(isFree, 'precondition', 'in-contest', 'A contest uses this problem: remove it from the contest first.')
        if (contest.finalizedAt !== null) await resetFeeds(trx, contest)
        await removeProblem(trx, contest, { id: row.id, publicId: row.public_id })
      }
    },

    putNamed: (actor: Actor, contestId: string, kind: NamedKind, { id: publicId, name }: NamedDraft) =>
      change(actor, contestId, async (trx, contest) => {
        const table = tables[kind]
        const before = await trx
          .selectFrom(table)
          .select('id')
          .where('contest_id', '=', contest.id)
          .where('public_id', '=', publicId)
          .executeTakeFirst()
        if (before) await trx.updateTable(table).set({ name }).where('id', '=', before.id).execute()
        else {
          await demandSpace(trx, table, contest, kind === 'group' ? limits.contestGroups : limits.contestOrganisations)
          await trx.insertInto(table).values({ contest_id: contest.id, public_id: publicId, name }).execute()
        }
        await appendLog(store, trx, contest, [{ type: logTypes[kind], id: publicId }])
        return { id: publicId, name }
      }),

    /** Its teams stay, without a group or organisation. */
    deleteNamed: (actor: Actor, contestId: string, kind: NamedKind, publicId: string): Promise<void> =>
      change(actor, contestId, async (trx, contest) => {
        const table = tables[kind]
        const found = await trx
          .selectFrom(table)
          .select('id')
          .where('contest_id', '=', contest.id)
          .where('public_id', '=', publicId)
          .executeTakeFirst()
        demand(found, 'not-found', `${kind}-unknown`, `The contest has no ${kind} ${publicId}.`)
        const teams = await trx
          .selectFrom('contest_team')
          .select(['id', 'public_id'])
          .where('contest_id', '=', contest.id)
          .where((eb) =>
            kind === 'organisation'
              ? eb('organisation_id', '=', found.id)
              : eb('id', 'in', eb.selectFrom('contest_team_group').select('team_id').where('group_id', '=', found.id)),
          )
          .execute()
        if (kind === 'organisation')
          await trx
            .updateTable('contest_team')
            .set({ organisation_id: null })
            .where('organisation_id', '=', found.id)
            .execute()
        await trx.deleteFrom(table).where('id', '=', found.id).execute()
        const changed = teams.map(({ public_id }) => ({ type: 'teams', id: public_id }) as const)
        await appendLog(store, trx, contest, [...changed, { type: logTypes[kind], id: publicId }])
      }),
  }
}

type CountedTable = 'contest_problem' | 'contest_group' | 'contest_organisation' | 'contest_team'

const awards = { type: 'awards', id: null } as const

export async function isUsed(trx: Db, column: 'contest_problem_id' | 'team_id', id: number): Promise<boolean> {
  const row = await trx
    .selectFrom('contest_submission')
    .select('submission_id')
    .where(column, '=', id)
    .limit(1)
    .execute()
  return row.length > 0
}

export const unknownPart = (what: string, id: string) =>
  new Failure('not-found', `${what}-unknown`, `The contest has no ${what} ${id}.`)
