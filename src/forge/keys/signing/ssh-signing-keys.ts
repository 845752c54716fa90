/** SSH keys that users sign commits and tags with. They give no access; the same key may be registered for access, too. */
import type { Selectable } from 'kysely'
import type { SignedIn } from '../../../accounts/actor.ts'
import { recordAudit } from '../../../accounts/audit/audit-log.ts'
import { demandWithin } from '../../../accounts/quotas.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Page, PageRequest } from '../../../lib/page.ts'
import type { SshSigningKeyTable } from '../../../store/schema/key-tables.ts'
import type { Db } from '../../../store/schema/schema.ts'
import type { Store } from '../../../store/store.ts'
import type { SelfAccess } from '../../access/self-access.ts'
import { invalidField, notFound } from '../../failures.ts'
import { countRows, readPage } from '../../row-pages.ts'
import { parsePublicKey } from '../public-key.ts'
import { mostKeys, nameOf } from '../ssh-keys.ts'

export type SshSigningKey = {
  readonly id: number
  readonly text: string
  readonly title: string
  readonly createdAt: Date
}

export type SshSigningKeys = ReturnType<typeof makeSshSigningKeys>

export function makeSshSigningKeys({ store, clock }: { store: Store; clock: Clock }) {
  const ofUser = ({ id }: { readonly id: number }, on: Db = store.db) =>
    on.selectFrom('ssh_signing_key').selectAll().where('account_id', '=', id)

  const note = (trx: Db, actor: SignedIn, act: 'create' | 'delete', { id, title, fingerprint }: Row) =>
    recordAudit(trx, clock.now(), actor, {
      action: `ssh_signing_key.${act}`,
      user: actor.account,
      data: { key_id: id, title, fingerprint },
    })

  return {
    list: (user: { readonly id: number }, page: PageRequest): Promise<Page<SshSigningKey>> =>
      readPage(ofUser(user).orderBy('id'), page, toKey),

    async get(user: { readonly id: number }, id: number): Promise<SshSigningKey> {
      const row = await ofUser(user).where('id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      return toKey(row)
    },

    async add({ actor }: SelfAccess, given: string, title: string | undefined): Promise<SshSigningKey> {
      const { account } = actor
      const key = parsePublicKey(given)
      const values = {
        ...{ account_id: account.id, fingerprint: key.fingerprint, key_text: key.text },
        ...{ title: title?.trim() || nameOf(given, key), created_at: clock.now() },
      }
      return store.write(
        async (trx) => {
          demandWithin(await countRows(ofUser(account, trx).clearSelect().select('id')), mostKeys, 'SSH signing keys')
          const row = await trx
            .insertInto('ssh_signing_key')
            .values(values)
            .onConflict((conflict) => conflict.column('fingerprint').doNothing())
            .returningAll()
            .executeTakeFirst()
          if (!row) throw invalidField('key', 'custom', 'key is already in use')
          await note(trx, actor, 'create', row)
          return toKey(row)
        },
        { locks: [`ssh-signing-keys:${account.id}`] },
      )
    },

    async remove({ actor }: SelfAccess, id: number): Promise<void> {
      await store.write(async (trx) => {
        const gone = trx.deleteFrom('ssh_signing_key').where('account_id', '=', actor.account.id).where('id', '=', id)
        const row = await gone.returningAll().executeTakeFirst()
        if (!row) throw notFound()
        await note(trx, actor, 'delete', row)
      })
    },
  }
}

type Row = Selectable<SshSigningKeyTable>

const toKey = ({ id, key_text: text, title, created_at: createdAt }: Row): SshSigningKey => ({
  ...{ id, text, title },
  createdAt: new Date(createdAt),
})
