/** Authorization codes: given to a browser, valid for ten minutes, for one app, one address and one exchange. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { generateAlphanumeric, generateSecret, hashSecret } from '../../lib/ids.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import type { App } from '../apps/app.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { type Grant, type Grants, withGrantsLock } from './grants.ts'
import { withAnswer } from './redirect.ts'
import { type Refusal, refusals } from './refusal.ts'
import type { GivenTokens, UserTokens } from './user-tokens.ts'

export const codeLifetimeMs = 10 * 60 * 1000
/** Codes of one user for one app; older ones are deleted. */
const maxCodes = 10

export type Exchange = {
  readonly code: string
  readonly redirectUri: string | undefined
  readonly verifier: string | undefined
}

type Needs = { store: Store; clock: Clock; grants: Grants; userTokens: UserTokens }

export type AuthorizationCodes = ReturnType<typeof makeAuthorizationCodes>

export function makeAuthorizationCodes({ store, clock, grants, userTokens }: Needs) {
  async function insert(trx: Db, request: AuthorizationRequest, grant: Grant, scopes: readonly string[]) {
    const oldest = await trx
      .selectFrom('app_code')
      .select('expires_at')
      .where('grant_id', '=', grant.id)
      .orderBy('expires_at', 'desc')
      .offset(maxCodes - 1)
      .limit(1)
      .executeTakeFirst()
    if (oldest)
      await trx
        .deleteFrom('app_code')
        .where('grant_id', '=', grant.id)
        .where('expires_at', '<=', oldest.expires_at)
        .execute()
    const code = generateSecret()
    await trx
      .insertInto('app_code')
      .values({
        code_hash: hashSecret(code),
        app_id: request.app.id,
        grant_id: grant.id,
        redirect_uri: request.redirectUri,
        is_redirect_given: request.isRedirectGiven ? 1 : 0,
        scopes: JSON.stringify(scopes),
        challenge: request.challenge ?? null,
        family: generateAlphanumeric(20),
        expires_at: clock.now() + codeLifetimeMs,
        used_at: null,
      })
      .execute()
    return code
  }

  return {
    /** The user has agreed: answers the redirect address with the code. */
    async allow(actor: SignedIn, request: AuthorizationRequest, scopes: readonly string[]): Promise<string> {
      const { app, redirectUri, state } = request
      const code = await store.write(
        async (trx) => insert(trx, request, await grants.allow(trx, actor, app, scopes), scopes),
        withGrantsLock(actor.account.id),
      )
      return withAnswer(redirectUri, { code, state })
    },

    /** A code used twice was seen by somebody else, so the tokens it gave end (RFC 6749, section 4.1.2). */
    exchange(by: Actor, app: App, { code, redirectUri, verifier }: Exchange): Promise<GivenTokens | Refusal> {
      const hash = hashSecret(code)
      return store.write(async (trx) => {
        const row = await trx.selectFrom('app_code').selectAll().where('code_hash', '=', hash).executeTakeFirst()
        if (!row || row.app_id !== app.id) return refusals.code
        const isFresh = row.used_at === null && row.expires_at > clock.now()
        if (isFresh && redirectUri !== undefined && redirectUri !== row.redirect_uri) return refusals.redirect
        if (isFresh && !isVerified(row.challenge, verifier)) return refusals.code
        const { numUpdatedRows } = await trx
          .updateTable('app_code')
          .set({ used_at: clock.now() })
          .where('code_hash', '=', hash)
          .where('used_at', 'is', null)
          .where('expires_at', '>', clock.now())
          .executeTakeFirstOrThrow()
        if (numUpdatedRows === 0n) {
          await userTokens.endRepeated(trx, by, app, row.family, 'an authorization code')
          return refusals.code
        }
        const grant = await grants.read(trx, row.grant_id)
        return grant ? userTokens.give(trx, by, app, grant, JSON.parse(row.scopes), row.family) : refusals.code
      })
    },
  }
}

/**
 * RFC 7636, section 4.6. A verifier without a challenge means that the challenge was stripped from the request (RFC
 * 9700, section 4.8.2).
 */
function isVerified(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined
  if (!/^[\w.~-]{43,128}$/.test(verifier)) return false
  const made = createHash('sha256').update(verifier).digest()
  const asked = Buffer.from(challenge, 'base64url')
  return asked.length === made.length && timingSafeEqual(asked, made)
}
