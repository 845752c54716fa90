/**
 * Students who left by themselves. Submissions that counted while they were members stay: leaving does not make them
 * deletable.
 */
import type { Account } from '../../accounts/actor.ts'
import type { Db } from '../../store/schema/schema.ts'

type Leaving = {
  readonly classId: number
  readonly account: Account
  readonly isCreatedHere: boolean
  /** 0 if nothing counted until then. */
  readonly leftAt: number
}

export async function noteLeft(trx: Db, { classId, account, isCreatedHere, leftAt }: Leaving): Promise<void> {
  await trx
    .insertInto('class_left')
    .values({ class_id: classId, account_id: account.id, is_created_here: Number(isCreatedHere), left_at: leftAt })
    .execute()
}

/** Deletes the record of a student who comes back. Returns whether this class's roster created the account (1 or 0). */
export async function takeLeft(trx: Db, classId: number, accountId: number): Promise<number> {
  const row = await trx
    .deleteFrom('class_left')
    .where('class_id', '=', classId)
    .where('account_id', '=', accountId)
    .returning('is_created_here')
    .executeTakeFirst()
  return row?.is_created_here ?? 0
}
