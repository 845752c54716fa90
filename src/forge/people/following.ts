/** Following: users subscribe to the public activity of others. */
import { demandWithin } from '../../accounts/quotas.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import { makeCountedList } from '../../store/counted-list.ts'
import { readOldestFirst } from '../../store/counted-page.ts'
import type { Store } from '../../store/store.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { invalidField } from '../failures.ts'
import { type Person, toPerson } from '../person.ts'
import { countRows } from '../row-pages.ts'
import type { People } from './people.ts'

const mostFollowed = 10_000

export type Following = ReturnType<typeof makeFollowing>

export function makeFollowing({ store, clock, people }: { store: Store; clock: Clock; people: People }) {
  const { db } = store
  const lists = {
    followers: { counted: makeCountedList(store, 'follower'), whose: 'follow.followed_id', who: 'follow.follower_id' },
    following: { counted: makeCountedList(store, 'following'), whose: 'follow.follower_id', who: 'follow.followed_id' },
  } as const

  return {
    list(which: keyof typeof lists, user: { id: number }, page: PageRequest): Promise<Page<Person>> {
      const { counted, whose, who } = lists[which]
      return readOldestFirst(counted, user.id, page, async ({ highestId, order, offset, limit }) => {
        const rows = await db
          .selectFrom('follow')
          .innerJoin('account', 'account.id', who)
          .select(['account.id', 'kind', 'name', 'role'])
          .where(whose, '=', user.id)
          .where('follow.id', '<=', highestId)
          .orderBy('follow.id', order)
          .offset(offset)
          .limit(limit)
          .execute()
        return rows.map(toPerson)
      })
    },

    async follows(follower: { id: number }, followed: { id: number }): Promise<boolean> {
      const row = await db
        .selectFrom('follow')
        .select('id')
        .where('follower_id', '=', follower.id)
        .where('followed_id', '=', followed.id)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Following twice changes nothing. */
    async follow({ actor }: SelfAccess, login: string): Promise<void> {
      const followed = await people.get(login)
      const { id } = actor.account
      if (followed.id === id) throw invalidField('username', 'invalid', 'You can’t follow yourself.')
      await store.write(
        async (trx) => {
          const count = await countRows(trx.selectFrom('follow').where('follower_id', '=', id))
          demandWithin(count, mostFollowed, 'accounts that it follows')
          await trx
            .insertInto('follow')
            .values({ follower_id: id, followed_id: followed.id, created_at: clock.now() })
            .onConflict((conflict) => conflict.columns(['follower_id', 'followed_id']).doNothing())
            .execute()
        },
        { locks: [`follows:${id}`] },
      )
    },

    async unfollow({ actor }: SelfAccess, login: string): Promise<void> {
      const followed = await people.get(login)
      await store.write((trx) =>
        trx
          .deleteFrom('follow')
          .where('follower_id', '=', actor.account.id)
          .where('followed_id', '=', followed.id)
          .execute(),
      )
    },
  }
}
