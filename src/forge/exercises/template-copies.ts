/**
 * Copies of a template: an organisation's private repositories, each made whole for one student by a teacher's rights.
 */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { blockLock, isBlockedBy } from '../access/block.ts'
import { Creation } from '../access/creation.ts'
import { mayDo, type Opening, type RepositoryNeed, readSeen } from '../access/opening.ts'
import type { OrganisationDoor } from '../access/organisation-access.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import { everyTokenKind, personalTokenKinds, type RequiredGrant } from '../access/required-grant.ts'
import { demandGit } from '../git/process/process.ts'
import { onAccount } from '../git/process/processor-accounting.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { isBranchName, zeroId } from '../git/ref-name.ts'
import type { Copying } from '../git/write/copying.ts'
import type { GrantWithin } from '../repositories/direct-grants.ts'
import { demandMayCreate } from '../repositories/repositories.ts'
import { demandScopeFor, type RepositoryCreation } from '../repositories/repository-creation.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'

export type TemplatePlace = { readonly repository: string; readonly organisation: string }

export type CopyWish = {
  readonly template: TemplatePlace
  readonly name: string
  readonly description: string
  readonly writerId: number
  readonly adminIds: readonly number[]
  /** Runs in the write that creates the copy, which begins with this commit of the template. */
  within(trx: Db, made: { readonly id: number; readonly templateId: number; readonly commit: string }): Promise<void>
}

type Needs = {
  store: Store
  opening: Opening
  organisationDoor: OrganisationDoor
  copying: Copying
  make: RepositoryCreation
  copyLargeFiles: (trx: Db, parent: Repository, copy: { id: number; ownerId: number }) => Promise<void>
  storage: Pick<StorageQuota, 'measureOwn'>
  giveWithin: GrantWithin
}

const toRead: RepositoryNeed<'read'> = {
  tokens: everyTokenKind,
  scopes: ['repo'],
  permissions: [{ name: 'contents', level: 'read' }],
  level: 'read',
  signIn: true,
  writes: false,
}
const toCreate: RequiredGrant = {
  tokens: personalTokenKinds,
  scopes: ['repo'],
  permissions: [{ name: 'administration', level: 'write' }],
}

export type TemplateCopies = ReturnType<typeof makeTemplateCopies>

export function makeTemplateCopies(needs: Needs) {
  const { store, opening, organisationDoor, copying, make, copyLargeFiles, storage, giveWithin } = needs

  async function openTemplate(actor: Actor, address: string): Promise<OpenRepository> {
    const { repository } = await opening.look(actor, parseFullName(address), toRead)
    return repository
  }

  async function open(actor: Actor, { repository, organisation }: TemplatePlace) {
    const template = await openTemplate(actor, repository)
    const access = await organisationDoor.open(actor, organisation, 'member', toCreate)
    demandMayCreate(access)
    demandScopeFor(access.actor, { isPrivate: true })
    return { template, access, creation: Creation.demand(access.actor, access.organisation) }
  }

  async function fill(template: Repository, folder: string): Promise<RefChange> {
    const ref = `refs/heads/${template.defaultBranch}`
    await copying.copyAll(template, folder, template.defaultBranch)
    const words = ['for-each-ref', '--format=%(objectname)', ref]
    const sha = (await demandGit(words, { folder })).toString().trim()
    demand(sha !== '', 'precondition', 'template-empty', 'The template has no commits: push to it first.')
    return { ref, before: zeroId, after: sha }
  }

  return {
    openTemplate,

    /** Those of the repositories that the actor may read, in no order. */
    async openMany(actor: Actor, ids: readonly number[]): Promise<OpenRepository[]> {
      const seen = await readSeen(store.db, actor, ids)
      return [...seen.values()].filter((repository) => mayDo(actor, repository, toRead))
    },

    /** Checks that the actor may read the template and create private repositories in the organisation. */
    async demand(actor: Actor, place: TemplatePlace): Promise<void> {
      await open(actor, place)
    },

    /**
     * Copies the default branch with its history, and its large files. No fork: the template may have the same owner.
     */
    copy: (actor: SignedIn, wish: CopyWish): Promise<OpenRepository> =>
      onAccount({ caller: `user:${actor.account.id}` }, async () => {
        const { template, access, creation } = await open(actor, wish.template)
        const isBranch = isBranchName(template.defaultBranch)
        demand(isBranch, 'precondition', 'template-empty', 'The template has no commits: push to it first.')
        const { organisation } = access
        let commit = ''
        const origin = {
          bytes: await storage.measureOwn(template),
          fill: async (folder: string) => {
            const change = await fill(template, folder)
            commit = change.after
            return [change]
          },
          locks: [blockLock(organisation.id, wish.writerId)],
          async completeWithin(trx: Db, id: number): Promise<void> {
            const isBlocked = await isBlockedBy(trx, organisation.id, wish.writerId)
            demand(!isBlocked, 'forbidden', 'blocked', `${organisation.login} has blocked your account.`)
            await copyLargeFiles(trx, template, { id, ownerId: organisation.id })
            const place = { id, name: wish.name, owner: organisation }
            await giveWithin(trx, actor, place, wish.writerId, 'write')
            for (const adminId of wish.adminIds) await giveWithin(trx, actor, place, adminId, 'admin')
            await wish.within(trx, { id, templateId: template.id, commit })
          },
        }
        const draft = {
          name: wish.name,
          description: wish.description,
          isPrivate: true,
          defaultBranch: template.defaultBranch,
          options: { ...template.options, isTemplate: false },
        }
        return make(creation, draft, { isGiven: !access.isOwner, origin }).catch(async (error) => {
          if (await isTaken(store.db, organisation.id, wish.name)) throw nameTaken(wish.name)
          throw error
        })
      }),
  }
}

/** Parses `owner/name`; any other text is reported as an unknown repository. */
export function parseFullName(text: string): { owner: string; name: string } {
  const [owner, name, ...rest] = text.split('/')
  if (owner && name && rest.length === 0) return { owner, name }
  throw new Failure('not-found', 'repository-unknown', `There is no repository ${text}: name it as owner/name.`)
}

async function isTaken(db: Db, ownerId: number, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('repository')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('name_key', '=', name.toLowerCase())
    .executeTakeFirst()
  return row !== undefined
}

const nameTaken = (name: string) => new Failure('conflict', 'name-taken', `There is a repository ${name} already.`)
