/** Repositories: make, change, rename, archive, delete. */
import { type Actor, requireSignIn } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { demand } from '../../base/failure.ts'
import { given } from '../../base/given.ts'
import type { Db } from '../../store/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import type { ActivityBoard } from '../activity.ts'
import { invalidField, notFound } from '../faults.ts'
import type { Git } from '../git/git.ts'
import { isBranchName } from '../git/ref-name.ts'
import type { Writing } from '../git/writing.ts'
import { rankOf } from '../level.ts'
import { demandGrant } from '../need.ts'
import type { Organisation } from '../people/organisations.ts'
import { asPerson, type Person } from '../people/person.ts'
import type { Opening } from './opening.ts'
import { defaultOptions, type OpenRepository, type RepositoryOptions } from './repository.ts'
import { watchWithin } from './watching.ts'

export type RepositoryDraft = {
  readonly name: string
  readonly description?: string | null
  readonly homepage?: string | null
  readonly isPrivate?: boolean
  readonly autoInit?: boolean
  readonly defaultBranch?: string
  readonly options?: Partial<RepositoryOptions>
}

export type RepositoryChange = Omit<Partial<RepositoryDraft>, 'autoInit'> & { readonly isArchived?: boolean }

type Needs = { store: Store; clock: Clock; opening: Opening; git: Git; writing: Writing; activity: ActivityBoard }

export type Repositories = ReturnType<typeof makeRepositories>

