/** A repository as the modules see it, and the one query that reads it together with the actor's rights. */

import { type Expression, sql } from 'kysely'
import type { Account, Actor } from '../../accounts/actor.ts'
import type { Token } from '../../accounts/tokens/token.ts'
import { prepareFor } from '../../store/prepared.ts'
import type { Db } from '../../store/schema/schema.ts'
import { defaultMemberRank, type Person, toPerson } from '../person.ts'
import { type Level, levelOf, reaches } from './level.ts'
import { defaultOptions, type RepositoryOptions } from './repository-options.ts'
import { isSiteAdmin, reachesRepository, rightsHolderOf, tokenOf } from './required-grant.ts'

export type Repository = {
  readonly id: number
  readonly owner: Person
  readonly name: string
  readonly description: string | null
  readonly homepage: string | null
  readonly isPrivate: boolean
  readonly isArchived: boolean
  /** Locked by a migration: reads work, writes are refused. */
  readonly isLocked: boolean
  /** The migration that locks it; the newest of several. */
  readonly lockMigrationId: number | null
  readonly defaultBranch: string
  readonly topics: readonly string[]
  readonly options: RepositoryOptions
  readonly language: string | null
  readonly sizeKib: number
  readonly subscriberCount: number
  readonly openIssueCount: number
  readonly starCount: number
  /** The repository that it was forked from, and the root of the whole fork network. */
  readonly parentId: number | null
  readonly sourceId: number | null
  /** What it was generated from. */
  readonly templateId: number | null
  /** Where a mirror fetches from: it takes no pushes. */
  readonly mirrorUrl: string | null
  /** A public repository counts only public forks: private ones must not be revealed. */
  readonly forkCount: number
  readonly lastPushId: number
  /** A push is under way: until it is settled, only git knows the refs. */
  readonly isReceiving: boolean
  readonly pushedAt: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** With the caller's level. If the token does not cover the repository, the level is anyone's. */
export type OpenRepository = Repository & {
  readonly level: Level
  /** The owning organisation has blocked the caller, who can then read but not change anything. */
  readonly isBlocking: boolean
}

/** The members that decide whether an account may see it. */
export type RepositorySight = Pick<OpenRepository, 'id' | 'isPrivate' | 'level'> & { readonly owner: { id: number } }

/** Identifies a repository in caches: an id alone may be given again after a failover to a standby that lagged. */
export const identityOf = ({ id, createdAt }: Repository): string => `${id} ${createdAt.getTime()}`

export const fullName = ({ owner, name }: Pick<Repository, 'owner' | 'name'>): string => `${owner.login}/${name}`

/** Everything about the caller that the level depends on. */
export type Viewer = Pick<Account, 'id'> & { readonly isSiteAdmin: boolean; readonly token?: Token | undefined }

export const viewerOf = (actor: Actor): Viewer | undefined => {
  const id = rightsHolderOf(actor)
  return id === undefined ? undefined : { id, isSiteAdmin: isSiteAdmin(actor), token: tokenOf(actor) }
}

/** If the token does not cover the repository, only a stranger's level is left. */
export function narrowToToken<R extends RepositorySight>(token: Token | undefined, repository: R): R {
  if (!token || !reaches(repository.level, repository.isPrivate ? 'read' : 'triage')) return repository
  if (reachesRepository(token, repository)) return repository
  return { ...repository, level: repository.isPrivate ? 'none' : 'read' }
}

/** The ranks that the viewer's level is derived from. */
const ranksOf = (viewer: number | Expression<number>) =>
  [
    sql<number | null>`(select c.rank from collaborator c
        where c.repository_id = repository.id and c.user_id = ${viewer})`.as('collaborator_rank'),
    sql<string | null>`(select m.role from organisation_member m
        where m.organisation_id = repository.owner_id and m.user_id = ${viewer} and m.state = 'active')`.as(
      'member_role',
    ),
    // Checks membership for each of the repository's teams, because an account may be in far more teams.
    sql<number | null>`(select max(case when exists (
          select 1 from team_ancestor ta join team_member tm on tm.team_id = ta.team_id
          where ta.ancestor_id = tr.team_id and tm.user_id = ${viewer}) then tr.rank end)
        from team_repository tr where tr.repository_id = repository.id)`.as('team_rank'),
  ] as const

/** `viewer` is an account's id, 0 for nobody, or a column that holds one. */
export const selectRepositories = (db: Db, viewer: number | Expression<number>) =>
  db
    .selectFrom('repository')
    .innerJoin('account as owner', 'owner.id', 'repository.owner_id')
    .leftJoin('profile as owner_profile', 'owner_profile.account_id', 'repository.owner_id')
    .selectAll('repository')
    .select(['owner.name as owner_name', 'owner.kind as owner_kind', 'owner.role as owner_role'])
    .select(['owner_profile.member_rank as member_rank'])
    .select(ranksOf(viewer))
    .select([
      sql<number>`(select count(*) from organisation_block b
        where b.organisation_id = repository.owner_id and b.user_id = ${viewer})`.as('block_count'),
      sql<number>`(select count(*) from repository f
        where f.parent_id = repository.id and f.is_private <= repository.is_private)`.as('fork_count'),
      sql<number>`(select count(*) from push p
        where p.repository_id = repository.id and p.state = 'receiving')`.as('receiving_count'),
    ])

export type RepositoryRow = Awaited<ReturnType<ReturnType<typeof selectRepositories>['executeTakeFirstOrThrow']>>

type RightsRow = Pick<
  RepositoryRow,
  'id' | 'owner_id' | 'is_private' | 'member_rank' | 'member_role' | 'team_rank' | 'collaborator_rank'
>

export const toOpenRepository = (row: RepositoryRow, viewer: Viewer | undefined): OpenRepository => ({
  ...toRepository(row),
  level: decideLevel(row, viewer),
  // A site admin is never blocked.
  isBlocking: Number(row.block_count) > 0 && !viewer?.isSiteAdmin,
})

/** More ids would exceed the database's limit of parameters. */
const portion = 500
const readByIds = prepareFor((db, { ids, viewer }: { ids: readonly number[]; viewer: number }) =>
  selectRepositories(db, viewer).where('repository.id', 'in', ids),
)

const readRightsByIds = prepareFor((db, { ids, viewer }: { ids: readonly number[]; viewer: number }) =>
  db
    .selectFrom('repository')
    .leftJoin('profile as owner_profile', 'owner_profile.account_id', 'repository.owner_id')
    .select(['repository.id', 'repository.owner_id', 'repository.is_private', 'owner_profile.member_rank'])
    .select(ranksOf(viewer))
    .where('repository.id', 'in', ids),
)

/** Reads only what decides who may see these repositories; most changes to a repository leave that unchanged. */
export async function readSights(db: Db, actor: Actor, ids: Iterable<number>): Promise<RepositorySight[]> {
  const wanted = [...new Set(ids)]
  const viewer = viewerOf(actor)
  const sights: RepositorySight[] = []
  for (let at = 0; at < wanted.length; at += portion) {
    const rows = await readRightsByIds(db, { ids: wanted.slice(at, at + portion), viewer: viewer?.id ?? 0 })
    for (const row of rows) {
      const { id, owner_id, is_private } = row
      sights.push({ id, owner: { id: owner_id }, isPrivate: is_private === 1, level: decideLevel(row, viewer) })
    }
  }
  return sights
}

/** The repositories of these ids that still exist, whatever the actor's level. */
export async function readRepositories(
  db: Db,
  actor: Actor,
  ids: Iterable<number>,
): Promise<Map<number, OpenRepository>> {
  const wanted = [...new Set(ids)]
  const viewer = viewerOf(actor)
  const found = new Map<number, OpenRepository>()
  for (let at = 0; at < wanted.length; at += portion) {
    const rows = await readByIds(db, { ids: wanted.slice(at, at + portion), viewer: viewer?.id ?? 0 })
    for (const row of rows) found.set(row.id, toOpenRepository(row, viewer))
  }
  return found
}

/** The accounts among these that may read a repository by their own rights; `everyone` if it is public. */
export async function listReaders(
  db: Db,
  repositoryId: number,
  userIds: readonly number[],
): Promise<ReadonlySet<number> | 'everyone'> {
  const repository = await db
    .selectFrom('repository')
    .select('is_private')
    .where('id', '=', repositoryId)
    .executeTakeFirst()
  if (repository?.is_private === 0) return 'everyone'
  if (!repository || userIds.length === 0) return new Set()
  const rows = await selectRepositories(db, sql.ref<number>('account.id'))
    .innerJoin('account', (join) => join.onTrue())
    .select(['account.id as user_id', 'account.role as role'])
    .where('repository.id', '=', repositoryId)
    .where('account.id', 'in', [...userIds])
    .execute()
  const readers = rows.filter(
    (row) => decideLevel(row, { id: row.user_id, isSiteAdmin: row.role === 'admin' }) !== 'none',
  )
  return new Set(readers.map(({ user_id }) => user_id))
}

const readRightsOfUsers = prepareFor((db, { id, userIds }: { id: number; userIds: readonly number[] }) =>
  db
    .selectFrom('repository')
    .innerJoin('account', (join) => join.onTrue())
    .leftJoin('profile as owner_profile', 'owner_profile.account_id', 'repository.owner_id')
    .select(['account.id as user_id', 'repository.id', 'repository.owner_id', 'repository.is_private'])
    .select('owner_profile.member_rank')
    .select(ranksOf(sql.ref<number>('account.id')))
    .where('repository.id', '=', id)
    .where('account.id', 'in', userIds),
)

/** The accounts among these with at least this level, without the rights of site admins. */
export async function listHolders(
  db: Db,
  repositoryId: number,
  needed: Level,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const holders = new Set<number>()
  for (let at = 0; at < userIds.length; at += portion)
    for (const row of await readRightsOfUsers(db, { id: repositoryId, userIds: userIds.slice(at, at + portion) }))
      if (reaches(decideLevel(row, { id: row.user_id, isSiteAdmin: false }), needed)) holders.add(row.user_id)
  return holders
}

/** An account's level by its own rights, whatever its credential. */
export async function findLevel(db: Db, repositoryId: number, accountId: number): Promise<Level> {
  const row = await selectRepositories(db, accountId)
    .innerJoin('account', (join) => join.on('account.id', '=', accountId))
    .select('account.role as role')
    .where('repository.id', '=', repositoryId)
    .executeTakeFirst()
  return row ? decideLevel(row, { id: accountId, isSiteAdmin: row.role === 'admin' }) : 'none'
}

/** The same, without the rights of site admins. */
export async function findOwnLevel(db: Db, repositoryId: number, accountId: number): Promise<Level> {
  const row = await selectRepositories(db, accountId).where('repository.id', '=', repositoryId).executeTakeFirst()
  return row ? decideLevel(row, { id: accountId, isSiteAdmin: false }) : 'none'
}

function toRepository(row: RepositoryRow): Repository {
  return {
    id: row.id,
    owner: toPerson({ id: row.owner_id, kind: row.owner_kind, name: row.owner_name, role: row.owner_role }),
    name: row.name,
    description: row.description,
    homepage: row.homepage,
    isPrivate: row.is_private === 1,
    isArchived: row.is_archived === 1,
    isLocked: row.locked_at !== null,
    lockMigrationId: row.lock_migration_id,
    defaultBranch: row.default_branch,
    topics: row.topics === '[]' ? [] : JSON.parse(row.topics),
    options: row.options === '{}' ? defaultOptions : { ...defaultOptions, ...JSON.parse(row.options) },
    language: row.language,
    sizeKib: row.size_kib,
    subscriberCount: row.subscriber_count,
    openIssueCount: row.open_issue_count,
    starCount: row.star_count,
    parentId: row.parent_id,
    sourceId: row.source_id,
    templateId: row.template_id,
    mirrorUrl: row.mirror_url,
    forkCount: Number(row.fork_count),
    lastPushId: row.last_push_id,
    isReceiving: Number(row.receiving_count) > 0,
    pushedAt: new Date(row.pushed_at),
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  }
}

/**
 * The highest level that the account has as owner, collaborator, member, by teams, or as anyone, as far as its token
 * covers the repository.
 */
function decideLevel(row: RightsRow, viewer: Viewer | undefined): Level {
  const open = row.is_private === 1 ? 0 : 1
  const { token } = viewer ?? {}
  const isReached = !token || reachesRepository(token, { id: row.id, owner: { id: row.owner_id } })
  if (!viewer || !isReached) return levelOf(open)
  if (viewer.isSiteAdmin || row.owner_id === viewer.id || row.member_role === 'admin') return 'admin'
  const asMember = row.member_role === null ? 0 : Math.max(row.member_rank ?? defaultMemberRank, row.team_rank ?? 0)
  return levelOf(Math.max(open, asMember, row.collaborator_rank ?? 0))
}

/** Accounts that may have rights of their own: collaborators, and members of the owning organisation. */
export const selectNear = (db: Db, repository: { readonly id: number; readonly owner: { readonly id: number } }) =>
  db
    .selectFrom('collaborator')
    .select('user_id')
    .where('repository_id', '=', repository.id)
    .union(
      db
        .selectFrom('organisation_member')
        .select('user_id')
        .where('organisation_id', '=', repository.owner.id)
        .where('state', '=', 'active'),
    )
