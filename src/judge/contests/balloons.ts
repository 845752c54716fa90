/**
 * Balloons: one for each problem that a team solved, as far as the public sees it. Staff deliver them and mark them as
 * done.
 */
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type Contest, hasEnded } from '../contest-access/contest.ts'
import type { Boards } from './board/boards.ts'
import { editions, type Solving } from './board/recomputing.ts'
import { type ContestDoors, demandOpen } from './contest-doors.ts'
import { holdContest } from './contest-log.ts'

export type Balloon = {
  readonly id: number
  readonly teamId: string
  readonly problemId: string
  readonly colour: string
  readonly isFirst: boolean
  readonly isDone: boolean
  readonly isWithdrawn: boolean
  readonly createdAt: number
}

/** Creates balloons for newly solved cells, and withdraws those of cells that are no longer solved. */
export async function applySolvings(
  trx: Db,
  contest: Contest,
  solvings: readonly Solving[],
  now: number,
): Promise<void> {
  for (const { teamId, problemId, isSolved } of solvings) {
    if (isSolved && contest.thawedAt !== null && hasEnded(contest, now)) continue
    if (!isSolved) {
      await trx
        .updateTable('contest_balloon')
        .set({ is_withdrawn: 1 })
        .where('contest_id', '=', contest.id)
        .where('team_id', '=', teamId)
        .where('contest_problem_id', '=', problemId)
        .execute()
      continue
    }
    const place = { contest_id: contest.id, team_id: teamId, contest_problem_id: problemId }
    await trx
      .insertInto('contest_balloon')
      .values({ ...place, created_at: now })
      .onConflict((conflict) =>
        conflict.columns(['contest_id', 'team_id', 'contest_problem_id']).doUpdateSet({ is_withdrawn: 0 }),
      )
      .execute()
  }
}

export type Balloons = ReturnType<typeof makeBalloons>

export function makeBalloons({ store, doors, boards }: { store: Store; doors: ContestDoors; boards: Boards }) {
  async function enter(actor: Actor, contestId: string, db?: Db): Promise<Contest> {
    requireSignIn(actor)
    const { contest, isJury, isStaff } = await doors.find(actor, contestId, db)
    demand(isJury || isStaff, 'forbidden', 'not-of-staff', 'Balloons are for the staff and the jury of this contest.')
    return contest
  }

  const select = (db: Db, contestId: number) =>
    db
      .selectFrom('contest_balloon')
      .innerJoin('contest_team', 'contest_team.id', 'contest_balloon.team_id')
      .innerJoin('contest_problem', 'contest_problem.id', 'contest_balloon.contest_problem_id')
      .where('contest_balloon.contest_id', '=', contestId)
      .where('contest_team.is_hidden', '=', 0)

  async function read(db: Db, contest: Contest, page: PageRequest, id?: number): Promise<Balloon[]> {
    const board = await boards.read(contest.id, editions.public)
    const firsts = new Set<string>()
    for (const { team, cells } of board?.rows ?? [])
      for (const [i, { isFirst }] of cells.entries())
        if (isFirst) firsts.add(`${team.publicId} ${board!.problems[i]!.publicId}`)
    const rows = await select(db, contest.id)
      .select(['contest_balloon.id', 'contest_team.public_id as team', 'contest_problem.public_id as problem'])
      .select(['contest_problem.colour', 'is_done', 'is_withdrawn', 'contest_balloon.created_at'])
      .$if(id !== undefined, (query) => query.where('contest_balloon.id', '=', id!))
      .orderBy('contest_balloon.id', 'desc')
      .offset(page.offset)
      .limit(page.limit)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      teamId: row.team,
      problemId: row.problem,
      colour: row.colour,
      isFirst: firsts.has(`${row.team} ${row.problem}`),
      isDone: row.is_done === 1,
      isWithdrawn: row.is_withdrawn === 1,
      createdAt: row.created_at,
    }))
  }

  return {
    /** Newest first. */
    async list(actor: Actor, contestId: string, page: PageRequest): Promise<Page<Balloon>> {
      const contest = await enter(actor, contestId)
      const { count } = await select(store.db, contest.id)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return { total: Number(count), items: await read(store.db, contest, page) }
    },

    async update(actor: Actor, contestId: string, id: number, isDone: boolean): Promise<Balloon> {
      const contest = await enter(actor, contestId)
      await store.write(async (trx) => {
        demandOpen((await holdContest(trx, contest.id))!)
        const { numUpdatedRows } = await trx
          .updateTable('contest_balloon')
          .set({ is_done: Number(isDone) })
          .where('contest_id', '=', contest.id)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        demand(numUpdatedRows > 0n, 'not-found', 'balloon-unknown', `There is no balloon ${id}.`)
      })
      return (await read(store.db, contest, { offset: 0, limit: 1 }, id))[0]!
    },
  }
}
