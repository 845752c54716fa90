/** PGP keys that users sign commits and tags with, stored with their parsed details. */
import type { Selectable } from 'kysely'
import type { SignedIn } from '../../../accounts/actor.ts'
import { recordAudit } from '../../../accounts/audit/audit-log.ts'
import { demandWithin } from '../../../accounts/quotas.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { GpgKeyTable } from '../../../store/schema/key-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import { invalidField, notFound } from '../../failures.ts'
import { countRows, readPage } from '../../row-pages.ts'
import type { Pgp } from './pgp.ts'
import type { PgpKey } from './pgp-worker.ts'

export type GpgKey = {
  readonly id: number
  readonly name: string | null
  readonly armored: string
  readonly createdAt: Date
  readonly details: PgpKey
}

/** The limit of a user. A page of a list shows whole keys, so it is low. */
const mostGpgKeys = 50

export type GpgKeys = ReturnType<typeof makeGpgKeys>

export function makeGpgKeys({ store, clock, pgp }: { store: Store; clock: Clock; pgp: Pgp }) {
  const ofUser = ({ id }: { readonly id: number }, on: Db = store.db) =>
    on.selectFrom('gpg_key').selectAll().where('account_id', '=', id)

  const note = (trx: Db, actor: SignedIn, act: 'create' | 'delete', { id, name, fingerprint }: Row) =>
    recordAudit(trx, clock.now(), actor, {
      action: `gpg_key.${act}`,
      user: actor.account,
      data: { key_id: id, title: name, fingerprint },
    })

  async function insert(trx: Db, account: { readonly id: number }, armored: string, details: PgpKey, name?: string) {
    const { fingerprint, keyId, expiresAt, subkeys } = details
    const row = await trx
      .insertInto('gpg_key')
      .values({
        ...{ account_id: account.id, name: name?.trim() || null, key_id: keyId, fingerprint, armored },
        ...{ details: JSON.stringify(details), created_at: clock.now(), expires_at: expiresAt },
      })
      .onConflict((conflict) => conflict.column('fingerprint').doNothing())
      .returningAll()
      .executeTakeFirst()
    if (!row) throw invalidField('armored_public_key', 'custom', 'armored_public_key is already in use')
    const ids = new Set([keyId, ...subkeys.map((subkey) => subkey.keyId)])
    const parts = [...ids].map((key_id) => ({ gpg_key_id: row.id, key_id }))
    await trx.insertInto('gpg_key_part').values(parts).execute()
    return row
  }

  return {
    list: (user: { readonly id: number }, page: PageRequest): Promise<Page<GpgKey>> =>
      readPage(ofUser(user).orderBy('id'), page, toKey),

    async get(user: { readonly id: number }, id: number): Promise<GpgKey> {
      const row = await ofUser(user).where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      return toKey(row)
    },

    async add({ actor }: SelfAccess, armored: string, name: string | undefined): Promise<GpgKey> {
      const { account } = actor
      const details = await pgp.readKey(armored, account.id)
      return store.write(
        async (trx) => {
          demandWithin(await countRows(ofUser(account, trx).clearSelect().select('id')), mostGpgKeys, 'GPG keys')
          const row = await insert(trx, account, armored, details, name)
          await note(trx, actor, 'create', row)
          return toKey(row)
        },
        { locks: [`gpg-keys:${account.id}`] },
      )
    },

    async remove({ actor }: SelfAccess, id: number): Promise<void> {
      await store.write(async (trx) => {
        const gone = trx.deleteFrom('gpg_key').where('account_id', '=', actor.account.id).where('id', '=', id)
        const row = await gone.returningAll().executeTakeFirst()
        if (!row) throw notFound()
        await note(trx, actor, 'delete', row)
      })
    },
  }
}

type Row = Selectable<GpgKeyTable>

const toKey = ({ id, name, armored, created_at: createdAt, details }: Row): GpgKey => ({
  ...{ id, name, armored },
  createdAt: new Date(createdAt),
  details: JSON.parse(details),
})
