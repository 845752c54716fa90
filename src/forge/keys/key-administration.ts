/** Lets site admins see everybody's SSH keys, and end keys that somebody has registered who does not own them. */
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Store } from '../../store/store.ts'
import { auditRepository, auditUser } from '../access/audit-place.ts'
import type { SiteAdmin } from '../access/site-admin.ts'
import { notFound } from '../failures.ts'
import { toPerson } from '../person.ts'
import { readPage } from '../row-pages.ts'
import { recordKeyAudit } from './key-audit.ts'
import { type KeyRow, type SshKey, selectKeys, toKey } from './ssh-key-row.ts'

export type AnyKey = SshKey & { readonly userId: number | null; readonly repositoryId: number | null }

export type KeyAdministration = ReturnType<typeof makeKeyAdministration>

export const makeKeyAdministration = ({ store, clock }: { store: Store; clock: Clock }) => ({
  list: (_admin: SiteAdmin, page: PageRequest): Promise<Page<AnyKey>> =>
    readPage(selectKeys(store.db).orderBy('ssh_key.id'), page, toAnyKey),

  /** An SSH key of a user or a repository. */
  async remove({ actor }: SiteAdmin, id: number): Promise<void> {
    await store.write(async (trx) => {
      const row = await selectKeys(trx).where('ssh_key.id', '=', id).executeTakeFirst()
      if (!row) throw notFound()
      const owner = await trx
        .selectFrom('repository')
        .innerJoin('account', 'account.id', 'repository.owner_id')
        .select(['account.id', 'kind', 'account.name', 'role', 'repository.name as repository_name'])
        .where('repository.id', '=', row.repository_id ?? 0)
        .executeTakeFirst()
      await trx.deleteFrom('ssh_key').where('id', '=', id).execute()
      const place = owner
        ? auditRepository({ id: row.repository_id!, owner: toPerson(owner), name: owner.repository_name })
        : auditUser({ id: row.account_id, login: row.added_by })
      await recordKeyAudit(trx, clock.now(), actor, 'delete', row, place)
    })
  },

  /** A key that somebody signs with. */
  async removeSigning({ actor }: SiteAdmin, kind: 'ssh_signing_key' | 'gpg_key', id: number): Promise<void> {
    await store.write(async (trx) => {
      const row = await trx
        .selectFrom(kind)
        .innerJoin('account', 'account.id', 'account_id')
        .select(['account_id', 'account.name', 'fingerprint'])
        .where(`${kind}.id`, '=', id)
        .executeTakeFirst()
      if (!row) throw notFound()
      await trx.deleteFrom(kind).where('id', '=', id).execute()
      await recordAudit(trx, clock.now(), actor, {
        action: `${kind}.delete`,
        user: { id: row.account_id, name: row.name },
        data: { key_id: id, fingerprint: row.fingerprint },
      })
    })
  },
})

const toAnyKey = (row: KeyRow): AnyKey => ({
  ...toKey(row),
  userId: row.repository_id === null ? row.account_id : null,
  repositoryId: row.repository_id,
})
