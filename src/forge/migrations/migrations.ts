/** User migrations: start, read, download or delete the archive, unlock repositories. */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { generateSecret } from '../../lib/ids.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Blobs } from '../../store/files/blobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository } from '../access/audit-place.ts'
import { reaches } from '../access/level.ts'
import { maySee, type Opening } from '../access/opening.ts'
import { fullName, type OpenRepository } from '../access/repository.ts'
import { demandGrant } from '../access/required-grant.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { demandSignOn, demandSignOnEverywhere } from '../access/sign-on.ts'
import { invalidField, notFound } from '../failures.ts'
import { asPerson } from '../person.ts'
import { countRows, readPage } from '../row-pages.ts'
import { exportKind, exportTries } from './export-job.ts'
import { lockWithin, releaseWithin, repositoryLocksLock } from './locks.ts'
import {
  type Archive,
  findArchive,
  isFinished,
  keptMs,
  type Migration,
  type MigrationDraft,
  type MigrationRow,
  spellFlags,
  toMigration,
} from './migration.ts'
import { findNamedAmong, makeMigrationRepositories } from './migration-repositories.ts'
import type { Retention } from './retention.ts'
import { checkSignature, type Signed, signArchive } from './signing.ts'

export const maxRepositories = 100
/** The most of one account: migrations that wait or run, and kept archives. */
export const maxKept = 10

type Needs = {
  store: Store
  clock: Clock
  jobs: Jobs
  opening: Opening
  archives: Blobs
  retention: Retention
  /** Runs within the write that unlocks a repository, which takes writes again. */
  catchUpWithin: (trx: Db, repositoryId: number) => Promise<void>
}

export type ArchiveFile = Archive & { read(range?: { start: number; end: number }): Promise<Readable | Buffer> }

export type Migrations = ReturnType<typeof makeMigrations>

