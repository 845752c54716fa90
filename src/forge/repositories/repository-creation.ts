/** Makes a repository: its row, folder and first commit appear together or not at all, even if the server dies. */

import type { Actor } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import { keepCredential } from '../../accounts/kept-credential.ts'
import { demandWithin, type Quotas } from '../../accounts/quotas.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { auditOrganisation } from '../access/audit-place.ts'
import type { Creation } from '../access/creation.ts'
import { rankOf } from '../access/level.ts'
import type { Opening } from '../access/opening.ts'
import type { OpenRepository } from '../access/repository.ts'
import { defaultOptions, type RepositoryOptions } from '../access/repository-options.ts'
import { demandGrant } from '../access/required-grant.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField, notFound } from '../failures.ts'
import { blobLock } from '../files/stored-files.ts'
import { measureFolder } from '../git/folders/maintenance.ts'
import type { Git } from '../git/process/git.ts'
import type { Pushes } from '../git/push/pushes.ts'
import type { RefChange } from '../git/push/ref-change.ts'
import { isBranchName, zeroId } from '../git/ref-name.ts'
import { commitFirst } from '../git/write/first-commit.ts'
import type { Person } from '../person.ts'
import { type StorageQuota, storageLock } from '../storage/storage-quota.ts'
import { makeStarters, type Starters } from './starters/starters.ts'
import { watchWithin } from './watching.ts'

export type RepositoryDraft = {
  readonly name: string
  readonly description?: string | null
  readonly homepage?: string | null
  readonly isPrivate?: boolean
  readonly autoInit?: boolean
  /** Of files that it begins with. */
  readonly starters?: Starters
  readonly defaultBranch?: string
  readonly options?: Partial<RepositoryOptions>
}

/** The source of a repository that does not start empty. */
export type Origin = {
  /** The parent of a fork; a copy of a template has none. */
  readonly parentId?: number
  readonly sourceId?: number
  /** What it is generated from. */
  readonly templateId?: number
  /** Fills the new folder, and answers the refs that hold its content. */
  fill(folder: string): Promise<RefChange[]>
  /** About how many bytes that is. */
  readonly bytes: number
  /** Adds what comes besides git data, within the write that makes the repository. */
  completeWithin(trx: Db, id: number): Promise<void>
  /** Locks that this write needs. */
  readonly locks: readonly string[]
}

type Options = {
  /** Makes the creator an admin, who would have no rights otherwise. */
  readonly isGiven?: boolean
  /** Gives it to others as well, in the same write. */
  readonly giveWithin?: ((trx: Db, repository: OpenRepository) => Promise<void>) | undefined
  readonly origin?: Origin
}

type Needs = {
  store: Store
  clock: Clock
  opening: Opening
  git: Git
  pushes: Pushes
  activity: ActivityRecord
  /** Adds what every new repository has, in the same write. */
  furnish: (trx: Db, repositoryId: number) => Promise<void>
  quotas: Quotas
  storage: Pick<StorageQuota, 'receive' | 'demandSpaceFor'>
}

/** Held from placing a folder until its row is visible, so that nobody takes it for an abandoned one. */
export const folderLock = 'repository-folders'

export type RepositoryCreation = ReturnType<typeof makeRepositoryCreation>

