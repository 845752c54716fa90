/** Which submissions somebody may know of: those to a problem that is held are there for few. */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Store } from '../../store/store.ts'
import { maySeeProblem } from '../access.ts'

/** `gone`: there is none of this id, so nobody knows whose it was. */
export type Visibility = 'shown' | 'hidden' | 'gone'
export type FindVisibility = (ids: readonly number[]) => Promise<(actor: SignedIn, id: number) => Visibility>

export function makeSubmissionVisibility({ db }: Pick<Store, 'db'>): FindVisibility {
  return async (ids) => {
    if (ids.length === 0) return () => 'gone'
    const rows = await db
      .selectFrom('submission')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(['submission.id', 'problem.author_id', 'problem.is_held'])
      .where('submission.id', 'in', ids)
      .execute()
    const problems = new Map(
      rows.map((row) => [row.id, { authorId: row.author_id, isHeld: row.is_held === 1 }] as const),
    )
    return (actor, id) => {
      const problem = problems.get(id)
      if (!problem) return 'gone'
      return maySeeProblem(actor, problem) ? 'shown' : 'hidden'
    }
  }
}
