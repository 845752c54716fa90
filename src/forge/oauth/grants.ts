/** Grants: a user's permission to an app, until either side revokes it. */
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import { countGranted } from '../../accounts/granted-tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand } from '../../lib/failure.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { AppClient } from '../access/app-access.ts'
import type { SelfAccess } from '../access/self-access.ts'
import { type App, type Permissions, readApps } from '../apps/app.ts'
import { recordAppAct } from '../apps/app-audit.ts'
import { ofUser } from '../apps/permissions.ts'
import type { AppOwnership } from '../apps/registration/app-registration.ts'
import { notFound } from '../failures.ts'
import { countRows } from '../row-pages.ts'
import { covers, simplify } from './scope-request.ts'

export type Grant = {
  readonly id: number
  readonly userId: number
  readonly scopes: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
}
export type ListedGrant = Grant & { readonly app: App; readonly tokens: number }

const maxGrants = 1_000

type Row = { id: number; user_id: number; scopes: string; created_at: number; updated_at: number }

const toGrant = (row: Row): Grant => ({
  id: row.id,
  userId: row.user_id,
  scopes: JSON.parse(row.scopes),
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})

/** For an installable app, a user grants only permissions on the account itself; installations give the rest. */
export const grantedToApp = ({ permissions }: App): string[] =>
  Object.entries(ofUser(permissions)).map(([name, level]) => `${name}=${level}`)

/** The permissions that a token of the app may have for this user. */
export function permissionsOf({ permissions }: App, { scopes }: Grant): Permissions {
  const own = ofUser(permissions)
  return Object.fromEntries(
    Object.entries(permissions).filter(([name, level]) => !(name in own) || scopes.includes(`${name}=${level}`)),
  )
}

export type Grants = ReturnType<typeof makeGrants>

export function makeGrants({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store

  const select = (on: Db) => on.selectFrom('app_grant').selectAll()

  async function find(app: App, userId: number, on: Db = db): Promise<Grant | undefined> {
    const row = await select(on).where('app_id', '=', app.id).where('user_id', '=', userId).executeTakeFirst()
    return row && toGrant(row)
  }

  /** Removes the grant and every token made from it. */
  async function remove(trx: Db, by: Actor, appId: number, grant: Grant): Promise<void> {
    const { numDeletedRows } = await trx.deleteFrom('app_grant').where('id', '=', grant.id).executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) throw notFound()
    const user = await trx
      .selectFrom('account')
      .select(['id', 'name'])
      .where('id', '=', grant.userId)
      .executeTakeFirst()
    const data = { app_id: appId, scopes: grant.scopes }
    await recordAudit(trx, clock.now(), by, { action: 'oauth_authorization.destroy', user, data })
  }

  async function complete(rows: readonly (Row & { app_id: number })[]): Promise<ListedGrant[]> {
    const apps = await readApps(
      db,
      rows.map(({ app_id }) => app_id),
    )
    return Promise.all(
      rows.map(async (row) => ({
        ...toGrant(row),
        app: apps.get(row.app_id)!,
        tokens: await countGranted(db, row.id),
      })),
    )
  }

  return {
    find,

    async read(trx: Db, id: number): Promise<Grant | undefined> {
      const row = await select(trx).where('id', '=', id).executeTakeFirst()
      return row && toGrant(row)
    },

    /** Whether the user has already allowed all of this. */
    isCovered: (app: App, grant: Grant | undefined, scopes: readonly string[]): boolean =>
      grant !== undefined &&
      (app.kind === 'app'
        ? grantedToApp(app).every((one) => grant.scopes.includes(one))
        : covers(grant.scopes, scopes)),

    /** Adds to the existing grant, in the caller's transaction, which holds the lock on the user's grants. */
    async allow(trx: Db, actor: SignedIn, app: App, scopes: readonly string[]): Promise<Grant> {
      const { account } = actor
      const known = await find(app, account.id, trx)
      const now = clock.now()
      const all = app.kind === 'app' ? grantedToApp(app) : simplify([...new Set([...(known?.scopes ?? []), ...scopes])])
      const isNew = !known || JSON.stringify(known.scopes) !== JSON.stringify(all)
      if (!isNew) return known
      if (!known) {
        const count = await countRows(trx.selectFrom('app_grant').where('user_id', '=', account.id))
        demand(count < maxGrants, 'limited', 'quota', `You have authorised ${maxGrants} apps: revoke one first.`)
      }
      const row = await trx
        .insertInto('app_grant')
        .values({
          app_id: app.id,
          user_id: account.id,
          scopes: JSON.stringify(all),
          created_at: now,
          updated_at: now,
        })
        .onConflict((conflict) =>
          conflict.columns(['app_id', 'user_id']).doUpdateSet({ scopes: JSON.stringify(all), updated_at: now }),
        )
        .returningAll()
        .executeTakeFirstOrThrow()
      const action = known ? 'oauth_authorization.update' : 'oauth_authorization.create'
      const data = { app_id: app.id, app_name: app.name, client_id: app.clientId, scopes: all }
      await recordAudit(trx, now, actor, { action, user: account, data })
      return toGrant(row)
    },

    async list({ actor }: SelfAccess, { offset, limit }: PageRequest): Promise<Page<ListedGrant>> {
      const query = select(db).where('user_id', '=', actor.account.id)
      const rows = await query.orderBy('id').offset(offset).limit(limit).execute()
      return { total: await countRows(query), items: await complete(rows) }
    },

    async get({ actor }: SelfAccess, id: number): Promise<ListedGrant> {
      const row = await select(db).where('id', '=', id).where('user_id', '=', actor.account.id).executeTakeFirst()
      if (!row) throw notFound()
      return (await complete([row]))[0]!
    },

    /** Revoked by the user. */
    async revoke({ actor }: SelfAccess, id: number): Promise<void> {
      await store.write(async (trx) => {
        const row = await select(trx).where('id', '=', id).where('user_id', '=', actor.account.id).executeTakeFirst()
        if (!row) throw notFound()
        await remove(trx, actor, row.app_id, toGrant(row))
      })
    },

    /** Revoked by the app's owner because secrets or tokens leaked: each user is asked again. */
    async revokeAll({ actor, app }: AppOwnership): Promise<void> {
      await store.write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('app_grant')
          .where('app_id', '=', app.id)
          .executeTakeFirstOrThrow()
        await recordAppAct(trx, clock.now(), actor, 'revoke_tokens', app, { grants: Number(numDeletedRows) })
      })
    },

    /** Revoked by the app itself. */
    async giveBack({ actor, id: appId }: AppClient, grantId: number): Promise<void> {
      await store.write(async (trx) => {
        const row = await select(trx).where('id', '=', grantId).where('app_id', '=', appId).executeTakeFirst()
        if (!row) throw notFound()
        await remove(trx, actor, appId, toGrant(row))
      })
    },
  }
}

/** The lock for decisions that depend on a user's grants. */
export const withGrantsLock = (userId: number) => ({ locks: [`grants:${userId}`] })
