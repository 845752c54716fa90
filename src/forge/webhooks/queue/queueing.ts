/**
 * Queueing: an event becomes a delivery for each hook that listens, within the write that causes it and within limits.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Jobs } from '../../../jobs/jobs.ts'
import type { Clock } from '../../../lib/clock.ts'
import { prepareQuery } from '../../../store/prepared.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { findAppListener, type Listener, listAppHooks } from '../app-hooks.ts'
import type { HookEvent, HookNames, HookPlace } from '../hook-event.ts'
import { listensTo, type WebhookRow } from '../webhook.ts'
import type { WebhookLimits } from '../webhook-limits.ts'
import { newDelivery } from './delivery.ts'
import { type QueueSpace, readQueueSpace } from './queue-space.ts'

/** The job that makes payloads of waiting deliveries. */
export const composingKind = 'forge.webhook-payloads'

type Needs = { db: Db; clock: Clock; jobs: Jobs; limits: WebhookLimits }

export type Queueing = ReturnType<typeof makeQueueing>

export function makeQueueing({ db, clock, jobs, limits }: Needs) {
  /**
   * Active hooks of the repository, of its owner or the event's organisation, and of the site, not newer than that
   * time.
   */
  type EventOrigin = { repositoryId: number | null; organisationId: number | null; at: number }
  const findHooks = prepareQuery(db, ({ repositoryId, organisationId, at }: EventOrigin) =>
    db
      .selectFrom('webhook')
      .selectAll()
      .where('is_active', '=', 1)
      .where('created_at', '<=', at)
      .where((eb) =>
        eb.or([
          // In SQL nothing equals null, so an absent id matches nothing.
          eb('repository_id', '=', repositoryId),
          eb('organisation_id', '=', organisationId),
          eb('holder', '=', sql.lit('site')),
        ]),
      )
      .orderBy('id'),
  )
  const ownerOf = prepareQuery(db, ({ id }: { id: number }) =>
    db.selectFrom('repository').select('owner_id').where('id', '=', id),
  )
  const anyInstallation = prepareQuery(db, ({ id }: { id: number }) =>
    db.selectFrom('app_installation').select('id').where('account_id', '=', id).limit(1),
  )

  type Heard = { repositoryId: number | null; organisationId: number | null; one: string; other: string }
  const anyListener = prepareQuery(db, ({ repositoryId, organisationId, one, other }: Heard) => {
    const owner = sql`coalesce((select owner_id from repository where id = ${repositoryId}), ${organisationId})`
    const isHeard = sql`(events like '%"*"%' or events like ${one} or events like ${other})`
    const hooks = sql`select 1 from webhook where is_active = 1 and ${isHeard}`
    return db.selectNoFrom(
      sql<number>`case
        when exists (${hooks} and repository_id = ${repositoryId}) then 1
        when exists (${hooks} and organisation_id = ${owner}) then 1
        when exists (${hooks} and holder = 'site') then 1
        when exists (select 1 from app_installation where account_id = ${owner} and ${isHeard}) then 1
        else 0 end`.as('is_there'),
    )
  })

  async function findOwner(trx: Db, place: HookPlace): Promise<number | undefined> {
    if (place.repositoryId === undefined) return place.organisationId
    const [row] = await ownerOf({ id: place.repositoryId }, trx)
    return row?.owner_id ?? place.ownerId
  }

  /** Most accounts have no app installed. */
  const findAppHooks = async (trx: Db, ownerId: number, place: HookPlace): Promise<Listener[]> =>
    (await anyInstallation({ id: ownerId }, trx)).length > 0 ? listAppHooks(trx, ownerId, place, clock.now()) : []

  async function insert(
    trx: Db,
    { hook, installationId }: Listener,
    event: HookEvent,
    accountId: number,
    turnId: number,
    source: string,
  ) {
    const draft = newDelivery(
      {
        webhook_id: hook.id,
        guid: randomUUID(),
        event: event.event,
        action: event.action,
        repository_id: event.source.repositoryId ?? null,
        account_id: accountId,
        turn_id: turnId,
        installation_id: installationId,
        source,
        size: source.length,
      },
      clock.now(),
    )
    const { id } = await trx.insertInto('webhook_delivery').values(draft).returning('id').executeTakeFirstOrThrow()
    await trx.updateTable('webhook_delivery').set({ position: id }).where('id', '=', id).execute()
  }

  /** Queues for these hooks, whether or not they listen to the event. `turnId`: the account that causes it. */
  async function queue(trx: Db, listeners: readonly Listener[], event: HookEvent, turnId: number, rooms: Rooms) {
    const source = JSON.stringify(event.source)
    for (const listener of listeners) {
      const { hook } = listener
      const accountId = accountOf(hook, turnId)
      const room = await rooms(accountId)
      const lack = room.findLack(hook, turnId, { count: 1, bytes: source.length })
      if (lack !== undefined) {
        await noteDropped(trx, hook.id, lack, clock.now())
        continue
      }
      room.add(hook, turnId, { count: 1, bytes: source.length })
      await insert(trx, listener, event, accountId, turnId, source)
    }
    await enqueueComposing(trx)
  }

  const enqueueComposing = (trx: Db) => jobs.enqueue(trx, composingKind, null, { key: 'all' })

  return {
    enqueueComposing,

    /** Queues for this hook, whether or not it listens to the event: a ping, or a test. */
    queue: (trx: Db, hook: WebhookRow, event: HookEvent, turnId: number) =>
      queue(trx, [{ hook, installationId: null }], event, turnId, makeRooms(trx, limits)),

    /** Whether anybody may receive it, by one query: usually nobody does. */
    async hasListeners(trx: Db, { repositoryId, organisationId }: HookPlace, names: HookNames): Promise<boolean> {
      const [one, other = one] = names.map((name) => `%"${name}"%`)
      const where = { repositoryId: repositoryId ?? null, organisationId: organisationId ?? null }
      const [found] = await anyListener({ ...where, one: one!, other: other! }, trx)
      return found!.is_there === 1
    },

    /** Queues for all listeners. */
    async queueEvents(trx: Db, events: () => Promise<readonly HookEvent[]>, where: HookPlace): Promise<void> {
      const ownerId = await findOwner(trx, where)
      const { installation } = where
      const listeners = installation
        ? where.repositoryId === undefined || ownerId === undefined
          ? await findAppListener(trx, installation, clock.now())
          : // An app receives the events of a repository that it listens to.
            (await findAppHooks(trx, ownerId, where)).filter((one) => one.installationId === installation.id)
        : [
            ...(await findHooks(placeOf(where, ownerId), trx)).map(
              (hook): Listener => ({ hook, installationId: null }),
            ),
            ...(ownerId === undefined ? [] : await findAppHooks(trx, ownerId, where)),
          ]
      if (listeners.length === 0) return
      const rooms = makeRooms(trx, limits)
      for (const event of await events()) {
        const listening = listeners.filter(({ hook }) => listensTo(hook, event.event))
        if (listening.length > 0) await queue(trx, listening, event, where.turnId ?? ownerId ?? 0, rooms)
      }
    },
  }
}

