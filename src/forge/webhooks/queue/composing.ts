/**
 * Makes payloads: once for each delivery, soon after the act, by the presenters of the interface, as the hook's owner
 * would see it. Owners take turns of a few payloads each, however many wait, and a slow one delays only its own owner.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type SqlBool, sql } from 'kysely'
import type { SignedIn } from '../../../accounts/actor.ts'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import { explainOutage } from '../../../lib/outages/outage.ts'
import { makeRecentUsage } from '../../../lib/scheduling/recent-usage.ts'
import { makeRotation } from '../../../store/fair-order.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { HookEvent } from '../hook-event.ts'
import type { HookRights } from '../hook-rights.ts'
import { toWebhook, type Webhook, type WebhookRow } from '../webhook.ts'
import type { WebhookLimits } from '../webhook-limits.ts'
import type { DeliveryRow } from './delivery.ts'
import { findLargest, isQueued, measureQueues, type QueueSpace, readQueueSpace } from './queue-space.ts'
import { composingKind, noteDropped } from './queueing.ts'

/** Answers undefined for things that no longer exist or that the viewer may not see. */
export type ComposePayload = (
  event: HookEvent,
  hook: Webhook,
  viewer: SignedIn,
  baseUrl: string,
) => Promise<object | undefined>

/** A delivery with its payload, or one to drop. `lack`: the reason shown to the owner; absent if nobody may see it. */
type Made = { readonly row: DeliveryRow; readonly payload?: string; readonly lack?: string | undefined }

type Needs = {
  store: Store
  clock: Clock
  log: Log
  jobs: Jobs
  rights: HookRights
  limits: WebhookLimits
  enqueueSending: (trx: Db, webhookId: number) => Promise<unknown>
  compose: ComposePayload
}

// A literal, never a parameter: a partial index serves only a query that names its state.
const isWaiting = sql<SqlBool>`state = 'waiting'`
const mib = 1024 * 1024
/** How soon to look again for the next turn while others are at work. */
const idleMs = 200
/** The limits of one turn, stored in one write: a number of payloads, and a time and a size that end it. */
const perTurn = 8
const turnMs = 50
const turnBytes = 64 * 1024
const spaceKnownMs = 1_000
const mostSpaces = 1_000

