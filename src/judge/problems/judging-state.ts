/** The part of a problem's judging settings that is stored in its own row, since the queue and every list read it. */
import { createHash } from 'node:crypto'
import type { Db } from '../../store/schema/schema.ts'
import type { FeatureSet } from '../features.ts'

export type JudgingState = {
  readonly isHeld: boolean
  readonly needs: FeatureSet
  readonly languageFactors: readonly { readonly language: string; readonly timeFactor: number }[]
}

/**
 * Changes whenever the judging settings of the problem or of a test change, or the tests do, and is unique to the
 * problem: executors use it as a cache key, and points belong to one such state. `state` is a hash chained over all
 * changes, so that a change costs the same however many tests there are.
 */
export const hashJudging = (uuid: string, state: string, testHash: string): string =>
  createHash('sha256').update(`${uuid}\n${state}\n${testHash}`).digest('hex')

/** `change` is a text that describes the change. The caller has locked the problem. */
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
    // The change may have repaired the fault.
    last_fault: null,
  }
  await trx
    .updateTable('problem')
    .set({ judging_state: createHash('sha256').update(`${before}\n`).update(change).digest('hex'), ...columns })
    .where('id', '=', problemId)
    .execute()
}

/** The latest failure of the checker or the interactor since the judging settings were changed. */
export type LastFault = { readonly submissionId: number; readonly at: number; readonly message: string }

const mostMessageLength = 500

/** Counts a failure of the problem's checker or interactor; the author sees the first line of its message. */
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
