/** Deletes an account that was never used: it never signed in, has no token, and owns nothing in the database. */

import type { Db } from '../store/schema/schema.ts'
import { hasActed } from './audit/audit-log.ts'

/** Answers false if it was used. The deletion fails if a row refers to the account without being deleted with it. */
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
