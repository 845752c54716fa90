/** Identifies the app of a credential: a JSON web token that it signed, or its client id and secret. */
import { timingSafeEqual } from 'node:crypto'
import type { AppIdentity } from '../../accounts/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { hashSecret } from '../../lib/ids.ts'
import type { Store } from '../../store/store.ts'
import { type AppRow, selectApps } from './app.ts'
import { demandSigned, demandTimely, readClaims } from './json-web-token.ts'

export type AppCredentials = ReturnType<typeof makeAppCredentials>

export function makeAppCredentials({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store

  function identityOf(row: AppRow, by: AppIdentity['by']): AppIdentity {
    if (row.owner_suspended_at !== null)
      throw new Failure('forbidden', 'suspended', 'Sorry. The account of the app’s owner was suspended.')
    return { id: row.id, clientId: row.client_id, ownerId: row.owner_id, by }
  }

  async function findByIssuer(issuer: string) {
    const isId = /^[1-9]\d{0,14}$/.test(issuer)
    const row = await selectApps(db)
      .where((eb) => (isId ? eb('app.id', '=', Number(issuer)) : eb('app.client_id', '=', issuer)))
      .where('app.kind', '=', 'app')
      .executeTakeFirst()
    if (!row) return undefined
    const keys = await db.selectFrom('app_key').select('public_key').where('app_id', '=', row.id).execute()
    return { row, keys: keys.map(({ public_key }) => public_key) }
  }

  return {
    /** Throws if the token is malformed, has expired, or was not signed with one of the app's keys. */
    async byWebToken(text: string): Promise<AppIdentity> {
      const claims = readClaims(text, clock.now())
      demandTimely(claims.issuedAt, claims.expiresAt, clock.now())
      const found = await findByIssuer(claims.issuer)
      demandSigned(claims, found?.keys ?? [])
      return identityOf(found!.row, 'key')
    },

    /** Undefined for an unknown client or a wrong secret. */
    async byClient(clientId: string, secret: string): Promise<AppIdentity | undefined> {
      const row = await selectApps(db).where('app.client_id', '=', clientId).executeTakeFirst()
      if (!row) return undefined
      const kept = await db.selectFrom('app_secret').select('secret_hash').where('app_id', '=', row.id).execute()
      const given = Buffer.from(hashSecret(secret))
      // Compares every secret, so that the time does not reveal which one matched.
      const isOwn = kept.map(({ secret_hash }) => timingSafeEqual(Buffer.from(secret_hash), given)).includes(true)
      return isOwn ? identityOf(row, 'secret') : undefined
    },
  }
}

/** Whether it is an id that the server generated, as a name of Basic authentication: logins never contain a dot. */
export const hasClientIdForm = (text: string): boolean => /^Gd1\.[0-9A-Za-z]{16}$/.test(text)
