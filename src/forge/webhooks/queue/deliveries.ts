/** Deliveries of a hook: list, show, redeliver. */
import { type SqlBool, sql } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { notFound } from '../../failures.ts'
import type { HookRights } from '../hook-rights.ts'
import { findHook, withHooksLock } from '../hook-rows.ts'
import { repeat } from '../sending/sending.ts'
import { type AppReader, type HookKeeper, type HookReader, holderOf } from '../webhook.ts'
import type { WebhookLimits } from '../webhook-limits.ts'
import { type Delivery, listedColumns, toDelivery, toWholeDelivery, type WholeDelivery } from './delivery.ts'
import { readQueueSpace } from './queue-space.ts'

// A literal, never a parameter: a partial index serves only a query that names its state.
const isDone = sql<SqlBool>`state = 'done'`

type Needs = {
  store: Store
  clock: Clock
  limits: WebhookLimits
  rights: HookRights
  enqueueSending: (trx: Db, webhookId: number) => Promise<unknown>
}

export function makeDeliveries({ store, clock, limits, rights, enqueueSending }: Needs) {
  const { db } = store

  return {
    /** Newest first, from before the id `before`. */
    async listDeliveries(
      reader: HookReader,
      id: number,
      { before, limit }: { readonly before: number | undefined; readonly limit: number },
    ): Promise<readonly Delivery[]> {
      await findHook(db, holderOf(reader), id)
      const query = db.selectFrom('webhook_delivery').select(listedColumns).where('webhook_id', '=', id).where(isDone)
      const rows = await (before === undefined ? query : query.where('id', '<', before))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toDelivery)
    },

    async getDelivery(reader: HookReader, id: number, deliveryId: number): Promise<WholeDelivery> {
      const hook = await findHook(db, holderOf(reader), id)
      const { url = hook.url } = (await rights.findHook(id)) ?? {}
      return toWholeDelivery(await findDelivery(db, id, deliveryId), url)
    },

    async redeliver(keeper: HookKeeper | AppReader, id: number, deliveryId: number): Promise<void> {
      const holder = holderOf(keeper)
      await store.write(async (trx) => {
        const hook = await findHook(trx, holder, id)
        const row = await findDelivery(trx, id, deliveryId)
        const room = await readQueueSpace(trx, row.account_id, limits)
        demand(
          row.payload !== null &&
            room.findLack(hook, row.turn_id, { count: 1, bytes: row.payload.length }) === undefined,
          'conflict',
          'queue-full',
          'Too many deliveries are waiting: redeliver it later.',
        )
        const added = await trx
          .insertInto('webhook_delivery')
          .values({ ...repeat(row, clock.now()), tries: limits.tries - 1 })
          .returning('id')
          .executeTakeFirstOrThrow()
        await trx.updateTable('webhook_delivery').set({ position: added.id }).where('id', '=', added.id).execute()
        await enqueueSending(trx, id)
      }, withHooksLock(holder))
    },
  }
}

const findDelivery = async (on: Db, webhookId: number, id: number) => {
  const row = await on
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .where(isDone)
    .executeTakeFirst()
  if (!row) throw notFound()
  return row
}
