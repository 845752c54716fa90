/** Contests: create, read, change, freeze, thaw, finalize and reopen. */
import { type Actor, isAdmin, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import {
  type Contest,
  contestTimeOf,
  freezeStartOf,
  frozenSince,
  hasEnded,
  hasStarted,
  isRunning,
} from '../contest-access/contest.ts'
import type { ContestAccess, Standing } from '../contest-access/contest-access.ts'
import type { Limits } from '../limits.ts'
import { readProblems } from './board/boards.ts'
import type { BoardProblem } from './board/ranking.ts'
import { type ContestDoors, demandOpen } from './contest-doors.ts'
import {
  type ContestChange,
  type ContestFields,
  checkFields,
  contestDefaults,
  demandMovableStart,
  demandPerson,
  invalid,
  toColumns,
} from './contest-draft.ts'
import { appendLog, contestChannel, holdContest, resetFeeds } from './contest-log.ts'
import { type ContestPhases, loggedPhases } from './contest-phases.ts'

/** A contest as a reader sees it. */
export type ShownContest = {
  readonly contest: Contest
  readonly standing: Standing
  readonly teamId: string | null
  readonly ownerName: string
  /** Empty except for the jury. */
  readonly juryNames: readonly string[]
  readonly staffNames: readonly string[]
  /** The problems that are visible now. */
  readonly problems: readonly BoardProblem[]
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  readonly now: number
}

type FindAccount = (name: string) => Promise<{ id: number; role: string; kind: string } | undefined>

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  findAccount: FindAccount
  contestAccess: ContestAccess
  doors: ContestDoors
  phases: ContestPhases
}

export type Contests = ReturnType<typeof makeContests>

