/** Gives a user a level of a repository at once, within another write: no invitation to accept. */
import type { Actor } from '../../accounts/actor.ts'
import { recordAudit } from '../../accounts/audit/audit-log.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Db } from '../../store/schema/schema.ts'
import { auditRepository, auditUser } from '../access/audit-place.ts'
import { type Level, rankOf } from '../access/level.ts'
import type { Repository } from '../access/repository.ts'
import type { ActivityRecord } from '../activity/activity.ts'

export type DirectGrant = Pick<Repository, 'id' | 'owner' | 'name'>
export type GrantWithin = (
  trx: Db,
  actor: Actor & { readonly account: { readonly id: number } },
  repository: DirectGrant,
  userId: number,
  level: Exclude<Level, 'none'>,
) => Promise<void>

export const makeGrantWithin =
  ({ clock, activity }: { clock: Clock; activity: ActivityRecord }): GrantWithin =>
  async (trx, actor, repository, userId, level) => {
    const now = clock.now()
    const user = await trx
      .selectFrom('account')
      .select(['id', 'name'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow()
    await trx
      .insertInto('collaborator')
      .values({ repository_id: repository.id, user_id: userId, rank: rankOf(level), created_at: now })
      .onConflict((conflict) => conflict.columns(['repository_id', 'user_id']).doUpdateSet({ rank: rankOf(level) }))
      .execute()
    const what = { actorId: actor.account.id, repositoryId: repository.id, subjectId: userId }
    await activity.record(trx, { kind: 'collaborator-added', ...what, data: { level } })
    const place = { ...auditRepository(repository), ...auditUser({ id: user.id, login: user.name }) }
    await recordAudit(trx, now, actor, { action: 'repo.add_member', ...place, data: { permission: level } })
  }
