/** Deletes an account that nobody has used: it never signed in, has no token, and nothing in the database is its own. */

import type { Db } from '../store/schema/schema.ts'
import { hasActed } from './audit/audit-log.ts'

/** False where it was used. What refers to the account without going with it makes the deletion fail. */
export async function deleteUnused(trx: Db, id: number): Promise<boolean> {
  const session = await trx
    .selectFrom('session')
    .select('account_id')
    .where('account_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  const token = await trx.selectFrom('token').select('id').where('account_id', '=', id).limit(1).executeTakeFirst()
  if (session || token || (await hasActed(trx, id))) return false
  const { numDeletedRows } = await trx.deleteFrom('account').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
