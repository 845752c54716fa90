/** Lists of repositories: an account's own, an owner's, everyone's; never one that the caller may not see. */
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import { hasPermission, type Reach, type Token } from '../../accounts/tokens/token.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Schema } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { isOfCountedOwner } from '../access/counted-owners.ts'
import { type OpenRepository, selectRepositories, toOpenRepository, viewerOf } from '../access/repository.ts'
import { hasScopes, isGrantedTo, isSiteAdmin, rightsHolderOf, tokenOf } from '../access/required-grant.ts'
import { listLackingSignOn } from '../access/sign-on.ts'
import { readPage } from '../row-pages.ts'

export type RepositoryOrder = {
  readonly sort: 'created' | 'updated' | 'pushed' | 'full_name' | 'stars'
  readonly direction: 'asc' | 'desc'
}

export type StarOrder = { readonly sort: 'created' | 'updated'; readonly direction: 'asc' | 'desc' }

export type StarredRepository = { readonly repository: OpenRepository; readonly starredAt: Date }

export type OwnFilter = {
  readonly affiliations: readonly ('owner' | 'collaborator' | 'organization_member')[]
  readonly visibility: 'all' | 'public' | 'private'
  /** Only repositories updated after `since` and before `before`. */
  readonly since?: Date | undefined
  readonly before?: Date | undefined
}

export type AroundFilter = {
  readonly affiliations: OwnFilter['affiliations']
  readonly isFork: boolean | undefined
  readonly isPrivate: boolean | undefined
  readonly isArchived: boolean | undefined
}

type Eb = ExpressionBuilder<Schema, 'repository'>
export type RepositoryWhere = Where
type Where = (eb: Eb) => Expression<SqlBool>

export type RepositoryLists = ReturnType<typeof makeRepositoryLists>

