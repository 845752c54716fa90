/** Inbox changes: each advances the inbox's version and Last-Modified, and notifies listeners. */
import { type SqlBool, sql } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { prepareQuery } from '../../../store/prepared.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { newestUndispatched } from '../../activity/activity.ts'

export type InboxVersion = {
  /** Grows with every change. */
  readonly change: number
  /** In milliseconds, rounded down to whole seconds. */
  readonly modifiedAt: number
  /** The newest activity that was not told yet, or 0: what is read now may lack it. */
  readonly undispatchedId: number
}

export const inboxChannel = 'inbox'
const secondMs = 1000
/** User ids per signal: a signal's payload is bounded. */
const usersInSignal = 400

export type InboxChanges = ReturnType<typeof makeInboxChanges>

export function makeInboxChanges({ store, clock }: { store: Store; clock: Clock }) {
  const select = prepareQuery(store.db, ({ userId }: { userId: number }) =>
    store.db
      .selectFrom('account')
      .leftJoin('inbox', 'inbox.user_id', 'account.id')
      .select(['account.created_at', 'inbox.change', 'inbox.modified_at'])
      .select(newestUndispatched.as('untold_id'))
      .where('account.id', '=', userId),
  )

  return {
    async read(userId: number): Promise<InboxVersion> {
      const [row] = await select({ userId })
      // An inbox without changes is older than any change can be, even one in the account's first second.
      const initial = floorToSecond(row?.created_at ?? 0) - secondMs
      return { change: row?.change ?? 0, modifiedAt: row?.modified_at ?? initial, undispatchedId: row?.untold_id ?? 0 }
    },

    /**
     * Keeps these users' threads unchanged between a read and the write that depends on it. PostgreSQL locks the rows,
     * always in the same order; users without a row have no threads.
     */
    async lock(trx: Db, userIds: readonly number[]): Promise<void> {
      if (store.engine === 'sqlite' || userIds.length === 0) return
      await trx
        .selectFrom('inbox')
        .select('user_id')
        .where('user_id', 'in', [...userIds])
        .orderBy('user_id')
        .forUpdate()
        .execute()
    },

    /**
     * Records one change of each inbox. Last-Modified takes the next free second, so that two changes within a second
     * differ. Answers the change number by user.
     */
    async note(trx: Db, userIds: readonly number[]): Promise<Map<number, number>> {
      const sorted = [...new Set(userIds)].sort((a, b) => a - b)
      if (sorted.length === 0) return new Map()
      const modified_at = floorToSecond(clock.now())
      const rows = await trx
        .insertInto('inbox')
        .values(sorted.map((user_id) => ({ user_id, change: 1, modified_at })))
        .onConflict((conflict) =>
          conflict.column('user_id').doUpdateSet({
            change: sql<number>`inbox.change + 1`,
            modified_at: sql<number>`case when excluded.modified_at > inbox.modified_at then excluded.modified_at
              else inbox.modified_at + ${sql.lit(secondMs)} end`,
          }),
        )
        .returning(['user_id', 'change'])
        .execute()
      for (let i = 0; i < sorted.length; i += usersInSignal)
        await store.notify(trx, inboxChannel, sorted.slice(i, i + usersInSignal).join(','))
      return new Map(rows.map((row) => [row.user_id, row.change]))
    },
  }
}

export const floorToSecond = (ms: number): number => Math.floor(ms / secondMs) * secondMs

// Literals, never parameters: a partial index serves only a query that names its condition.
export const isUnread = sql<SqlBool>`thread.state = 'unread'`
export const isListed = sql<SqlBool>`thread.state in ('unread', 'read')`
export const isDone = sql<SqlBool>`thread.state = 'done'`
export const participates = sql<SqlBool>`thread.is_participating = 1`