/** How long the hook's owner sees that deliveries were dropped, and why. */
const droppedShownMs = 24 * 3_600_000

export const noteDropped = (trx: Db, webhookId: number, reason: string, now: number, count = 1) =>
  trx
    .updateTable('webhook')
    .set({
      last_status: 'queue_full',
      last_message: reason,
      dropped_count: sql<number>`case when dropped_at > ${now - droppedShownMs} then dropped_count else 0 end + ${count}`,
      dropped_at: now,
    })
    .where('id', '=', webhookId)
    .execute()

/** The hook's state after a call; it still reports deliveries dropped lately. */
export function describeCalled(
  { dropped_count, dropped_at }: Pick<WebhookRow, 'dropped_count' | 'dropped_at'>,
  words: string,
  isTaken: boolean,
  now: number,
): { readonly last_status: string; readonly last_message: string } {
  const isWhole = dropped_at <= now - droppedShownMs
  const status = isWhole ? 'active' : 'queue_full'
  const missing = `${dropped_count} ${dropped_count === 1 ? 'event was' : 'events were'} not sent recently: too many deliveries were waiting.`
  return { last_status: isTaken ? status : 'failed', last_message: isWhole ? words : `${words}. ${missing}` }
}

type Rooms = (accountId: number) => Promise<QueueSpace>

/** Reads each account's space once within a write. */
function makeRooms(trx: Db, limits: WebhookLimits): Rooms {
  const known = new Map<number, QueueSpace>()
  return async (accountId) => {
    const room = known.get(accountId) ?? (await readQueueSpace(trx, accountId, limits))
    known.set(accountId, room)
    return room
  }
}

/** Hooks of the site count for the site, and hooks of apps for the app's owner, whoever acts. */
const accountOf = (hook: WebhookRow, turnId: number): number => {
  if (hook.holder === 'site') return 0
  return hook.holder === 'app' ? hook.owner_id : turnId
}

const placeOf = ({ repositoryId, at }: HookPlace, organisationId: number | undefined) => ({
  repositoryId: repositoryId ?? null,
  organisationId: organisationId ?? null,
  at,
})
