/** Thread subscriptions: subscribed, ignored or none. */
import type { Clock } from '../../../lib/clock.ts'
import type { SubscriptionState } from '../../../store/schema/notification-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import type { Reason } from '../delivery/reasons.ts'
import type { Inbox } from './inbox.ts'
import type { InboxChanges } from './inbox-changes.ts'

export type ThreadSubscription = {
  readonly threadId: number
  readonly isSubscribed: boolean
  readonly isIgnored: boolean
  readonly reason: Reason | null
  readonly createdAt: Date | null
}

type Needs = { store: Store; clock: Clock; inbox: Inbox; changes: InboxChanges }

export type ThreadSubscriptions = ReturnType<typeof makeThreadSubscriptions>

export function makeThreadSubscriptions({ store, clock, inbox, changes }: Needs) {
  async function read(id: number, on: Db): Promise<ThreadSubscription> {
    const row = await on
      .selectFrom('thread')
      .select(['subscription', 'stored_reason', 'subscribed_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const isFollowed = row.subscription === 'subscribed' || row.subscription === 'ignored'
    return {
      threadId: id,
      isSubscribed: row.subscription === 'subscribed',
      isIgnored: row.subscription === 'ignored',
      reason: row.stored_reason as Reason | null,
      createdAt: isFollowed && row.subscribed_at !== null ? new Date(row.subscribed_at) : null,
    }
  }

  /** Setting the present value is no inbox change. */
  async function set(self: SelfAccess, id: number, subscription: SubscriptionState, reason: Reason | null) {
    await inbox.waitUntilCurrent(self)
    await inbox.find(self, id)
    const userId = self.actor.account.id
    return store.write(async (trx) => {
      await changes.lock(trx, [userId])
      const before = await trx
        .selectFrom('thread')
        .select(['subscription', 'stored_reason'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      if (before.subscription !== subscription || before.stored_reason !== reason) {
        const since = before.subscription === subscription ? {} : { subscribed_at: clock.now() }
        await trx
          .updateTable('thread')
          .set({ subscription, stored_reason: reason, ...since })
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .execute()
        await changes.note(trx, [userId])
      }
      return read(id, trx)
    })
  }

  return {
    async get(self: SelfAccess, id: number): Promise<ThreadSubscription> {
      await inbox.find(self, id)
      return read(id, store.db)
    },

    subscribe: (self: SelfAccess, id: number) => set(self, id, 'subscribed', 'manual'),

    /** Ignored until the user comments or is mentioned by name. */
    ignore: (self: SelfAccess, id: number) => set(self, id, 'ignored', null),

    /** The same, but watchers of the repository are still notified. */
    mute: (self: SelfAccess, id: number) => set(self, id, 'muted', null),
  }
}
