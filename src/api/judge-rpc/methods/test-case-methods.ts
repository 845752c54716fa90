/** JSON-RPC methods of test cases. */

import { Type } from 'typebox'
import type { Limits } from '../../../judge/limits.ts'
import type { TestCases } from '../../../judge/test-cases/test-cases.ts'
import { asText } from '../long-text.ts'
import { defineMethod, type Method } from '../method.ts'
import { Base64, Empty, PageParams, toPage, Uint64, Uuid } from '../shapes/basic-shapes.ts'
import { presentTestCase, TestCaseSchema, testCaseFields } from '../shapes/problem-shapes.ts'
import { withZip } from '../zip-param.ts'

const snippet = Type.Object({ TestCaseSnippet: TestCaseSchema })

export const testCaseMethods = (testCases: TestCases, limits: Limits): Method[] => [
  defineMethod({
    name: 'create_test_case',
    summary: 'Adds a test case after those that are there.',
    params: Type.Object({ ProblemUUID: Uuid, ...testCaseFields(limits) }),
    result: snippet,
    async run({ actor }, { ProblemUUID, Input, Output, IsHidden }) {
      const draft = { input: Buffer.from(Input), output: Buffer.from(Output), isHidden: IsHidden }
      return { TestCaseSnippet: presentTestCase(await testCases.create(actor, ProblemUUID, draft)) }
    },
  }),

  defineMethod({
    name: 'create_test_case_list',
    summary: 'Adds the test cases of a zip archive, all or none; all hidden, or with KeepsFolders each folder a group.',
    nullIsAbsent: true,
    params: Type.Object({
      ProblemUUID: Uuid,
      ZippedTestData: Base64(limits.archiveBytes),
      KeepsFolders: Type.Optional(Type.Boolean()),
    }),
    result: Empty,
    async run({ actor, uploads }, { ProblemUUID, ZippedTestData, KeepsFolders = false }) {
      await withZip({ name: 'ZippedTestData', text: ZippedTestData, uploads, limits }, (zip) =>
        testCases.createFromArchive(actor, ProblemUUID, zip, KeepsFolders),
      )
      return {}
    },
  }),

  defineMethod({
    name: 'get_problem_test_case_snippet_list',
    summary: 'Lists the test cases of a problem in judging order, with the first 100 characters of each text.',
    params: Type.Object({ ProblemUUID: Uuid, ...PageParams }),
    result: Type.Object({ TotalTestCaseCount: Uint64, TestCaseSnippetList: Type.Array(TestCaseSchema) }),
    async run({ actor }, params) {
      const { total, items } = await testCases.list(actor, params.ProblemUUID, toPage(params))
      return { TotalTestCaseCount: total, TestCaseSnippetList: items.map((item) => presentTestCase(item)) }
    },
  }),

  defineMethod({
    name: 'get_test_case',
    summary: 'Reads one test case; a hidden one has empty texts for those who may not see it.',
    params: Type.Object({ UUID: Uuid }),
    result: Type.Object({ TestCase: TestCaseSchema }),
    async run(call, { UUID }) {
      const test = await testCases.get(call.actor, UUID, (bytes) => call.reserve(bytes))
      return { TestCase: presentTestCase(test, asText) }
    },
  }),

  defineMethod({
    name: 'update_test_case',
    summary: 'Changes the given parts of a test case; it keeps its place.',
    nullIsAbsent: true,
    params: Type.Object({ UUID: Uuid, ...Type.Partial(Type.Object(testCaseFields(limits))).properties }),
    result: snippet,
    async run({ actor }, { UUID, Input, Output, IsHidden }) {
      const change = {
        ...(Input !== undefined && { input: Buffer.from(Input) }),
        ...(Output !== undefined && { output: Buffer.from(Output) }),
        ...(IsHidden !== undefined && { isHidden: IsHidden }),
      }
      return { TestCaseSnippet: presentTestCase(await testCases.update(actor, UUID, change)) }
    },
  }),

  defineMethod({
    name: 'delete_test_case',
    summary: 'Deletes a test case.',
    params: Type.Object({ UUID: Uuid }),
    result: Empty,
    async run({ actor }, { UUID }) {
      await testCases.delete(actor, UUID)
      return {}
    },
  }),
]
