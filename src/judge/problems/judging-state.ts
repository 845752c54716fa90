/** What of a problem's judging is kept with the problem itself: the queue and every list look at it. */
import { createHash } from 'node:crypto'
import type { Db } from '../../store/schema/schema.ts'
import type { FeatureSet } from '../features.ts'

export type JudgingState = {
  readonly isHeld: boolean
  readonly needs: FeatureSet
  readonly languageFactors: readonly { readonly language: string; readonly timeFactor: number }[]
}

/**
 * Changes whenever anything about how the problem or one of its tests is judged does, or its tests do, and is no other
 * problem's: executors cache by it, and points are those of one such state. `state` is a hash over all changes, one after
 * another, so that a change costs the same however many tests there are.
 */
export const hashJudging = (uuid: string, state: string, testHash: string): string =>
  createHash('sha256').update(`${uuid}\n${state}\n${testHash}`).digest('hex')

/** `change` is a text that tells what changed. The caller has locked the problem. */
export async function noteJudgingChange(
  trx: Db,
  problemId: number,
  change: string,
  state?: JudgingState & { readonly updatedAt: number },
): Promise<void> {
  const { judging_state: before } = await trx
    .selectFrom('problem')
    .select('judging_state')
    .where('id', '=', problemId)
    .executeTakeFirstOrThrow()
  const columns = state && {
    is_held: Number(state.isHeld),
    needs: state.needs,
    time_factors: JSON.stringify(state.languageFactors),
    updated_at: state.updatedAt,
    // What failed may be mended by now.
    last_fault: null,
  }
  await trx
    .updateTable('problem')
    .set({ judging_state: createHash('sha256').update(`${before}\n`).update(change).digest('hex'), ...columns })
    .where('id', '=', problemId)
    .execute()
}

/** How the checker or the interactor failed last, since the problem's judging was changed. */
export type LastFault = { readonly submissionId: number; readonly at: number; readonly message: string }

const mostMessageLength = 500

/** The checker or the interactor of the problem failed: its author is told the first line of what is known. */
export async function countFault(trx: Db, problemId: number, fault: LastFault): Promise<void> {
  const [message = ''] = fault.message.split('\n', 1)
  const stored: LastFault = { ...fault, message: message.slice(0, mostMessageLength) }
  await trx
    .updateTable('problem')
    .set((eb) => ({ fault_count: eb('fault_count', '+', 1), last_fault: JSON.stringify(stored) }))
    .where('id', '=', problemId)
    .execute()
}

export const readLastFault = (stored: string | null): LastFault | null =>
  stored === null ? null : (JSON.parse(stored) as LastFault)

export async function countHeld(trx: Db, authorId: number): Promise<number> {
  const { count } = await trx
    .selectFrom('problem')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('author_id', '=', authorId)
    .where('is_held', '=', 1)
    .executeTakeFirstOrThrow()
  return Number(count)
}