export function makeRepositories({ store, clock, opening, git, writing, activity }: Needs) {
  async function read(actor: Actor, id: number, on?: Db): Promise<OpenRepository> {
    const repository = await opening.find(actor, { id }, on)
    if (!repository) throw notFound()
    return repository
  }

  /** `isGiven`: its maker would have no say in it otherwise. */
  async function insert(actor: Actor, owner: Person, draft: RepositoryDraft, isGiven = false): Promise<OpenRepository> {
    requireSignIn(actor)
    demandName(draft.name)
    demandScopeFor(actor, draft)
    if (draft.defaultBranch !== undefined) demandBranchName(draft.defaultBranch)
    const now = clock.now()
    const creator = actor.account.id
    const repository = await store
      .write(async (trx) => {
        const nameKey = draft.name.toLowerCase()
        const { id } = await trx
          .insertInto('repository')
          .values({
            owner_id: owner.id,
            name: draft.name,
            name_key: nameKey,
            description: draft.description ?? null,
            homepage: draft.homepage ?? null,
            is_private: draft.isPrivate ? 1 : 0,
            is_archived: 0,
            locked_at: null,
            default_branch: draft.defaultBranch ?? 'main',
            topics: '[]',
            options: spellOptions(draft.options ?? {}),
            language: null,
            size_kib: 0,
            subscriber_count: 0,
            open_issue_count: 0,
            last_push_id: 0,
            pushed_at: now,
            created_at: now,
            updated_at: now,
          })
          .returning('id')
          .executeTakeFirstOrThrow()
        // A new repository takes the name over from one that once had it.
        await trx
          .deleteFrom('repository_former_name')
          .where('owner_id', '=', owner.id)
          .where('name_key', '=', nameKey)
          .execute()
        await watchWithin(trx, { repositoryId: id, userId: creator, isIgnored: false, now })
        if (isGiven) {
          const given = { repository_id: id, user_id: creator, rank: rankOf('admin'), created_at: now }
          await trx.insertInto('collaborator').values(given).execute()
        }
        return read(actor, id, trx)
      })
      .catch(refuseTakenName)
    await git.prepare(repository)
    if (!draft.autoInit) return repository
    const readme = `# ${draft.name}\n${draft.description ? `${draft.description}\n` : ''}`
    await writing.commitFirst(actor, repository, { 'README.md': readme }, 'Initial commit')
    return read(actor, repository.id)
  }

  return {
    createOwn(actor: Actor, draft: RepositoryDraft): Promise<OpenRepository> {
      requireSignIn(actor)
      return insert(actor, asPerson(actor.account), draft)
    },

    async createFor(actor: Actor, organisation: Organisation, draft: RepositoryDraft): Promise<OpenRepository> {
      const isOwner = organisation.role === 'admin' || actor.account?.role === 'admin'
      demand(
        isOwner || (organisation.role && organisation.membersMayCreate),
        'forbidden',
        'creation-denied',
        'You need to be an owner of the organization, or it must let members create repositories.',
      )
      return insert(actor, organisation, draft, !isOwner)
    },

    async update(actor: Actor, repository: OpenRepository, change: RepositoryChange): Promise<OpenRepository> {
      if (change.name !== undefined) demandName(change.name)
      demandScopeFor(actor, change)
      if (change.defaultBranch !== undefined && change.defaultBranch !== repository.defaultBranch) {
        const exists = isBranchName(change.defaultBranch) && (await git.hasBranch(repository, change.defaultBranch))
        if (!exists)
          throw invalidField('default_branch', 'invalid', 'Name the branch to be the default; it must exist.')
      }
      const onlyUnarchives = change.isArchived === false
      demand(
        !repository.isArchived || onlyUnarchives,
        'forbidden',
        'repository-archived',
        'Repository was archived so is read-only: unarchive it first.',
      )
      const changed = await store
        .write((trx) => applyChange(trx, actor, repository, change), { alone: [`repository:${repository.id}`] })
        .catch(refuseTakenName)
      await git.prepare(changed)
      return changed
    },

    async replaceTopics(actor: Actor, repository: OpenRepository, names: readonly string[]): Promise<string[]> {
      const topics = [...new Set(names.map((name) => name.toLowerCase()))]
      for (const topic of topics) {
        const isValid = /^[a-z0-9][a-z0-9-]{0,49}$/.test(topic)
        if (!isValid)
          throw invalidField('names', 'invalid', 'A topic has 1 to 50 lower-case letters, digits and hyphens.')
      }
      if (topics.length > 20) throw invalidField('names', 'invalid', 'A repository has 20 topics at most.')
      await store.write((trx) =>
        trx
          .updateTable('repository')
          .set({ topics: JSON.stringify(topics), updated_at: clock.now() })
          .where('id', '=', repository.id)
          .execute(),
      )
      return [...(await read(actor, repository.id)).topics]
    },

    /** The rows go first: a folder that is left when the server dies here is swept at the next start. */
    async remove(_actor: Actor, repository: OpenRepository): Promise<void> {
      await store.write(async (trx) => {
        await activity.tell(trx, { kind: 'repository-deletion', repository })
        await trx.deleteFrom('repository').where('id', '=', repository.id).execute()
      })
      await git.remove(repository.id)
    },
  }

  async function applyChange(
    trx: Db,
    actor: Actor,
    repository: OpenRepository,
    change: RepositoryChange,
  ): Promise<OpenRepository> {
    const before = await read(actor, repository.id, trx)
    const nameKey = change.name?.toLowerCase()
    await trx
      .updateTable('repository')
      .set({
        updated_at: clock.now(),
        ...given({
          name: change.name,
          name_key: nameKey,
          description: change.description,
          homepage: change.homepage,
          is_private: change.isPrivate === undefined ? undefined : Number(change.isPrivate),
          is_archived: change.isArchived === undefined ? undefined : Number(change.isArchived),
          default_branch: change.defaultBranch,
          options: change.options && spellOptions({ ...before.options, ...change.options }),
        }),
      })
      .where('id', '=', repository.id)
      .execute()
    if (nameKey !== undefined && nameKey !== before.name.toLowerCase()) await rememberName(trx, before, nameKey)
    return read(actor, repository.id, trx)
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

/** A token for what is public makes nothing private. */
function demandScopeFor(actor: Actor, { isPrivate }: { isPrivate?: boolean }): void {
  if (isPrivate) demandGrant(actor, { tokens: [], scopes: ['repo'], permissions: [] })
}

function demandName(name: string): void {
  const isValid = /^[A-Za-z0-9._-]{1,100}$/.test(name) && !/^\.{1,2}$|\.git$|\.wiki$/i.test(name)
  if (isValid) return
  throw invalidField(
    'name',
    'invalid',
    'A name has 1 to 100 letters, digits, dots, hyphens and underscores, and no .git at its end.',
  )
}

function demandBranchName(name: string): void {
  if (!isBranchName(name)) throw invalidField('default_branch', 'invalid', 'This can’t be the name of a branch.')
}

function spellOptions(options: Partial<RepositoryOptions>): string {
  const names = Object.keys(defaultOptions) as (keyof RepositoryOptions)[]
  const differing = names.filter((name) => options[name] !== undefined && options[name] !== defaultOptions[name])
  return JSON.stringify(Object.fromEntries(differing.map((name) => [name, options[name]])))
}

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error) ? invalidField('name', 'custom', 'name already exists on this account') : error
}
