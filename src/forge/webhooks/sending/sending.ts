/**
 * Sends deliveries: one job for each hook with something to send, oldest first, so that a receiver gets events in
 * order. A failed delivery keeps its place and is tried again, after pauses that grow with each failure of its hook.
 */
import { type SqlBool, sql } from 'kysely'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { Destinations } from '../../outbound/destination.ts'
import type { HookRights } from '../hook-rights.ts'
import { type DeliveryRow, newDelivery } from '../queue/delivery.ts'
import { describeCalled } from '../queue/queueing.ts'
import type { WebhookRow } from '../webhook.ts'
import type { WebhookLimits } from '../webhook-limits.ts'
import { type HookAnswer, sendMessage } from './request.ts'
import { makeSendingSlots, type SendingSlot } from './sending-slots.ts'

export const sendingKind = 'forge.webhook-sending'

/** How many deliveries a job sends before others get their turn. */
const perTurn = 20
/** The pause if too many wait for a slot; it grows with the number of the owner's hooks that wait. */
const crowdedMs = 1_000
const longestCrowdedMs = 60_000
const mostCrowds = 1_000
const firstPauseMs = 1_000
const longestPauseMs = 5 * 60_000
/** A hook that failed this often in a row gets no more retries: each new delivery has one attempt. */
const deadAfter = 10

/** How long consecutive requests may share a slot. */
const sharedMs = 200
/** The slot that a delivery needs: to a host, for an owner, by a hook. */
type Wanted = readonly [host: string, owner: number, hook: number]
type Slot = {
  readonly wanted: Wanted
  readonly leave: SendingSlot['leave']
  readonly since: number
  usedMs: number
}

// Literals, never parameters: a partial index serves only a query that names its state.
const isReady = sql<SqlBool>`state = 'ready'`
const isDone = sql<SqlBool>`state = 'done'`

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  rights: HookRights
  destinations: Destinations
  limits: WebhookLimits
}

