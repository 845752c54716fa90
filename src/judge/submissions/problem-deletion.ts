/** Deletes a problem with its test cases and submissions. */
import { setImmediate } from 'node:timers/promises'
import type { Actor, SignedIn } from '../../accounts/actor.ts'
import { demand } from '../../lib/failure.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { requireAct } from '../access.ts'
import type { Problems } from '../problems/problems.ts'
import { countingLock, type SubmissionCounts } from './submission-counts.ts'
import type { SubmissionEventPublisher } from './submission-events.ts'

type Needs = {
  store: Store
  problems: Problems
  counts: SubmissionCounts
  events: SubmissionEventPublisher
  /** Fails if it counts in a sheet. */
  demandOffSheets(trx: Db, actor: SignedIn, problemId: number): Promise<void>
  /** Fails if a contest needs it. */
  withdrawFromContests(trx: Db, actor: SignedIn, problemId: number): Promise<void>
}

export type ProblemDeletion = ReturnType<typeof makeProblemDeletion>

export function makeProblemDeletion(needs: Needs) {
  const { store, problems, counts, events, demandOffSheets, withdrawFromContests } = needs
  return {
    /** In the contract no switch applies to deletion. */
    async delete(actor: Actor, uuid: string): Promise<void> {
      requireAct(actor, 'deleteProblem')
      const problem = await problems.findOwn(actor, uuid)
      const portions = await store.write(
        async (trx) => {
          await demandOffSheets(trx, actor, problem.id)
          await withdrawFromContests(trx, actor, problem.id)
          await counts.forgetProblem(trx, problem.id)
          const deleted = await inPortions(() => deleteSubmissions(trx, problem.id))
          await inPortions(() => deleteTestCases(trx, problem.id))
          const { numDeletedRows } = await trx
            .deleteFrom('problem')
            .where('id', '=', problem.id)
            .executeTakeFirstOrThrow()
          demand(numDeletedRows > 0n, 'not-found', 'problem-unknown', `There is no problem ${uuid}.`)
          return deleted
        },
        { locks: [countingLock] },
      )
      for (const portion of portions) {
        events.publishDeleted(portion, problem)
        await setImmediate()
      }
    },
  }
}

async function deleteSubmissions(trx: Db, problemId: number): Promise<number[]> {
  const some = trx.selectFrom('submission').select('id').where('problem_id', '=', problemId).limit(deletedAtOnce)
  const deleted = await trx.deleteFrom('submission').where('id', 'in', some).returning('id').execute()
  return deleted.map(({ id }) => id)
}

async function deleteTestCases(trx: Db, problemId: number): Promise<number[]> {
  const some = trx.selectFrom('test_case').select('id').where('problem_id', '=', problemId).limit(deletedAtOnce)
  const deleted = await trx.deleteFrom('test_case').where('id', 'in', some).returning('id').execute()
  return deleted.map(({ id }) => id)
}

/**
 * Yields to the event loop between portions, because SQLite blocks it. Reads go on meanwhile, and see all of the
 * transaction or nothing.
 */
async function inPortions(deleteSome: () => Promise<number[]>): Promise<number[][]> {
  const portions: number[][] = []
  for (;;) {
    const ids = await deleteSome()
    if (ids.length === 0) return portions
    portions.push(ids)
    await setImmediate()
  }
}

/** Deleting 500 rows takes about ten milliseconds. */
const deletedAtOnce = 500
