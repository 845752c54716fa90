/** Limits of the delivery queues: counts waiting deliveries and their bytes by hook and by owner, and tells whether one more fits. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../store/schema/schema.ts'
import type { WebhookRow } from '../webhook.ts'
import type { WebhookLimits } from '../webhook-limits.ts'

const mib = 1024 * 1024
// A literal, never a parameter: a partial index serves only a query that names its state.
export const isQueued = sql<SqlBool>`state <> 'done'`

type Waiting = { readonly count: number; readonly bytes: number }
type Addressee = Pick<WebhookRow, 'id' | 'holder'>

/** Of everybody: an index alone answers it. */
export async function measureQueues(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('webhook_delivery')
    .select((eb) => eb.fn.sum('size').as('bytes'))
    .where(isQueued)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** Of whom the most bytes wait: the hook with the most of whoever has the most. */
export async function findLargest(db: Db): Promise<{ accountId: number; webhookId: number } | undefined> {
  const select = (account?: number) => {
    const all = db
      .selectFrom('webhook_delivery')
      .select((eb) => eb.fn.sum('size').as('bytes'))
      .where(isQueued)
      .orderBy('bytes', 'desc')
      .limit(1)
    return account === undefined
      ? all.select('account_id as id').groupBy('account_id')
      : all.select('webhook_id as id').where('account_id', '=', account).groupBy('webhook_id')
  }
  const account = await select().executeTakeFirst()
  const hook = account && (await select(account.id).executeTakeFirst())
  return hook && { accountId: account.id, webhookId: hook.id }
}

export type QueueSpace = {
  /** Why there is no room for more, in the turn of whoever caused it; undefined where there is. Of what waits already, a count of 0. */
  findLack(hook: Addressee, turnId: number, more: Waiting): string | undefined
  /** What waited already and grows has a count of 0. */
  add(hook: Pick<Addressee, 'id'>, turnId: number, more: Waiting): void
}

/** As it is now; whoever adds says so. */
export async function readQueueSpace(db: Db, accountId: number, limits: WebhookLimits): Promise<QueueSpace> {
  const rows = await db
    .selectFrom('webhook_delivery')
    .select(['webhook_id', 'turn_id'])
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.sum('size').as('bytes')])
    .where(isQueued)
    .where('account_id', '=', accountId)
    .groupBy(['webhook_id', 'turn_id'])
    .execute()
  const waiting = new Map<string, Waiting>()
  const keysOf = (hookId: number, turnId: number) => ['all', `${hookId}`, `${hookId} ${turnId}`]
  const addTo = (key: string, count: number, bytes: number) => {
    const known = waiting.get(key) ?? { count: 0, bytes: 0 }
    waiting.set(key, { count: known.count + count, bytes: known.bytes + bytes })
  }
  for (const { webhook_id, turn_id, count, bytes } of rows)
    for (const key of keysOf(webhook_id, turn_id)) addTo(key, Number(count), Number(bytes))
  const isOver = (key: string, most: { count: number; mib: number }, more: Waiting): boolean => {
    const known = waiting.get(key) ?? { count: 0, bytes: 0 }
    return known.count + more.count > most.count || known.bytes + more.bytes > most.mib * mib
  }
  const perHook = { count: limits.queuedPerHook, mib: limits.queuedMibPerHook }
  const perOwner = { count: limits.queuedPerOwner, mib: limits.queuedMibPerOwner }
  return {
    findLack({ id, holder }, turnId, more) {
      const [all, hook, turn] = keysOf(id, turnId) as [string, string, string]
      // Hooks of the site and of apps hear of many owners: each has a hook's room there, and none can take all of it.
      const isShared = holder === 'site' || holder === 'app'
      const isFull = isShared
        ? isOver(turn, perHook, more) || isOver(hook, perOwner, more)
        : isOver(hook, perHook, more) || isOver(all, perOwner, more)
      return isFull ? 'Too many deliveries are waiting: this one was not created.' : undefined
    },
    add({ id }, turnId, { count, bytes }) {
      for (const key of keysOf(id, turnId)) addTo(key, count, bytes)
    },
  }
}