export function makeRepositoryCreation({
  store,
  clock,
  opening,
  git,
  pushes,
  activity,
  furnish,
  quotas,
  storage,
}: Needs) {
  async function demandSpace({ id }: Person): Promise<void> {
    if (!Number.isFinite(quotas.repositories)) return
    const counted = store.db.selectFrom('repository').select((eb) => eb.fn.countAll<number>().as('count'))
    const { count } = await counted.where('owner_id', '=', id).executeTakeFirstOrThrow()
    demandWithin(Number(count), quotas.repositories, 'repositories')
  }

  async function read(actor: Actor, id: number, trx: Db): Promise<OpenRepository> {
    const repository = await opening.find(actor, { id }, trx)
    if (!repository) throw notFound()
    return repository
  }

  async function insertRow(
    trx: Db,
    owner: Person,
    draft: RepositoryDraft,
    now: number,
    origin: Origin | undefined,
  ): Promise<number> {
    const parentId = origin?.parentId
    const isPrivate = draft.isPrivate || (parentId !== undefined && (await isHidden(trx, parentId)))
    const nameKey = draft.name.toLowerCase()
    const { id } = await trx
      .insertInto('repository')
      .values({
        owner_id: owner.id,
        name: draft.name,
        name_key: nameKey,
        description: draft.description ?? null,
        homepage: draft.homepage ?? null,
        is_private: isPrivate ? 1 : 0,
        is_archived: 0,
        locked_at: null,
        default_branch: draft.defaultBranch ?? usualBranch,
        topics: '[]',
        options: spellOptions(draft.options ?? {}),
        language: null,
        size_kib: 0,
        subscriber_count: 0,
        open_issue_count: 0,
        parent_id: parentId ?? null,
        source_id: origin?.sourceId ?? null,
        template_id: origin?.templateId ?? null,
        last_push_id: 0,
        pushed_at: now,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    // A new repository takes over a name from one that once had it.
    await trx
      .deleteFrom('repository_former_name')
      .where('owner_id', '=', owner.id)
      .where('name_key', '=', nameKey)
      .execute()
    return id
  }

  async function commitStart(folder: string, { actor, owner }: Creation, draft: RepositoryDraft): Promise<RefChange[]> {
    const { defaultBranch: branch = usualBranch } = draft
    const files = {
      ...(draft.autoInit && {
        'README.md': `# ${draft.name}\n${draft.description ? `${draft.description}\n` : ''}`,
      }),
      ...(await makeStarters(draft.starters ?? {}, owner.login, clock.now())),
    }
    const first = { branch, author: actor.account, at: clock.now(), message: 'Initial commit', files }
    return [{ ref: `refs/heads/${branch}`, before: zeroId, after: await commitFirst(folder, first) }]
  }

  return async (
    creation: Creation,
    draft: RepositoryDraft,
    { isGiven = false, giveWithin, origin }: Options = {},
  ): Promise<OpenRepository> => {
    const { actor, owner } = creation
    demandName(draft.name)
    demandScopeFor(actor, draft)
    demandMergeMethod(draft.options ?? {})
    const { defaultBranch: branch = usualBranch } = draft
    if (!isBranchName(branch)) throw invalidField('default_branch', 'invalid', 'This can’t be the name of a branch.')
    await demandSpace(owner)
    const now = clock.now()
    const userId = actor.account.id
    const hasFiles = draft.autoInit || draft.starters !== undefined
    const arrival = origin || hasFiles ? await storage.receive({ owner }) : undefined
    const folder = await git.draft(branch)
    try {
      await arrival?.add(origin?.bytes ?? 0)
      const start = async () => (hasFiles ? commitStart(folder, creation, draft) : [])
      const changes = await (origin?.fill(folder) ?? start())
      const sizeKib = changes.length > 0 ? await measureFolder(folder) : 0
      await git.syncDraft(folder)
      return await store.write(
        async (trx) => {
          if (changes.length > 0) await storage.demandSpaceFor(owner.id, sizeKib * 1024, trx)
          const id = await insertRow(trx, owner, draft, now, origin)
          await watchWithin(trx, { repositoryId: id, userId, isIgnored: false, now })
          await furnish(trx, id)
          await activity.record(trx, { kind: 'repository-created', actorId: userId, repositoryId: id })
          await recordAudit(trx, now, actor, {
            action: 'repo.create',
            repository: { id, name: `${owner.login}/${draft.name}` },
            ...(owner.kind === 'organisation' && auditOrganisation(owner)),
            data: { visibility: draft.isPrivate ? 'private' : 'public' },
          })
          if (origin?.parentId !== undefined)
            await activity.record(trx, {
              kind: 'repository-forked',
              actorId: userId,
              repositoryId: origin.parentId,
              subjectId: id,
            })
          if (isGiven) {
            const given = { repository_id: id, user_id: userId, rank: rankOf('admin'), created_at: now }
            await trx.insertInto('collaborator').values(given).execute()
          }
          const repository = await read(actor, id, trx)
          await giveWithin?.(trx, repository)
          const pusher = { id: userId, credential: keepCredential(actor) }
          if (changes.length > 0) await pushes.recordWithin(trx, pusher, repository, changes, sizeKib)
          // After the push: the links of a template's copy do not take its own content for a submission.
          await origin?.completeWithin(trx, id)
          await git.adopt(folder, { id })
          return changes.length > 0 ? read(actor, id, trx) : repository
        },
        // A fork names its parent's large files.
        {
          sharedLocks: origin ? [folderLock, blobLock] : [folderLock],
          locks: [storageLock(owner.id), ...(origin?.locks ?? [])],
        },
      )
    } catch (error) {
      return refuseTakenName(error)
    } finally {
      await git.discard(folder)
      arrival?.end()
    }
  }
}

/** A fork of a private repository is private; that may have changed since the request. */
async function isHidden(trx: Db, id: number): Promise<boolean> {
  const row = await trx.selectFrom('repository').select('is_private').where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound()
  return row.is_private === 1
}

const usualBranch = 'main'

/** A token for public repositories cannot make private ones. */
export function demandScopeFor(actor: Actor, { isPrivate }: { isPrivate?: boolean }): void {
  if (isPrivate) demandGrant(actor, { tokens: [], scopes: ['repo'], permissions: [] })
}

export function demandName(name: string): void {
  const isValid = /^[A-Za-z0-9._-]{1,100}$/.test(name) && !/^\.{1,2}$|\.git$|\.wiki$/i.test(name)
  if (isValid) return
  throw invalidField(
    'name',
    'invalid',
    'A name has 1 to 100 letters, digits, dots, hyphens and underscores, and no .git at its end.',
  )
}

/** At least one merge method must be allowed. */
export function demandMergeMethod(options: Partial<RepositoryOptions>): void {
  const { allowMergeCommit, allowSquashMerge, allowRebaseMerge } = { ...defaultOptions, ...options }
  if (allowMergeCommit || allowSquashMerge || allowRebaseMerge) return
  throw invalidField(
    'merge_commit_allowed',
    'custom',
    'Sorry, need to allow at least one merge strategy. (no_merge_method)',
  )
}

export function spellOptions(options: Partial<RepositoryOptions>): string {
  const names = Object.keys(defaultOptions) as (keyof RepositoryOptions)[]
  const differing = names.filter((name) => options[name] !== undefined && options[name] !== defaultOptions[name])
  return JSON.stringify(Object.fromEntries(differing.map((name) => [name, options[name]])))
}

export function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error) ? invalidField('name', 'custom', 'name already exists on this account') : error
}
