/** Webhooks: created, changed, pinged and deleted by admins of the repository, the organisation or the site. */

import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { AppItself } from '../access/app-access.ts'
import { auditOrganisation, auditRepository } from '../access/audit-place.ts'
import type { ActivityRecord } from '../activity/activity.ts'
import { invalidField, notFound } from '../failures.ts'
import { DestinationRefused, type Destinations } from '../outbound/destination.ts'
import { countRows, readPage } from '../row-pages.ts'
import { demandAppHook, findAppHook } from './app-hooks.ts'
import type { HookEvent } from './hook-event.ts'
import type { HookRights } from './hook-rights.ts'
import { findHook, selectHooks, withHooksLock } from './hook-rows.ts'
import type { Queueing } from './queue/queueing.ts'
import {
  type AppReader,
  type HookHolder,
  type HookKeeper,
  type HookReader,
  holderOf,
  hookEventNames,
  listensTo,
  toWebhook,
  type Webhook,
  type WebhookRow,
} from './webhook.ts'
import type { WebhookLimits } from './webhook-limits.ts'

export type ConfigurationChange = {
  readonly url?: string | undefined
  readonly contentType?: 'json' | 'form' | undefined
  /** Null or an empty text removes it. */
  readonly secret?: string | null | undefined
  readonly isInsecure?: boolean | undefined
}

export type WebhookDraft = {
  readonly configuration: ConfigurationChange
  readonly events?: readonly string[] | undefined
  readonly isActive?: boolean | undefined
}

export type WebhookChange = Partial<WebhookDraft> & {
  readonly addedEvents?: readonly string[] | undefined
  readonly removedEvents?: readonly string[] | undefined
}

type Needs = {
  store: Store
  clock: Clock
  limits: WebhookLimits
  destinations: Destinations
  queueing: Queueing
  rights: HookRights
  enqueueSending: (trx: Db, webhookId: number) => Promise<unknown>
  activity: Pick<ActivityRecord, 'waitUntilHooksDispatched'>
}

const hiddenSecret = '********'

export type Webhooks = ReturnType<typeof makeWebhooks>

