/** Audit entries of SSH keys: those of users, and those of repositories. */
import type { Selectable } from 'kysely'
import type { SignedIn } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { SshKeyTable } from '../../store/schema/key-tables.ts'
import type { Db } from '../../store/schema/schema.ts'
import { auditRepository, type auditUser } from '../access/audit-place.ts'
import type { Person } from '../person.ts'

type KeyPlace = ReturnType<typeof auditRepository> | ReturnType<typeof auditUser>
type AuditedKey = Pick<Selectable<SshKeyTable>, 'id' | 'title' | 'fingerprint' | 'is_read_only'>

export const recordKeyAudit = (
  trx: Db,
  now: number,
  actor: SignedIn,
  act: 'create' | 'delete',
  { id, title, fingerprint, is_read_only }: AuditedKey,
  place: KeyPlace,
) =>
  recordAudit(trx, now, actor, {
    action: `public_key.${act}`,
    ...place,
    data: { key_id: id, title, fingerprint, read_only: is_read_only === 1 },
  })

/** Ends the deploy keys that a blocked user has added to an organisation's repositories: they act in the user's name. */
export async function endDeployKeys(
  trx: Db,
  { actor, owner, user, now }: { actor: SignedIn; owner: Person; user: Person; now: number },
): Promise<void> {
  const rows = await trx
    .selectFrom('ssh_key')
    .innerJoin('repository', 'repository.id', 'ssh_key.repository_id')
    .selectAll('ssh_key')
    .select('repository.name')
    .where('ssh_key.account_id', '=', user.id)
    .where('repository.owner_id', '=', owner.id)
    .execute()
  for (const row of rows) {
    await trx.deleteFrom('ssh_key').where('id', '=', row.id).execute()
    const place = auditRepository({ id: row.repository_id!, owner, name: row.name })
    await recordKeyAudit(trx, now, actor, 'delete', row, place)
  }
}
