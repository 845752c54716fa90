/** Records of organisations and teams. Their members are exported to owners only. */
import { levelOf } from '../../access/level.ts'
import { defaultMemberRank } from '../../person.ts'
import { formatTime } from './addresses.ts'
import type { ExportContext } from './export-context.ts'
import type { TeamAddresses } from './team-addresses.ts'

/** The organisations that the migration's owner owns. */
export async function listOwnedOrganisations({ db, ownerId }: ExportContext): Promise<Set<number>> {
  const rows = await db
    .selectFrom('organisation_member')
    .select('organisation_id')
    .where('user_id', '=', ownerId)
    .where('role', '=', 'admin')
    .where('state', '=', 'active')
    .execute()
  return new Set(rows.map(({ organisation_id }) => organisation_id))
}

/** `ids`: which organisations to write; those also in `owned` with their members and teams. */
export async function writeOrganisations(
  context: ExportContext,
  ids: readonly number[],
  owned: ReadonlySet<number>,
  teams: TeamAddresses,
): Promise<void> {
  for (const id of [...ids].sort((a, b) => a - b)) {
    await writeOrganisation(context, id, owned.has(id))
    if (owned.has(id)) await writeTeams(context, id, teams)
  }
}

async function writeOrganisation(context: ExportContext, id: number, isOwner: boolean): Promise<void> {
  const { db, people, files } = context
  const row = await db
    .selectFrom('account')
    .leftJoin('profile', 'profile.account_id', 'account.id')
    .select(['name', 'display_name', 'created_at', 'bio', 'website', 'location', 'email'])
    .select(['member_rank', 'members_may_create'])
    .where('account.id', '=', id)
    .executeTakeFirstOrThrow()
  const members = isOwner ? await readMembers(context, id) : []
  const blocks = isOwner ? await readBlocks(context, id) : []
  await people.look([id, ...[...members, ...blocks].map(({ user_id }) => user_id)])
  await files.add({
    type: 'organization',
    url: people.address(id),
    login: row.name,
    name: row.display_name,
    description: row.bio,
    website: row.website,
    location: row.location,
    email: row.email,
    ...(isOwner && {
      default_repository_permission: levelOf(row.member_rank ?? defaultMemberRank),
      members_can_create_repositories: row.members_may_create !== 0,
    }),
    members: members.map(({ user_id, role, is_public }) => ({
      user: people.address(user_id),
      role,
      public: is_public === 1,
    })),
    ...(isOwner && {
      blocked_users: blocks.map(({ user_id, created_at }) => ({
        user: people.address(user_id),
        created_at: formatTime(created_at),
      })),
    }),
    created_at: formatTime(row.created_at),
  })
}

const readBlocks = ({ db }: ExportContext, id: number) =>
  db
    .selectFrom('organisation_block')
    .select(['user_id', 'created_at'])
    .where('organisation_id', '=', id)
    .orderBy('user_id')
    .execute()

const readMembers = ({ db }: ExportContext, id: number) =>
  db
    .selectFrom('organisation_member')
    .select(['user_id', 'role', 'is_public'])
    .where('organisation_id', '=', id)
    .where('state', '=', 'active')
    .orderBy('user_id')
    .execute()

async function writeTeams(context: ExportContext, organisationId: number, written: TeamAddresses): Promise<void> {
  const { db, addresses, people, files } = context
  const teams = await db
    .selectFrom('team')
    .innerJoin('account', 'account.id', 'team.organisation_id')
    .selectAll('team')
    .select('account.name as organisation')
    .where('organisation_id', '=', organisationId)
    .orderBy('team.id')
    .execute()
  const urls = new Map(teams.map(({ id, organisation, slug }) => [id, addresses.team(organisation, slug)]))
  for (const [id, url] of urls) written.note(id, url)
  for (const team of teams) {
    const members = await db
      .selectFrom('team_member')
      .select(['user_id', 'role'])
      .where('team_id', '=', team.id)
      .orderBy('user_id')
      .execute()
    await people.look(members.map(({ user_id }) => user_id))
    await files.add({
      type: 'team',
      url: urls.get(team.id)!,
      organization: people.address(organisationId),
      name: team.name,
      slug: team.slug,
      description: team.description,
      privacy: team.privacy,
      notification_setting: team.notification_setting,
      parent_team: team.parent_id === null ? null : (urls.get(team.parent_id) ?? null),
      permissions: await readPermissions(context, team.id),
      members: members.map(({ user_id, role }) => ({ user: people.address(user_id), role })),
      created_at: formatTime(team.created_at),
      updated_at: formatTime(team.updated_at),
    })
  }
}

/** Only for repositories of the export: others are not in the archive. */
async function readPermissions({ db, addresses, repositories }: ExportContext, teamId: number) {
  if (repositories.length === 0) return []
  const places = new Map(repositories.map((repository) => [repository.id, repository]))
  const rows = await db
    .selectFrom('team_repository')
    .select(['repository_id', 'rank'])
    .where('team_id', '=', teamId)
    .where('repository_id', 'in', [...places.keys()])
    .orderBy('repository_id')
    .execute()
  return rows.map(({ repository_id, rank }) => ({
    repository: addresses.repository(places.get(repository_id)!),
    access: levelOf(rank),
  }))
}
