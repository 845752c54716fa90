/** Stars of repositories, by repository and by user. */
import { demandWithin } from '../../accounts/quotas.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { makeCountedList } from '../../store/counted-list.ts'
import { readOldestFirst } from '../../store/counted-page.ts'
import type { Store } from '../../store/store.ts'
import { blockLock, demandStillUnblocked } from '../access/block.ts'
import { type Access, demandUnblocked } from '../access/opening.ts'
import type { Repository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { type Person, toPerson } from '../person.ts'
import { countRows } from '../row-pages.ts'

export type Stargazer = { readonly user: Person; readonly starredAt: Date }

/** Stars of one account: its list is counted on each read. */
export const mostStars = 10_000

type Needs = { store: Store; clock: Clock; activity: ActivityRecord }

export type Stars = ReturnType<typeof makeStars>

export function makeStars({ store, clock, activity }: Needs) {
  const { db } = store
  const counted = makeCountedList(store, 'stargazer')

  return {
    async has({ actor, repository }: Access<'read', 'look'>): Promise<boolean> {
      const row = await db
        .selectFrom('star')
        .select('id')
        .where('repository_id', '=', repository.id)
        .where('user_id', '=', actor.account.id)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Starring twice changes nothing. */
    async add({ actor, repository }: Access<'read', 'look'>): Promise<void> {
      const userId = actor.account.id
      demandUnblocked(repository)
      await store.write(
        async (trx) => {
          await demandStillUnblocked(trx, actor, repository)
          demandWithin(await countRows(trx.selectFrom('star').where('user_id', '=', userId)), mostStars, 'stars')
          const added = await trx
            .insertInto('star')
            .values({ repository_id: repository.id, user_id: userId, created_at: clock.now() })
            .onConflict((conflict) => conflict.columns(['repository_id', 'user_id']).doNothing())
            .returning('id')
            .executeTakeFirst()
          if (added)
            await activity.record(trx, { kind: 'repository-starred', actorId: userId, repositoryId: repository.id })
        },
        { locks: [`stars:${userId}`, blockLock(repository.owner.id, userId)] },
      )
    },

    async remove({ actor, repository }: Access<'read', 'look'>): Promise<void> {
      const actorId = actor.account.id
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('star')
          .where('repository_id', '=', repository.id)
          .where('user_id', '=', actorId)
          .executeTakeFirstOrThrow()
        if (numDeletedRows > 0n)
          await activity.record(trx, { kind: 'repository-unstarred', actorId, repositoryId: repository.id })
      })
    },

    /** Oldest first; a far page costs no more than the first. */
    list(repository: Repository, page: PageRequest): Promise<Page<Stargazer>> {
      return readOldestFirst(counted, repository.id, page, async ({ highestId, order, offset, limit }) => {
        const rows = await db
          .selectFrom('star')
          .innerJoin('account', 'account.id', 'star.user_id')
          .select(['account.id', 'kind', 'name', 'role', 'star.created_at as starred_at'])
          .where('star.repository_id', '=', repository.id)
          .where('star.id', '<=', highestId)
          .orderBy('star.id', order)
          .offset(offset)
          .limit(limit)
          .execute()
        return rows.map((row) => ({ user: toPerson(row), starredAt: new Date(row.starred_at) }))
      })
    },
  }
}
