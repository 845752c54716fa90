/** Repositories generated from a template: what its branches have now, without its past. */
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import { blockLock, demandStillUnblocked } from '../access/block.ts'
import { Creation } from '../access/creation.ts'
import { type Access, demandUnblocked, type Opening } from '../access/opening.ts'
import type { OrganisationAccess } from '../access/organisation-access.ts'
import { fullName, type OpenRepository, type Repository } from '../access/repository.ts'
import { notFound } from '../failures.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { isBranchName } from '../git/ref-name.ts'
import { signAs } from '../git/write/commit-text.ts'
import type { Copying } from '../git/write/copying.ts'
import { asPerson } from '../person.ts'
import type { StorageQuota } from '../storage/storage-quota.ts'
import { findFirstBranch, noContent } from './forks.ts'
import { demandMayCreate } from './repositories.ts'
import type { RepositoryCreation } from './repository-creation.ts'

export type GenerationDraft = {
  readonly name: string
  readonly description: string | null
  readonly isPrivate: boolean
  readonly withAllBranches: boolean
}

type Needs = {
  clock: Clock
  opening: Opening
  copying: Copying
  make: RepositoryCreation
  copyLargeFiles: (trx: Db, template: Repository, made: { id: number; ownerId: number }) => Promise<void>
  storage: Pick<StorageQuota, 'measureOwn'>
}

export type TemplateGeneration = ReturnType<typeof makeTemplateGeneration>

export const makeTemplateGeneration = ({ clock, opening, copying, make, copyLargeFiles, storage }: Needs) => ({
  /** `organisation`: whose it is to be, in place of one's own. */
  async generate(
    { actor, repository: template }: Access<'read', 'look'>,
    organisation: OrganisationAccess<'member'> | undefined,
    { name, description, isPrivate, withAllBranches }: GenerationDraft,
  ): Promise<OpenRepository> {
    if (organisation) demandMayCreate(organisation)
    const owner = organisation?.organisation ?? asPerson(actor.account)
    const creation = Creation.demand(actor, owner)
    demandUnblocked(template)
    const notTemplate = `${fullName(template)} is no template: its admins make it one with is_template.`
    demand(template.options.isTemplate, 'invalid', 'not-a-template', notTemplate)
    if (template.lastPushId === 0 || !isBranchName(template.defaultBranch)) throw noContent()
    const origin = {
      templateId: template.id,
      bytes: await storage.measureOwn(template),
      async fill(folder: string): Promise<RefChange[]> {
        const tip = { author: signAs(actor.account, clock.now()), message: 'Initial commit\n' }
        await copying.copyTips(template, folder, withAllBranches ? undefined : template.defaultBranch, tip)
        return findFirstBranch(folder, template)
      },
      locks: [blockLock(template.owner.id, actor.account.id)],
      async completeWithin(trx: Db, id: number): Promise<void> {
        await demandStillUnblocked(trx, actor, template)
        await copyLargeFiles(trx, template, { id, ownerId: owner.id })
      },
    }
    const draft = { name, description, isPrivate, defaultBranch: template.defaultBranch }
    const isGiven = organisation !== undefined && !organisation.isOwner
    return make(creation, draft, { isGiven, origin }).catch(async (error) => {
      // Deleted while it was copied.
      throw (await opening.find(actor, { id: template.id })) ? error : notFound()
    })
  },
})
