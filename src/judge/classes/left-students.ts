/** Students who left by themselves. What counted while they were in the class stays: leaving does not make it deletable. */
import type { Account } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'

type Leaving = {
  readonly classId: number
  readonly account: Account
  readonly isCreatedHere: boolean
  readonly leftAt: number
}

export async function noteLeft(trx: Db, { classId, account, isCreatedHere, leftAt }: Leaving): Promise<void> {
  await trx
    .insertInto('class_left')
    .values({ class_id: classId, account_id: account.id, is_created_here: Number(isCreatedHere), left_at: leftAt })
    .execute()
}

/** Whoever comes back is no longer one who left. Answers whether the roster of this class created the account (1 or 0). */
export async function takeLeft(trx: Db, classId: number, accountId: number): Promise<number> {
  const row = await trx
    .deleteFrom('class_left')
    .where('class_id', '=', classId)
    .where('account_id', '=', accountId)
    .returning('is_created_here')
    .executeTakeFirst()
  return row?.is_created_here ?? 0
}