export function makeSending({ store, clock, log, jobs, rights, destinations, limits }: Needs) {
  const slots = makeSendingSlots(limits)
  const bounds = { answerMs: limits.answerSeconds * 1000, answerBytes: limits.answerKib * 1024 }

  const enqueue = (trx: Db, webhookId: number, runAt?: number) =>
    jobs.enqueue(trx, sendingKind, { webhookId }, { key: String(webhookId), ...(runAt !== undefined && { runAt }) })

  const findNext = (webhookId: number, on: Db = store.db): Promise<DeliveryRow | undefined> =>
    on
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('webhook_id', '=', webhookId)
      .where(isReady)
      .orderBy('position')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()

  const drop = ({ id }: DeliveryRow) =>
    store.write((trx) => trx.deleteFrom('webhook_delivery').where('id', '=', id).execute())

  const record = (hook: WebhookRow, row: DeliveryRow, answer: HookAnswer): Promise<number | undefined> =>
    store.write((trx) => recordWithin(trx, hook, row, answer))

  /** Answers when the next attempt may be made; undefined means at once. */
  async function recordWithin(
    trx: Db,
    hook: WebhookRow,
    row: DeliveryRow,
    answer: HookAnswer,
  ): Promise<number | undefined> {
    const now = clock.now()
    const isTaken = answer.statusCode >= 200 && answer.statusCode < 300
    const failures = isTaken ? 0 : hook.failure_count + 1
    const pauseMs = answer.mayPass ? Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs) : 0
    const isTriedAgain = answer.mayPass && row.tries + 1 < limits.tries && failures <= deadAfter
    const kept = await trx
      .updateTable('webhook')
      .set({
        failure_count: failures,
        paused_until: now + pauseMs,
        last_code: answer.statusCode || null,
        ...describeCalled(hook, answer.status, isTaken, now),
      })
      .where('id', '=', hook.id)
      .returning('id')
      .executeTakeFirst()
    // The hook was deleted during the call.
    if (!kept) return undefined
    await trx
      .updateTable('webhook_delivery')
      .set({
        state: 'done',
        tries: row.tries + 1,
        delivered_at: now,
        duration_ms: answer.durationMs,
        status: answer.status,
        status_code: answer.statusCode,
        request_headers: JSON.stringify(answer.requestHeaders),
        response_headers: answer.responseHeaders && JSON.stringify(answer.responseHeaders),
        response_body: answer.responseBody,
        size: row.size + (answer.responseBody?.length ?? 0),
      })
      .where('id', '=', row.id)
      .execute()
    if (isTriedAgain)
      await trx
        .insertInto('webhook_delivery')
        .values({ ...repeat(row, now), position: row.position, tries: row.tries + 1 })
        .execute()
    await prune(trx, hook.id)
    return pauseMs > 0 ? now + pauseMs : undefined
  }

  /** Keeps only the newest deliveries, by count and by bytes. */
  async function prune(trx: Db, webhookId: number): Promise<void> {
    const rows = await trx
      .selectFrom('webhook_delivery')
      .select(['id', 'size'])
      .where('webhook_id', '=', webhookId)
      .where(isDone)
      .orderBy('id', 'desc')
      .limit(limits.keptDeliveries + 1)
      .execute()
    let bytes = 0
    const first = rows.find(({ size }, i) => {
      bytes += size
      return i >= limits.keptDeliveries || (i > 0 && bytes > limits.keptMib * 1024 * 1024)
    })
    if (!first) return
    await trx
      .deleteFrom('webhook_delivery')
      .where('webhook_id', '=', webhookId)
      .where(isDone)
      .where('id', '<=', first.id)
      .execute()
  }

  /** Hooks that found no slot lately, by account: many that look again each second would be a load of their own. */
  const crowds = new Map<number, { readonly endsAt: number; readonly hooks: Set<number> }>()
  function pauseCrowded({ account_id, webhook_id }: DeliveryRow): number {
    const now = clock.now()
    const known = crowds.get(account_id)
    const crowd = known && known.endsAt > now ? known : { endsAt: now + longestCrowdedMs, hooks: new Set<number>() }
    if (crowds.size > mostCrowds) crowds.clear()
    crowds.set(account_id, crowd)
    const rounds = Math.ceil(crowd.hooks.add(webhook_id).size / limits.sentAtOncePerOwner)
    return Math.min(longestCrowdedMs, Math.round(crowdedMs * (rounds + Math.random())))
  }

  const send = (hook: WebhookRow, row: DeliveryRow, signal: AbortSignal): Promise<HookAnswer> =>
    sendMessage(
      {
        url: hook.url,
        contentType: hook.content_type,
        secret: hook.secret,
        isInsecure: hook.is_insecure === 1,
        payload: row.payload!,
        headers: headersOf(hook, row),
      },
      destinations,
      bounds,
      signal,
    )

  /** Undefined if too many wait for a slot. */
  async function takeSlot(wanted: Wanted, signal: AbortSignal): Promise<Slot | undefined> {
    try {
      const { leave } = await slots.enter(...wanted, signal)
      return { wanted, leave, since: performance.now(), usedMs: 0 }
    } catch (error) {
      if (error instanceof Failure && error.code === 'busy') return undefined
      throw error
    }
  }

  /** Answers when to continue, if anything is left. Quick requests share a slot for a moment, then let others in. */
  async function sendSome(hook: WebhookRow, signal: AbortSignal): Promise<number | undefined> {
    let slot: Slot | undefined
    const leave = () => {
      slot?.leave(slot.usedMs)
      slot = undefined
    }
    try {
      for (let sent = 0; sent < perTurn; sent++) {
        const row = await findNext(hook.id)
        const current = row && (await rights.findHook(hook.id))
        if (!current) return undefined
        if (current.is_active === 0 || !(await rights.findViewer(current, row))) {
          await drop(row)
          continue
        }
        const wanted: Wanted = [hostOf(current.url), row.account_id, hook.id]
        const isSame = slot?.wanted.every((part, i) => part === wanted[i])
        // A slot in which nothing was sent yet is kept, however long reading took.
        if (!isSame || (slot!.usedMs > 0 && performance.now() - slot!.since > sharedMs)) leave()
        if (!slot) {
          slot = await takeSlot(wanted, signal)
          if (!slot) return clock.now() + pauseCrowded(row)
          // The hook may have changed during the wait.
          continue
        }
        const startedAt = performance.now()
        const answer = await send(current, row, signal)
        slot.usedMs += performance.now() - startedAt
        if (slot.usedMs > sharedMs) leave()
        const resumeAt = await record(current, row, answer)
        log.debug(
          { hook: hook.id, delivery: row.id, status: answer.statusCode, ms: answer.durationMs },
          'a webhook was called',
        )
        if (resumeAt !== undefined) return resumeAt
      }
      return clock.now()
    } finally {
      leave()
    }
  }

  /** The server died each time it called this hook: count a failed attempt, and make the next one after a pause. */
  async function noteFatal(trx: Db, webhookId: number): Promise<void> {
    const hook = await rights.findHook(webhookId, trx)
    const row = hook && (await findNext(webhookId, trx))
    if (!row) return
    const status = 'The server ended while it sent this'
    const nothing = { requestHeaders: {}, responseHeaders: null, responseBody: null }
    const answer: HookAnswer = { ...nothing, status, statusCode: 0, durationMs: 0, mayPass: true }
    await enqueue(trx, webhookId, await recordWithin(trx, hook, row, answer))
  }

  jobs.define<{ webhookId: number }>(
    sendingKind,
    async ({ webhookId }, { signal }) => {
      const hook = await rights.findHook(webhookId)
      if (!hook) return
      const goOn = (at: number) => store.write((trx) => enqueue(trx, webhookId, at))
      if (!(await findNext(webhookId))) return
      if (hook.paused_until > clock.now()) {
        await goOn(hook.paused_until)
        return
      }
      const resumeAt = await sendSome(hook, signal)
      if (resumeAt !== undefined && (await findNext(webhookId))) await goOn(resumeAt)
    },
    { concurrency: slots.mostJobs, whenGivenUp: (trx, { webhookId }) => noteFatal(trx, webhookId) },
  )

  return { enqueue }
}

/** The same event, to be sent once more. */
export const repeat = (row: DeliveryRow, now: number) =>
  newDelivery(
    {
      webhook_id: row.webhook_id,
      guid: row.guid,
      event: row.event,
      action: row.action,
      repository_id: row.repository_id,
      account_id: row.account_id,
      turn_id: row.turn_id,
      installation_id: row.installation_id,
      source: row.source,
      payload: row.payload,
      is_redelivery: 1,
      size: row.source.length + (row.payload?.length ?? 0),
    },
    now,
  )

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '')

const targetTypes = {
  repository: 'repository',
  organisation: 'organization',
  app: 'integration',
  site: 'enterprise',
} as const

/** Headers in the contract's spelling and in the public platform's, which its libraries read. */
function headersOf(hook: WebhookRow, row: DeliveryRow): Record<string, string> {
  const named = {
    event: row.event,
    delivery: row.guid,
    'hook-id': String(hook.id),
    'hook-installation-target-type': targetTypes[hook.holder],
    'hook-installation-target-id': String(hook.repository_id ?? hook.organisation_id ?? hook.app_id ?? 1),
  }
  return Object.fromEntries(
    ['x-github', 'x-platform'].flatMap((prefix) =>
      Object.entries(named).map(([name, value]) => [`${prefix}-${name}`, value]),
    ),
  )
}
