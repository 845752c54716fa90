/** Checks within a write whether a repository's owner blocks somebody: a block made just now must not be missed. */
import type { Actor } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'
import { demandUnblocked } from './opening.ts'
import type { OpenRepository } from './repository.ts'
import { isSiteAdmin } from './required-grant.ts'

/** The lock for blocking somebody, and for starting anything that a block ends: each sees the other's result. */
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

/** Checks again within a write that holds the lock: the repository was opened before that. */
export async function demandStillUnblocked(
  trx: Db,
  actor: Actor & { readonly account: { readonly id: number } },
  { owner }: Pick<OpenRepository, 'owner'>,
): Promise<void> {
  if (isSiteAdmin(actor)) return
  demandUnblocked({ isBlocking: await isBlockedBy(trx, owner.id, actor.account.id) })
}