export function makeContests({ store, clock, limits, findAccount, contestAccess, doors, phases }: Needs) {
  async function show(standing: Standing, db: Db = store.db): Promise<ShownContest> {
    const { contest, isJury, teamId } = standing
    const now = clock.now()
    const people = isJury
      ? await db
          .selectFrom('contest_person')
          .innerJoin('account', 'account.id', 'contest_person.account_id')
          .select(['account.name', 'contest_person.role'])
          .where('contest_id', '=', contest.id)
          .orderBy('account.name')
          .execute()
      : []
    const namesOf = (role: string) => people.filter((one) => one.role === role).map(({ name }) => name)
    const owner = await db.selectFrom('account').select('name').where('id', '=', contest.ownerId).executeTakeFirst()
    const team =
      teamId === null
        ? undefined
        : await db.selectFrom('contest_team').select('public_id').where('id', '=', teamId).executeTakeFirst()
    const groups = await db
      .selectFrom('contest_group')
      .select(['public_id as id', 'name'])
      .where('contest_id', '=', contest.id)
      .orderBy('contest_group.id')
      .execute()
    return {
      contest,
      standing,
      teamId: team?.public_id ?? null,
      ownerName: owner?.name ?? '',
      juryNames: namesOf('jury'),
      staffNames: namesOf('staff'),
      problems: isJury || hasStarted(contest, now) ? await readProblems(db, contest.id) : [],
      groups,
      now,
    }
  }

  async function findPeople(change: ContestChange): Promise<{ id: number; role: 'jury' | 'staff' }[] | undefined> {
    const { juryNames, staffNames } = change
    if (!juryNames && !staffNames) return undefined
    const people: { id: number; role: 'jury' | 'staff' }[] = []
    for (const [role, field, names] of [
      ['jury', 'JuryList', juryNames ?? []],
      ['staff', 'StaffList', staffNames ?? []],
    ] as const)
      for (const name of names) {
        const account = await findAccount(name)
        demandPerson(account, field, name)
        if (people.some(({ id }) => id === account.id)) throw invalid(field, `names ${name} twice`)
        people.push({ id: account.id, role })
      }
    const most = `A contest has at most ${limits.contestPeople} people in its jury and staff.`
    demand(people.length <= limits.contestPeople, 'limited', 'too-many-people', most)
    return people
  }

  async function putPeople(
    trx: Db,
    contestId: number,
    change: ContestChange,
    people: Awaited<ReturnType<typeof findPeople>>,
  ) {
    if (!people) return
    const roles = [...(change.juryNames ? ['jury'] : []), ...(change.staffNames ? ['staff'] : [])]
    await trx.deleteFrom('contest_person').where('contest_id', '=', contestId).where('role', 'in', roles).execute()
    for (const { id, role } of people)
      await trx
        .insertInto('contest_person')
        .values({ contest_id: contestId, account_id: id, role })
        .onConflict((conflict) => conflict.columns(['contest_id', 'account_id']).doUpdateSet({ role }))
        .execute()
  }

  /** Runs in a transaction that holds the contest. `act` changes its row. */
  async function change(
    actor: Actor,
    publicId: string,
    act: (trx: Db, contest: Contest, now: number) => Promise<void>,
    needsOpen = true,
  ): Promise<ShownContest> {
    await doors.judge(actor, publicId)
    await store.write(async (trx) => {
      const { contest } = await doors.judge(actor, publicId, trx)
      const held = (await holdContest(trx, contest.id))!
      if (needsOpen) demandOpen(held)
      await act(trx, held, clock.now())
      await phases.settle(trx, contest.id)
    })
    return show(await doors.find(actor, publicId))
  }

  const setRow = (trx: Db, id: number, columns: Record<string, number | null>) =>
    trx.updateTable('contest').set(columns).where('id', '=', id).execute()

  const state = { type: 'state', id: null } as const

  return {
    show,

    /** Finds the contest of a search among its submissions. */
    async findFor(actor: Actor, publicId: string): Promise<{ id: number }> {
      return { id: (await doors.find(actor, publicId)).contest.id }
    },

    async create(actor: Actor, publicId: string, draft: ContestChange & ContestNeeds): Promise<ShownContest> {
      requireAct(actor, 'makeContests')
      const fields = checkFields({ ...contestDefaults, ...draft } as ContestFields)
      const people = await findPeople(draft)
      const ownerId = actor.account.id
      await store
        .write(
          async (trx) => {
            const { count } = await trx
              .selectFrom('contest')
              .select((eb) => eb.fn.countAll<number>().as('count'))
              .where('owner_id', '=', ownerId)
              .executeTakeFirstOrThrow()
            const most = `An account has at most ${limits.contests} contests.`
            demand(Number(count) < limits.contests, 'limited', 'too-many-contests', most)
            const { id } = await trx
              .insertInto('contest')
              .values({ ...toColumns(fields), public_id: publicId, owner_id: ownerId, created_at: clock.now() })
              .returning('id')
              .executeTakeFirstOrThrow()
            await putPeople(trx, id, draft, people)
            await phases.settle(trx, id)
          },
          { locks: [`contests-of:${ownerId}`] },
        )
        .catch((error) => {
          if (!isUniqueViolation(error)) throw error
          throw new Failure('conflict', 'contest-exists', `There is a contest ${publicId} already.`)
        })
      return show(await doors.find(actor, publicId))
    },

    get: async (actor: Actor, publicId: string): Promise<ShownContest> => show(await doors.find(actor, publicId)),

    /** Newest first: public contests, and those in which the actor takes part. */
    async list(actor: Actor, { offset, limit }: PageRequest): Promise<Page<ShownContest>> {
      const who = actor.account?.id ?? 0
      const query = store.db
        .selectFrom('contest')
        .$if(!isAdmin(actor), (all) =>
          all.where((eb) =>
            eb.or([
              eb('is_public', '=', 1),
              eb('owner_id', '=', who),
              eb('id', 'in', eb.selectFrom('contest_person').select('contest_id').where('account_id', '=', who)),
              eb('id', 'in', eb.selectFrom('contest_member').select('contest_id').where('account_id', '=', who)),
            ]),
          ),
        )
      const { count } = await query.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await query.select('public_id').orderBy('id', 'desc').offset(offset).limit(limit).execute()
      const items: ShownContest[] = []
      for (const { public_id } of rows) {
        const contest = await contestAccess.findContest(public_id)
        if (contest) items.push(await show(await contestAccess.stand(actor, contest)))
      }
      return { total: Number(count), items }
    },

    async update(actor: Actor, publicId: string, draft: ContestChange): Promise<ShownContest> {
      await doors.judge(actor, publicId)
      const people = await findPeople(draft)
      return change(actor, publicId, async (trx, contest, now) => {
        const fields = checkFields({ ...contest, ...draft })
        demandMovableStart(contest, fields.startTime, now)
        await trx.updateTable('contest').set(toColumns(fields)).where('id', '=', contest.id).execute()
        await putPeople(trx, contest.id, draft, people)
        if (changesBoard(draft)) await phases.recompute(trx, fields)
        // Scores of others are told where the board is.
        if (fields.style === 'ioi' && fields.boardIsHidden !== contest.boardIsHidden) await resetFeeds(trx, contest)
        if (movesTimes(draft) && hasStarted(contest, now)) await phases.logAllAgain(trx, contest, fields)
        await appendLog(store, trx, contest, [
          { type: 'contest', id: null },
          ...(draft.showsProblemsToPublic === undefined ? [] : await phases.listVisible(trx, contest.id)),
          ...(draft.languages ? [{ type: 'languages', id: null } as const] : []),
          ...(changesBoard(draft) ? [state, { type: 'awards', id: null } as const] : []),
        ])
      })
    },

    async delete(actor: Actor, publicId: string): Promise<void> {
      await doors.judge(actor, publicId)
      await store.write(async (trx) => {
        const { contest } = await doors.judge(actor, publicId, trx)
        await holdContest(trx, contest.id)
        const used = await trx
          .selectFrom('contest_submission')
          .select('submission_id')
          .where('contest_id', '=', contest.id)
          .limit(1)
          .executeTakeFirst()
        demand(!used, 'precondition', 'has-submissions', 'It has submissions, so it can’t be removed.')
        await trx.deleteFrom('contest_clarification').where('contest_id', '=', contest.id).execute()
        await trx.deleteFrom('contest_team').where('contest_id', '=', contest.id).execute()
        await trx.deleteFrom('contest').where('id', '=', contest.id).execute()
        await store.notify(trx, contestChannel, String(contest.id))
      })
    },

    freeze: (actor: Actor, publicId: string) =>
      change(actor, publicId, async (trx, contest, now) => {
        demand(isRunning(contest, now), 'precondition', 'not-running', 'Only a running contest can be frozen.')
        demand(frozenSince(contest, now) === null, 'precondition', 'frozen', 'It is frozen already.')
        const from = contestTimeOf(contest, now)!
        await setRow(trx, contest.id, { frozen_from: from, thawed_at: null, thaw_time: null })
        await phases.recompute(trx, { ...contest, frozenFromMs: from, thawedAt: null, thawTime: null })
        await appendLog(store, trx, contest, [state])
      }),

    unfreeze: (actor: Actor, publicId: string, isForced: boolean) =>
      change(
        actor,
        publicId,
        async (trx, contest, now) => {
          demandFrozen(contest, now)
          const message = 'The contest has not ended: use Force to reveal the results before the end.'
          demand(isForced || hasEnded(contest, now), 'precondition', 'not-ended', message)
          if (!isFrozenEarly(contest, now)) return phases.thaw(trx, contest, now)
          // A scheduled freeze still takes place.
          await setRow(trx, contest.id, { frozen_from: null, told_phase: contest.loggedPhase & ~loggedPhases.frozen })
          await phases.recompute(trx, { ...contest, frozenFromMs: null })
          await phases.appendAllJudgements(trx, contest, [{ type: 'awards', id: null }, state])
        },
        false,
      ),

    /** Schedules a thaw; thaws at once if that time has passed. */
    scheduleThaw: (actor: Actor, publicId: string, at: number) =>
      change(
        actor,
        publicId,
        async (trx, contest, now) => {
          const message = 'The contest can be thawed only after its end, if it is frozen.'
          demand(freezeStartOf(contest) !== null && contest.thawedAt === null, 'precondition', 'not-frozen', message)
          const end = hasEnded(contest, Math.max(at, now))
          demand(end, 'precondition', 'not-ended', message)
          if (at <= now) await phases.thaw(trx, contest, now)
          else {
            await setRow(trx, contest.id, { thaw_time: at })
            await appendLog(store, trx, contest, [{ type: 'contest', id: null }])
          }
        },
        false,
      ),

    finalize: (actor: Actor, publicId: string, extraBronze: number) =>
      change(actor, publicId, async (trx, contest, now) => {
        demand(hasEnded(contest, now), 'precondition', 'not-ended', 'It has not ended.')
        await demandSettled(trx, contest)
        await setRow(trx, contest.id, { finalized_at: now, extra_bronze: extraBronze })
        await appendLog(store, trx, contest, [{ type: 'awards', id: null }, state])
      }),

    async reopen(actor: Actor, publicId: string): Promise<ShownContest> {
      requireSignIn(actor)
      await doors.find(actor, publicId)
      demand(isAdmin(actor), 'forbidden', 'admins-only', 'Only an admin can reopen a contest.')
      return change(
        actor,
        publicId,
        async (trx, contest) => {
          demand(contest.finalizedAt !== null, 'precondition', 'not-finalized', 'It is not finalized.')
          await setRow(trx, contest.id, { finalized_at: null, extra_bronze: 0, feed_epoch: contest.feedEpoch + 1 })
          await appendLog(store, trx, contest, [state, { type: 'awards', id: null }])
        },
        false,
      )
    },
  }
}