export function makeMigrations({ store, clock, jobs, opening, archives, retention, catchUpWithin }: Needs) {
  const { db } = store
  const repositoriesOf = makeMigrationRepositories({ store })

  async function readOwn({ actor }: SelfAccess, id: number): Promise<MigrationRow> {
    const row = await db.selectFrom('migration').selectAll().where('id', '=', id).executeTakeFirst()
    if (row?.owner_id !== actor.account.id) throw notFound()
    return row
  }

  async function present(actor: SignedIn, row: MigrationRow): Promise<Migration> {
    const repositories = await repositoriesOf.list(actor, row)
    return toMigration(row, asPerson(actor.account), repositories, clock.now())
  }

  async function findNamed(actor: SignedIn, name: string): Promise<OpenRepository> {
    const [owner = '', bare, ...more] = name.includes('/') ? name.split('/') : [actor.account.name, name]
    const found = bare && more.length === 0 ? await opening.find(actor, { owner, name: bare }) : undefined
    if (found && reaches(found.level, 'admin')) demandSignOn(actor, found.owner.id)
    if (found && maySee(actor, found) && reaches(found.level, 'admin')) return found
    throw invalidField('repositories', 'invalid', `There is no repository ${name} that you administer.`)
  }

  async function findAll(actor: SignedIn, draft: MigrationDraft): Promise<OpenRepository[]> {
    if (draft.orgMetadataOnly) {
      demandSignOnEverywhere(actor)
      return []
    }
    const names = [...new Set(draft.repositories)]
    if (names.length === 0) throw invalidField('repositories', 'invalid', 'Name one repository at least.')
    if (names.length > maxRepositories)
      throw invalidField('repositories', 'invalid', `A migration takes ${maxRepositories} repositories at most.`)
    const found = new Map<number, OpenRepository>()
    for (const name of names) {
      const repository = await findNamed(actor, name)
      found.set(repository.id, repository)
    }
    return [...found.values()]
  }

  async function demandQuota(trx: Db, ownerId: number): Promise<void> {
    const kept = await countRows(
      trx
        .selectFrom('migration')
        .select('id')
        .where('owner_id', '=', ownerId)
        .where((eb) =>
          eb.or([
            eb('state', 'in', ['pending', 'exporting']),
            eb.and([
              eb('state', '=', 'exported'),
              eb('archive_removed_at', 'is', null),
              eb('exported_at', '>', clock.now() - keptMs),
            ]),
          ]),
        ),
    )
    demand(
      kept < maxKept,
      'forbidden',
      'migration-quota',
      `You have ${maxKept} migrations that run or keep an archive: wait for one to end and delete its archive first.`,
    )
  }

  async function insert(trx: Db, actor: SignedIn, draft: MigrationDraft, ids: readonly number[]): Promise<number> {
    const now = clock.now()
    const { id } = await trx
      .insertInto('migration')
      .values({
        ...spellFlags(draft),
        guid: randomUUID(),
        owner_id: actor.account.id,
        state: 'pending',
        origin: draft.origin,
        repository_count: ids.length,
        job_id: 0,
        run: null,
        progress: 0,
        failure_reason: null,
        signing_key: generateSecret(),
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const isLocked = draft.lockRepositories && !draft.orgMetadataOnly
    for (const repositoryId of ids) {
      await trx
        .insertInto('migration_repository')
        .values({ migration_id: id, repository_id: repositoryId, is_locked: Number(isLocked) })
        .execute()
    }
    if (isLocked) await lockWithin(trx, id, ids, now)
    const jobId = await jobs.enqueue(trx, exportKind, { migrationId: id }, { key: String(id), maxTries: exportTries })
    await trx.updateTable('migration').set({ job_id: jobId }).where('id', '=', id).execute()
    return id
  }

  /** Its repositories that still exist, whether or not the caller may see them. */
  const listLeft = (row: MigrationRow): Promise<LeftRepository[]> =>
    db
      .selectFrom('migration_repository')
      .innerJoin('repository', 'repository.id', 'migration_repository.repository_id')
      .select(['repository.id', 'repository.is_private', 'repository.owner_id'])
      .where('migration_id', '=', row.id)
      .execute()

  /** A private repository that the caller can no longer read must not be readable from an older archive either. */
  async function demandStillReadable(actor: Actor, row: MigrationRow): Promise<void> {
    const left = await listLeft(row)
    if (row.org_metadata_only === 1) demandSignOnEverywhere(actor)
    for (const { owner_id } of left) demandSignOn(actor, owner_id)
    demandGrantFor(actor, row, left)
    const seen = await repositoriesOf.list(actor, row)
    demand(
      seen.length === left.length,
      'forbidden',
      'repository-lost',
      'The archive holds a private repository that you may no longer read.',
    )
  }

  return {
    async start({ actor }: SelfAccess, draft: MigrationDraft): Promise<Migration> {
      if (draft.excludeMetadata && draft.excludeGitData && !draft.orgMetadataOnly)
        throw invalidField('exclude_git_data', 'invalid', 'Nothing is left without metadata and without git data.')
      if (draft.lockRepositories && !draft.orgMetadataOnly) demandGrant(actor, lockNeed)
      const repositories = await findAll(actor, draft)
      const ids = repositories.map(({ id }) => id).sort((a, b) => a - b)
      const row = await store.write(
        async (trx) => {
          await demandQuota(trx, actor.account.id)
          const id = await insert(trx, actor, draft, ids)
          const data = {
            migration_id: id,
            repositories: repositories.map(fullName),
            locked: draft.lockRepositories === true,
          }
          await recordAudit(trx, clock.now(), actor, { action: 'migration.create', data })
          return trx.selectFrom('migration').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
        },
        { locks: [repositoryLocksLock, `migrations:${actor.account.id}`] },
      )
      return present(actor, row)
    },

    /** Lists the newest first. */
    async list({ actor }: SelfAccess, page: PageRequest): Promise<Page<Migration>> {
      const found = db
        .selectFrom('migration')
        .selectAll()
        .where('owner_id', '=', actor.account.id)
        .orderBy('id', 'desc')
      const rows = await readPage(found, page, (row) => row)
      const repositories = await repositoriesOf.listEach(actor, rows.items)
      const owner = asPerson(actor.account)
      return {
        total: rows.total,
        items: rows.items.map((row) => toMigration(row, owner, repositories.get(row.id)!, clock.now())),
      }
    },

    async get(self: SelfAccess, id: number): Promise<Migration> {
      return present(self.actor, await readOwn(self, id))
    },

    async listRepositories(
      self: SelfAccess,
      id: number,
      { offset, limit }: PageRequest,
    ): Promise<Page<OpenRepository>> {
      const row = await readOwn(self, id)
      const all = await repositoriesOf.list(self.actor, row)
      return { total: all.length, items: all.slice(offset, offset + limit) }
    },

    /** Answers the parts of the archive's signed address. */
    async signArchive(self: SelfAccess, id: number): Promise<Signed & { readonly guid: string }> {
      const row = await readOwn(self, id)
      if (!findArchive(row, clock.now())) throw notFound()
      await demandStillReadable(self.actor, row)
      await store.write((trx) =>
        recordAudit(trx, clock.now(), self.actor, { action: 'migration.download', data: { migration_id: row.id } }),
      )
      return { guid: row.guid, ...signArchive(row, clock.now()) }
    },

    /** Opens the archive for anybody with the signed address, which is the proof, unless its owner is suspended. */
    async openArchive(guid: string, signed: Signed): Promise<ArchiveFile> {
      const row = await db
        .selectFrom('migration')
        .innerJoin('account as owner', 'owner.id', 'migration.owner_id')
        .selectAll('migration')
        .where('guid', '=', guid)
        .where('owner.suspended_at', 'is', null)
        .executeTakeFirst()
      const verdict = row && checkSignature(row, signed, clock.now())
      if (!row || verdict === 'wrong') throw notFound()
      if (verdict === 'expired')
        throw new Failure('forbidden', 'address-expired', 'This address was good for five minutes: ask for a new one.')
      const archive = findArchive(row, clock.now())
      if (!archive) throw notFound()
      const { hash, bytes: size } = archive
      return {
        ...archive,
        read: async (range) => (range ? archives.read(hash, range) : archives.readWhole({ hash, size })),
      }
    },

    /** The migration's row stays. */
    async removeArchive(self: SelfAccess, id: number): Promise<void> {
      const row = await readOwn(self, id)
      if (!findArchive(row, clock.now())) throw notFound()
      demandGrantFor(self.actor, row, await listLeft(row))
      await retention.removeArchive(row.id, (trx) =>
        recordAudit(trx, clock.now(), self.actor, { action: 'migration.destroy_file', data: { migration_id: row.id } }),
      )
    },

    /** For its owner, and for every admin of the repository: it must not stay locked when the owner is gone. */
    async unlock({ actor }: SelfAccess, id: number, name: string): Promise<void> {
      const row = await db.selectFrom('migration').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      const isOwner = row.owner_id === actor.account.id
      const locked = await repositoriesOf.listLocked(actor, row)
      const held = isOwner ? locked : locked.filter(({ level }) => reaches(level, 'admin'))
      const repository = findNamedAmong(held, name)
      demand(
        isFinished(row),
        'forbidden',
        'export-running',
        'The export is not finished: the repository can be unlocked once it is exported or has failed.',
      )
      await store.write(
        async (trx) => {
          const outcome = await releaseWithin(trx, { migrationId: row.id, repositoryId: repository.id })
          if (outcome === 'not-held') throw notFound()
          if (outcome === 'free') await catchUpWithin(trx, repository.id)
          const act = { action: 'migration.unlock_repository', ...auditRepository(repository) }
          await recordAudit(trx, clock.now(), actor, { ...act, data: { migration_id: row.id } })
        },
        { locks: [repositoryLocksLock] },
      )
    },
  }
}

type LeftRepository = { readonly id: number; readonly is_private: number; readonly owner_id: number }

/** Any token of the owner can export public repositories and unlock them; locking out others is itself a write. */
const lockNeed = { tokens: [], scopes: ['public_repo'], permissions: [] } as const

/** An archive gives access to all its content. It is unknown whether repositories that no longer exist were private. */
function demandGrantFor(actor: Actor, row: MigrationRow, left: readonly LeftRepository[]): void {
  if (left.length < row.repository_count || left.some(({ is_private }) => is_private === 1))
    demandGrant(actor, { tokens: [], scopes: ['repo'], permissions: [] })
}
