/** Registers apps and OAuth apps, and lets their owners manage them. */
import type { Accounts } from '../../../accounts/accounts.ts'
import type { Actor, SignedIn } from '../../../accounts/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import { demand, Failure } from '../../../lib/failure.ts'
import { generateAlphanumeric } from '../../../lib/ids.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { Db } from '../../../store/schema/schema.ts'
import { isUniqueViolation, type Store } from '../../../store/store.ts'
import type { OrganisationAccess } from '../../access/organisation-access.ts'
import { countsAt, demandGrant, demandTokenKind, isSiteAdmin } from '../../access/required-grant.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import { demandSignOn } from '../../access/sign-on.ts'
import type { ActivityRecord } from '../../activity/activity.ts'
import { invalidField, notFound } from '../../failures.ts'
import { asPerson, type Person } from '../../person.ts'
import { readPage } from '../../row-pages.ts'
import { type App, selectApps, toApp } from '../app.ts'
import { listPermissions, recordAppAct } from '../app-audit.ts'
import { demandEvery, demandMayGrant } from '../grantable-rights.ts'
import {
  type AppChange,
  type AppDraft,
  demandClientId,
  demandDraft,
  generatedIdPrefix,
  settledPermissions,
  slugOf,
} from './app-draft.ts'

/** The caller's own account, or an organisation that they own. */
export type AppHolder = SelfAccess | OrganisationAccess<'owner'>

/** Acts of an app's owner require this proof. Only `own` below makes one. */
class Ownership {
  readonly #actor: SignedIn
  readonly app: App
  constructor(actor: SignedIn, app: App) {
    this.#actor = actor
    this.app = app
  }
  get actor(): SignedIn {
    return this.#actor
  }
}
export type AppOwnership = Ownership

/**
 * Acts that hand out an app's rights (a key, a secret, an address) require this proof. Only `ownToHandOn` makes one.
 */
class HandingOwnership extends Ownership {
  /** Exists only in types. */
  declare readonly handsOn: true
}
export type AppHandingOwnership = HandingOwnership

/** An app that was just made, for its creator. */
class FreshApp {
  readonly #actor: Actor
  readonly app: App
  constructor(actor: Actor, app: App) {
    this.#actor = actor
    this.app = app
  }
  get actor(): Actor {
    return this.#actor
  }
}
export type NewApp = FreshApp

type AppAddress = { readonly slug: string } | { readonly clientId: string }
type Owned = { readonly owner: Pick<Person, 'id'> }

const maxApps = 100

type Needs = {
  store: Store
  clock: Clock
  accounts: Accounts
  activity: Pick<ActivityRecord, 'waitUntilHooksDispatched'>
}

export type AppRegistration = ReturnType<typeof makeAppRegistration>

