/** Limits of the delivery queues: counts waiting deliveries and bytes by hook and owner, and tells if more fit. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../../store/schema/schema.ts'
import type { WebhookRow } from '../webhook.ts'
import type { WebhookLimits } from '../webhook-limits.ts'

const mib = 1024 * 1024
// A literal, never a parameter: a partial index serves only a query that names its state.
export const isQueued = sql<SqlBool>`state <> 'done'`

type Waiting = { readonly count: number; readonly bytes: number }
type Addressee = Pick<WebhookRow, 'id' | 'holder'>

/** The bytes of all queues; an index alone answers this. */
export async function measureQueues(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('webhook_delivery')
    .select((eb) => eb.fn.sum('size').as('bytes'))
    .where(isQueued)
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** The account with the most waiting bytes, and its hook with the most. */
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
  /**
   * Why there is no space for more; undefined if there is. `turnId` is the account that caused it. `more.count` is 0
   * for a delivery that waits already.
   */
  findLack(hook: Addressee, turnId: number, more: Waiting): string | undefined
  /** `count` is 0 for a waiting delivery that grows. */
  add(hook: Pick<Addressee, 'id'>, turnId: number, more: Waiting): void
}

/** The space as of now; call `add` for each addition. */
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
      // Hooks of the site and of apps serve many owners: each owner has one hook's space there, so none takes it all.
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
