/** Judging settings of single tests: read and set one by one, and listed for executors. */
import type { Actor } from '../../accounts/actor.ts'
import { demand, Failure } from '../../lib/failure.ts'
import { findTokensFault } from '../../lib/judging-rules/token-arguments.ts'
import type { Page, PageRequest } from '../../lib/page.ts'
import type { Db } from '../../store/schema/schema.ts'
import type { Store } from '../../store/store.ts'
import { demandJudging, requireReader } from '../access.ts'
import { noteJudgingChange } from '../problems/judging-state.ts'
import type { Problems } from '../problems/problems.ts'
import { reservePositions } from '../problems/test-list.ts'
import type { TestCases } from '../test-cases/test-cases.ts'
import {
  type ListedTestJudging,
  listTestJudging,
  readTestJudging,
  saveTestJudging,
  type TestJudging,
} from '../test-cases/test-judging.ts'
import { readSettings } from './judging-row.ts'

type Needs = { store: Store; problems: Problems; testCases: TestCases }

export type TestJudgings = ReturnType<typeof makeTestJudgings>

export function makeTestJudgings({ store, problems, testCases }: Needs) {
  async function demandTest(db: Db, id: number, uuid: string): Promise<ListedTestJudging> {
    const test = await readTestJudging(db, id)
    demand(test, 'not-found', 'test-case-unknown', `There is no test case ${uuid}.`)
    return test
  }

  return {
    async get(actor: Actor, uuid: string): Promise<ListedTestJudging> {
      requireReader(actor)
      const test = await testCases.findShown(actor, uuid)
      demandJudging(actor, { authorId: test.author_id })
      return demandTest(store.db, test.id, uuid)
    },

    async update(actor: Actor, uuid: string, change: Partial<TestJudging>): Promise<ListedTestJudging> {
      const { id, problem_id: problemId } = await testCases.findOwn(actor, uuid)
      return store.write(async (trx) => {
        await reservePositions(trx, problemId, 0)
        const before = await demandTest(trx, id, uuid)
        const after = { ...before, ...change }
        await demandFitting(trx, problemId, change)
        await saveTestJudging(trx, id, after)
        await noteJudgingChange(trx, problemId, JSON.stringify(after))
        return after
      })
    },

    /** In judging order. */
    async list(actor: Actor, problemUuid: string, page: PageRequest): Promise<Page<ListedTestJudging>> {
      requireReader(actor)
      const problem = await problems.find(actor, problemUuid)
      demandJudging(actor, problem)
      const { test_count: total } = await store.db
        .selectFrom('problem')
        .select('test_count')
        .where('id', '=', problem.id)
        .executeTakeFirstOrThrow()
      return { total, items: await listTestJudging(store.db, problem.id, page) }
    },
  }
}

async function demandFitting(trx: Db, problemId: number, { group, arguments: list }: Partial<TestJudging>) {
  if (!group && !list) return
  const { groups, checker } = await readSettings(trx, problemId)
  if (group && !groups.some(({ name }) => name === group)) {
    const message = `The problem has no group ${JSON.stringify(group)}: name it in GroupList first (update_problem_judging).`
    throw new Failure('precondition', 'group-unknown', message)
  }
  const wrong = checker.kind === 'tokens' && list ? findTokensFault(list) : undefined
  if (!wrong) return
  const faults = [{ field: 'ArgumentList', reason: wrong }]
  throw new Failure('invalid', 'arguments-invalid', `ArgumentList ${wrong}.`, { faults })
}