export function makeAppRegistration({ store, clock, accounts, activity }: Needs) {
  const { db } = store

  async function findBy(column: 'slug' | 'client_id', value: string, on: Db = db): Promise<App | undefined> {
    const row = await selectApps(on).where(`app.${column}`, '=', value).executeTakeFirst()
    return row && toApp(row)
  }

  const read = async (id: number, on: Db = db): Promise<App> =>
    toApp(await selectApps(on).where('app.id', '=', id).executeTakeFirstOrThrow())

  /** Only its owners can see a private app. */
  const mayRun = async (actor: Actor, { owner }: Owned): Promise<boolean> =>
    (await findRole(actor, owner.id)) === 'admin'

  /** A user is the admin of their own account. */
  async function findRole(actor: Actor, ownerId: number): Promise<'admin' | 'member' | undefined> {
    if (!actor.account || !countsAt(actor, { id: ownerId })) return undefined
    if (ownerId === actor.account.id) return 'admin'
    const row = await db
      .selectFrom('organisation_member')
      .select('role')
      .where('organisation_id', '=', ownerId)
      .where('user_id', '=', actor.account.id)
      .where('state', '=', 'active')
      .executeTakeFirst()
    return row?.role
  }

  /** For the app's owners, with a session or a classic token with the scope for it. */
  async function own(actor: Actor, by: AppAddress): Promise<AppOwnership> {
    const app = 'slug' in by ? await findBy('slug', by.slug.toLowerCase()) : await findBy('client_id', by.clientId)
    const isKind = app?.kind === ('slug' in by ? 'app' : 'oauth')
    if (!app || !isKind || !(await mayRun(actor, app))) throw notFound()
    const scopes = [app.owner.kind === 'user' ? 'user' : 'admin:org']
    const need = { tokens: ['classic'], scopes, permissions: [] } as const
    demandTokenKind(actor, need)
    demandGrant(actor, need)
    demandSignOn(actor, app.owner.id)
    return new Ownership(actor as SignedIn, app)
  }

  /** The scopes that any user has granted to an OAuth app. */
  async function listGranted({ id }: App): Promise<string[]> {
    const rows = await db.selectFrom('app_grant').select('scopes').distinct().where('app_id', '=', id).execute()
    return rows.flatMap(({ scopes }) => JSON.parse(scopes) as string[])
  }

  async function insert(trx: Db, by: Actor, owner: Person, draft: AppDraft, botId: number | null): Promise<number> {
    const counted = trx.selectFrom('app').select((eb) => eb.fn.countAll<number>().as('count'))
    const { count } = await counted.where('owner_id', '=', owner.id).executeTakeFirstOrThrow()
    demand(Number(count) < maxApps, 'limited', 'quota', `One account may have ${maxApps} apps.`)
    const clientId = draft.clientId ?? generatedIdPrefix + generateAlphanumeric(16)
    const now = clock.now()
    const { id } = await trx
      .insertInto('app')
      .values({
        kind: draft.kind,
        slug: draft.kind === 'app' ? slugOf(draft.name) : clientId.toLowerCase(),
        owner_id: owner.id,
        bot_id: botId,
        client_id: clientId,
        name: draft.name,
        description: draft.description ?? '',
        url: draft.url,
        callback_urls: JSON.stringify(draft.callbackUrls ?? []),
        permissions: JSON.stringify(settledPermissions(draft.permissions)),
        events: JSON.stringify(draft.events ?? []),
        hook_url: draft.hookUrl ?? null,
        hook_secret: draft.hookSecret ?? null,
        is_hook_active: draft.isHookActive && draft.hookUrl ? 1 : 0,
        // Any user may authorise an OAuth app: it is not installed.
        is_public: draft.isPublic || draft.kind === 'oauth' ? 1 : 0,
        is_confidential: draft.isConfidential === false ? 0 : 1,
        takes_device_flow: draft.takesDeviceFlow ? 1 : 0,
        created_at: now,
        updated_at: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const app = await read(id, trx)
    await recordAppAct(trx, now, by, 'create', app, { permissions: listPermissions(app.permissions) })
    return id
  }

  async function register(by: Actor, owner: Person, draft: AppDraft): Promise<App> {
    demandDraft(draft)
    if (draft.clientId !== undefined) {
      demand(isSiteAdmin(by), 'forbidden', 'not-admin', 'Only an admin of the server chooses a client_id.')
      demandClientId(draft.clientId)
    }
    if (draft.kind === 'oauth') {
      const write = store.write((trx) => insert(trx, by, owner, draft, null), { locks: [`apps:${owner.id}`] })
      return read(
        await write.catch((error) => {
          throw isUniqueViolation(error) ? invalidField('client_id', 'already_exists', 'It is taken.') : error
        }),
      )
    }
    const slug = slugOf(draft.name)
    let id = 0
    try {
      // The app's bot account keeps its name after the app is deleted, so that nobody else gets it.
      await accounts.insert(
        { kind: 'bot', name: `${slug}[bot]`, displayName: draft.name.slice(0, 64), role: 'contestant' },
        async (trx, bot) => {
          id = await insert(trx, by, owner, draft, bot.id)
        },
        { locks: [`apps:${owner.id}`] },
      )
    } catch (error) {
      const isTaken = isUniqueViolation(error) || (error instanceof Failure && error.code === 'name-taken')
      throw isTaken ? invalidField('name', 'already_exists', 'Name is already taken.') : error
    }
    return read(id)
  }

  return {
    find: (slug: string) => findBy('slug', slug.toLowerCase()),
    findByClientId: (clientId: string, on?: Db) => findBy('client_id', clientId, on),
    read,
    mayRun,

    /** Whether the caller is its owner, or a member of the owning organisation. */
    isNear: async (actor: Actor, { owner }: Owned): Promise<boolean> => (await findRole(actor, owner.id)) !== undefined,

    /** The apps of these ids that still exist. */
    listByIds: async (ids: readonly number[]): Promise<App[]> =>
      ids.length === 0 ? [] : (await selectApps(db).where('app.id', 'in', ids).orderBy('app.id').execute()).map(toApp),

    /** An app that the caller may see: a public one, or their own. */
    async get(actor: Actor, slug: string): Promise<App> {
      const app = await findBy('slug', slug.toLowerCase())
      const isItself = actor.credential.kind === 'app' && actor.credential.app.id === app?.id
      if (app?.kind !== 'app' || !(app.isPublic || isItself || (await mayRun(actor, app)))) throw notFound()
      return app
    },

    own,

    /** The token must itself have all rights that the app was granted anywhere, by installation or authorization. */
    async ownToHandOn(actor: Actor, by: AppAddress): Promise<AppHandingOwnership> {
      const { app, actor: owner } = await own(actor, by)
      demandMayGrant(actor, app.permissions)
      if (app.kind === 'oauth') demandEvery(actor, await listGranted(app))
      return new HandingOwnership(owner, app)
    },

    register: async (holder: AppHolder, draft: AppDraft): Promise<NewApp> =>
      new FreshApp(holder.actor, await register(holder.actor, ownerOf(holder), draft)),

    /** For a caller who was allowed to earlier: the code of a manifest proves that. */
    registerFor: async (by: Actor, owner: Person, draft: AppDraft): Promise<NewApp> =>
      new FreshApp(by, await register(by, owner, draft)),

    list: (holder: AppHolder, kind: App['kind'], request: PageRequest): Promise<Page<App>> =>
      readPage(
        selectApps(db).where('app.owner_id', '=', ownerOf(holder).id).where('app.kind', '=', kind).orderBy('app.id'),
        request,
        toApp,
      ),

    /** Removed permissions end at once; new ones take effect when an installation accepts them. */
    async change({ actor, app }: AppHandingOwnership, change: AppChange): Promise<App> {
      demandDraft(change)
      // Permissions that an installation granted earlier take effect again as soon as the app requests them again.
      demandMayGrant(actor, change.permissions ?? {})
      await activity.waitUntilHooksDispatched()
      const now = clock.now()
      return store.write(async (trx) => {
        await trx
          .updateTable('app')
          .set({
            updated_at: now,
            ...(change.name !== undefined && { name: change.name }),
            ...(change.url !== undefined && { url: change.url }),
            ...(change.description !== undefined && { description: change.description }),
            ...(change.callbackUrls && { callback_urls: JSON.stringify(change.callbackUrls) }),
            ...(change.permissions && { permissions: JSON.stringify(settledPermissions(change.permissions)) }),
            ...(change.events && { events: JSON.stringify(change.events) }),
            ...(change.hookUrl !== undefined && { hook_url: change.hookUrl }),
            ...(change.hookSecret !== undefined && { hook_secret: change.hookSecret }),
            ...(change.isHookActive !== undefined && { is_hook_active: change.isHookActive ? 1 : 0 }),
            ...(change.isPublic !== undefined && { is_public: change.isPublic ? 1 : 0 }),
            ...(change.takesDeviceFlow !== undefined && { takes_device_flow: change.takesDeviceFlow ? 1 : 0 }),
          })
          .where('id', '=', app.id)
          .execute()
        // The app still receives only events that it may read, whatever it requests.
        if (change.events)
          await trx
            .updateTable('app_installation')
            .set({ events: JSON.stringify(change.events) })
            .where('app_id', '=', app.id)
            .execute()
        const changed = await read(app.id, trx)
        const permissions = listPermissions(changed.permissions)
        await recordAppAct(trx, now, actor, 'update', changed, { changed: Object.keys(change), permissions })
        return changed
      })
    },

    /** Removes its installations, its grants and all tokens made through them, too. */
    async remove({ actor, app }: AppOwnership): Promise<void> {
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx.deleteFrom('app').where('id', '=', app.id).executeTakeFirstOrThrow()
        if (numDeletedRows > 0n) await recordAppAct(trx, clock.now(), actor, 'destroy', app)
      })
    },
  }
}

const ownerOf = (holder: AppHolder): Person =>
  'organisation' in holder ? holder.organisation : asPerson(holder.actor.account)
