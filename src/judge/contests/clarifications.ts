/** Clarifications: questions of teams, and answers and announcements of the jury. */
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type Contest, hasStarted } from '../contest-access/contest.ts'
import type { Standing } from '../contest-access/contest-access.ts'
import type { Limits } from '../limits.ts'
import { type ContestDoors, demandOpen } from './contest-doors.ts'
import { invalid } from './contest-draft.ts'
import { appendLog, holdContest } from './contest-log.ts'
import { unknownPart } from './contest-parts.ts'

export const categories = ['general', 'sysops', 'operations'] as const
export type Category = (typeof categories)[number]

export type ClarificationDraft = {
  readonly problemId: string | null
  readonly category: Category | null
  readonly text: string
  readonly replyTo: number | null
  /** Both undefined: to the team that asked, or to all if it answers no question. Both empty: to all. */
  readonly toTeamIds: readonly string[] | undefined
  readonly toGroupIds: readonly string[] | undefined
}

export type Clarification = {
  readonly id: number
  readonly fromTeamId: string | null
  readonly toTeamIds: readonly string[]
  readonly toGroupIds: readonly string[]
  readonly isToAll: boolean
  /** The first team in its groups that the reader may know; null if there is none. */
  readonly reachedTeamId: string | null
  readonly problemId: string | null
  readonly category: string | null
  readonly text: string
  /** Null if the reader may not see the question. */
  readonly replyTo: number | null
  /** A question without an answer. */
  readonly isOpen: boolean
  readonly createdAt: number
}

type Needs = { store: Store; clock: Clock; limits: Limits; doors: ContestDoors }

export type Clarifications = ReturnType<typeof makeClarifications>

