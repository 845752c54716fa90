/**
 * Tokens that an app gets for a user: for an OAuth app one without expiry; for an installable app one of eight hours
 * and a refresh token.
 */
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import {
  consumeRefreshToken,
  endFamily,
  endOldestFamilies,
  findRefreshToken,
  isFamilyBanned,
} from '../../accounts/granted-tokens.ts'
import type { Tokens } from '../../accounts/tokens.ts'
import type { Clock } from '../../lib/clock.ts'
import { hashSecret } from '../../lib/ids.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { App } from '../apps/app.ts'
import { type Grant, type Grants, permissionsOf } from './grants.ts'
import { type Refusal, refusals } from './refusal.ts'

export type GivenTokens = {
  readonly text: string
  readonly scopes: readonly string[]
  readonly expiresInSeconds?: number
  readonly refresh?: { readonly text: string; readonly expiresInSeconds: number }
}

const accessSeconds = 8 * 60 * 60
/** Half a year. */
const refreshSeconds = 184 * 24 * 60 * 60
/** Authorizations with tokens per app and user: one more ends the oldest. */
const maxFamilies = 10
/** Used refresh tokens remembered per authorization, to notice a second use. */
const maxUsed = 50

/** A device has no secret: it may renew without one the tokens that it got without one. */
export const deviceFamily = 'device-'

type Needs = { store: Store; clock: Clock; accounts: Accounts; tokens: Tokens; grants: Grants }

export type UserTokens = ReturnType<typeof makeUserTokens>

export function makeUserTokens({ store, clock, accounts, tokens, grants }: Needs) {
  /** Runs in the caller's transaction. */
  async function give(
    trx: Db,
    by: Actor,
    app: App,
    grant: Grant,
    scopes: readonly string[],
    family: string,
  ): Promise<GivenTokens | Refusal> {
    const account = await accounts.findById(grant.userId)
    if (!account || account.isSuspended) return refusals.denied
    const common = { note: app.name, app: { id: app.id, grantId: grant.id, family } }
    const until = (seconds: number) => new Date(clock.now() + seconds * 1000)
    if (app.kind === 'oauth') {
      const { text } = await tokens.make(account, { ...common, kind: 'oauth', scopes }, trx, by)
      await endOldestFamilies(trx, grant.id, maxFamilies)
      return { text, scopes }
    }
    const permissions = permissionsOf(app, grant)
    const access = { ...common, kind: 'app-user', permissions, repositories: 'all' } as const
    const { text } = await tokens.make(account, { ...access, expiresAt: until(accessSeconds) }, trx, by)
    const renewal = { ...common, kind: 'refresh', expiresAt: until(refreshSeconds) } as const
    const refresh = await tokens.make(account, renewal, trx, by)
    await endOldestFamilies(trx, grant.id, maxFamilies)
    return {
      text,
      scopes: [],
      expiresInSeconds: accessSeconds,
      refresh: { text: refresh.text, expiresInSeconds: refreshSeconds },
    }
  }

  /** A repeated code or refresh token means that it leaked, so all tokens of the authorization end. */
  async function endRepeated(trx: Db, by: Actor, app: App, family: string, what: string): Promise<void> {
    const count = await endFamily(trx, family)
    const data = { app_id: app.id, client_id: app.clientId, reason: `a second use of ${what}`, tokens: count }
    await recordAudit(trx, clock.now(), by, { action: 'oauth_access.revoke', data })
  }

  async function noteUse(trx: Db, hash: string, grantId: number, family: string): Promise<void> {
    await trx
      .insertInto('app_used_refresh')
      .values({ token_hash: hash, grant_id: grantId, family, used_at: clock.now() })
      .execute()
    const kept = await trx
      .selectFrom('app_used_refresh')
      .select('used_at')
      .where('family', '=', family)
      .orderBy('used_at', 'desc')
      .offset(maxUsed)
      .limit(1)
      .executeTakeFirst()
    if (kept)
      await trx
        .deleteFrom('app_used_refresh')
        .where('family', '=', family)
        .where('used_at', '<=', kept.used_at)
        .execute()
  }

  return {
    give,
    endRepeated,

    /** A refresh token is valid once: both tokens are replaced, and the old ones end. */
    renew(by: Actor, app: App, text: string, hasSecret: boolean): Promise<GivenTokens | Refusal> {
      const hash = hashSecret(text)
      return store.write(async (trx) => {
        const found = await findRefreshToken(trx, text)
        const isOwn = found?.appId === app.id
        if (isOwn && !hasSecret && !found.family.startsWith(deviceFamily)) return refusals.client
        // A ban is lifted by an admin, not by renewal.
        if (isOwn && (await isFamilyBanned(trx, found.family))) return refusals.banned
        if (isOwn && found.expiresAt > clock.now() && (await consumeRefreshToken(trx, found))) {
          const grant = await grants.read(trx, found.grantId)
          if (!grant) return refusals.refresh
          await noteUse(trx, hash, grant.id, found.family)
          await endFamily(trx, found.family)
          return give(trx, by, app, grant, [], found.family)
        }
        const used = await trx
          .selectFrom('app_used_refresh')
          .innerJoin('app_grant', 'app_grant.id', 'app_used_refresh.grant_id')
          .select('family')
          .where('token_hash', '=', hash)
          .where('app_grant.app_id', '=', app.id)
          .executeTakeFirst()
        if (used) await endRepeated(trx, by, app, used.family, 'a refresh token')
        return refusals.refresh
      })
    },
  }
}
