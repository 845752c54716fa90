/** Watching: users subscribe to a repository or ignore it. */
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { blockLock, demandStillUnblocked } from '../access/block.ts'
import { type Access, demandUnblocked } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import { notFound } from '../failures.ts'
import { type Person, toPerson } from '../person.ts'
import { countRows, readPage } from '../row-pages.ts'

export type Watch = { readonly isWatched: boolean; readonly isIgnored: boolean; readonly createdAt: Date }

type WatchDraft = { repositoryId: number; userId: number; isIgnored: boolean; now: number }

export type Watching = ReturnType<typeof makeWatching>

export function makeWatching({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store
  return {
    async get({ actor, repository }: Access<'read', 'look'>): Promise<Watch> {
      const row = await db
        .selectFrom('watch')
        .select(['is_ignored', 'created_at'])
        .where('repository_id', '=', repository.id)
        .where('user_id', '=', actor.account.id)
        .executeTakeFirst()
      if (!row) throw notFound()
      return toWatch(row.is_ignored === 1, row.created_at)
    },

    async set({ actor, repository }: Access<'read', 'look'>, isIgnored: boolean): Promise<Watch> {
      demandUnblocked(repository)
      const now = clock.now()
      const draft = { repositoryId: repository.id, userId: actor.account.id, isIgnored, now }
      const createdAt = await store.write(
        async (trx) => {
          await demandStillUnblocked(trx, actor, repository)
          return watchWithin(trx, draft)
        },
        { locks: [watchLock(repository.id), blockLock(repository.owner.id, actor.account.id)] },
      )
      return toWatch(isIgnored, createdAt)
    },

    /** Ends watching and ignoring. */
    async remove({ actor, repository }: Access<'read', 'look'>): Promise<Watch> {
      await store.write(async (trx) => {
        await trx
          .deleteFrom('watch')
          .where('repository_id', '=', repository.id)
          .where('user_id', '=', actor.account.id)
          .execute()
        await recount(trx, repository.id)
      }, withWatchLock(repository.id))
      return { isWatched: false, isIgnored: false, createdAt: new Date(clock.now()) }
    },

    list(repository: Repository, page: PageRequest): Promise<Page<Person>> {
      const found = db
        .selectFrom('watch')
        .innerJoin('account', 'account.id', 'watch.user_id')
        .where('repository_id', '=', repository.id)
        .where('is_ignored', '=', 0)
        .select(['account.id', 'kind', 'name', 'role'])
        .orderBy('watch.user_id')
      return readPage(found, page, toPerson)
    },
  }
}

const toWatch = (isIgnored: boolean, createdAt: number): Watch => ({
  isWatched: !isIgnored,
  isIgnored,
  createdAt: new Date(createdAt),
})

/** Watches within another write, such as making or joining a repository. Answers since when. */
export async function watchWithin(trx: Db, { repositoryId, userId, isIgnored, now }: WatchDraft): Promise<number> {
  const { created_at } = await trx
    .insertInto('watch')
    .values({ repository_id: repositoryId, user_id: userId, is_ignored: isIgnored ? 1 : 0, created_at: now })
    .onConflict((conflict) =>
      conflict.columns(['repository_id', 'user_id']).doUpdateSet({ is_ignored: isIgnored ? 1 : 0 }),
    )
    .returning('created_at')
    .executeTakeFirstOrThrow()
  await recount(trx, repositoryId)
  return created_at
}

/** The count is stored in the repository's row, so that reading it costs the same however many watch. */
export async function recount(trx: Db, repositoryId: number): Promise<void> {
  const subscribers = await countRows(
    trx.selectFrom('watch').where('repository_id', '=', repositoryId).where('is_ignored', '=', 0),
  )
  await trx.updateTable('repository').set({ subscriber_count: subscribers }).where('id', '=', repositoryId).execute()
}

export const watchLock = (repositoryId: number): string => `watch:${repositoryId}`
const withWatchLock = (repositoryId: number) => ({ locks: [watchLock(repositoryId)] })
