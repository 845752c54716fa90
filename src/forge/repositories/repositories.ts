/** Repositories: create, change, rename, archive and delete. */

import type { Actor } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository } from '../access/audit-place.ts'
import { Creation } from '../access/creation.ts'
import type { Access, Opening } from '../access/opening.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import type { OpenRepository } from '../access/repository.ts'
import type { SelfAccess } from '../access/self-access.ts'
import type { Activity, ActivityRecord, Changes } from '../activity/activity.ts'
import { invalidField, notFound } from '../failures.ts'
import type { Git } from '../git/process/git.ts'
import { isBranchName } from '../git/ref-name.ts'
import { asPerson } from '../person.ts'
import type { Deletion } from './deletion.ts'
import {
  demandMergeMethod,
  demandName,
  demandScopeFor,
  type RepositoryCreation,
  type RepositoryDraft,
  refuseTakenName,
  spellOptions,
} from './repository-creation.ts'
import type { TeamRepositories } from './team-repositories.ts'

export type RepositoryChange = Omit<Partial<RepositoryDraft>, 'autoInit'> & { readonly isArchived?: boolean }

/** Lets other services act before a repository is deleted, in the same write. */
export type BeforeDeletion = {
  /** Locks that this write needs. */
  listLocks(repositoryId: number): Promise<readonly string[]>
  within(trx: Db, actorId: number, repositoryId: number): Promise<void>
}

type Needs = {
  store: Store
  clock: Clock
  opening: Opening
  git: Git
  make: RepositoryCreation
  activity: ActivityRecord
  deletion: Deletion
  teamRepositories: Pick<TeamRepositories, 'preparedGift'>
  beforeDeletion: BeforeDeletion
  /** The repository takes writes again: does postponed work, in the same write. */
  catchUpWithin: (trx: Db, repositoryId: number) => Promise<void>
}

export type Repositories = ReturnType<typeof makeRepositories>

