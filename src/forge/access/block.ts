/** Whether the owner of a repository has blocked somebody, for writes that a block made at the same moment must not miss. */
import type { Actor } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import { isSiteAdmin } from './need.ts'
import { demandUnblocked } from './opening.ts'
import type { OpenRepository } from './repository.ts'

/** To block somebody, and to begin what a block ends: the one waits for the other, and finds it done. */
export const blockLock = (ownerId: number, userId: number): string => `block:${ownerId}:${userId}`

export async function isBlockedBy(db: Db, ownerId: number, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('organisation_block')
    .select('user_id')
    .where('organisation_id', '=', ownerId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

/** Looks again, within a write that has the lock: the repository was opened before it. */
export async function demandStillUnblocked(
  trx: Db,
  actor: Actor & { readonly account: { readonly id: number } },
  { owner }: Pick<OpenRepository, 'owner'>,
): Promise<void> {
  if (isSiteAdmin(actor)) return
  demandUnblocked({ isBlocking: await isBlockedBy(trx, owner.id, actor.account.id) })
}
