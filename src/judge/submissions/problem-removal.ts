/** A problem deleted with all that hangs on it: its test cases and the submissions to it. */
import { setImmediate } from 'node:timers/promises'
import { type Actor, requireRole } from '../../accounts/actor.ts'
import { demand } from '../../base/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { type Problems, writers } from '../problems/problems.ts'
import { countingLock, type SubmissionCounts } from './submission-counts.ts'

type Needs = { store: Store; problems: Problems; counts: SubmissionCounts }

export type ProblemRemoval = ReturnType<typeof makeProblemRemoval>

export function makeProblemRemoval({ store, problems, counts }: Needs) {
  return {
    /** No switch binds it. */
    async delete(actor: Actor, uuid: string): Promise<void> {
      requireRole(actor, writers, 'delete problems')
      const problem = await problems.findOwn(actor, uuid)
      await store.write(
        async (trx) => {
          await counts.forgetProblem(trx, problem.id)
          await deleteAllOf(trx, 'submission', problem.id)
          await deleteAllOf(trx, 'test_case', problem.id)
          const { numDeletedRows } = await trx
            .deleteFrom('problem')
            .where('id', '=', problem.id)
            .executeTakeFirstOrThrow()
          demand(numDeletedRows > 0n, 'not-found', 'problem-unknown', `There is no problem ${uuid}.`)
        },
        { alone: [countingLock] },
      )
    },
  }
}

/** Some at a time, with a breath between: SQLite keeps the process busy, and reads, which see all of it or nothing, go on. */
async function deleteAllOf(trx: Db, table: 'submission' | 'test_case', problemId: number): Promise<void> {
  for (let isMore = true; isMore; ) {
    const some = trx.selectFrom(table).select('id').where('problem_id', '=', problemId).limit(deletedAtOnce)
    const { numDeletedRows } = await trx.deleteFrom(table).where('id', 'in', some).executeTakeFirstOrThrow()
    isMore = numDeletedRows > 0n
    await setImmediate()
  }
}

/** Some ten milliseconds' worth. */
const deletedAtOnce = 500
