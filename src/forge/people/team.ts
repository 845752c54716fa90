/** A team, its row, and its chain of ancestors. */
import type { Db } from '../../store/schema/schema.ts'
import type { Access } from '../access/opening.ts'
import type { Person } from '../person.ts'

export type Team = {
  readonly id: number
  readonly organisation: Person
  readonly parentId: number | null
  readonly name: string
  readonly slug: string
  readonly description: string | null
  readonly privacy: 'closed' | 'secret'
  readonly notificationSetting: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type TeamWithParent = Team & { readonly parent: Team | undefined }
export type TeamWithCounts = TeamWithParent & { readonly memberCount: number; readonly repositoryCount: number }

export type TeamDraft = {
  readonly name: string
  readonly description?: string | null
  readonly privacy?: Team['privacy']
  readonly notificationSetting?: string
  readonly parentId?: number | null
}

/** A new team's maintainers, and the repositories that it may read. */
export type TeamStart = {
  readonly maintainers: readonly Person[]
  readonly repositories: readonly Access<'admin'>[]
}

/** The deepest nesting of teams. Each team has a row for each of its ancestors, so depth must be bounded. */
export const deepestTeam = 16

/**
 * Stores the ancestors of a team that was made or moved, and of its subteams. Rows within the moved part stay, so the
 * cost is that of the moved part alone.
 */
export async function placeTeam(trx: Db, { id, parent_id }: Pick<TeamRow, 'id' | 'parent_id'>): Promise<void> {
  const below = trx.selectFrom('team_ancestor').select('team_id').where('ancestor_id', '=', id)
  await trx
    .insertInto('team_ancestor')
    .values({ team_id: id, ancestor_id: id })
    .onConflict((on) => on.doNothing())
    .execute()
  await trx.deleteFrom('team_ancestor').where('team_id', 'in', below).where('ancestor_id', 'not in', below).execute()
  if (parent_id === null) return
  await trx
    .insertInto('team_ancestor')
    .columns(['team_id', 'ancestor_id'])
    .expression(
      trx
        .selectFrom('team_ancestor as moved')
        .innerJoin('team_ancestor as above', (join) => join.on('above.team_id', '=', parent_id))
        .select(['moved.team_id', 'above.ancestor_id'])
        .where('moved.ancestor_id', '=', id),
    )
    .execute()
}

/** The number of levels of a team and its subteams. */
export async function heightOf(db: Db, id: number): Promise<number> {
  const below = db.selectFrom('team_ancestor').select('team_id').where('ancestor_id', '=', id)
  const deepest = await db
    .selectFrom('team_ancestor')
    .select((eb) => eb.fn.countAll<number>().as('levels'))
    .where('team_id', 'in', below)
    .where('ancestor_id', 'in', below)
    .groupBy('team_id')
    .orderBy('levels', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Number(deepest?.levels ?? 1)
}

/** Memberships of teams and their ancestors, without users who are only invited to the organisation. */
export const memberships = (db: Db) =>
  db
    .selectFrom('team_member')
    .innerJoin('team_ancestor', 'team_ancestor.team_id', 'team_member.team_id')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .innerJoin('organisation_member', (join) =>
      join
        .onRef('organisation_member.organisation_id', '=', 'team.organisation_id')
        .onRef('organisation_member.user_id', '=', 'team_member.user_id'),
    )
    .where('organisation_member.state', '=', 'active')

/** The teams among these in which the user is a member, directly or through a subteam. */
export async function listTeamsAmong(db: Db, userId: number, teamIds: readonly number[]): Promise<number[]> {
  if (teamIds.length === 0) return []
  const rows = await memberships(db)
    .select('team_ancestor.ancestor_id')
    .where('team_member.user_id', '=', userId)
    .where('team_ancestor.ancestor_id', 'in', teamIds)
    .execute()
  return rows.map(({ ancestor_id }) => ancestor_id)
}

/** Lower case; runs of characters other than letters, digits and underscores become one hyphen. */
export const toSlug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '')

export type TeamRow = {
  id: number
  parent_id: number | null
  name: string
  slug: string
  description: string | null
  privacy: Team['privacy']
  notification_setting: string
  created_at: number
  updated_at: number
}

export const toTeam = (organisation: Person, row: TeamRow): Team => ({
  id: row.id,
  organisation,
  parentId: row.parent_id,
  name: row.name,
  slug: row.slug,
  description: row.description,
  privacy: row.privacy,
  notificationSetting: row.notification_setting,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
