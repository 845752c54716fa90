/** Releases: a tag with a name, notes and files. Only users with write access see drafts. */
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { readLongTexts } from '../../store/long-texts.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../store/store.ts'
import { reaches } from '../access/level.ts'
import type { Access } from '../access/opening.ts'
import type { OpenRepository, Repository } from '../access/repository.ts'
import type { Activity, ActivityRecord, Changes } from '../activity/activity.ts'
import { invalidField, notFound } from '../failures.ts'
import type { GitReading } from '../git/read/git-reading.ts'
import { isRefPart, passesForObject } from '../git/ref-name.ts'
import type { CodeWriting } from '../git/write/code-writing.ts'
import { dropReactions, type FindSubject } from '../issues/reactions/reactions.ts'
import { resolveMentions } from '../issues/references/mentioning.ts'
import { countRows, readCompletePage } from '../row-pages.ts'
import type { Latest, Release, ReleaseChange, ReleaseDraft } from './release.ts'
import { completeReleases, type ReleaseRow, selectReleases, toRelease } from './release-reading.ts'

/** Releases of a repository; lists read them page by page. */
const maxReleases = 10_000

type Needs = { store: Store; clock: Clock; activity: ActivityRecord; reading: GitReading; code: CodeWriting }

export type Releases = ReturnType<typeof makeReleases>

