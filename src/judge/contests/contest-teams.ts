/** The teams of a contest and their accounts. An account is in at most one team. */
import { type Actor, isAdmin, requireSignIn, type SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import { findCreated, type PasswordRights } from '../account-access/created-accounts.ts'
import { type Contest, contestIdPattern, hasEnded } from '../contest-access/contest.ts'
import type { Limits } from '../limits.ts'
import { recomputeRow } from './board/recomputing.ts'
import { type ContestDoors, demandOpen } from './contest-doors.ts'
import { demandPerson, invalid } from './contest-draft.ts'
import { appendLog, holdContest, resetFeeds } from './contest-log.ts'
import { isUsed, makeChange, unknownPart } from './contest-parts.ts'

export type TeamDraft = {
  readonly id: string
  readonly label: string
  readonly name: string
  readonly accountNames: readonly string[]
  readonly organisationId: string | null
  readonly groupIds: readonly string[]
  readonly extraPenalty: number
  readonly isHidden: boolean
}

export type Team = TeamDraft & { readonly rowId: number }

type TeamAccount = { readonly id: number; readonly name: string }

/** With the accounts for which the reader may set a new password. */
export type ListedTeam = Team & { readonly passwordAccounts: readonly TeamAccount[] }

type FindAccount = (name: string) => Promise<{ id: number; name: string; role: string; kind: string } | undefined>

type Needs = {
  store: Store
  clock: Clock
  limits: Limits
  doors: ContestDoors
  findAccount: FindAccount
  passwordRights: PasswordRights
}

export type ContestTeams = ReturnType<typeof makeContestTeams>

export function makeContestTeams({ store, clock, limits, doors, findAccount, passwordRights }: Needs) {
  const change = makeChange({ store, doors })

  /** Adds members and groups to these rows. */
  async function complete(db: Db, rows: readonly TeamRow[]): Promise<Team[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const members = await db
      .selectFrom('contest_member')
      .innerJoin('account', 'account.id', 'contest_member.account_id')
      .select(['contest_member.team_id', 'account.name'])
      .where('contest_member.team_id', 'in', ids)
      .orderBy('contest_member.position')
      .execute()
    const groups = await db
      .selectFrom('contest_team_group')
      .innerJoin('contest_group', 'contest_group.id', 'contest_team_group.group_id')
      .select(['contest_team_group.team_id', 'contest_group.public_id'])
      .where('contest_team_group.team_id', 'in', ids)
      .orderBy('contest_group.id')
      .execute()
    return rows.map((row) => ({
      rowId: row.id,
      id: row.public_id,
      label: row.label,
      name: row.name,
      accountNames: members.filter((one) => one.team_id === row.id).map(({ name }) => name),
      organisationId: row.organisation,
      groupIds: groups.filter((one) => one.team_id === row.id).map(({ public_id }) => public_id),
      extraPenalty: row.extra_penalty,
      isHidden: row.is_hidden === 1,
    }))
  }

  async function read(db: Db, contest: Contest, publicId: string): Promise<Team> {
    const rows = await selectTeams(db, contest.id).where('contest_team.public_id', '=', publicId).execute()
    const [team] = await complete(db, rows)
    if (!team) throw unknownPart('team', publicId)
    return team
  }

  async function findAccounts(names: readonly string[]): Promise<number[]> {
    const most = `A team has at most ${limits.teamAccounts} accounts.`
    demand(names.length <= limits.teamAccounts, 'limited', 'team-full', most)
    const ids: number[] = []
    for (const name of names) {
      const account = await findAccount(name)
      demandPerson(account, 'AccountNameList', name)
      if (ids.includes(account.id)) throw invalid('AccountNameList', `names ${name} twice`)
      ids.push(account.id)
    }
    return ids
  }

  /** By the team's row. */
  async function findPasswordAccounts(actor: Actor, teams: readonly TeamRow[]): Promise<Map<number, TeamAccount[]>> {
    const teamIds = teams.map(({ id }) => id)
    if (teamIds.length === 0) return new Map()
    const members = await store.db
      .selectFrom('contest_member')
      .innerJoin('account', 'account.id', 'contest_member.account_id')
      .select(['account.id', 'account.name', 'contest_member.team_id'])
      .where('contest_member.team_id', 'in', teamIds)
      .orderBy('contest_member.position')
      .execute()
    const memberIds = members.map(({ id }) => id)
    const settable = await passwordRights.find(actor, memberIds)
    return Map.groupBy(
      members.filter(({ id }) => settable.has(id)),
      ({ team_id }) => team_id,
    )
  }

  async function demandSpace(trx: Db, { id }: Contest): Promise<void> {
    const { count } = await trx
      .selectFrom('contest_team')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('contest_id', '=', id)
      .executeTakeFirstOrThrow()
    const most = `A contest has at most ${limits.contestTeams} teams.`
    demand(Number(count) < limits.contestTeams, 'limited', 'contest-full', most)
  }

  /**
   * An account that somebody else adds to a team is invited until it submits to the contest, except if an admin adds
   * it, or the actor or a roster of theirs created it.
   */
  async function putMembers(trx: Db, actor: SignedIn, contest: Contest, teamId: number, accountIds: readonly number[]) {
    const { id: actorId } = actor.account
    const before = await trx
      .selectFrom('contest_member')
      .select('account_id')
      .where('contest_id', '=', contest.id)
      .where('is_invited', '=', 0)
      .where('account_id', 'in', [...accountIds, 0])
      .execute()
    const own = await findCreated(trx, actorId, accountIds)
    const isIn = (id: number) =>
      isAdmin(actor) || id === actorId || own.has(id) || before.some(({ account_id }) => account_id === id)
    await trx.deleteFrom('contest_member').where('team_id', '=', teamId).execute()
    for (const [position, accountId] of accountIds.entries()) {
      const other = await trx
        .selectFrom('contest_member')
        .select('team_id')
        .where('contest_id', '=', contest.id)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      demand(
        !other,
        'conflict',
        'in-a-team',
        'An account can be in only one team: one of these is in another team already.',
      )
      const place = { contest_id: contest.id, account_id: accountId, team_id: teamId, position }
      const values = { ...place, is_invited: Number(!isIn(accountId)) }
      await trx.insertInto('contest_member').values(values).execute()
    }
  }

  async function findIds(
    trx: Db,
    contest: Contest,
    table: 'contest_group' | 'contest_organisation',
    ids: readonly string[],
  ) {
    const found: number[] = []
    for (const publicId of new Set(ids)) {
      const row = await trx
        .selectFrom(table)
        .select('id')
        .where('contest_id', '=', contest.id)
        .where('public_id', '=', publicId)
        .executeTakeFirst()
      if (!row) throw unknownPart(table === 'contest_group' ? 'group' : 'organisation', publicId)
      found.push(row.id)
    }
    return found
  }

  async function putTeam(
    trx: Db,
    actor: SignedIn,
    contest: Contest,
    draft: TeamDraft,
    accountIds: readonly number[],
  ): Promise<Team> {
    const before = await trx
      .selectFrom('contest_team')
      .select(['id', 'extra_penalty', 'is_hidden'])
      .where('contest_id', '=', contest.id)
      .where('public_id', '=', draft.id)
      .executeTakeFirst()
    if (!before) await demandSpace(trx, contest)
    const groupIds = await findIds(trx, contest, 'contest_group', draft.groupIds)
    const organisation = draft.organisationId === null ? [] : [draft.organisationId]
    const [organisationId = null] = await findIds(trx, contest, 'contest_organisation', organisation)
    const values = {
      label: draft.label,
      name: draft.name,
      organisation_id: organisationId,
      extra_penalty: draft.extraPenalty,
      is_hidden: Number(draft.isHidden),
    }
    const { id } = before
      ? await trx
          .updateTable('contest_team')
          .set(values)
          .where('id', '=', before.id)
          .returning('id')
          .executeTakeFirstOrThrow()
      : await trx
          .insertInto('contest_team')
          .values({ ...values, contest_id: contest.id, public_id: draft.id })
          .returning('id')
          .executeTakeFirstOrThrow()
    await trx.deleteFrom('contest_team_group').where('team_id', '=', id).execute()
    if (groupIds.length > 0)
      await trx
        .insertInto('contest_team_group')
        .values(groupIds.map((groupId) => ({ team_id: id, group_id: groupId })))
        .execute()
    await putMembers(trx, actor, contest, id, accountIds)
    await recomputeRow(trx, contest, id)
    const isStillHidden = draft.isHidden && before?.is_hidden !== 0
    const isVisibilityChanged = before !== undefined && before.is_hidden !== Number(draft.isHidden)
    const handedIn = isVisibilityChanged
      ? await trx.selectFrom('contest_submission').select('submission_id').where('team_id', '=', id).execute()
      : []
    if (draft.isHidden && handedIn.length > 0) await resetFeeds(trx, contest)
    await appendLog(store, trx, contest, [
      { type: isStillHidden ? 'hidden-teams' : 'teams', id: draft.id },
      { type: 'accounts', id: null },
      ...handedIn.flatMap(({ submission_id }) => [
        { type: 'submissions', id: String(submission_id) } as const,
        { type: 'judgements', id: String(submission_id) } as const,
      ]),
      { type: 'awards', id: null },
    ])
    return read(trx, contest, draft.id)
  }

  return {
    complete,

    async put(actor: Actor, contestId: string, draft: TeamDraft): Promise<Team> {
      requireSignIn(actor)
      await doors.change(actor, contestId)
      const accountIds = await findAccounts(draft.accountNames)
      return change(actor, contestId, (trx, contest) => putTeam(trx, actor, contest, draft, accountIds))
    },

    delete: (actor: Actor, contestId: string, publicId: string): Promise<void> =>
      change(actor, contestId, async (trx, contest) => {
        const { rowId, isHidden } = await read(trx, contest, publicId)
        const hasSubmissions = await isUsed(trx, 'team_id', rowId)
        demand(!hasSubmissions, 'precondition', 'has-submissions', 'The team has submissions, so it can’t be removed.')
        await trx.deleteFrom('contest_team').where('id', '=', rowId).execute()
        await appendLog(store, trx, contest, [
          { type: isHidden ? 'hidden-teams' : 'teams', id: publicId },
          { type: 'accounts', id: null },
        ])
      }),

    /**
     * By label and id. Accounts are shown to the jury and to their own team; hidden teams to the jury and themselves.
     */
    async list(actor: Actor, contestId: string, { offset, limit }: PageRequest): Promise<Page<ListedTeam>> {
      const { contest, isJury, teamId } = await doors.find(actor, contestId)
      const query = selectTeams(store.db, contest.id).$if(!isJury, (all) =>
        all.where((eb) => eb.or([eb('contest_team.is_hidden', '=', 0), eb('contest_team.id', '=', teamId ?? 0)])),
      )
      const { count } = await query
        .clearSelect()
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      const rows = await query
        .orderBy('contest_team.label')
        .orderBy('contest_team.id')
        .offset(offset)
        .limit(limit)
        .execute()
      const teams = await complete(store.db, rows)
      const open = isJury ? await findPasswordAccounts(actor, rows) : new Map<number, TeamAccount[]>()
      const isOpen = (team: Team) => isJury || team.rowId === teamId
      const items = teams.map((team) => ({
        ...team,
        accountNames: isOpen(team) ? team.accountNames : [],
        passwordAccounts: open.get(team.rowId) ?? [],
      }))
      return { total: Number(count), items }
    },

    /** Makes a team with the actor as its only member, in a contest that is open to all. */
    async join(actor: Actor, contestId: string): Promise<Team> {
      requireSignIn(actor)
      const standing = await doors.find(actor, contestId)
      requireAct(actor, 'takePart')
      const { account } = actor
      return store.write(async (trx) => {
        const contest = (await holdContest(trx, standing.contest.id))!
        demand(contest.isOpen, 'precondition', 'not-open', 'This contest is not open: its jury creates its teams.')
        demandOpen(contest)
        demand(!hasEnded(contest, clock.now()), 'precondition', 'ended', 'It has ended.')
        const member = await trx
          .selectFrom('contest_member')
          .select('team_id')
          .where('contest_id', '=', contest.id)
          .where('account_id', '=', account.id)
          .executeTakeFirst()
        demand(!member, 'conflict', 'in-a-team', 'You are in a team of this contest already.')
        const taken = await trx
          .selectFrom('contest_team')
          .select('id')
          .where('contest_id', '=', contest.id)
          .where('public_id', '=', account.name)
          .executeTakeFirst()
        const isName = !taken && new RegExp(contestIdPattern).test(account.name)
        const draft = {
          id: isName ? account.name : `account_${account.id}`,
          label: '',
          name: account.displayName,
          accountNames: [account.name],
          organisationId: null,
          groupIds: [],
          extraPenalty: 0,
          isHidden: false,
        }
        return putTeam(trx, actor, contest, draft, [account.id])
      })
    },
  }
}

export const selectTeams = (db: Db, contestId: number) =>
  db
    .selectFrom('contest_team')
    .leftJoin('contest_organisation', 'contest_organisation.id', 'contest_team.organisation_id')
    .select(['contest_team.id', 'contest_team.public_id', 'contest_team.label', 'contest_team.name'])
    .select(['contest_team.extra_penalty', 'contest_team.is_hidden', 'contest_organisation.public_id as organisation'])
    .where('contest_team.contest_id', '=', contestId)

export type TeamRow = Awaited<ReturnType<ReturnType<typeof selectTeams>['execute']>>[number]
