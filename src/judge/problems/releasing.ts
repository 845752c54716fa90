/** Releases held problems to everybody when the contest that they were held for ends. */
import type { Db } from '../../store/schema/schema.ts'

export type ReleaseProblems = (trx: Db, ids: readonly number[]) => Promise<void>

export const releaseProblems: ReleaseProblems = async (trx, ids) => {
  if (ids.length === 0) return
  await trx.updateTable('problem').set({ is_held: 0 }).where('id', 'in', ids).where('is_held', '=', 1).execute()
}