export function makeReleases({ store, clock, activity, reading, code }: Needs) {
  const { db } = store

  const select = (on: Db, repositoryId: number) => selectReleases(on).where('release.repository_id', '=', repositoryId)

  /** Includes the whole text. */
  async function findRow(on: Db, repositoryId: number, id: number) {
    const row = await select(on, repositoryId).where('release.id', '=', id).executeTakeFirst()
    if (!row) throw notFound()
    await readLongTexts(on, 'release', [row])
    return row
  }

  async function read(query: ReturnType<typeof select>): Promise<Release> {
    const row = await query.executeTakeFirst()
    if (!row) throw notFound()
    await readLongTexts(db, 'release', [row])
    return toRelease(row)
  }

  async function find(on: Db, repository: OpenRepository, id: number): Promise<Release> {
    const row = await findRow(on, repository.id, id)
    if (row.is_draft === 1 && !mayWrite(repository)) throw notFound()
    return toRelease(row)
  }

  /** A published release needs its tag. If it is missing, it is made from the target, as a push like any other. */
  async function demandTag(access: Access<'write'>, tag: string, target: string): Promise<void> {
    const { repository } = access
    const known = await reading.refs(repository, `refs/tags/${tag}`)
    if (known.some(({ name }) => name === `refs/tags/${tag}`)) return
    const sha = await reading.resolve(repository, target)
    if (!sha) throw invalidField('target_commitish', 'invalid', 'target_commitish is neither a branch nor a commit.')
    await code.refs.create(access, `refs/tags/${tag}`, sha).catch((error) => {
      // Another request has just made it.
      if (!(error instanceof Failure && ['ref-exists', 'ref-moved'].includes(error.code))) throw error
    })
  }

  const demandFree = async (on: Db, repository: Repository, tag: string, but = 0): Promise<void> => {
    const taken = await select(on, repository.id)
      .where('tag', '=', tag)
      .where('is_draft', '=', 0)
      .where('id', '!=', but)
      .executeTakeFirst()
    if (taken) throw tagTaken()
  }

  /** Only one release is explicitly the latest: the last one marked so. */
  async function settleLatest(trx: Db, repository: Repository, id: number, latest: Latest): Promise<void> {
    if (latest === 'true') {
      await trx
        .updateTable('release')
        .set({ latest: 'legacy' })
        .where('repository_id', '=', repository.id)
        .where('latest', '=', 'true')
        .where('id', '!=', id)
        .execute()
    }
    await trx.updateTable('release').set({ latest }).where('id', '=', id).execute()
  }

  async function tellPublished(trx: Db, { actor, repository }: Access<'write'>, row: ReleaseRow): Promise<void> {
    const actorId = actor.account.id
    const mentions = await resolveMentions(trx, { repository, actorId }, row.body ?? '')
    await activity.record(trx, {
      kind: 'release-published',
      actorId,
      repositoryId: repository.id,
      subjectId: row.id,
      data: { mentions },
    })
  }

  async function tellChanged(
    trx: Db,
    { actor, repository }: Access<'write'>,
    id: number,
    data: Extract<Activity, { kind: 'release-changed' }>['data'],
  ): Promise<void> {
    const what = { actorId: actor.account.id, repositoryId: repository.id, subjectId: id }
    await activity.record(trx, { kind: 'release-changed', ...what, data })
  }

  /** As on the public platform: publishing also counts as `released` or `prereleased`. */
  async function tellShown(trx: Db, access: Access<'write'>, row: ReleaseRow): Promise<void> {
    await tellPublished(trx, access, row)
    await tellChanged(trx, access, row.id, { action: row.is_prerelease === 1 ? 'prereleased' : 'released' })
  }

  const withReleasesLock = ({ id }: Repository) => ({ locks: [`releases:${id}`] })

  return {
    /** Newest first by default. */
    async list(
      repository: OpenRepository,
      page: PageRequest,
      direction: 'asc' | 'desc' = 'desc',
    ): Promise<Page<Release>> {
      const all = select(db, repository.id)
      const query = mayWrite(repository) ? all : all.where('is_draft', '=', 0)
      const ordered = query.orderBy('created_at', direction).orderBy('id', direction)
      return readCompletePage(ordered, page, (rows) => completeReleases(db, rows))
    },

    get: (repository: OpenRepository, id: number): Promise<Release> => find(db, repository, id),

    getByTag: (repository: Repository, tag: string): Promise<Release> =>
      read(select(db, repository.id).where('tag', '=', tag).where('is_draft', '=', 0)),

    /** The tag's newest draft, for those who see drafts. */
    async getDraftByTag(repository: OpenRepository, tag: string): Promise<Release> {
      if (!mayWrite(repository)) throw notFound()
      const drafts = select(db, repository.id).where('tag', '=', tag).where('is_draft', '=', 1)
      return read(drafts.orderBy('id', 'desc'))
    },

    /** The release marked as latest; else the newest that is neither a draft nor a prerelease. */
    getLatest: (repository: Repository): Promise<Release> =>
      read(
        select(db, repository.id)
          .where('is_draft', '=', 0)
          .where('is_prerelease', '=', 0)
          .where('latest', '!=', 'false')
          .orderBy((eb) => eb.case().when('latest', '=', 'true').then(0).else(1).end())
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1),
      ),

    async create(access: Access<'write'>, draft: ReleaseDraft): Promise<Release> {
      const { repository, actor } = access
      const { tag, isDraft = false, isPrerelease = false, name = null, body = null } = draft
      const target = draft.target ?? repository.defaultBranch
      demandTagName(tag)
      if (!isDraft) {
        await demandFree(db, repository, tag)
        await demandTag(access, tag, target)
      }
      return store
        .write(async (trx) => {
          if ((await countRows(select(trx, repository.id))) >= maxReleases)
            throw new Failure('invalid', 'too-many-releases', `A repository can have at most ${maxReleases} releases.`)
          const now = clock.now()
          const row = await trx
            .insertInto('release')
            .values({
              repository_id: repository.id,
              author_id: actor.account.id,
              tag,
              target,
              name,
              body,
              is_draft: isDraft ? 1 : 0,
              is_prerelease: isPrerelease ? 1 : 0,
              latest: 'legacy',
              created_at: now,
              updated_at: now,
              published_at: isDraft ? null : now,
            })
            .returningAll()
            .executeTakeFirstOrThrow()
          await settleLatest(trx, repository, row.id, draft.latest ?? (isDraft || isPrerelease ? 'legacy' : 'true'))
          await tellChanged(trx, access, row.id, { action: 'created' })
          if (!isDraft) await tellShown(trx, access, row)
          return toRelease(await findRow(trx, repository.id, row.id))
        }, withReleasesLock(repository))
        .catch(refuseTaken)
    },

    async update(access: Access<'write'>, id: number, change: ReleaseChange): Promise<Release> {
      const { repository } = access
      const before = await findRow(db, repository.id, id)
      const tag = change.tag ?? before.tag
      const target = change.target ?? before.target
      demandTagName(tag)
      const isDraft = change.isDraft ?? before.is_draft === 1
      if (!isDraft) {
        await demandFree(db, repository, tag, id)
        await demandTag(access, tag, target)
      }
      return store
        .write(async (trx) => {
          const now = clock.now()
          const found = await findRow(trx, repository.id, id)
          const isPublished = !isDraft && found.is_draft === 1
          const row = await trx
            .updateTable('release')
            .set({
              tag,
              target,
              is_draft: isDraft ? 1 : 0,
              updated_at: now,
              ...(isPublished && { published_at: found.published_at ?? now }),
              ...omitUndefined({
                name: change.name,
                body: change.body,
                is_prerelease: change.isPrerelease === undefined ? undefined : Number(change.isPrerelease),
              }),
            })
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirstOrThrow()
          const latest = change.latest ?? (isPublished && row.is_prerelease === 0 ? 'true' : undefined)
          if (latest) await settleLatest(trx, repository, id, latest)
          const changes = listChanges(found, row)
          const isHidden = isDraft && found.is_draft === 0
          if (isPublished) await tellShown(trx, access, row)
          else if (isHidden) await tellChanged(trx, access, id, { action: 'unpublished' })
          else if (Object.keys(changes).length > 0) await tellChanged(trx, access, id, { action: 'edited', changes })
          return toRelease(await findRow(trx, repository.id, row.id))
        }, withReleasesLock(repository))
        .catch(refuseTaken)
    },

    /** Removes the release with its files. The tag stays. */
    async remove(access: Access<'write'>, id: number): Promise<void> {
      const { repository } = access
      await store.write(async (trx) => {
        const release = toRelease(await findRow(trx, repository.id, id))
        await tellChanged(trx, access, id, { action: 'deleted', gone: { release } })
        await trx.deleteFrom('release').where('id', '=', id).execute()
        await dropReactions(trx, 'release', id)
      })
    },

    subject:
      (repository: OpenRepository, id: number): FindSubject =>
      async (on) => {
        await find(on, repository, id)
        return { kind: 'release', id }
      },
  }
}

const mayWrite = ({ level }: OpenRepository): boolean => reaches(level, 'write')

function listChanges(before: ReleaseRow, after: ReleaseRow): Changes {
  const names = [
    ['name', 'name'],
    ['body', 'body'],
    ['tag', 'tag_name'],
  ] as const
  const changed = names.filter(([column]) => before[column] !== after[column])
  return Object.fromEntries(changed.map(([column, name]) => [name, { from: before[column] ?? '' }]))
}

function demandTagName(tag: string): void {
  const isFine = isRefPart(tag) && !tag.startsWith('-') && !passesForObject(`refs/tags/${tag}`)
  if (!isFine) throw invalidField('tag_name', 'custom', 'tag_name is not a valid tag')
}

const tagTaken = () => invalidField('tag_name', 'already_exists', 'There is a release of this tag already.')

function refuseTaken(error: unknown): never {
  throw isUniqueViolation(error) ? tagTaken() : error
}
