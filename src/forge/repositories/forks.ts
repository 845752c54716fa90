/** Forks: repositories made from another with objects of their own, so that deleting one does not affect the other. */
import type { Actor } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { blockLock, demandStillUnblocked } from '../access/block.ts'
import { Creation } from '../access/creation.ts'
import { reaches } from '../access/level.ts'
import { type Access, demandUnblocked, maySee, type Opening, type RepositoryNeed } from '../access/opening.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import { fullName, type OpenRepository, type Repository } from '../access/repository.ts'
import { everyTokenKind } from '../access/required-grant.ts'
import { invalidField, notFound } from '../failures.ts'
import { demandGit } from '../git/process/process.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { isBranchName, zeroId } from '../git/ref-name.ts'
import type { Copying } from '../git/write/copying.ts'
import { asPerson, type Person } from '../person.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { demandMayCreate } from './repositories.ts'
import type { RepositoryCreation } from './repository-creation.ts'

export type ForkDraft = {
  readonly name?: string | undefined
  readonly defaultBranchOnly?: boolean | undefined
}

/** The ancestors that the caller may see. */
export type Ancestors = {
  readonly parent?: OpenRepository | undefined
  readonly source?: OpenRepository | undefined
  /** What it was generated from. */
  readonly template?: OpenRepository | undefined
}

type Needs = {
  store: Store
  opening: Opening
  copying: Copying
  make: RepositoryCreation
  /** Gives a new fork its parent's large files. */
  copyLargeFiles: (trx: Db, parent: Repository, fork: { id: number; ownerId: number }) => Promise<void>
  storage: Pick<StorageQuota, 'measureOwn'>
}

/** Alternative names tried if the parent's is taken. */
const maxNames = 10

export type Forks = ReturnType<typeof makeForks>

