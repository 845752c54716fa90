/** Audit entries about single sign-on, with the public platform's names and without secrets. */
import type { Actor } from '../../accounts/actor.ts'
import { type AuditAct, recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Db } from '../../store/schema/schema.ts'

type Subject = { readonly organisationId: number; readonly userId?: number }

export async function recordSignOnAct(
  trx: Db,
  now: number,
  actor: Actor,
  action: string,
  { organisationId, userId = 0 }: Subject,
  data: NonNullable<AuditAct['data']> = {},
): Promise<void> {
  const rows = await trx
    .selectFrom('account')
    .select(['id', 'name'])
    .where('id', 'in', [organisationId, userId])
    .execute()
  const organisation = rows.find(({ id }) => id === organisationId)
  const user = rows.find(({ id }) => id === userId)
  await recordAudit(trx, now, actor, { action, organisation, user, data })
}