export function makeRepositoryLists({ store: { db } }: { store: Store }) {
  async function page(
    actor: Actor,
    wheres: readonly Where[],
    order: RepositoryOrder,
    request: PageRequest,
  ): Promise<Page<OpenRepository>> {
    let query = selectRepositories(db, viewerOf(actor)?.id ?? 0)
    for (const where of [...wheres, visibleTo(actor)]) query = query.where((eb) => where(eb as unknown as Eb))
    const ordered =
      order.sort === 'full_name'
        ? query.orderBy('owner.name_key', order.direction).orderBy('repository.name_key', order.direction)
        : query.orderBy(orderColumns[order.sort], order.direction).orderBy('repository.id', order.direction)
    const viewer = viewerOf(actor)
    return readPage(ordered, request, (row) => toOpenRepository(row, viewer))
  }

  return {
    listOwn(actor: Actor, filter: OwnFilter, order: RepositoryOrder, request: PageRequest) {
      requireSignIn(actor)
      const { id } = actor.account
      const ways: Record<OwnFilter['affiliations'][number], Where> = {
        owner: (eb) => eb('repository.owner_id', '=', id),
        collaborator: (eb) => eb('repository.id', 'in', collaborations(eb, id)),
        organization_member: throughOrganisations(id),
      }
      const wheres: Where[] = [(eb) => eb.or(filter.affiliations.map((name) => ways[name](eb)))]
      if (filter.visibility !== 'all')
        wheres.push((eb) => eb('repository.is_private', '=', filter.visibility === 'private' ? 1 : 0))
      // A token for one owner does not show the person's relation to other owners.
      wheres.push(() => isOfCountedOwner(actor, 'repository.owner_id'))
      const { since, before } = filter
      if (since) wheres.push((eb) => eb('repository.updated_at', '>', since.getTime()))
      if (before) wheres.push((eb) => eb('repository.updated_at', '<', before.getTime()))
      return page(actor, wheres, order, request)
    },

    /** Repositories of a user: owned, joined, or both. */
    listOfUser(
      actor: Actor,
      { id }: { id: number },
      type: 'all' | 'owner' | 'member',
      order: RepositoryOrder,
      request: PageRequest,
    ) {
      const owned: Where = (eb) => eb('repository.owner_id', '=', id)
      const joined: Where = (eb) => eb('repository.id', 'in', collaborations(eb, id))
      const wanted = type === 'all' ? [owned, joined] : [type === 'owner' ? owned : joined]
      return page(actor, [(eb) => eb.or(wanted.map((where) => where(eb)))], order, request)
    },

    listOf(
      actor: Actor,
      owner: { id: number },
      visibility: 'all' | 'public' | 'private' | 'forks' | 'sources',
      order: RepositoryOrder,
      request: PageRequest,
    ) {
      const wheres: Where[] = [(eb) => eb('repository.owner_id', '=', owner.id)]
      if (visibility === 'forks') wheres.push((eb) => eb('repository.parent_id', 'is not', null))
      else if (visibility === 'sources') wheres.push((eb) => eb('repository.parent_id', 'is', null))
      else if (visibility !== 'all')
        wheres.push((eb) => eb('repository.is_private', '=', visibility === 'private' ? 1 : 0))
      return page(actor, wheres, order, request)
    },

    /** Repositories of an account: owned and joined ones, and for the caller itself those of its organisations. */
    listAround(
      actor: Actor,
      { id }: { id: number },
      filter: AroundFilter,
      order: RepositoryOrder,
      request: PageRequest,
    ) {
      const isOwn = actor.account?.id === id
      const ways: Where[] = filter.affiliations.flatMap((name): Where[] => {
        if (name === 'owner') return [(eb) => eb('repository.owner_id', '=', id)]
        if (name === 'collaborator') return [(eb) => eb('repository.id', 'in', collaborations(eb, id))]
        const counted: Where = (eb) =>
          eb.and([throughOrganisations(id)(eb), isOfCountedOwner(actor, 'repository.owner_id')])
        return isOwn ? [counted] : []
      })
      const wheres: Where[] = [(eb) => eb.or(ways.map((where) => where(eb)))]
      const { isFork, isPrivate, isArchived } = filter
      if (isFork !== undefined) wheres.push((eb) => eb('repository.parent_id', isFork ? 'is not' : 'is', null))
      if (isPrivate !== undefined) wheres.push((eb) => eb('repository.is_private', '=', isPrivate ? 1 : 0))
      if (isArchived !== undefined) wheres.push((eb) => eb('repository.is_archived', '=', isArchived ? 1 : 0))
      return page(actor, wheres, order, request)
    },

    /** The repositories that a user watches and the caller may see. */
    listWatched(actor: Actor, user: { id: number }, request: PageRequest) {
      const watched = (eb: Eb) =>
        eb.selectFrom('watch').select('watch.repository_id').where('user_id', '=', user.id).where('is_ignored', '=', 0)
      return page(
        actor,
        [(eb) => eb('repository.id', 'in', watched(eb))],
        { sort: 'created', direction: 'asc' },
        request,
      )
    },

    /** The repositories that a user has starred and the caller may see. */
    listStarred(
      actor: Actor,
      user: { id: number },
      { sort, direction }: StarOrder,
      request: PageRequest,
    ): Promise<Page<StarredRepository>> {
      const found = selectRepositories(db, viewerOf(actor)?.id ?? 0)
        .innerJoin('star', 'star.repository_id', 'repository.id')
        .select('star.created_at as starred_at')
        .where('star.user_id', '=', user.id)
        .where((eb) => visibleTo(actor)(eb as unknown as Eb))
      const ordered = sort === 'created' ? found : found.orderBy('repository.updated_at', direction)
      const viewer = viewerOf(actor)
      return readPage(ordered.orderBy('star.id', direction), request, (row) => ({
        repository: toOpenRepository(row, viewer),
        starredAt: new Date(row.starred_at),
      }))
    },

    listOfTeam(actor: Actor, team: { id: number }, request: PageRequest) {
      const ofTeam = (eb: Eb) =>
        eb
          .selectFrom('team_repository')
          .innerJoin('team_ancestor', 'team_ancestor.ancestor_id', 'team_repository.team_id')
          .select('team_repository.repository_id')
          .where('team_ancestor.team_id', '=', team.id)
      return page(
        actor,
        [(eb) => eb('repository.id', 'in', ofTeam(eb))],
        { sort: 'full_name', direction: 'asc' },
        request,
      )
    },

    listForks(actor: Actor, parent: { id: number }, order: RepositoryOrder, request: PageRequest) {
      return page(actor, [(eb) => eb('repository.parent_id', '=', parent.id)], order, request)
    },

    /** Every public repository, by id. */
    async listPublic(since: number, limit: number): Promise<OpenRepository[]> {
      const rows = await selectRepositories(db, 0)
        .where('repository.is_private', '=', 0)
        .where('repository.id', '>', since)
        .orderBy('repository.id')
        .limit(limit)
        .execute()
      return rows.map((row) => toOpenRepository(row, undefined))
    },
  }
}

const orderColumns = {
  created: 'repository.created_at',
  updated: 'repository.updated_at',
  pushed: 'repository.pushed_at',
  stars: 'repository.star_count',
} as const

