/** Keys and client secrets of apps: made here, shown once, and kept as the public half or as a hash. */
import { createHash, createPublicKey, generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '../../../lib/clock.ts'
import { demand } from '../../../lib/failure.ts'
import { generateAlphanumeric, hashSecret } from '../../../lib/ids.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import { notFound } from '../../failures.ts'
import { recordAppAct } from '../app-audit.ts'
import type { AppHandingOwnership, AppOwnership, NewApp } from './app-registration.ts'

const generate = promisify(generateKeyPair)

const maxEach = 25
const keyBits = 2048
const secretLength = 40

export type AppKey = { readonly id: number; readonly fingerprint: string; readonly createdAt: Date }
export type ClientSecret = { readonly id: number; readonly hint: string; readonly createdAt: Date }

type OwnApp = AppHandingOwnership | NewApp

export type AppKeys = ReturnType<typeof makeAppKeys>

export function makeAppKeys({ store, clock }: { store: Store; clock: Clock }) {
  const { db } = store

  async function demandSpace(trx: Db, table: 'app_key' | 'app_secret', appId: number): Promise<void> {
    const counted = trx.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
    const { count } = await counted.where('app_id', '=', appId).executeTakeFirstOrThrow()
    demand(
      Number(count) < maxEach,
      'limited',
      'quota',
      `An app can have at most ${maxEach} of these: delete one first.`,
    )
  }

  async function remove(table: 'app_key' | 'app_secret', { actor, app }: AppOwnership, id: number): Promise<void> {
    await store.write(async (trx) => {
      const query = trx.deleteFrom(table).where('app_id', '=', app.id).where('id', '=', id)
      const { numDeletedRows } = await query.executeTakeFirstOrThrow()
      if (numDeletedRows === 0n) throw notFound()
      const act = table === 'app_key' ? 'remove_private_key' : 'remove_client_secret'
      await recordAppAct(trx, clock.now(), actor, act, app, { credential_id: id })
    })
  }

  return {
    /** Only this answer contains the private key. The app must be the caller's own, or just made. */
    async makeKey({ actor, app }: OwnApp): Promise<AppKey & { pem: string }> {
      const { publicKey, privateKey } = await generate('rsa', {
        modulusLength: keyBits,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      })
      const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' })
      const fingerprint = `SHA256:${createHash('sha256').update(der).digest('base64')}`
      const now = clock.now()
      const { id } = await store.write(async (trx) => {
        await demandSpace(trx, 'app_key', app.id)
        const made = await trx
          .insertInto('app_key')
          .values({ app_id: app.id, public_key: publicKey, fingerprint, created_at: now })
          .returning('id')
          .executeTakeFirstOrThrow()
        await recordAppAct(trx, now, actor, 'generate_private_key', app, { credential_id: made.id, fingerprint })
        return made
      })
      return { id, fingerprint, createdAt: new Date(now), pem: privateKey }
    },

    async listKeys({ app }: AppOwnership): Promise<AppKey[]> {
      const rows = await db.selectFrom('app_key').selectAll().where('app_id', '=', app.id).orderBy('id').execute()
      return rows.map(({ id, fingerprint, created_at }) => ({ id, fingerprint, createdAt: new Date(created_at) }))
    },

    removeKey: (owner: AppOwnership, id: number) => remove('app_key', owner, id),

    async makeSecret({ actor, app }: OwnApp): Promise<ClientSecret & { text: string }> {
      demand(app.isConfidential, 'invalid', 'public-client', 'An app that can’t keep a secret has none: it uses PKCE.')
      const text = generateAlphanumeric(secretLength)
      const hint = text.slice(-8)
      const now = clock.now()
      const { id } = await store.write(async (trx) => {
        await demandSpace(trx, 'app_secret', app.id)
        const made = await trx
          .insertInto('app_secret')
          .values({ app_id: app.id, secret_hash: hashSecret(text), hint, created_at: now })
          .returning('id')
          .executeTakeFirstOrThrow()
        await recordAppAct(trx, now, actor, 'generate_client_secret', app, { credential_id: made.id })
        return made
      })
      return { id, hint, createdAt: new Date(now), text }
    },

    async listSecrets({ app }: AppOwnership): Promise<ClientSecret[]> {
      const rows = await db.selectFrom('app_secret').selectAll().where('app_id', '=', app.id).orderBy('id').execute()
      return rows.map(({ id, hint, created_at }) => ({ id, hint, createdAt: new Date(created_at) }))
    },

    removeSecret: (owner: AppOwnership, id: number) => remove('app_secret', owner, id),
  }
}
