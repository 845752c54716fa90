/** Payloads: made once for a delivery, soon after the act, by the presenters of the wire, as the hook's owner would see it. */
import { type SqlBool, sql } from 'kysely'
import type { Accounts } from '../../accounts/accounts.ts'
import { actingFor, type SignedIn } from '../../accounts/actor.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { explainOutage } from '../../base/outage.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Store } from '../../store/store.ts'
import type { DeliveryRow } from './delivery.ts'
import type { HookEvent } from './hook-event.ts'
import type { HookRights } from './hook-rights.ts'
import { composingKind } from './queueing.ts'
import { toWebhook, type Webhook, type WebhookRow } from './webhook.ts'
import type { WebhookLimits } from './webhook-limits.ts'

/** Answers undefined for what is gone by now, or what the viewer may not see. */
export type ComposePayload = (
  event: HookEvent,
  hook: Webhook,
  viewer: SignedIn,
  baseUrl: string,
) => Promise<object | undefined>

type Needs = {
  store: Store
  log: Log
  jobs: Jobs
  accounts: Accounts
  rights: HookRights
  limits: WebhookLimits
  enqueueSending: (trx: Store['db'], webhookId: number) => Promise<unknown>
}

// A literal, never a parameter: a partial index serves only a query that names its state.
const isWaiting = sql<SqlBool>`state = 'waiting'`
const portion = 20

export function makeComposing({ store, log, jobs, accounts, rights, limits, enqueueSending }: Needs) {
  let compose: ComposePayload | undefined

  async function composeOne(row: DeliveryRow, hook: WebhookRow): Promise<string | undefined> {
    const owner = await accounts.findById(hook.owner_id)
    if (!owner || !(await rights.maySee(hook, row))) return undefined
    const event = { event: row.event, action: row.action, source: JSON.parse(row.source) } as HookEvent
    const payload = await compose!(event, toWebhook(hook, await rights.holderOf(hook)), actingFor(owner), hook.base_url)
    return payload && JSON.stringify(payload)
  }

  /** One that can't be made is dropped: it must not keep the others waiting. An outage is waited for. */
  async function composeSafely(row: DeliveryRow, hook: WebhookRow): Promise<string | undefined> {
    try {
      return await composeOne(row, hook)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not-found') return undefined
      const cause = explainOutage(error)
      // What takes git too long takes it too long each time: whoever pushed it would keep everybody's hooks waiting.
      if (cause instanceof Failure && cause.kind === 'unavailable' && cause.code !== 'too-slow') throw error
      log.error({ err: error, hook: hook.id, event: row.event }, 'the payload of a webhook could not be made')
      return undefined
    }
  }

  /** Answers whether there may be more. */
  async function composePortion(): Promise<boolean> {
    const rows = await store.db
      .selectFrom('webhook_delivery')
      .selectAll()
      .where(isWaiting)
      .orderBy('id')
      .limit(portion)
      .execute()
    for (const row of rows) {
      const hook = await store.db.selectFrom('webhook').selectAll().where('id', '=', row.webhook_id).executeTakeFirst()
      const payload = hook && (await composeSafely(row, hook))
      const isFit = payload !== undefined && Buffer.byteLength(payload) <= limits.payloadKib * 1024
      await store.write(async (trx) => {
        if (!isFit) {
          await trx.deleteFrom('webhook_delivery').where('id', '=', row.id).execute()
          return
        }
        const set = { payload, state: 'ready', size: payload.length } as const
        await trx.updateTable('webhook_delivery').set(set).where('id', '=', row.id).where(isWaiting).execute()
        await enqueueSending(trx, row.webhook_id)
      })
    }
    return rows.length === portion
  }

  jobs.define(composingKind, async () => {
    // Before the wire has said how, nothing can be made: a command of the command line runs no jobs.
    if (compose) while (await composePortion());
  })

  return {
    /** Before the jobs start. */
    useComposer(composer: ComposePayload): void {
      compose = composer
    },
  }
}