/** Defines the job that makes the payloads of waiting deliveries. */
export function defineComposing({ store, clock, log, jobs, rights, limits, enqueueSending, compose }: Needs): void {
  const recent = makeRecentUsage()
  /** The newest payload of each owner: several hooks often receive the same. */
  const newest = new Map<number, { readonly key: string; readonly payload: string | undefined }>()

  async function composeOne(row: DeliveryRow, hook: WebhookRow): Promise<string | undefined> {
    const viewer = await rights.findViewer(hook, row)
    if (!viewer) return undefined
    const { installation_id: installationId } = row
    const key = [row.event, row.action, row.source, viewer.account.id, installationId, hook.holder, hook.base_url].join(
      '\n',
    )
    const known = newest.get(row.turn_id)
    if (known?.key === key && row.event !== 'ping') return known.payload
    const source = { ...JSON.parse(row.source), ...(installationId !== null && { installationId }) }
    const event = { event: row.event, action: row.action, source } as HookEvent
    const made = await compose(event, toWebhook(hook, await rights.holderOf(hook)), viewer, hook.base_url)
    const payload = made && JSON.stringify(made)
    newest.delete(row.turn_id)
    newest.set(row.turn_id, { key, payload })
    if (newest.size > limits.composedAtOnce) newest.delete(newest.keys().next().value!)
    return payload
  }

  /** A payload that cannot be made is dropped, so that it does not delay the others. An outage is retried. */
  async function composeSafely(row: DeliveryRow, hook: WebhookRow): Promise<string | undefined> {
    try {
      return await composeOne(row, hook)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'not-found') return undefined
      const cause = explainOutage(error)
      // Work too slow for git stays too slow on each retry: its pusher would delay everybody's hooks.
      if (cause instanceof Failure && cause.kind === 'unavailable' && cause.code !== 'too-slow') throw error
      log.error({ err: error, hook: hook.id, event: row.event }, 'the payload of a webhook could not be made')
      return undefined
    }
  }

  let unmeasured = Number.POSITIVE_INFINITY
  /** If all queues together are full, the owner with the most waiting bytes loses a hook's: nobody else loses any. */
  async function makeRoom(added: number): Promise<void> {
    unmeasured += added
    // Measuring costs more the more deliveries wait, so it is done only now and then.
    if (unmeasured < (limits.queuedMib * mib) / 16) return
    unmeasured = 0
    if ((await measureQueues(store.db)) <= limits.queuedMib * mib) return
    const largest = await findLargest(store.db)
    if (!largest) return
    log.warn({ hook: largest.webhookId, owner: largest.accountId }, 'too much waits for webhooks: one was emptied')
    await store.write(async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('webhook_delivery')
        .where('webhook_id', '=', largest.webhookId)
        .where(isQueued)
        .executeTakeFirstOrThrow()
      const reason = 'Too much waited to be delivered on this server: what waited was dropped.'
      await noteDropped(trx, largest.webhookId, reason, clock.now(), Number(numDeletedRows))
    })
  }

  /** Reading the free space costs more the more deliveries wait, so the last result is used for a moment. */
  const rooms = new Map<number, { readonly room: QueueSpace; readonly readAt: number }>()
  async function findLack(
    row: DeliveryRow,
    hook: WebhookRow,
    bytes: number,
    unstored: readonly Made[],
  ): Promise<string | undefined> {
    if (recent.of(String(row.turn_id)) + bytes > limits.recentMibPerOwner * mib)
      return 'Too much was made for webhooks of this owner within a minute: this was not made.'
    const more = { count: 0, bytes }
    const known = rooms.get(row.account_id)
    if (known && performance.now() - known.readAt < spaceKnownMs && !known.room.findLack(hook, row.turn_id, more))
      return undefined
    const room = await readQueueSpace(store.db, row.account_id, limits)
    for (const { row: other, payload } of unstored) {
      if (other.account_id !== row.account_id || payload === undefined) continue
      room.add({ id: other.webhook_id }, other.turn_id, { count: 0, bytes: Buffer.byteLength(payload) })
    }
    if (rooms.size >= mostSpaces) rooms.clear()
    rooms.set(row.account_id, { room, readAt: performance.now() })
    return room.findLack(hook, row.turn_id, more)
  }

  /** Makes no payload if there is no space for it. */
  async function makeOne(row: DeliveryRow, unstored: readonly Made[]): Promise<Made> {
    const hook = await rights.findHook(row.webhook_id)
    if (!hook) return { row }
    const lack = await findLack(row, hook, 0, unstored)
    if (lack !== undefined) return { row, lack }
    const payload = await composeSafely(row, hook)
    if (payload === undefined) return { row }
    const bytes = Buffer.byteLength(payload)
    const reason =
      bytes > limits.payloadKib * 1024
        ? `The payload is longer than ${limits.payloadKib} KiB: it was not sent.`
        : await findLack(row, hook, bytes, unstored)
    if (reason !== undefined) return { row, lack: reason }
    recent.add(String(row.turn_id), bytes)
    rooms.get(row.account_id)?.room.add(hook, row.turn_id, { count: 0, bytes })
    return { row, payload }
  }

  async function keep(made: readonly Made[]): Promise<void> {
    if (made.length === 0) return
    await store.write(async (trx) => {
      for (const { row, payload, lack } of made) {
        if (payload === undefined) {
          await trx.deleteFrom('webhook_delivery').where('id', '=', row.id).execute()
          if (lack !== undefined) await noteDropped(trx, row.webhook_id, lack, clock.now())
          continue
        }
        const set = { payload, state: 'ready', size: row.size + Buffer.byteLength(payload) } as const
        await trx.updateTable('webhook_delivery').set(set).where('id', '=', row.id).where(isWaiting).execute()
      }
      const ready = made.filter(({ payload }) => payload !== undefined).map(({ row }) => row.webhook_id)
      for (const webhookId of new Set(ready)) await enqueueSending(trx, webhookId)
    })
    await makeRoom(made.reduce((sum, { payload = '' }) => sum + Buffer.byteLength(payload), 0))
  }

  /** Keeps the payloads made before one that meets an outage. */
  async function takeTurn(rows: readonly DeliveryRow[]): Promise<void> {
    const made: Made[] = []
    const begun = performance.now()
    let bytes = 0
    try {
      for (const row of rows) {
        const one = await makeOne(row, made)
        made.push(one)
        bytes += Buffer.byteLength(one.payload ?? '')
        if (bytes > turnBytes || performance.now() - begun > turnMs) break
      }
    } finally {
      await keep(made)
    }
  }

  const rotation = makeRotation<number>(-1)

  /** The oldest deliveries of the next owner who is not busy. */
  async function findTurn(busy: ReadonlySet<number>): Promise<DeliveryRow[]> {
    const waiting = store.db.selectFrom('webhook_delivery').where(isWaiting)
    const byOwner = waiting.select('turn_id').orderBy('turn_id').orderBy('id').limit(1)
    const next = async (after: number) => (await byOwner.where('turn_id', '>', after).executeTakeFirst())?.turn_id
    for await (const owner of rotation.walk(next)) {
      if (busy.has(owner)) continue
      rotation.serve(owner)
      return waiting.selectAll().where('turn_id', '=', owner).orderBy('id').limit(perTurn).execute()
    }
    return []
  }

  /** Serves several owners at a time; one whose payload meets an outage waits for the job's next try. */
  async function composeAll(stopping: AbortSignal): Promise<void> {
    const busy = new Map<number, Promise<void>>()
    const failed = new Map<number, unknown>()
    const start = (turnId: number, rows: readonly DeliveryRow[]) => {
      const work = takeTurn(rows)
        .catch((error) => void failed.set(turnId, error))
        .finally(() => busy.delete(turnId))
      busy.set(turnId, work)
    }
    while (!stopping.aborted && failed.size < limits.composedAtOnce) {
      const atWork = busy.size
      const passed = new Set([...busy.keys(), ...failed.keys()])
      const rows = atWork < limits.composedAtOnce ? await findTurn(passed) : []
      if (rows[0]) start(rows[0].turn_id, rows)
      // An owner who was busy during the search may have more deliveries left.
      else if (atWork === 0) break
      else await Promise.race([...busy.values(), sleep(idleMs, undefined, { ref: false })])
    }
    await Promise.all(busy.values())
    newest.clear()
    rooms.clear()
    for (const error of failed.values()) throw error
  }

  jobs.define(composingKind, (_payload, { signal }) => composeAll(signal), { isStanding: true })
}
