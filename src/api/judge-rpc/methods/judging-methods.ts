/** JSON-RPC methods of how problems and tests are judged. */
import { Type } from 'typebox'
import type { Limits } from '../../../judge/limits.ts'
import type { ProblemJudgings } from '../../../judge/problem-judging/problem-judgings.ts'
import type { TestJudgings } from '../../../judge/problem-judging/test-judgings.ts'
import { defineMethod, type Method } from '../method.ts'
import { PageParams, toPage, Uint64, Uuid } from '../shapes/basic-shapes.ts'
import {
  JudgingChange,
  JudgingSchema,
  nullableJudgingMembers,
  nullableTestJudgingMembers,
  presentJudging,
  presentTestJudging,
  TestJudgingSchema,
  testJudgingFields,
  toJudgingChange,
  toScore,
} from '../shapes/judging-shapes.ts'

const ofTest = Type.Object({ TestCaseJudging: TestJudgingSchema })

type Needs = { judgings: ProblemJudgings; testJudgings: TestJudgings; limits: Limits }

export const judgingMethods = ({ judgings, testJudgings, limits }: Needs): Method[] => {
  const ofProblem = Type.Object({ Judging: JudgingSchema(limits) })
  return [
    defineMethod({
      name: 'get_problem_judging',
      summary: 'How a problem is judged; its programs are for those who keep the problem, and for executors.',
      params: Type.Object({ UUID: Uuid }),
      result: ofProblem,
      async run(call, { UUID }) {
        return { Judging: presentJudging(await judgings.get(call.actor, UUID, (bytes) => call.reserve(2 * bytes))) }
      },
    }),

    defineMethod({
      name: 'update_problem_judging',
      summary: 'Changes the given parts of how a problem is judged; earlier results stay as they are.',
      nullIsAbsent: { except: nullableJudgingMembers },
      params: Type.Object({ UUID: Uuid, Judging: JudgingChange(limits) }),
      result: ofProblem,
      async run({ actor }, { UUID, Judging }) {
        return { Judging: presentJudging(await judgings.update(actor, UUID, toJudgingChange(Judging, limits))) }
      },
    }),

    defineMethod({
      name: 'get_test_case_judging',
      summary: 'How one test case is judged: its group, its points, its checker’s arguments.',
      params: Type.Object({ UUID: Uuid }),
      result: ofTest,
      async run({ actor }, { UUID }) {
        return { TestCaseJudging: presentTestJudging(await testJudgings.get(actor, UUID)) }
      },
    }),

    defineMethod({
      name: 'update_test_case_judging',
      summary: 'Changes the given parts of how a test case is judged.',
      nullIsAbsent: { except: nullableTestJudgingMembers },
      params: Type.Object({ UUID: Uuid, ...Type.Partial(Type.Object(testJudgingFields)).properties }),
      result: ofTest,
      async run({ actor }, { UUID, Group, Points, ArgumentList }) {
        const change = {
          ...(Group !== undefined && { group: Group }),
          ...(Points !== undefined && { points: toScore(Points) }),
          ...(ArgumentList !== undefined && { arguments: ArgumentList }),
        }
        return { TestCaseJudging: presentTestJudging(await testJudgings.update(actor, UUID, change)) }
      },
    }),

    defineMethod({
      name: 'get_problem_test_case_judging_list',
      summary: 'Lists how the test cases of a problem are judged, in judging order.',
      params: Type.Object({ ProblemUUID: Uuid, ...PageParams }),
      result: Type.Object({ TotalTestCaseCount: Uint64, TestCaseJudgingList: Type.Array(TestJudgingSchema) }),
      async run({ actor }, params) {
        const { total, items } = await testJudgings.list(actor, params.ProblemUUID, toPage(params))
        return { TotalTestCaseCount: total, TestCaseJudgingList: items.map(presentTestJudging) }
      },
    }),
  ]
}
