/** The services of webhooks, made and connected. */
import type { BlockList } from 'node:net'
import { type SqlBool, sql } from 'kysely'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Backlog, readBacklog } from '../../store/backlog.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { makeDestinations, type Resolve } from '../outbound/destination.ts'
import { makeResolve } from '../outbound/name-resolution.ts'
import type { HookEvent } from './hook-event.ts'
import { makeHookRights } from './hook-rights.ts'
import { type ComposePayload, defineComposing } from './queue/composing.ts'
import { makeDeliveries } from './queue/deliveries.ts'
import type { Queueing } from './queue/queueing.ts'
import { makeSending } from './sending/sending.ts'
import type { WebhookLimits } from './webhook-limits.ts'
import { makeWebhooks } from './webhooks.ts'

// Literals, never parameters: a partial index serves only a query that names its state.
const isWaiting = sql<SqlBool>`state = 'waiting'`
const isReady = sql<SqlBool>`state = 'ready'`

const pruningKind = 'forge.webhook-pruning'
const hourMs = 60 * 60_000
const portion = 200

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  accounts: Accounts
  activity: ActivityRecord
  queueing: Queueing
  limits: WebhookLimits
  /** Parts of the operator's network that hooks may call. */
  networks: BlockList
  origin: string | undefined
  resolve?: Resolve | undefined
}

export type Webhooks = ReturnType<typeof makeWebhookServices>

export function makeWebhookServices(needs: Needs) {
  const { store, clock, jobs, activity, queueing, limits, origin } = needs
  const destinations = makeDestinations({
    allowed: needs.networks,
    resolve: needs.resolve ?? makeResolve(),
    ownHost: origin && new URL(origin).hostname,
  })
  const rights = makeHookRights(needs)
  const sending = makeSending({ ...needs, rights, destinations })
  const enqueueSending = (trx: Db, webhookId: number) => sending.enqueue(trx, webhookId)

  async function prunePortion(): Promise<boolean> {
    const before = clock.now() - limits.keptDays * 24 * hourMs
    const old = store.db.selectFrom('webhook_delivery').select('id').where('created_at', '<', before).limit(portion)
    const ids = (await old.execute()).map(({ id }) => id)
    if (ids.length > 0) await store.write((trx) => trx.deleteFrom('webhook_delivery').where('id', 'in', ids).execute())
    return ids.length === portion
  }
  /** Enqueues work again that waits because its job was given up, after hours of an outage, say. */
  async function takeUpWaiting(): Promise<void> {
    const queued = store.db.selectFrom('webhook_delivery')
    const waiting = await queued.select('id').where(isWaiting).limit(1).executeTakeFirst()
    if (waiting) await store.write((trx) => queueing.enqueueComposing(trx))
    const nextHook = (after: number) =>
      queued.select('webhook_id').where(isReady).where('webhook_id', '>', after).orderBy('webhook_id').limit(1)
    for (let after = 0; ; ) {
      const next = await nextHook(after).executeTakeFirst()
      if (!next) return
      after = next.webhook_id
      await store.write((trx) => sending.enqueue(trx, after))
    }
  }

  jobs.define(pruningKind, async () => {
    while (await prunePortion());
    await takeUpWaiting()
  })
  jobs.every(pruningKind, hourMs)

  return {
    ...makeWebhooks({ store, clock, limits, destinations, queueing, rights, enqueueSending, activity }),
    ...makeDeliveries({ store, clock, limits, rights, enqueueSending }),
    /** Call before the jobs start: the interface's presenters make payloads. The command line makes none. */
    defineComposing: (compose: ComposePayload) => defineComposing({ ...needs, rights, enqueueSending, compose }),
    async readBacklog(): Promise<{ payloads: Backlog; ready: Backlog }> {
      const inState = (state: 'waiting' | 'ready', order: string) =>
        readBacklog(
          store.db,
          'webhook_delivery',
          'webhook_delivery.created_at',
          sql`select id from webhook_delivery where state = ${sql.lit(state)} order by ${sql.raw(order)}`,
        )
      return {
        payloads: await inState('waiting', 'turn_id, id'),
        ready: await inState('ready', 'webhook_id, position, id'),
      }
    },
    /** Queues an event of another module, within its transaction, for hooks of the site. */
    tellSite: (trx: Db, event: HookEvent) =>
      queueing.queueEvents(trx, async () => [event], { at: event.source.at, turnId: event.source.actorId }),
  }
}
