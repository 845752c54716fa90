/** A team as the rooms see it, its row, and the line of its ancestors. */
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

/** Whom and what a team has from the first: its maintainers, and repositories that it reads. */
export type TeamStart = {
  readonly maintainers: readonly Person[]
  readonly repositories: readonly Access<'admin'>[]
}

/** Teams of one organisation are few: their ancestors are written anew whenever one moves. */
export async function rebuildAncestors(trx: Db, organisationId: number): Promise<void> {
  const teams = await trx
    .selectFrom('team')
    .select(['id', 'parent_id'])
    .where('organisation_id', '=', organisationId)
    .execute()
  const parents = new Map(teams.map(({ id, parent_id }) => [id, parent_id]))
  const rows = teams.flatMap(({ id }) => {
    const line: number[] = []
    for (let at: number | null = id; at !== null; at = parents.get(at) ?? null) line.push(at)
    return line.map((ancestor_id) => ({ team_id: id, ancestor_id }))
  })
  const ids = trx.selectFrom('team').select('id').where('organisation_id', '=', organisationId)
  await trx.deleteFrom('team_ancestor').where('team_id', 'in', ids).execute()
  for (let at = 0; at < rows.length; at += 500) {
    await trx
      .insertInto('team_ancestor')
      .values(rows.slice(at, at + 500))
      .execute()
  }
}

/** Those of teams and of their children, without who is only invited to the organisation. */
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

/** Those of these teams that a user is in, or in one below, as a member of the organisation. */
export async function listTeamsAmong(db: Db, userId: number, teamIds: readonly number[]): Promise<number[]> {
  if (teamIds.length === 0) return []
  const rows = await memberships(db)
    .select('team_ancestor.ancestor_id')
    .where('team_member.user_id', '=', userId)
    .where('team_ancestor.ancestor_id', 'in', teamIds)
    .execute()
  return rows.map(({ ancestor_id }) => ancestor_id)
}

/** Lower case, runs of anything else than letters and digits become one hyphen. */
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