export function makeWebhooks(needs: Needs) {
  const { store, clock, limits, destinations, queueing, rights, enqueueSending, activity } = needs
  const { db } = store

  function demandUrl(url: string): string {
    if (!URL.canParse(url))
      throw invalidField('url', 'custom', 'The url must be an address such as https://example.org/hook.')
    try {
      destinations.demandFine(new URL(url))
    } catch (error) {
      if (!(error instanceof DestinationRefused)) throw error
      throw invalidField('url', 'custom', error.message)
    }
    return url
  }

  const columnsOf = ({ url, contentType, secret, isInsecure }: ConfigurationChange) =>
    omitUndefined({
      url: url === undefined ? undefined : demandUrl(url),
      content_type: contentType,
      // Clients that change something else send back the masked secret that they were shown.
      secret: secret === undefined || secret === hiddenSecret ? undefined : secret || null,
      is_insecure: isInsecure === undefined ? undefined : Number(isInsecure),
    })

  /** Call within a write that holds the lock on the holder's hooks. */
  async function demandOther(trx: Db, holder: HookHolder, row: Pick<WebhookRow, 'url' | 'events'>, but = 0) {
    const same = await selectHooks(trx, holder).where('url', '=', row.url).where('id', '!=', but).execute()
    if (same.some(({ events }) => events === row.events))
      throw invalidField('hook', 'custom', 'Hook already exists on this repository')
  }

  /** The account whose queue its pings and tests count in. */
  async function accountOf(trx: Db, holder: HookHolder): Promise<number> {
    if (holder.kind === 'site') return 0
    if (holder.kind === 'organisation') return holder.organisationId
    if (holder.kind === 'app') throw notFound()
    const row = await trx
      .selectFrom('repository')
      .select('owner_id')
      .where('id', '=', holder.repositoryId)
      .executeTakeFirst()
    if (!row) throw notFound()
    return row.owner_id
  }

  async function pingWithin(trx: Db, holder: HookHolder, hook: WebhookRow, actorId: number): Promise<void> {
    const event: HookEvent = {
      event: 'ping',
      action: null,
      source: { ...placeOf(holder), actorId, data: {}, at: clock.now() },
    }
    await queueing.queue(trx, hook, event, await accountOf(trx, holder))
  }

  function audit(trx: Db, keeper: HookKeeper, action: string, row: WebhookRow): Promise<void> {
    const place =
      'repository' in keeper
        ? auditRepository(keeper.repository)
        : 'organisation' in keeper
          ? auditOrganisation(keeper.organisation)
          : {}
    // Only the host is logged: the rest of the address may hold a secret of the receiver.
    const data = { hook_id: row.id, host: new URL(row.url).host, events: JSON.parse(row.events) as string[] }
    return recordAudit(trx, clock.now(), keeper.actor, { action, ...place, data })
  }

  return {
    list: (reader: HookReader, page: PageRequest): Promise<Page<Webhook>> => {
      const holder = holderOf(reader)
      return readPage(selectHooks(db, holder).orderBy('id'), page, (row) => toWebhook(row, holder))
    },

    async get(reader: HookReader, id: number): Promise<Webhook> {
      const holder = holderOf(reader)
      return toWebhook(await findHook(db, holder, id), holder)
    },

    /** The hook is pinged at once. `baseUrl`: the beginning of addresses in its payloads. */
    async create(keeper: HookKeeper, draft: WebhookDraft, baseUrl: string): Promise<Webhook> {
      const holder = holderOf(keeper)
      const { configuration, events = ['push'], isActive = true } = draft
      if (!configuration.url) throw invalidField('url', 'missing_field', 'A hook needs a config with a url.')
      const columns = columnsOf(configuration)
      const ownerId = await rights.findOwner(keeper)
      return store.write(async (trx) => {
        if ((await countRows(selectHooks(trx, holder))) >= limits.hooks)
          throw invalidField('hook', 'unprocessable', `There are ${limits.hooks} hooks, and no more can be made.`)
        const now = clock.now()
        const values = {
          holder: holder.kind,
          repository_id: holder.kind === 'repository' ? holder.repositoryId : null,
          organisation_id: holder.kind === 'organisation' ? holder.organisationId : null,
          app_id: null,
          owner_id: ownerId,
          url: configuration.url!,
          content_type: 'form' as const,
          secret: null,
          is_insecure: 0,
          ...columns,
          events: JSON.stringify(readEvents(events)),
          is_active: Number(isActive),
          base_url: baseUrl,
          failure_count: 0,
          paused_until: 0,
          last_code: null,
          last_status: 'unused',
          last_message: null,
          created_at: now,
          updated_at: now,
        }
        await demandOther(trx, holder, values)
        const row = await trx.insertInto('webhook').values(values).returningAll().executeTakeFirstOrThrow()
        await pingWithin(trx, holder, row, keeper.actor.account.id)
        await audit(trx, keeper, 'hook.create', row)
        return toWebhook(row, holder)
      }, withHooksLock(holder))
    },

    /** The caller becomes the hook's owner, and its pause ends. */
    async update(keeper: HookKeeper, id: number, change: WebhookChange): Promise<Webhook> {
      const holder = holderOf(keeper)
      const columns = columnsOf(change.configuration ?? {})
      const ownerId = await rights.findOwner(keeper)
      await activity.waitUntilHooksDispatched()
      return store.write(async (trx) => {
        const before = await findHook(trx, holder, id)
        const known: string[] = JSON.parse(before.events)
        const { events = known, addedEvents = [], removedEvents = [] } = change
        const wanted = [...events, ...addedEvents].filter((event) => !removedEvents.includes(event))
        const spelled = JSON.stringify(readEvents(wanted))
        await demandOther(trx, holder, { url: columns.url ?? before.url, events: spelled }, id)
        const row = await trx
          .updateTable('webhook')
          .set({
            ...columns,
            events: spelled,
            ...(change.isActive !== undefined && { is_active: Number(change.isActive) }),
            owner_id: ownerId,
            failure_count: 0,
            paused_until: 0,
            updated_at: clock.now(),
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow()
        await enqueueSending(trx, id)
        await audit(trx, keeper, 'hook.config_changed', row)
        return toWebhook(row, holder)
      }, withHooksLock(holder))
    },

    /** Removes its deliveries, too, including waiting ones. */
    async remove(keeper: HookKeeper, id: number): Promise<void> {
      const holder = holderOf(keeper)
      await store.write(async (trx) => {
        const row = await findHook(trx, holder, id)
        await trx.deleteFrom('webhook').where('id', '=', id).execute()
        await audit(trx, keeper, 'hook.destroy', row)
      }, withHooksLock(holder))
    },

    async ping(keeper: HookKeeper, id: number): Promise<void> {
      const holder = holderOf(keeper)
      await store.write(async (trx) =>
        pingWithin(trx, holder, await findHook(trx, holder, id), keeper.actor.account.id),
      )
    },

    /** Sends the newest push again, if the hook listens to pushes and there was one. */
    async test(keeper: HookKeeper, id: number): Promise<void> {
      const holder = holderOf(keeper)
      await store.write(async (trx) => {
        const hook = await findHook(trx, holder, id)
        if (holder.kind !== 'repository' || !listensTo(hook, 'push')) return
        const push = await trx
          .selectFrom('push')
          .select(['id', 'pusher_id', 'changes', 'created_at'])
          .where('repository_id', '=', holder.repositoryId)
          .where('state', '=', 'received')
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst()
        const ref = push && JSON.parse(push.changes)[0]
        if (!ref) return
        const source = { ...placeOf(holder), actorId: push.pusher_id, data: {}, ref, at: push.created_at }
        await queueing.queue(trx, hook, { event: 'push', action: null, source }, await accountOf(trx, holder))
      })
    },

    demandUrl,

    /** Stores the beginning of addresses in the payloads of an app's hook. */
    async keepBase({ id }: Pick<AppItself, 'id'>, base: string): Promise<void> {
      await store.write((trx) => demandAppHook(trx, id, clock.now(), base), { locks: [`webhooks:app:${id}`] })
    },

    /** The id of an app's hook; undefined before the first delivery. */
    findOfApp: async (reader: AppReader): Promise<number | undefined> =>
      (await findAppHook(db, 'app' in reader ? reader.app.id : reader.id))?.id,
  }
}

const placeOf = (holder: HookHolder) => {
  if (holder.kind === 'repository') return { repositoryId: holder.repositoryId }
  return holder.kind === 'organisation' ? { organisationId: holder.organisationId } : {}
}

function readEvents(names: readonly string[]): string[] {
  const known: readonly string[] = hookEventNames
  const unknown = names.find((name) => name !== '*' && !known.includes(name))
  if (unknown !== undefined) throw invalidField('events', 'invalid', `There is no event named ${unknown}.`)
  if (names.length === 0) throw invalidField('events', 'missing_field', 'A hook needs at least one event.')
  return names.includes('*') ? ['*'] : [...new Set(names)].sort()
}
