/** Queueing: an event becomes a delivery for each hook that hears of it, in the write that tells of it, within bounds. */
import { randomUUID } from 'node:crypto'
import { type SqlBool, sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Db } from '../../store/schema/schema.ts'
import { countRows } from '../pages.ts'
import { newDelivery } from './delivery.ts'
import type { HookEvent } from './hook-event.ts'
import { hears, type WebhookRow } from './webhook.ts'
import type { WebhookLimits } from './webhook-limits.ts'

/** The job that makes payloads of what waits. */
export const composingKind = 'forge.webhook-payloads'

type Needs = { clock: Clock; jobs: Jobs; limits: WebhookLimits }

export type Queueing = ReturnType<typeof makeQueueing>

// Literals, never parameters: a partial index serves only a query that names its state.
const isQueued = sql<SqlBool>`state <> 'done'`

export function makeQueueing({ clock, jobs, limits }: Needs) {
  /** Hooks of the repository, of the organisation that owns it or that it happened in, and of the site. */
  const findHooks = (trx: Db, repositoryId: number | undefined, organisationId: number | undefined) =>
    trx
      .selectFrom('webhook')
      .selectAll()
      .where('is_active', '=', 1)
      .where((eb) =>
        eb.or([
          ...(repositoryId === undefined ? [] : [eb('repository_id', '=', repositoryId)]),
          ...(organisationId === undefined ? [] : [eb('organisation_id', '=', organisationId)]),
          eb('holder', '=', sql.lit('site')),
        ]),
      )
      .orderBy('id')
      .execute()

  /** For these hooks, whether they listen for it or not: a ping, or a test. */
  async function queue(trx: Db, hooks: readonly WebhookRow[], event: HookEvent, accountId: number): Promise<void> {
    const waiting = trx.selectFrom('webhook_delivery').where(isQueued).where('account_id', '=', accountId)
    let left = limits.queuedPerOwner - (await countRows(waiting))
    for (const hook of hooks) {
      const isFull = left <= 0 || (await countRows(waiting.where('webhook_id', '=', hook.id))) >= limits.queuedPerHook
      if (isFull) {
        const full = { last_status: 'queue_full', last_message: 'Too many deliveries wait: this one is not made.' }
        await trx.updateTable('webhook').set(full).where('id', '=', hook.id).execute()
        continue
      }
      left--
      const { source } = event
      const draft = newDelivery(
        {
          webhook_id: hook.id,
          guid: randomUUID(),
          event: event.event,
          action: event.action,
          repository_id: source.repositoryId ?? null,
          account_id: accountId,
          source: JSON.stringify(source),
        },
        clock.now(),
      )
      const { id } = await trx.insertInto('webhook_delivery').values(draft).returning('id').executeTakeFirstOrThrow()
      await trx.updateTable('webhook_delivery').set({ position: id }).where('id', '=', id).execute()
    }
    await jobs.enqueue(trx, composingKind, null, { key: 'all' })
  }

  return {
    queue,

    /** To all who listen. */
    async tell(trx: Db, events: () => Promise<readonly HookEvent[]>, where: HookPlace): Promise<void> {
      const ownerId = await findOwner(trx, where)
      const hooks = await findHooks(trx, where.repositoryId, ownerId)
      if (hooks.length === 0) return
      for (const event of await events()) {
        const listening = hooks.filter((hook) => hears(hook, event.event))
        if (listening.length > 0) await queue(trx, listening, event, ownerId ?? 0)
      }
    },
  }
}

export type HookPlace = {
  readonly repositoryId?: number | undefined
  readonly organisationId?: number | undefined
  /** Of a repository that is gone. */
  readonly ownerId?: number | undefined
}

async function findOwner(trx: Db, place: HookPlace): Promise<number | undefined> {
  if (place.repositoryId === undefined) return place.organisationId
  const row = await trx
    .selectFrom('repository')
    .select('owner_id')
    .where('id', '=', place.repositoryId)
    .executeTakeFirst()
  return row?.owner_id ?? place.ownerId
}