const collaborations = (eb: Eb, user: number) =>
  eb.selectFrom('collaborator').select('collaborator.repository_id').where('user_id', '=', user)

const readableOrganisations = (eb: Eb, user: number) =>
  eb
    .selectFrom('organisation_member')
    .leftJoin('profile', 'profile.account_id', 'organisation_member.organisation_id')
    .select('organisation_member.organisation_id')
    .where('user_id', '=', user)
    .where('state', '=', 'active')
    .where((inner) =>
      inner.or([inner('role', '=', 'admin'), inner(sql<number>`coalesce(profile.member_rank, 1)`, '>', 0)]),
    )

/** Finds the distinct teams first: 39 of a user's forty teams may share one parent that has all repositories. */
const teamRepositories = (eb: Eb, user: number) =>
  eb
    .selectFrom('team_repository')
    .select('team_repository.repository_id')
    .where((inner) => inner('team_repository.team_id', 'in', teamsWithThoseAbove(inner, user)))

const teamsWithThoseAbove = (eb: Pick<Eb, 'selectFrom'>, user: number) =>
  eb
    .selectFrom('team_member')
    .innerJoin('team_ancestor', 'team_ancestor.team_id', 'team_member.team_id')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .innerJoin('organisation_member', 'organisation_member.organisation_id', 'team.organisation_id')
    .select('team_ancestor.ancestor_id')
    .where('team_member.user_id', '=', user)
    // Users who are only invited to the organisation do not yet have their teams' access.
    .where('organisation_member.user_id', '=', user)
    .where('organisation_member.state', '=', 'active')

const throughOrganisations =
  (user: number): Where =>
  (eb) =>
    eb.or([
      eb('repository.owner_id', 'in', readableOrganisations(eb, user)),
      eb('repository.id', 'in', teamRepositories(eb, user)),
    ])

/** Repositories that a user owns, was added to, or has through an organisation. */
export const relatedTo =
  (user: number): Where =>
  (eb) =>
    eb.or([
      eb('repository.owner_id', '=', user),
      eb('repository.id', 'in', collaborations(eb, user)),
      throughOrganisations(user)(eb),
    ])

/** The grants that a token needs to list private repositories. */
const privateRepositories = { scopes: ['repo'], permissions: [{ name: 'metadata', level: 'read' }] } as const

/** The rule of `maySee` as a condition for any query that joins `repository`. */
export function visibleTo(actor: Actor): Where {
  const isPublic = (eb: Eb) => eb('repository.is_private', '=', 0)
  const token = tokenOf(actor)
  const id = rightsHolderOf(actor)
  if (id === undefined || !isGrantedTo(actor, privateRepositories)) return isPublic
  const reached: Where = isSiteAdmin(actor) ? () => sql<SqlBool>`1 = 1` : relatedTo(id)
  const selected: Where = (eb) => {
    if (!token || hasScopes(token)) return sql<SqlBool>`1 = 1`
    const { installations } = token.app ?? {}
    return installations ? installedFor(eb, token, installations) : isSelected(eb, token.repositories)
  }
  const lacking = listLackingSignOn(actor)
  const signedOn: Where = (eb) =>
    lacking.length > 0 ? eb('repository.owner_id', 'not in', lacking) : sql<SqlBool>`1 = 1`
  return (eb) =>
    eb.or([
      isPublic(eb),
      eb.and([reached(eb), selected(eb), isOfCountedOwner(actor, 'repository.owner_id'), signedOn(eb)]),
    ])
}

const isSelected = (eb: Eb, repositories: Reach['repositories']): Expression<SqlBool> => {
  if (repositories === 'all') return sql<SqlBool>`1 = 1`
  return repositories === 'none' || repositories.length === 0
    ? sql<SqlBool>`1 = 0`
    : eb('repository.id', 'in', [...repositories])
}

/**
 * Lists check the token's rights once, so they show private repositories only of installations with all the app's
 * permissions. Those of other installations are reachable one by one.
 */
function installedFor(eb: Eb, { permissions }: Token, installations: ReadonlyMap<number, Reach>): Expression<SqlBool> {
  const whole = [...installations].filter(([, reach]) =>
    Object.entries(permissions).every(([name, level]) => hasPermission(reach, name, level)),
  )
  const everything = whole.filter(([, { repositories }]) => repositories === 'all').map(([id]) => id)
  const some = whole.flatMap(([, { repositories }]) => (typeof repositories === 'string' ? [] : repositories))
  return eb.or([...(everything.length > 0 ? [eb('repository.owner_id', 'in', everything)] : []), isSelected(eb, some)])
}
