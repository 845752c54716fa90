/** Changes the state and subscription of several threads at once; answers the former values, for undoing it. */
import type { Clock } from '../../../lib/clock.ts'
import type { SubscriptionState, ThreadState } from '../../../store/schema/notification-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import type { Inbox } from './inbox.ts'
import { floorToSecond, type InboxChanges } from './inbox-changes.ts'
import { isVisible, type Visibility } from './visibility.ts'

export const listedStates = ['unread', 'read', 'done'] as const
export const subscriptionStates = ['none', 'subscribed', 'ignored', 'muted'] as const

export type ThreadChange = {
  readonly state?: (typeof listedStates)[number] | undefined
  readonly subscription?: SubscriptionState | undefined
}

type Standing = { readonly state: ThreadState; readonly subscription: SubscriptionState }
export type ChangedThread = { readonly id: number; readonly before: Standing; readonly now: Standing }

type Needs = { store: Store; clock: Clock; inbox: Inbox; changes: InboxChanges; visibility: Visibility }

export type ThreadChanges = ReturnType<typeof makeThreadChanges>

export function makeThreadChanges({ store, clock, inbox, changes, visibility }: Needs) {
  async function setState(trx: Db, ids: readonly number[], state: ThreadState): Promise<void> {
    const isRead = state === 'read' && { last_read_at: floorToSecond(clock.now()) }
    await trx
      .updateTable('thread')
      .set({ state, ...isRead })
      .where('id', 'in', [...ids])
      .execute()
  }

  /** A user who subscribes again does so manually. */
  async function setSubscription(trx: Db, ids: readonly number[], subscription: SubscriptionState): Promise<void> {
    await trx
      .updateTable('thread')
      .set({ subscription, stored_reason: subscription === 'subscribed' ? 'manual' : null })
      .set({ subscribed_at: subscription === 'none' ? null : clock.now() })
      .where('id', 'in', [...ids])
      .execute()
  }

  return {
    /**
     * Threads that are not the caller's, or no longer visible to them, stay unchanged and are left out of the answer.
     */
    async change(self: SelfAccess, ids: readonly number[], change: ThreadChange): Promise<ChangedThread[]> {
      await inbox.waitUntilCurrent(self)
      const userId = self.actor.account.id
      const hidden = await visibility.findHidden(self.actor)
      return store.write(async (trx) => {
        await changes.lock(trx, [userId])
        const rows = await trx
          .selectFrom('thread')
          .select(['id', 'state', 'subscription'])
          .where('id', 'in', [...ids])
          .where('user_id', '=', userId)
          .where('state', '<>', 'none')
          .$if(hidden.repositoryIds.length > 0, (query) => query.where(isVisible(hidden)))
          .orderBy('id')
          .execute()
        const { state, subscription } = change
        const moved = rows.filter((row) => state !== undefined && row.state !== state).map(({ id }) => id)
        const turned = rows
          .filter((row) => subscription !== undefined && row.subscription !== subscription)
          .map(({ id }) => id)
        if (moved.length > 0) await setState(trx, moved, state!)
        if (turned.length > 0) await setSubscription(trx, turned, subscription!)
        if (moved.length + turned.length > 0) await changes.note(trx, [userId])
        return rows.map(({ id, ...before }) => ({
          id,
          before,
          now: { state: state ?? before.state, subscription: subscription ?? before.subscription },
        }))
      })
    },
  }
}
