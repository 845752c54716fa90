/** JSON-RPC methods of problems. */
import { Type } from 'typebox'
import type { Limits } from '../../../judge/limits.ts'
import type { Problems } from '../../../judge/problems/problems.ts'
import type { Statements } from '../../../judge/statements/statements.ts'
import type { ProblemDeletion } from '../../../judge/submissions/problem-deletion.ts'
import { defineMethod, type Method } from '../method.ts'
import { Empty, PageParams, toPage, Uint64, Uuid } from '../shapes/basic-shapes.ts'
import {
  ProblemSchema,
  ProblemSnippetSchema,
  presentProblem,
  presentProblemSnippet,
  problemFields,
  toExamples,
} from '../shapes/problem-shapes.ts'

const result = Type.Object({ Problem: ProblemSchema })
const listResult = Type.Object({ TotalProblemCount: Uint64, ProblemSnippetList: Type.Array(ProblemSnippetSchema) })

const statement = Type.Object({ HTML: Type.String() })

type Needs = { problems: Problems; problemDeletion: ProblemDeletion; statements: Statements; limits: Limits }

export const problemMethods = ({ problems, problemDeletion, statements, limits }: Needs): Method[] => [
  defineMethod({
    name: 'create_problem',
    summary: 'Makes a problem, which has no test cases yet.',
    params: Type.Object(problemFields(limits)),
    result,
    async run({ actor }, params) {
      const draft = {
        displayName: params.DisplayName,
        description: params.Description,
        timeLimitMs: params.TimeLimitInMillisecond,
        memoryLimitBytes: params.MemoryLimitInByte,
        examples: toExamples(params.ExampleList),
      }
      return { Problem: presentProblem(await problems.create(actor, draft)) }
    },
  }),

  defineMethod({
    name: 'get_problem',
    summary: 'Reads one problem.',
    params: Type.Object({ UUID: Uuid }),
    result,
    async run({ actor }, { UUID }) {
      return { Problem: presentProblem(await problems.get(actor, UUID)) }
    },
  }),

  defineMethod({
    name: 'get_problem_statement',
    summary: 'A problem’s Description as safe HTML, its maths as MathML.',
    params: Type.Object({ UUID: Uuid }),
    result: statement,
    async run({ actor }, { UUID }) {
      return { HTML: await statements.get(actor, UUID) }
    },
  }),

  defineMethod({
    name: 'preview_statement',
    summary: 'Previews a Description as get_problem_statement would show it.',
    nullIsAbsent: true,
    params: Type.Object({ Description: problemFields(limits).Description, UUID: Type.Optional(Uuid) }),
    result: statement,
    async run({ actor }, { Description, UUID }) {
      return { HTML: await statements.preview(actor, Description, UUID) }
    },
  }),

  defineMethod({
    name: 'get_problem_snippet_list',
    summary: 'Lists problems, newest first.',
    params: Type.Object(PageParams),
    result: listResult,
    async run({ actor }, params) {
      const { total, items } = await problems.list(actor, toPage(params))
      return { TotalProblemCount: total, ProblemSnippetList: items.map(presentProblemSnippet) }
    },
  }),

  defineMethod({
    name: 'get_account_problem_snippet_list',
    summary: 'Lists the problems an account made, newest first.',
    params: Type.Object({ AccountID: Uint64, ...PageParams }),
    result: listResult,
    async run({ actor }, params) {
      const { total, items } = await problems.listOf(actor, params.AccountID, toPage(params))
      return { TotalProblemCount: total, ProblemSnippetList: items.map(presentProblemSnippet) }
    },
  }),

  defineMethod({
    name: 'update_problem',
    summary: 'Changes the given parts of a problem.',
    nullIsAbsent: true,
    params: Type.Object({ UUID: Uuid, ...Type.Partial(Type.Object(problemFields(limits))).properties }),
    result,
    async run({ actor }, params) {
      const { UUID, DisplayName, Description, TimeLimitInMillisecond, MemoryLimitInByte, ExampleList } = params
      const change = {
        ...(DisplayName !== undefined && { displayName: DisplayName }),
        ...(Description !== undefined && { description: Description }),
        ...(TimeLimitInMillisecond !== undefined && { timeLimitMs: TimeLimitInMillisecond }),
        ...(MemoryLimitInByte !== undefined && { memoryLimitBytes: MemoryLimitInByte }),
        ...(ExampleList !== undefined && { examples: toExamples(ExampleList) }),
      }
      return { Problem: presentProblem(await problems.update(actor, UUID, change)) }
    },
  }),

  defineMethod({
    name: 'delete_problem',
    summary: 'Deletes a problem with its test cases and submissions.',
    params: Type.Object({ UUID: Uuid }),
    result: Empty,
    async run({ actor }, { UUID }) {
      await problemDeletion.delete(actor, UUID)
      return {}
    },
  }),
]
