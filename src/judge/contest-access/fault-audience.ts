/** Decides whether a problem's author sees that a checker failed on a contest submission: only on its jury. */
import type { Db } from '../../store/schema/schema.ts'

type Judged = { readonly contest_id: number | null; readonly problem_id: number }

/** Even a count of failures would reveal to others how a frozen submission was judged. */
export async function isFaultShown(trx: Db, { contest_id, problem_id }: Judged): Promise<boolean> {
  if (contest_id === null) return true
  const author = await trx
    .selectFrom('problem')
    .innerJoin('account', 'account.id', 'problem.author_id')
    .select(['account.id', 'account.role'])
    .where('problem.id', '=', problem_id)
    .executeTakeFirst()
  if (!author || author.role === 'admin') return true
  const contest = await trx.selectFrom('contest').select('owner_id').where('id', '=', contest_id).executeTakeFirst()
  if (contest?.owner_id === author.id) return true
  const ofJury = await trx
    .selectFrom('contest_person')
    .select('role')
    .where('contest_id', '=', contest_id)
    .where('account_id', '=', author.id)
    .where('role', '=', 'jury')
    .executeTakeFirst()
  return ofJury !== undefined
}
