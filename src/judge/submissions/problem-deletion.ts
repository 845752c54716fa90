/** Deleting a problem together with its test cases and the submissions to it. */
import { setImmediate } from 'node:timers/promises'
import type { Actor } from '../../accounts/actor.ts'
import { demand } from '../../base/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import { countingLock, type SubmissionCounts } from './submission-counts.ts'

type Needs = { store: Store; problems: Problems; counts: SubmissionCounts }

export type ProblemDeletion = ReturnType<typeof makeProblemDeletion>

export function makeProblemDeletion({ store, problems, counts }: Needs) {
  return {
    /** The contract binds this to no switch. */
    async delete(actor: Actor, uuid: string): Promise<void> {
      requireAct(actor, 'deleteProblem')
      const problem = await problems.findOwn(actor, uuid)
      await store.write(
        async (trx) => {
          await counts.forgetProblem(trx, problem.id)
          await inPortions(() => deleteSubmissions(trx, problem.id))
          await inPortions(() => deleteTestCases(trx, problem.id))
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

function deleteSubmissions(trx: Db, problemId: number) {
  const some = trx.selectFrom('submission').select('id').where('problem_id', '=', problemId).limit(deletedAtOnce)
  return trx.deleteFrom('submission').where('id', 'in', some).executeTakeFirstOrThrow()
}

function deleteTestCases(trx: Db, problemId: number) {
  const some = trx.selectFrom('test_case').select('id').where('problem_id', '=', problemId).limit(deletedAtOnce)
  return trx.deleteFrom('test_case').where('id', 'in', some).executeTakeFirstOrThrow()
}

/** Yields to the event loop between portions: SQLite keeps the process busy, and reads, which see all of the transaction or nothing, go on meanwhile. */
async function inPortions(deleteSome: () => Promise<{ numDeletedRows: bigint }>): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = (await deleteSome()).numDeletedRows > 0n
    await setImmediate()
  }
}

/** Deleting 500 rows takes about ten milliseconds. */
const deletedAtOnce = 500