export function makeForks({ store, opening, copying, make, copyLargeFiles, storage }: Needs) {
  async function findOwn(actor: Actor, parent: Repository, owner: Person): Promise<OpenRepository | undefined> {
    const row = await store.db
      .selectFrom('repository')
      .select('id')
      .where('parent_id', '=', parent.id)
      .where('owner_id', '=', owner.id)
      .executeTakeFirst()
    return row && opening.find(actor, { id: row.id })
  }

  async function findVisible(actor: Actor, id: number | null): Promise<OpenRepository | undefined> {
    const found = id === null ? undefined : await opening.find(actor, { id })
    return found && maySee(actor, found) ? found : undefined
  }

  async function chooseName(parent: Repository, owner: Person): Promise<string> {
    const names = [parent.name, ...Array.from({ length: maxNames }, (_, i) => `${parent.name}-${i + 1}`)]
    const taken = await store.db
      .selectFrom('repository')
      .select('name_key')
      .where('owner_id', '=', owner.id)
      .where(
        'name_key',
        'in',
        names.map((name) => name.toLowerCase()),
      )
      .execute()
    const free = names.find((name) => !taken.some(({ name_key }) => name_key === name.toLowerCase()))
    if (!free) throw invalidField('name', 'custom', 'name already exists on this account')
    return free
  }

  /** A repository by its name, if it is in the same fork network. */
  async function findNamed(actor: Actor, one: Repository, place: { owner: string; name: string }) {
    const found = await opening.find(actor, place)
    const isOfLine = found && (found.sourceId ?? found.id) === (one.sourceId ?? one.id)
    return isOfLine && maySee(actor, found) ? found : undefined
  }

  /** The repository in the fork network that an account owns: for `owner:branch`. */
  async function findInNetwork(actor: Actor, one: Repository, owner: string): Promise<OpenRepository | undefined> {
    const rootId = one.sourceId ?? one.id
    const row = await store.db
      .selectFrom('repository')
      .innerJoin('account', 'account.id', 'repository.owner_id')
      .select('repository.id')
      .where('account.name_key', '=', owner.toLowerCase())
      .where((eb) => eb.or([eb('repository.source_id', '=', rootId), eb('repository.id', '=', rootId)]))
      .orderBy('repository.id')
      .executeTakeFirst()
    return row && findVisible(actor, row.id)
  }

  return {
    /** If the account has a fork already, answers that one. `organisation`: the new owner instead of the actor. */
    async create(
      { actor, repository: parent }: Access<'read', 'look'>,
      organisation: OrganisationAccess<'member'> | undefined,
      { name, defaultBranchOnly = false }: ForkDraft,
    ): Promise<OpenRepository> {
      if (organisation) demandMayCreate(organisation)
      const owner = organisation?.organisation ?? asPerson(actor.account)
      const creation = Creation.demand(actor, owner)
      demandForkable(parent, owner)
      const existing = await findOwn(actor, parent, owner)
      if (existing) return existing
      const origin = {
        parentId: parent.id,
        sourceId: parent.sourceId ?? parent.id,
        bytes: await storage.measureOwn(parent),
        async fill(folder: string): Promise<RefChange[]> {
          await copying.copyAll(parent, folder, defaultBranchOnly ? parent.defaultBranch : undefined)
          return findFirstBranch(folder, parent)
        },
        locks: [blockLock(parent.owner.id, actor.account.id)],
        async completeWithin(trx: Db, id: number): Promise<void> {
          await demandStillUnblocked(trx, actor, parent)
          await copyLargeFiles(trx, parent, { id, ownerId: owner.id })
        },
      }
      const draft = {
        name: name ?? (await chooseName(parent, owner)),
        description: parent.description,
        homepage: parent.homepage,
        isPrivate: parent.isPrivate,
        defaultBranch: parent.defaultBranch,
        // As on the public platform: issues belong to the original.
        options: { ...parent.options, hasIssues: false, isTemplate: false },
      }
      const isGiven = organisation !== undefined && !organisation.isOwner
      return make(creation, draft, { isGiven, origin }).catch(async (error) => {
        // The parent was deleted during the copy.
        throw (await opening.find(actor, { id: parent.id })) ? error : notFound()
      })
    },

    async ancestors(actor: Actor, { parentId, sourceId, templateId }: Repository): Promise<Ancestors> {
      if (templateId !== null) return { template: await findVisible(actor, templateId) }
      if (parentId === null) return {}
      const [parent, source] = await Promise.all([findVisible(actor, parentId), findVisible(actor, sourceId)])
      return { parent, source }
    },

    /**
     * Opens a repository of the fork network for reading code, by owner or full name. Undefined if it is not in the
     * network, or may not be read.
     */
    async openInNetwork(actor: Actor, one: OpenRepository, owner: string, name: string | undefined) {
      const isOwn = owner.toLowerCase() === one.owner.login.toLowerCase()
      if (isOwn && (name === undefined || name.toLowerCase() === one.name.toLowerCase())) return one
      const found =
        name === undefined ? await findInNetwork(actor, one, owner) : await findNamed(actor, one, { owner, name })
      if (!found) return undefined
      return await (async () => opening.open(actor, { id: found.id }, contentsRead))().catch(unlessRefused)
    },

    findNamed,
    findInNetwork,
  }
}

const contentsRead: RepositoryNeed = {
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: [{ name: 'contents', level: 'read' }],
  level: 'read',
  signIn: false,
  writes: false,
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Failure) || error.kind === 'unavailable') throw error
}

export async function findFirstBranch(folder: string, { defaultBranch }: Repository): Promise<RefChange[]> {
  const words = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/']
  const lines = (await demandGit(words, { folder })).toString().split('\n').filter(Boolean)
  const branches = lines.map((line) => ({ ref: line.slice(41), before: zeroId, after: line.slice(0, 40) }))
  const first = branches.find(({ ref }) => ref === `refs/heads/${defaultBranch}`) ?? branches[0]
  if (!first) throw noContent()
  return [first]
}

function demandForkable(parent: OpenRepository, owner: Person): void {
  demandUnblocked(parent)
  demand(
    parent.options.allowForking || reaches(parent.level, 'admin'),
    'forbidden',
    'forking-disabled',
    `Forking of ${fullName(parent)} is switched off by its admins.`,
  )
  if (parent.lastPushId === 0 || !isBranchName(parent.defaultBranch)) throw noContent()
  if (parent.owner.id === owner.id)
    throw invalidField('organization', 'invalid', 'A repository can’t be forked to the account that owns it.')
}

export const noContent = () =>
  new Failure('forbidden', 'empty-repository', 'The repository has no Git content: an empty one can’t be forked.')
