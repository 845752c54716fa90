/** Writes imported repositories with labels, collaborators and branch rules. */
import { rankOf } from '../../../access/level.ts'
import { labelKey } from '../../../issues/labels/label-rows.ts'
import { spellOptions } from '../../../repositories/repository-creation.ts'
import { watchWithin } from '../../../repositories/watching.ts'
import { protectedBranch } from '../definitions/repositories.ts'
import type { PlannedRepository } from '../planning.ts'
import { readRecords } from '../reading/record-reading.ts'
import { insertRows, type WriteContext } from './write-context.ts'

export async function writeRepositories(context: WriteContext): Promise<void> {
  const { trx, index, plan, made } = context
  for (const planned of plan.repositories) {
    const { record, ownerId = index.idOf(record.owner) } = planned
    const id = await insertRepository(context, planned, ownerId)
    index.setId(record.url, id)
    await trx
      .deleteFrom('repository_former_name')
      .where('owner_id', '=', ownerId)
      .where('name_key', '=', record.name.toLowerCase())
      .execute()
    // Without git data it is an empty repository, which can be imported into by an address.
    const hasGit = context.ready.get(record.url)!.refs.size > 0
    made.set(record.url, { id, ownerId, pushId: hasGit ? await insertPush(context, id, ownerId) : 0 })
    await writeFormerNames(context, planned, id, ownerId)
    await writeLabels(context, planned, id)
    await writeCollaborators(context, planned, id, ownerId)
  }
  for (const { record } of plan.repositories)
    if (record.parent !== null) await setParent(context, record.url, record.parent)
  await writeTeamPermissions(context)
}

async function insertRepository(
  { trx, ready }: WriteContext,
  { record }: PlannedRepository,
  ownerId: number,
): Promise<number> {
  const { id } = await trx
    .insertInto('repository')
    .values({
      owner_id: ownerId,
      name: record.name,
      name_key: record.name.toLowerCase(),
      description: record.description,
      homepage: record.homepage,
      is_private: Number(record.isPrivate),
      is_archived: Number(record.isArchived),
      locked_at: null,
      default_branch: record.defaultBranch,
      topics: JSON.stringify(record.topics),
      options: spellOptions(record.options),
      language: null,
      size_kib: ready.get(record.url)!.sizeKib,
      subscriber_count: 0,
      open_issue_count: 0,
      last_issue_number: record.lastIssueNumber,
      last_milestone_number: record.lastMilestoneNumber,
      last_push_id: 0,
      pushed_at: record.pushedAt,
      created_at: record.createdAt,
      updated_at: record.updatedAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** This push marks the state of the git data. It triggers nothing and lists no changes: git has the refs. */
async function insertPush({ trx, now }: WriteContext, repositoryId: number, ownerId: number): Promise<number> {
  const { id } = await trx
    .insertInto('push')
    .values({ repository_id: repositoryId, pusher_id: ownerId, state: 'received', changes: '[]', created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx.updateTable('repository').set({ last_push_id: id }).where('id', '=', repositoryId).execute()
  return id
}

/** Former names redirect to it, unless a repository here has or had that name. */
async function writeFormerNames(
  { trx, plan }: WriteContext,
  { record }: PlannedRepository,
  id: number,
  ownerId: number,
): Promise<void> {
  const coming = new Set(plan.repositories.map((one) => one.record.name.toLowerCase()))
  for (const name of record.formerNames.map((one) => one.toLowerCase())) {
    const taken = trx.selectFrom('repository').select('id').where('owner_id', '=', ownerId).where('name_key', '=', name)
    if (coming.has(name) || (await taken.executeTakeFirst())) continue
    await trx
      .insertInto('repository_former_name')
      .values({ owner_id: ownerId, name_key: name, repository_id: id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
}

async function writeLabels({ trx, index }: WriteContext, { record }: PlannedRepository, id: number): Promise<void> {
  for (const { url, name, color, description, isDefault } of record.labels) {
    const row = await trx
      .insertInto('label')
      .values({ repository_id: id, name, name_key: labelKey(name), color, description, is_default: Number(isDefault) })
      .returning('id')
      .executeTakeFirstOrThrow()
    index.setId(url, row.id)
  }
}

async function writeCollaborators(
  { trx, index, now }: WriteContext,
  { record }: PlannedRepository,
  id: number,
  ownerId: number,
): Promise<void> {
  const others = record.collaborators.filter(({ user }) => index.idOf(user) !== ownerId)
  await insertRows(
    trx,
    'collaborator',
    others.map(({ user, permission }) => ({
      repository_id: id,
      user_id: index.idOf(user),
      rank: rankOf(permission),
      created_at: record.createdAt,
    })),
  )
  const owner = await trx.selectFrom('account').select('kind').where('id', '=', ownerId).executeTakeFirstOrThrow()
  const watchers = [...(owner.kind === 'user' ? [ownerId] : []), ...others.map(({ user }) => index.idOf(user))]
  for (const userId of watchers) await watchWithin(trx, { repositoryId: id, userId, isIgnored: false, now })
}

async function setParent({ trx, index }: WriteContext, url: string, parent: string): Promise<void> {
  const parentId = index.idOf(parent)
  const { source_id } = await trx
    .selectFrom('repository')
    .select('source_id')
    .where('id', '=', parentId)
    .executeTakeFirstOrThrow()
  await trx
    .updateTable('repository')
    .set({ parent_id: parentId, source_id: source_id ?? parentId })
    .where('id', '=', index.idOf(url))
    .execute()
}

async function writeTeamPermissions({ trx, index, checked, made, now }: WriteContext): Promise<void> {
  for (const { url, organisation, permissions } of checked.teams) {
    // Teams get no rights if the repository has another owner.
    const own = permissions.filter(({ repository }) => made.get(repository)!.ownerId === index.idOf(organisation))
    await insertRows(
      trx,
      'team_repository',
      own.map(({ repository, access }) => ({
        team_id: index.idOf(url),
        repository_id: index.idOf(repository),
        rank: rankOf(access),
        created_at: now,
      })),
    )
  }
}

export async function writeProtectedBranches({ trx, index, checked, made }: WriteContext): Promise<void> {
  const organisations = new Map(checked.teams.map(({ url, organisation }) => [url, index.idOf(organisation)]))
  for await (const placed of readRecords(checked.archive, protectedBranch))
    await insertRows(
      trx,
      'branch_protection',
      placed.map(({ record }) => ({
        repository_id: index.idOf(record.repository),
        branch: record.name,
        rules: JSON.stringify({
          ...record.rules,
          restrictions: record.restrictedTo && {
            users: record.restrictedTo.users.map((user) => index.idOf(user)),
            // Teams get no rights if the repository has another owner.
            teams: record.restrictedTo.teams
              .filter((team) => organisations.get(team) === made.get(record.repository)!.ownerId)
              .map((team) => index.idOf(team)),
          },
        }),
        created_at: record.createdAt,
        updated_at: record.updatedAt,
      })),
    )
}