export function makeRepositories(needs: Needs) {
  const { store, clock, opening, git, make, activity, deletion, beforeDeletion, catchUpWithin, teamRepositories } =
    needs

  async function read(actor: Actor, id: number, on?: Db): Promise<OpenRepository> {
    const repository = await opening.find(actor, { id }, on)
    if (!repository) throw notFound()
    return repository
  }

  return {
    createOwn: ({ actor }: SelfAccess, draft: RepositoryDraft): Promise<OpenRepository> =>
      make(Creation.demand(actor, asPerson(actor.account)), draft),

    async createFor(
      access: OrganisationAccess<'member'>,
      draft: RepositoryDraft,
      teamId?: number,
    ): Promise<OpenRepository> {
      const { actor, organisation, isOwner } = access
      demandMayCreate(access)
      const giveWithin = teamId === undefined ? undefined : await teamRepositories.preparedGift(access, teamId)
      return make(Creation.demand(actor, organisation), draft, { isGiven: !isOwner, giveWithin })
    },

    async update({ actor, repository }: Access<'admin'>, change: RepositoryChange): Promise<OpenRepository> {
      if (change.name !== undefined) demandName(change.name)
      demandScopeFor(actor, change)
      if (change.defaultBranch !== undefined && change.defaultBranch !== repository.defaultBranch) {
        const exists = isBranchName(change.defaultBranch) && (await git.hasBranch(repository, change.defaultBranch))
        if (!exists)
          throw invalidField('default_branch', 'invalid', 'Name the branch to be the default; it must exist.')
      }
      const onlyUnarchives = change.isArchived === false && Object.keys(change).length === 1
      demand(
        !repository.isArchived || onlyUnarchives,
        'forbidden',
        'repository-archived',
        'Repository was archived so is read-only: unarchive it first.',
      )
      const changed = await store
        .write((trx) => applyChange(trx, actor, repository, change), { locks: [`repository:${repository.id}`] })
        .catch(refuseTakenName)
      if (change.defaultBranch !== undefined) await git.prepare(changed)
      return changed
    },

    async replaceTopics({ actor, repository }: Access<'admin'>, names: readonly string[]): Promise<string[]> {
      const topics = [...new Set(names.map((name) => name.toLowerCase()))]
      for (const topic of topics) {
        const isValid = /^[a-z0-9][a-z0-9-]{0,49}$/.test(topic)
        if (!isValid)
          throw invalidField('names', 'invalid', 'A topic has 1 to 50 lower-case letters, digits and hyphens.')
      }
      if (topics.length > 20) throw invalidField('names', 'invalid', 'A repository can have at most 20 topics.')
      await store.write(async (trx) => {
        const { topics: before } = await read(actor, repository.id, trx)
        await trx
          .updateTable('repository')
          .set({ topics: JSON.stringify(topics), updated_at: clock.now() })
          .where('id', '=', repository.id)
          .execute()
        if (before.join() !== topics.join())
          await activity.record(trx, {
            kind: 'repository-changed',
            actorId: actor.account.id,
            repositoryId: repository.id,
            data: { action: 'edited', changes: { topics: { from: before } } },
          })
      })
      return [...(await read(actor, repository.id)).topics]
    },

    /** Deletes the rows first; one row records that the folder must follow. */
    async remove({ actor, repository }: Access<'admin'>): Promise<void> {
      const locks = await beforeDeletion.listLocks(repository.id)
      await store.write(
        async (trx) => {
          await beforeDeletion.within(trx, actor.account.id, repository.id)
          await activity.record(trx, {
            kind: 'repository-deleted',
            actorId: actor.account.id,
            repositoryId: repository.id,
            data: { ownerId: repository.owner.id, name: repository.name, gone: { repository } },
          })
          await deletion.recordWithin(trx, repository.id)
          await recordAudit(trx, clock.now(), actor, { action: 'repo.destroy', ...auditRepository(repository) })
        },
        { locks },
      )
      await deletion.removeFolder(repository.id)
    },
  }

  async function applyChange(
    trx: Db,
    actor: Actor,
    repository: OpenRepository,
    change: RepositoryChange,
  ): Promise<OpenRepository> {
    const before = await read(actor, repository.id, trx)
    if (change.isPrivate === false && before.isPrivate) await demandPublicParent(trx, before)
    const options = change.options && { ...before.options, ...change.options }
    if (options) demandMergeMethod(options)
    const { name, description, homepage, isPrivate, isArchived, defaultBranch } = change
    const nameKey = name?.toLowerCase()
    const now = clock.now()
    await trx
      .updateTable('repository')
      .set({
        updated_at: now,
        ...omitUndefined({
          name,
          name_key: nameKey,
          description,
          homepage,
          is_private: isPrivate === undefined ? undefined : Number(isPrivate),
          is_archived: isArchived === undefined ? undefined : Number(isArchived),
          default_branch: defaultBranch,
          options: options && spellOptions(options),
        }),
      })
      .where('id', '=', repository.id)
      .execute()
    if (change.isPrivate === false && before.isPrivate && actor.account)
      await activity.record(trx, {
        kind: 'repository-publicized',
        actorId: actor.account.id,
        repositoryId: repository.id,
      })
    if (nameKey !== undefined && nameKey !== before.name.toLowerCase()) await rememberName(trx, before, nameKey)
    const written = omitUndefined({ name, description, homepage, isArchived, defaultBranch, options })
    // Visibility also changes levels and fork counts, so read the repository again.
    const after =
      isPrivate === undefined
        ? { ...before, ...written, updatedAt: new Date(now) }
        : await read(actor, repository.id, trx)
    if (before.isArchived && !after.isArchived) await catchUpWithin(trx, repository.id)
    await tellChange(trx, actor, before, after)
    await auditChange(trx, actor, before, after)
    return after
  }

  async function tellChange(trx: Db, { account }: Actor, before: OpenRepository, after: OpenRepository): Promise<void> {
    if (!account) return
    const tell = (data: Extract<Activity, { kind: 'repository-changed' }>['data']) =>
      activity.record(trx, { kind: 'repository-changed', actorId: account.id, repositoryId: after.id, data })
    if (before.name !== after.name) await tell({ action: 'renamed', changes: { repository: { from: before.name } } })
    if (after.isPrivate && !before.isPrivate) await tell({ action: 'privatized' })
    if (before.isArchived !== after.isArchived) await tell({ action: after.isArchived ? 'archived' : 'unarchived' })
    const changes: Changes = {
      ...(before.description !== after.description && { description: { from: before.description } }),
      ...(before.homepage !== after.homepage && { homepage: { from: before.homepage } }),
      ...(before.defaultBranch !== after.defaultBranch && { default_branch: { from: before.defaultBranch } }),
    }
    if (Object.keys(changes).length > 0) await tell({ action: 'edited', changes })
  }

  async function auditChange(trx: Db, actor: Actor, before: OpenRepository, after: OpenRepository): Promise<void> {
    const record = (action: string, data: Record<string, string> = {}) =>
      recordAudit(trx, clock.now(), actor, { action, ...auditRepository(after), data })
    const visibility = ({ isPrivate }: OpenRepository) => (isPrivate ? 'private' : 'public')
    if (before.isPrivate !== after.isPrivate)
      await record('repo.access', { visibility: visibility(after), previous_visibility: visibility(before) })
    if (before.name !== after.name) await record('repo.rename', { old_name: before.name })
    if (before.isArchived !== after.isArchived) await record(after.isArchived ? 'repo.archived' : 'repo.unarchived')
  }

  async function rememberName(trx: Db, before: OpenRepository, newKey: string): Promise<void> {
    const owner_id = before.owner.id
    await trx
      .deleteFrom('repository_former_name')
      .where('owner_id', '=', owner_id)
      .where('name_key', '=', newKey)
      .execute()
    await trx
      .insertInto('repository_former_name')
      .values({ owner_id, name_key: before.name.toLowerCase(), repository_id: before.id })
      .onConflict((conflict) => conflict.columns(['owner_id', 'name_key']).doUpdateSet({ repository_id: before.id }))
      .execute()
  }
}

export function demandMayCreate({
  organisation,
  role,
  isOwner,
}: Pick<OrganisationAccess<'member'>, 'organisation' | 'role' | 'isOwner'>): void {
  demand(
    isOwner || (role && organisation.membersMayCreate),
    'forbidden',
    'creation-denied',
    'You need to be an owner of the organization, or it must let members create repositories.',
  )
}

/** A fork must not make the content of a private repository public. */
async function demandPublicParent(trx: Db, { parentId }: OpenRepository): Promise<void> {
  if (parentId === null) return
  const row = await trx.selectFrom('repository').select('is_private').where('id', '=', parentId).executeTakeFirst()
  if (row?.is_private === 1) throw invalidField('private', 'invalid', 'A fork of a private repository is private.')
}
