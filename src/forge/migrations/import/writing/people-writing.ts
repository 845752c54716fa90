/** Writes imported accounts that do not exist yet, and organisations with members and teams. Existing ones stay. */
import { makeSlices } from '../../../../lib/scheduling/slices.ts'
import type { Db } from '../../../../store/schema/schema.ts'
import { rankOf } from '../../../access/level.ts'
import { placeTeam } from '../../../people/team.ts'
import { defaultMemberRank, loginOfHidden } from '../../../person.ts'
import type { OrganisationRecord, TeamRecord } from '../definitions/people.ts'
import type { PlannedAccount } from '../planning.ts'
import { insertRows, type WriteContext } from './write-context.ts'

export async function writePeople(context: WriteContext): Promise<void> {
  const { index, plan } = context
  for (const account of plan.accounts) {
    const { record, id } = account
    index.setId(record.url, id ?? (await insertAccount(context, account)))
  }
  for (const { record, id } of plan.accounts)
    if (id === undefined && record.kind === 'organisation') {
      await insertMembers(context, record)
      await insertBlocks(context, record)
    }
  const teams = Map.groupBy(context.checked.teams, ({ organisation }) => organisation)
  for (const [organisation, ofOne] of teams) await writeTeams(context, index.idOf(organisation), ofOne)
}

/** A new account is suspended, so that nobody can sign in with it until an admin knows whose it is and lifts that. */
async function insertAccount({ trx, now }: WriteContext, { record, login }: PlannedAccount): Promise<number> {
  const isUser = record.kind === 'user'
  const { id } = await trx
    .insertInto('account')
    .values({
      kind: record.kind,
      name: login,
      name_key: login.toLowerCase(),
      display_name: record.name || login,
      role: 'contestant',
      password_hash: null,
      suspended_at: isUser ? now : null,
      created_at: record.createdAt,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('profile')
    .values({
      account_id: id,
      email: await freeEmail(trx, record.email, isUser),
      bio: record.bio,
      company: record.company,
      location: record.location,
      website: record.website,
      plan: 'free',
      member_rank: isUser || record.memberLevel === null ? defaultMemberRank : rankOf(record.memberLevel),
      members_may_create: isUser || record.membersMayCreate ? 1 : 0,
    })
    .execute()
  return id
}

/** Commits are attributed by mail address, so an import must not take another account's. */
async function freeEmail(trx: Db, email: string | null, isUser: boolean): Promise<string | null> {
  if (email === null || !isUser) return email
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) || loginOfHidden(email) !== undefined) return null
  const taken = await trx.selectFrom('profile').select('account_id').where('email', '=', email).executeTakeFirst()
  return taken ? null : email
}

const insertMembers = ({ trx, index }: WriteContext, record: OrganisationRecord) =>
  insertRows(
    trx,
    'organisation_member',
    record.members.map(({ user, role, isPublic }) => ({
      organisation_id: index.idOf(record.url),
      user_id: index.idOf(user),
      role,
      state: 'active' as const,
      is_public: Number(isPublic),
      created_at: record.createdAt,
    })),
  )

const insertBlocks = ({ trx, index }: WriteContext, record: OrganisationRecord) =>
  insertRows(
    trx,
    'organisation_block',
    record.blocks.map(({ user, createdAt }) => ({
      organisation_id: index.idOf(record.url),
      user_id: index.idOf(user),
      created_at: createdAt,
    })),
  )

/** A team that exists already keeps its members, and gets the imported repositories. */
async function writeTeams(
  context: WriteContext,
  organisationId: number,
  records: readonly TeamRecord[],
): Promise<void> {
  const { trx, index } = context
  const made: TeamRecord[] = []
  const slices = makeSlices()
  for (const record of records) {
    if (slices.isDue()) await slices.pause()
    const known = await trx
      .selectFrom('team')
      .select('id')
      .where('organisation_id', '=', organisationId)
      .where('slug', '=', record.slug)
      .executeTakeFirst()
    index.setId(record.url, known?.id ?? (await insertTeam(trx, organisationId, record)))
    if (!known) made.push(record)
  }
  // A parent must be new, too: below an existing team, members of the archive's team would inherit its rights.
  const isMade = new Set(made.map(({ url }) => url))
  for (const { url, parent } of made) {
    if (slices.isDue()) await slices.pause()
    if (parent !== null && isMade.has(parent))
      await trx
        .updateTable('team')
        .set({ parent_id: index.idOf(parent) })
        .where('id', '=', index.idOf(url))
        .execute()
  }
  const members = await readMembers(trx, organisationId)
  for (const record of made)
    await insertRows(
      trx,
      'team_member',
      record.members
        .filter(({ user }) => members.has(index.idOf(user)))
        .map(({ user, role }) => ({
          team_id: index.idOf(record.url),
          user_id: index.idOf(user),
          role,
          created_at: record.createdAt,
        })),
    )
  for (const { url, parent } of parentsFirst(made)) {
    await placeTeam(trx, {
      id: index.idOf(url),
      parent_id: parent !== null && isMade.has(parent) ? index.idOf(parent) : null,
    })
    if (slices.isDue()) await slices.pause()
  }
}

/** Sorts level by level, starting from the teams without a parent among them. */
function parentsFirst(teams: readonly TeamRecord[]): readonly TeamRecord[] {
  const urls = new Set(teams.map(({ url }) => url))
  const isTop = ({ parent }: TeamRecord) => parent === null || !urls.has(parent)
  const children = Map.groupBy(teams, ({ parent }) => parent)
  const ordered = teams.filter(isTop)
  for (const team of ordered) ordered.push(...(children.get(team.url) ?? []))
  return ordered
}

async function insertTeam(trx: Db, organisationId: number, record: TeamRecord): Promise<number> {
  const { id } = await trx
    .insertInto('team')
    .values({
      organisation_id: organisationId,
      parent_id: null,
      name: record.name,
      slug: record.slug,
      description: record.description,
      privacy: record.privacy,
      notification_setting: record.notificationSetting,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Only members of the organisation can be in its teams. */
async function readMembers(trx: Db, organisationId: number): Promise<ReadonlySet<number>> {
  const rows = await trx
    .selectFrom('organisation_member')
    .select('user_id')
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'active')
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}
