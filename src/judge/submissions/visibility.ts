/**
 * Which submissions an actor may know of: those to a held problem are visible to few, and sheets hide others'
 * submissions from their students.
 */
import type { SignedIn } from '../../accounts/actor.ts'
import type { Store } from '../../store/store.ts'
import { maySeeProblem, ownsProblem } from '../access.ts'
import type { FindContestAudience } from '../contest-access/live-audience.ts'
import type { SheetAccess } from '../sheet-access/sheet-access.ts'
import type { ProblemAccess } from './submission-events.ts'

/** `gone`: no submission has this id, so its author is unknown. */
export type Visibility = 'shown' | 'hidden' | 'gone'
export type FindVisibility = (ids: readonly number[]) => Promise<(actor: SignedIn, id: number) => Visibility>

export function makeSubmissionVisibility(
  { db }: Pick<Store, 'db'>,
  sheetAccess: Pick<SheetAccess, 'findAudience' | 'listCountedBeforeLeaving'>,
  findContestAudience: FindContestAudience,
): FindVisibility {
  return async (ids) => {
    if (ids.length === 0) return () => 'gone'
    const rows = await db
      .selectFrom('submission')
      .innerJoin('problem', 'problem.id', 'submission.problem_id')
      .select(['submission.id', 'submission.author_id as submitter_id', 'submission.problem_id'])
      .select(['problem.author_id', 'problem.is_held', 'submission.contest_id'])
      .where('submission.id', 'in', ids)
      .execute()
    const found = new Map(rows.map((row) => [row.id, row]))
    const audience = await sheetAccess.findAudience([...new Set(rows.map(({ problem_id }) => problem_id))])
    const held = rows.filter(({ is_held }) => is_held === 1).map(({ id }) => id)
    const counted = await sheetAccess.listCountedBeforeLeaving(held)
    const ofContests = rows.filter(({ contest_id }) => contest_id !== null).map(({ id }) => id)
    const hearsOf = await findContestAudience(ofContests)
    return (actor, id) => {
      const row = found.get(id)
      if (!row) return 'gone'
      if (row.contest_id !== null) return hearsOf(actor, id) ? 'shown' : 'hidden'
      const problem = { authorId: row.author_id, isHeld: row.is_held === 1 }
      const { id: viewerId } = actor.account
      const isOwn = row.submitter_id === viewerId
      const isThere =
        maySeeProblem(actor, problem) || audience.isOpened(row.problem_id, viewerId) || (isOwn && counted.has(id))
      const isHidden = !isOwn && !ownsProblem(actor, problem) && audience.isHidden(row.problem_id, viewerId)
      return isThere && !isHidden ? 'shown' : 'hidden'
    }
  }
}

/**
 * Who may have known of a deleted submission to one of these problems.
 */
export const makeDeletionAudience =
  (sheetAccess: Pick<SheetAccess, 'findAudience'>) =>
  async (problemIds: readonly number[]): Promise<(actor: SignedIn, problem: ProblemAccess) => boolean> => {
    const audience = await sheetAccess.findAudience(problemIds)
    return (actor, problem) => {
      const { id } = actor.account
      if (ownsProblem(actor, problem) || problem.submitterId === id) return true
      const isThere = maySeeProblem(actor, problem) || audience.isOpened(problem.id, id)
      return isThere && !audience.isHidden(problem.id, id)
    }
  }