export function makeClarifications({ store, clock, limits, doors }: Needs) {
  async function complete(db: Db, standing: Standing, rows: readonly Row[]): Promise<Clarification[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const teams = await db
      .selectFrom('contest_clarification_team')
      .innerJoin('contest_team', 'contest_team.id', 'contest_clarification_team.team_id')
      .select(['clarification_id', 'contest_team.id', 'contest_team.public_id'])
      .where('clarification_id', 'in', ids)
      .orderBy('contest_team.id')
      .execute()
    const groups = await db
      .selectFrom('contest_clarification_group')
      .innerJoin('contest_group', 'contest_group.id', 'contest_clarification_group.group_id')
      .select(['clarification_id', 'contest_group.public_id'])
      .where('clarification_id', 'in', ids)
      .orderBy('contest_group.id')
      .execute()
    const reached = await readReached(db, standing, ids)
    const replies = rows.flatMap(({ reply_to }) => (reply_to === null ? [] : [reply_to]))
    const seen = new Set(
      replies.length === 0
        ? []
        : (await selectSeen(db, standing).where('contest_clarification.id', 'in', replies).execute()).map(
            ({ id }) => id,
          ),
    )
    const { isJury, teamId } = standing
    return rows.map((row) => ({
      id: row.id,
      fromTeamId: row.from_team,
      // A recipient does not see the other recipients.
      toTeamIds: teams
        .filter((one) => one.clarification_id === row.id && (isJury || one.id === teamId))
        .map(({ public_id }) => public_id),
      toGroupIds: groups.filter((one) => one.clarification_id === row.id).map(({ public_id }) => public_id),
      isToAll: row.is_to_all === 1,
      reachedTeamId: reached.get(row.id) ?? null,
      problemId: row.problem,
      category: row.category,
      text: row.text,
      replyTo: row.reply_to !== null && seen.has(row.reply_to) ? row.reply_to : null,
      isOpen: row.is_open === 1,
      createdAt: row.created_at,
    }))
  }

  /** Readers outside the jury see only themselves as recipients. */
  async function readReached(
    db: Db,
    { isJury, teamId }: Standing,
    ids: readonly number[],
  ): Promise<Map<number, string>> {
    const firsts = db
      .selectFrom('contest_clarification_group')
      .innerJoin('contest_team_group', 'contest_team_group.group_id', 'contest_clarification_group.group_id')
      .select((eb) => ['clarification_id', eb.fn.min('contest_team_group.team_id').as('team_id')])
      .where('clarification_id', 'in', ids)
      .$if(!isJury, (query) => query.where('contest_team_group.team_id', '=', teamId ?? 0))
      .groupBy('clarification_id')
      .as('firsts')
    const rows = await db
      .selectFrom(firsts)
      .innerJoin('contest_team', 'contest_team.id', 'firsts.team_id')
      .select(['firsts.clarification_id', 'contest_team.public_id'])
      .execute()
    return new Map(rows.map((row) => [row.clarification_id, row.public_id]))
  }

  async function findProblem(trx: Db, contest: Contest, publicId: string | null): Promise<number | null> {
    if (publicId === null) return null
    const row = await trx
      .selectFrom('contest_problem')
      .select('id')
      .where('contest_id', '=', contest.id)
      .where('public_id', '=', publicId)
      .executeTakeFirst()
    if (!row) throw unknownPart('problem', publicId)
    return row.id
  }

  async function findIds(trx: Db, contest: Contest, kind: 'team' | 'group', ids: readonly string[]): Promise<number[]> {
    const found: number[] = []
    for (const publicId of new Set(ids)) {
      const row = await trx
        .selectFrom(kind === 'team' ? 'contest_team' : 'contest_group')
        .select('id')
        .where('contest_id', '=', contest.id)
        .where('public_id', '=', publicId)
        .executeTakeFirst()
      if (!row) throw unknownPart(kind, publicId)
      found.push(row.id)
    }
    return found
  }

  async function demandSpace(trx: Db, contest: Contest, teamId: number | null): Promise<void> {
    const count = async (ofTeam: boolean) => {
      const query = trx.selectFrom('contest_clarification').where('contest_id', '=', contest.id)
      const own = ofTeam ? query.where('from_team_id', '=', teamId) : query
      const row = await own.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      return Number(row.count)
    }
    if (teamId !== null) {
      const most = `A team asks at most ${limits.teamQuestions} questions.`
      demand((await count(true)) < limits.teamQuestions, 'limited', 'too-many-questions', most)
    }
    const all = `A contest has at most ${limits.contestClarifications} clarifications.`
    demand((await count(false)) < limits.contestClarifications, 'limited', 'too-many-clarifications', all)
  }

  /** A message of the jury: its recipients, and the question that it closes. */
  async function address(trx: Db, contest: Contest, draft: ClarificationDraft) {
    const { replyTo, toTeamIds, toGroupIds } = draft
    const question = replyTo === null ? undefined : await findQuestion(trx, contest, replyTo)
    const isPlain = toTeamIds === undefined && toGroupIds === undefined
    if (isPlain && question?.from_team_id) return { teams: [question.from_team_id], groups: [], isToAll: false }
    const teams = await findIds(trx, contest, 'team', toTeamIds ?? [])
    const groups = await findIds(trx, contest, 'group', toGroupIds ?? [])
    return { teams, groups, isToAll: teams.length === 0 && groups.length === 0 }
  }

  async function findQuestion(trx: Db, contest: Contest, id: number) {
    const row = await trx
      .selectFrom('contest_clarification')
      .select(['id', 'from_team_id', 'contest_problem_id', 'category'])
      .where('contest_id', '=', contest.id)
      .where('id', '=', id)
      .executeTakeFirst()
    demand(row, 'not-found', 'clarification-unknown', `There is no clarification ${id}.`)
    return row
  }

  return {
    async create(actor: Actor, contestId: string, draft: ClarificationDraft): Promise<Clarification> {
      requireSignIn(actor)
      const found = await doors.find(actor, contestId)
      const { isJury, teamId } = found
      const refusal = 'Only its teams and its jury can write here.'
      demand(isJury || teamId !== null, 'forbidden', 'no-team', refusal)
      if (draft.problemId !== null && draft.category !== null)
        throw invalid('Category', 'is only for clarifications without a problem')
      if (!isJury) demandQuestion(draft)
      const id = await store.write(async (trx) => {
        const contest = (await holdContest(trx, found.contest.id))!
        demandOpen(contest)
        // Before the start a team must not learn problem IDs by guessing.
        const isKnown = isJury || draft.problemId === null || hasStarted(contest, clock.now())
        if (!isKnown) throw unknownPart('problem', draft.problemId!)
        const fromTeam = isJury ? null : teamId
        await demandSpace(trx, contest, fromTeam)
        const to = isJury ? await address(trx, contest, draft) : { teams: [], groups: [], isToAll: false }
        const subject = draft.problemId === null && draft.category === null && draft.replyTo !== null
        const question = subject ? await findQuestion(trx, contest, draft.replyTo!) : undefined
        const made = await trx
          .insertInto('contest_clarification')
          .values({
            contest_id: contest.id,
            from_team_id: fromTeam,
            author_id: actor.account.id,
            contest_problem_id: question?.contest_problem_id ?? (await findProblem(trx, contest, draft.problemId)),
            category: question ? question.category : draft.problemId === null ? (draft.category ?? 'general') : null,
            text: draft.text,
            reply_to: draft.replyTo,
            is_to_all: Number(to.isToAll),
            is_open: Number(!isJury),
            created_at: clock.now(),
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        for (const team of to.teams)
          await trx
            .insertInto('contest_clarification_team')
            .values({ clarification_id: made.id, team_id: team })
            .execute()
        for (const group of to.groups)
          await trx
            .insertInto('contest_clarification_group')
            .values({ clarification_id: made.id, group_id: group })
            .execute()
        if (isJury && draft.replyTo !== null)
          await trx.updateTable('contest_clarification').set({ is_open: 0 }).where('id', '=', draft.replyTo).execute()
        await appendLog(store, trx, contest, [{ type: 'clarifications', id: String(made.id) }])
        return made.id
      })
      const rows = await selectSeen(store.db, found).where('contest_clarification.id', '=', id).execute()
      return (await complete(store.db, found, rows))[0]!
    },

    /** Newest first. */
    async list(actor: Actor, contestId: string, { offset, limit }: PageRequest): Promise<Page<Clarification>> {
      const standing = await doors.find(actor, contestId)
      const query = selectSeen(store.db, standing)
      const { count } = await query
        .clearSelect()
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      const rows = await query.orderBy('contest_clarification.id', 'desc').offset(offset).limit(limit).execute()
      return { total: Number(count), items: await complete(store.db, standing, rows) }
    },

    /** The clarifications that the reader may see, oldest first, optionally only these ids. */
    async read(standing: Standing, ids?: readonly number[]): Promise<Clarification[]> {
      const rows = await selectSeen(store.db, standing)
        .$if(ids !== undefined, (query) => query.where('contest_clarification.id', 'in', ids!))
        .orderBy('contest_clarification.id')
        .execute()
      const found: Clarification[] = []
      for (let at = 0; at < rows.length; at += portion)
        found.push(...(await complete(store.db, standing, rows.slice(at, at + portion))))
      return found
    },
  }
}

function demandQuestion({ replyTo, toTeamIds, toGroupIds }: ClarificationDraft): void {
  const isAddressed = replyTo !== null || toTeamIds !== undefined || toGroupIds !== undefined
  demand(!isAddressed, 'forbidden', 'not-of-jury', 'A team can ask only the jury.')
}

/**
 * The clarifications that a reader may see: the public those to all; a team also its own and those to it or its groups;
 * the jury all.
 */
function selectSeen(db: Db, { contest, isJury, teamId }: Standing) {
  const team = teamId ?? 0
  return db
    .selectFrom('contest_clarification')
    .leftJoin('contest_team', 'contest_team.id', 'contest_clarification.from_team_id')
    .leftJoin('contest_problem', 'contest_problem.id', 'contest_clarification.contest_problem_id')
    .select(['contest_clarification.id', 'contest_team.public_id as from_team', 'contest_problem.public_id as problem'])
    .select(['category', 'text', 'reply_to', 'is_to_all', 'is_open', 'contest_clarification.created_at'])
    .where('contest_clarification.contest_id', '=', contest.id)
    .$if(!isJury, (query) =>
      query.where((eb) =>
        eb.or([
          eb('contest_clarification.is_to_all', '=', 1),
          eb('contest_clarification.from_team_id', '=', team),
          eb(
            'contest_clarification.id',
            'in',
            eb.selectFrom('contest_clarification_team').select('clarification_id').where('team_id', '=', team),
          ),
          eb(
            'contest_clarification.id',
            'in',
            eb
              .selectFrom('contest_clarification_group')
              .innerJoin('contest_team_group', 'contest_team_group.group_id', 'contest_clarification_group.group_id')
              .select('clarification_id')
              .where('contest_team_group.team_id', '=', team),
          ),
        ]),
      ),
    )
}

type Row = Awaited<ReturnType<ReturnType<typeof selectSeen>['execute']>>[number]

const portion = 500
export const unknownClarification = (id: string) =>
  new Failure('not-found', 'clarification-unknown', `There is no clarification ${id}.`)
