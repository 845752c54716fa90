/** Whether a problem may be deleted although it is on exercise sheets. */
import { isAdmin, type SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import { countingSubmissions, countingSubmissionsOfLeft, isBound } from './counted-submissions.ts'

/**
 * Fails if a published sheet has results for the problem, or the actor teaches the class of one. Anybody may put a shared
 * problem on a sheet: without results that must not prevent its deletion.
 */
export async function demandOffSheets(trx: Db, actor: SignedIn, problemId: number): Promise<void> {
  const sheets = await trx
    .selectFrom('sheet_problem')
    .innerJoin('sheet', 'sheet.id', 'sheet_problem.sheet_id')
    .innerJoin('class', 'class.id', 'sheet.class_id')
    .leftJoin('class_member as teacher', (join) =>
      join
        .onRef('teacher.class_id', '=', 'class.id')
        .on('teacher.account_id', '=', actor.account.id)
        .on('teacher.role', '=', 'teacher'),
    )
    .select(['sheet.id', 'sheet.title', 'class.name', 'teacher.account_id as teacher_id'])
    .where('sheet_problem.problem_id', '=', problemId)
    .where('sheet.is_published', '=', 1)
    .orderBy('sheet.id')
    .execute()
  for (const sheet of sheets) {
    const isOwn = sheet.teacher_id !== null || isAdmin(actor)
    const isUsed = sheet.teacher_id !== null || (await hasResults(trx, sheet.id, problemId))
    const [which, advice] = isOwn
      ? [`The sheet "${sheet.title}" of the class "${sheet.name}"`, 'remove the problem from the sheet first']
      : ['A sheet of somebody else’s class', 'ask an admin']
    demand(!isUsed, 'precondition', 'in-sheet', `${which} counts submissions to this problem: ${advice}.`)
  }
}

/** A mark, or a submission of a student to the problem since the sheet opened. */
async function hasResults(trx: Db, sheetId: number, problemId: number): Promise<boolean> {
  const mark = trx
    .selectFrom('sheet_mark')
    .select('account_id')
    .where('sheet_id', '=', sheetId)
    .where('problem_id', '=', problemId)
  if (await mark.limit(1).executeTakeFirst()) return true
  const ofMembers = countingSubmissions(trx, sheetId).where(isBound).select('submission.id')
  const ofLeft = countingSubmissionsOfLeft(trx, sheetId).select('submission.id')
  const own = await ofMembers.where('submission.problem_id', '=', problemId).limit(1).executeTakeFirst()
  return (
    (own ?? (await ofLeft.where('submission.problem_id', '=', problemId).limit(1).executeTakeFirst())) !== undefined
  )
}