type ContestNeeds = Pick<ContestFields, 'name' | 'style' | 'durationMs'>

const changesBoard = (draft: ContestChange): boolean =>
  ['style', 'startTime', 'durationMs', 'freezeDurationMs', 'penaltyMinutes', 'removedIntervals'].some(
    (name) => draft[name as keyof ContestChange] !== undefined,
  )

/** Frozen by hand, before the scheduled time. */
const isFrozenEarly = (contest: Contest, now: number): boolean =>
  contest.frozenFromMs !== null &&
  frozenSince({ ...contest, frozenFromMs: null }, now) === null &&
  !hasEnded(contest, now) &&
  freezeStartOf({ ...contest, frozenFromMs: null }) !== null

const movesTimes = ({ removedIntervals, durationMs, freezeDurationMs }: ContestChange): boolean =>
  removedIntervals !== undefined || durationMs !== undefined || freezeDurationMs !== undefined

function demandFrozen(contest: Contest, now: number): void {
  demand(frozenSince(contest, now) !== null, 'precondition', 'not-frozen', 'It is not frozen.')
}

/** Demands that everything is judged, without a failure of the judge, and that no question is open. */
async function demandSettled(trx: Db, { id }: Contest): Promise<void> {
  const handedIn = trx
    .selectFrom('contest_submission')
    .innerJoin('submission', 'submission.id', 'contest_submission.submission_id')
    .select('submission.id')
    .where('contest_submission.contest_id', '=', id)
    .where('contest_submission.is_ignored', '=', 0)
    .limit(1)
  const waiting = await handedIn.where('submission.status', '!=', 3).executeTakeFirst()
  demand(!waiting, 'precondition', 'not-judged', `Submission ${waiting?.id} is not judged yet.`)
  const failed = await handedIn.where('submission.result', '=', 9).executeTakeFirst()
  demand(
    !failed,
    'precondition',
    'judge-failed',
    `Submission ${failed?.id} could not be judged: rejudge or override it.`,
  )
  const question = await trx
    .selectFrom('contest_clarification')
    .select('id')
    .where('contest_id', '=', id)
    .where('is_open', '=', 1)
    .limit(1)
    .executeTakeFirst()
  demand(!question, 'precondition', 'open-question', `Question ${question?.id} is not answered.`)
  const rejudging = await trx
    .selectFrom('contest_rejudging')
    .select('id')
    .where('contest_id', '=', id)
    .where('state', '=', 'open')
    .limit(1)
    .executeTakeFirst()
  demand(!rejudging, 'precondition', 'open-rejudging', `Rejudging ${rejudging?.id} is neither applied nor cancelled.`)
}
