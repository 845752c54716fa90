/** Teams of an organisation. They nest: children inherit the parent's access to repositories. */
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { hasPart } from '../../store/name-words.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { isOfCountedOwner } from '../access/counted-owners.ts'
import { type Level, levelOf, rankOf } from '../access/level.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { listLackingSignOn } from '../access/sign-on.ts'
import { invalidField, notFound } from '../failures.ts'
import type { Person } from '../person.ts'
import { readPage, readRows } from '../row-pages.ts'
import {
  deepestTeam,
  heightOf,
  memberships,
  placeTeam,
  type Team,
  type TeamDraft,
  type TeamRow,
  type TeamStart,
  type TeamWithCounts,
  type TeamWithParent,
  toSlug,
  toTeam,
} from './team.ts'
import type { TeamChanges } from './team-changes.ts'

/** Direct children of `parent`; `words` is a part of the name or slug; a team of one of `logins`. */
export type TeamFilter = {
  readonly parent?: Team
  readonly words?: string | undefined
  readonly logins?: readonly string[] | undefined
  readonly direction?: 'asc' | 'desc'
}

export type Teams = ReturnType<typeof makeTeams>

export function makeTeams({ store, clock, changes }: { store: Store; clock: Clock; changes: TeamChanges }) {
  const { db } = store

  /** Secret teams are visible to their members and to owners. */
  function visible({ actor, organisation, isOwner }: OrganisationAccess<'anyone'>, on: Db = db) {
    const query = on.selectFrom('team').where('team.organisation_id', '=', organisation.id)
    if (isOwner) return query
    return query.where((eb) =>
      eb.or([
        eb('privacy', '=', 'closed'),
        eb(
          'team.id',
          'in',
          eb
            .selectFrom('team_member')
            .select('team_id')
            .where('user_id', '=', actor.account?.id ?? 0),
        ),
      ]),
    )
  }

  async function withParents(organisation: Person, rows: readonly TeamRow[], on: Db = db): Promise<TeamWithParent[]> {
    const parentIds = [...new Set(rows.flatMap((row) => row.parent_id ?? []))]
    const parents = parentIds.length
      ? await on.selectFrom('team').selectAll().where('id', 'in', parentIds).execute()
      : []
    const byId = new Map(parents.map((row) => [row.id, toTeam(organisation, row)]))
    return rows.map((row) => ({
      ...toTeam(organisation, row),
      parent: row.parent_id === null ? undefined : byId.get(row.parent_id),
    }))
  }

  /** Counts for all teams in two queries. */
  async function addCounts(teams: readonly TeamWithParent[], on: Db = db): Promise<TeamWithCounts[]> {
    if (teams.length === 0) return []
    const ids = teams.map(({ id }) => id)
    const members = await memberships(on)
      .select((eb) => [
        'team_ancestor.ancestor_id as id',
        eb.fn.count<number>('team_member.user_id').distinct().as('count'),
      ])
      .where('team_ancestor.ancestor_id', 'in', ids)
      .groupBy('team_ancestor.ancestor_id')
      .execute()
    const repositories = await on
      .selectFrom('team_repository')
      .innerJoin('team_ancestor', 'team_ancestor.ancestor_id', 'team_repository.team_id')
      .select((eb) => ['team_ancestor.team_id as id', eb.fn.count<number>('repository_id').distinct().as('count')])
      .where('team_ancestor.team_id', 'in', ids)
      .groupBy('team_ancestor.team_id')
      .execute()
    const [memberCounts, repositoryCounts] = [members, repositories].map(
      (rows) => new Map(rows.map(({ id, count }) => [id, Number(count)])),
    )
    return teams.map((team) => ({
      ...team,
      memberCount: memberCounts!.get(team.id) ?? 0,
      repositoryCount: repositoryCounts!.get(team.id) ?? 0,
    }))
  }

  const withCounts = async (team: TeamWithParent, on: Db = db): Promise<TeamWithCounts> =>
    (await addCounts([team], on))[0]!

  /** A team's members include those of its subteams. */
  const membersOf = (team: { id: number }, on: Db = db, role?: 'member' | 'maintainer') =>
    on.selectFrom('account').where('account.id', 'in', () =>
      memberships(on)
        .select('team_member.user_id')
        .where('team_ancestor.ancestor_id', '=', team.id)
        .$if(role !== undefined, (query) => query.where('team_member.role', '=', role!)),
    )

  /** The teams that one of these is in, directly or through a subteam. */
  const teamsOf = (logins: readonly string[]) =>
    memberships(db)
      .innerJoin('account', 'account.id', 'team_member.user_id')
      .select('team_ancestor.ancestor_id')
      // No name is empty, and a list needs an item.
      .where('account.name_key', 'in', ['', ...logins.map((login) => login.toLowerCase())])

  const ancestorsOf = (id: number, on: Db = db) =>
    on.selectFrom('team_ancestor').select('ancestor_id').where('team_id', '=', id)

  async function open(access: OrganisationAccess<'member'>, slug: string, on: Db = db): Promise<TeamWithParent> {
    const row = await visible(access, on).selectAll('team').where('slug', '=', slug.toLowerCase()).executeTakeFirst()
    if (!row) throw notFound()
    return (await withParents(access.organisation, [row], on))[0]!
  }

  async function mayMaintain(
    { actor, isOwner }: OrganisationAccess<'member'>,
    teamId: number,
    on: Db = db,
  ): Promise<boolean> {
    if (isOwner) return true
    const row = await on
      .selectFrom('team_member')
      .select('role')
      .where('team_id', '=', teamId)
      .where('user_id', '=', actor.account.id)
      .executeTakeFirst()
    return row?.role === 'maintainer'
  }

  async function demandMaintainer(access: OrganisationAccess<'member'>, teamId: number, on?: Db): Promise<void> {
    demand(
      await mayMaintain(access, teamId, on),
      'forbidden',
      'not-maintainer',
      'Only an owner of the organization or a maintainer of the team may do this.',
    )
  }

  /** A subteam gets its parent's access, so moving a team requires maintaining both it and the parent. */
  async function demandParent(
    trx: Db,
    access: OrganisationAccess<'member'>,
    parentId: number,
    childId?: number,
  ): Promise<void> {
    const parent = await visible(access, trx)
      .select(['team.id', 'privacy'])
      .where('team.id', '=', parentId)
      .executeTakeFirst()
    if (!parent) throw invalidField('parent_team_id', 'missing', 'There is no such team in the organization.')
    if (parent.privacy === 'secret') throw invalidField('parent_team_id', 'invalid', 'A secret team has no children.')
    await demandMaintainer(access, parentId, trx)
    const above = await ancestorsOf(parentId, trx).execute()
    const isCircle = above.some(({ ancestor_id }) => ancestor_id === childId)
    if (isCircle) throw invalidField('parent_team_id', 'invalid', 'A team can’t be below itself.')
    const height = childId === undefined ? 1 : await heightOf(trx, childId)
    if (above.length + height > deepestTeam)
      throw invalidField('parent_team_id', 'invalid', `Teams can be nested ${deepestTeam} levels deep at most.`)
  }

  async function demandMove(
    trx: Db,
    access: OrganisationAccess<'member'>,
    { id }: Team,
    to: number | null | undefined,
  ): Promise<void> {
    const before = await trx.selectFrom('team').select('parent_id').where('id', '=', id).executeTakeFirst()
    const from = before?.parent_id ?? null
    if (to === undefined || to === from) return
    if (from !== null) await demandMaintainer(access, from, trx)
    if (to) await demandParent(trx, access, to, id)
  }

  return {
    /** Teams of an organisation by slug, for rules that name them; undefined for each unknown slug. */
    async findBySlugs(organisation: Person, slugs: readonly string[]): Promise<(TeamWithParent | undefined)[]> {
      if (slugs.length === 0) return []
      const keys = slugs.map((slug) => slug.toLowerCase())
      const query = db.selectFrom('team').selectAll().where('organisation_id', '=', organisation.id)
      const found = await withParents(organisation, await query.where('slug', 'in', keys).execute())
      return keys.map((key) => found.find(({ slug }) => slug === key))
    },

    /** In the order of the ids; deleted teams are left out. */
    async listByIds(organisation: Person, ids: readonly number[]): Promise<TeamWithParent[]> {
      if (ids.length === 0) return []
      const rows = await db.selectFrom('team').selectAll().where('id', 'in', ids).execute()
      const found = await withParents(organisation, rows)
      return ids.flatMap((id) => found.find((team) => team.id === id) ?? [])
    },

    open,
    withCounts,
    membersOf,
    ancestorsOf,
    mayMaintain,
    demandMaintainer,

    /** The teams that the actor may see, by slug. */
    async list(
      access: OrganisationAccess<'member'>,
      page: PageRequest,
      { parent, words, logins, direction = 'asc' }: TeamFilter = {},
    ): Promise<Page<TeamWithParent>> {
      const found = visible(access)
        .selectAll('team')
        .$if(parent !== undefined, (query) => query.where('parent_id', '=', parent!.id))
        .$if(Boolean(words), (query) =>
          query.where((eb) => eb.or([hasPart('team.name', words!), hasPart('team.slug', words!)])),
        )
        .$if(logins !== undefined, (query) => query.where('team.id', 'in', teamsOf(logins!)))
        .orderBy('slug', direction)
      const { total, items } = await readPage(found, page, (row) => row)
      return { total, items: await withParents(access.organisation, items) }
    },

    /** The teams with access to a repository of the organisation, with their level. */
    async listOn(
      access: OrganisationAccess<'anyone'>,
      repository: { readonly id: number },
      page: PageRequest,
    ): Promise<Page<{ team: TeamWithParent; level: Level }>> {
      if (!access.isNear) return { total: 0, items: [] }
      const found = visible(access)
        .innerJoin('team_repository', 'team_repository.team_id', 'team.id')
        .where('repository_id', '=', repository.id)
        .selectAll('team')
        .select('rank')
        .orderBy('slug')
      const { total, items } = await readPage(found, page, (row) => row)
      const teams = await withParents(access.organisation, items)
      return { total, items: teams.map((team, i) => ({ team, level: levelOf(items[i]!.rank) })) }
    },

    /** The teams of the actor in all organisations. */
    async listOwn(
      { actor }: SelfAccess,
      page: PageRequest,
      organisationOf: (id: number) => Promise<Person>,
    ): Promise<Page<TeamWithCounts>> {
      const lacking = listLackingSignOn(actor)
      const found = db
        .selectFrom('team')
        .innerJoin('team_member', 'team_member.team_id', 'team.id')
        .innerJoin('organisation_member', 'organisation_member.organisation_id', 'team.organisation_id')
        .where('team_member.user_id', '=', actor.account.id)
        .where('organisation_member.user_id', '=', actor.account.id)
        .where('organisation_member.state', '=', 'active')
        .where(isOfCountedOwner(actor, 'team.organisation_id'))
        .$if(lacking.length > 0, (query) => query.where('team.organisation_id', 'not in', lacking))
        .selectAll('team')
        .orderBy('team.id')
      const { total, items: rows } = await readRows(found, page)
      const teams: TeamWithParent[] = []
      for (const [id, own] of Map.groupBy(rows, (row) => row.organisation_id))
        teams.push(...(await withParents(await organisationOf(id), own)))
      const byId = new Map((await addCounts(teams)).map((team) => [team.id, team]))
      return { total, items: rows.map(({ id }) => byId.get(id)!) }
    },

    async create(access: OrganisationAccess<'member'>, draft: TeamDraft, start: TeamStart): Promise<TeamWithCounts> {
      const { actor, organisation, role } = access
      const slug = toSlug(draft.name)
      if (slug === '') throw invalidField('name', 'invalid', 'A team’s name needs a letter or a digit.')
      const now = clock.now()
      return store
        .write(async (trx) => {
          if (draft.parentId) await demandParent(trx, access, draft.parentId)
          demandOpen(draft.privacy, draft.parentId)
          const row = await trx
            .insertInto('team')
            .values({
              organisation_id: organisation.id,
              parent_id: draft.parentId ?? null,
              name: draft.name,
              slug,
              description: draft.description ?? null,
              privacy: draft.privacy ?? (draft.parentId ? 'closed' : 'secret'),
              notification_setting: draft.notificationSetting ?? 'notifications_enabled',
              created_at: now,
              updated_at: now,
            })
            .returningAll()
            .executeTakeFirstOrThrow()
          await placeTeam(trx, row)
          const maintainers = new Set(start.maintainers.map(({ id }) => id))
          if (role !== undefined) maintainers.add(actor.account.id)
          for (const user_id of maintainers) {
            const member = { team_id: row.id, user_id, role: 'maintainer' as const, created_at: now }
            await trx.insertInto('team_member').values(member).execute()
          }
          for (const repository_id of new Set(start.repositories.map(({ repository }) => repository.id))) {
            const given = { team_id: row.id, repository_id, rank: rankOf('read'), created_at: now }
            await trx.insertInto('team_repository').values(given).execute()
          }
          const [team] = await withParents(organisation, [row], trx)
          await changes.noteMade(trx, { actor, team: team! }, 'created')
          return withCounts(team!, trx)
        }, withTeamsLock(organisation))
        .catch(refuseTakenName)
    },

    async update(
      access: OrganisationAccess<'member'>,
      team: Team,
      change: Partial<TeamDraft>,
    ): Promise<TeamWithCounts> {
      const { organisation } = access
      await demandMaintainer(access, team.id)
      const slug = change.name === undefined ? team.slug : toSlug(change.name)
      if (slug === '') throw invalidField('name', 'invalid', 'A team’s name needs a letter or a digit.')
      return store
        .write(async (trx) => {
          await demandMove(trx, access, team, change.parentId)
          const privacy = change.privacy ?? team.privacy
          const child = await trx.selectFrom('team').select('id').where('parent_id', '=', team.id).executeTakeFirst()
          demandOpen(privacy, change.parentId === undefined ? team.parentId : change.parentId, child)
          const row = await trx
            .updateTable('team')
            .set({
              updated_at: clock.now(),
              slug,
              ...omitUndefined({
                name: change.name,
                description: change.description,
                privacy: change.privacy,
                notification_setting: change.notificationSetting,
                parent_id: change.parentId,
              }),
            })
            .where('id', '=', team.id)
            .returningAll()
            .executeTakeFirst()
          if (!row) throw notFound()
          if (change.parentId !== undefined) await placeTeam(trx, row)
          const [changed] = await withParents(organisation, [row], trx)
          await changes.noteEdited(trx, { actor: access.actor, team: changed! }, team)
          return withCounts(changed!, trx)
        }, withTeamsLock(organisation))
        .catch(refuseTakenName)
    },

    /** Removes the team and its subteams. */
    async remove(access: OrganisationAccess<'member'>, team: Team): Promise<void> {
      const { organisation } = access
      await demandMaintainer(access, team.id)
      await store.write(async (trx) => {
        const below = trx.selectFrom('team_ancestor').select('team_id').where('ancestor_id', '=', team.id)
        await trx.deleteFrom('team').where('id', 'in', below).execute()
        await changes.noteMade(trx, { actor: access.actor, team }, 'deleted')
      }, withTeamsLock(organisation))
    },
  }
}

/** Nested teams must be visible to the whole organisation. */
function demandOpen(privacy: Team['privacy'] | undefined, parentId: number | null = null, child?: object): void {
  if (privacy !== 'secret' || (!parentId && !child)) return
  throw invalidField('privacy', 'invalid', 'A team that has a parent or children can’t be secret: make it closed.')
}

const withTeamsLock = (organisation: Person) => ({ locks: [`teams:${organisation.id}`] })

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error) ? invalidField('name', 'already_exists', 'Name must be unique for this org') : error
}
