/** Students who left a class or were removed from it. What counted until then stays in its results. */
import { sql } from 'kysely'
import type { Db } from '../../store/schema/schema.ts'
import { selectCounted } from '../sheet-access/left-work.ts'

type Place = { readonly classId: number; readonly accountId: number }

/** Ends a membership. Teachers, and students who never accepted, leave nothing behind. */
export async function endMembership(
  trx: Db,
  { classId, accountId, leftAt }: Place & { readonly leftAt: number },
): Promise<void> {
  const noted = await trx
    .insertInto('class_left')
    .columns(['class_id', 'account_id', 'roster_name', 'is_created_here', 'joined_at', 'left_at'])
    .expression((eb) =>
      eb
        .selectFrom('class_member')
        .select(['class_id', 'account_id', 'roster_name', 'is_created_here', 'joined_at'])
        .select(sql<number>`cast(${leftAt} as bigint)`.as('left_at'))
        .where('class_id', '=', classId)
        .where('account_id', '=', accountId)
        .where('role', '=', 'student')
        .where('is_invited', '=', 0),
    )
    .executeTakeFirst()
  if (!noted.numInsertedOrUpdatedRows)
    await trx.deleteFrom('roster_detail').where('class_id', '=', classId).where('account_id', '=', accountId).execute()
  else
    await trx
      .insertInto('left_submission')
      .columns(['class_id', 'account_id', 'sheet_id', 'submission_id'])
      .expression(selectCounted(trx, classId, accountId))
      .execute()
  await trx.deleteFrom('class_member').where('class_id', '=', classId).where('account_id', '=', accountId).execute()
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
