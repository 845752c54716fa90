/** Problems found by name and tag over JSON-RPC, and zips whose folders become groups, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { type Cast, type JudgeStage, makeProblem, page, startJudge } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { makeZip } from '../../support/zip.ts'

for (const engine of engines)
  describe(`problems found on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
    })
    after(() => stage.stop())

    const find = async (by: RpcClient, over: object): Promise<string[]> => {
      const found = await by.call('find_problem_snippet_list', { ...page(), ...over })
      assert.equal(found.TotalProblemCount, found.ProblemSnippetList.length)
      return found.ProblemSnippetList.map(({ DisplayName }: Json) => DisplayName)
    }

    test('problems are found by a part of the name and by tag; held ones by their author', async () => {
      const cycle = await makeProblem(cast.setter, { DisplayName: 'Zyklus 100%' })
      const path = await makeProblem(cast.setter, { DisplayName: 'Zpath_x' })
      const held = await makeProblem(cast.setter, { DisplayName: 'Zheld' })
      await cast.setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
      const tag = (by: RpcClient, { UUID }: Json, TagList: string[]) => by.ask('put_problem_tags', { UUID, TagList })
      const { result } = await tag(cast.setter, cycle, [' Graphs', 'graphs', 'easy'])
      assert.deepEqual(result, { TagList: ['easy', 'graphs'] })
      await tag(cast.setter, path, ['graphs'])
      await tag(cast.setter, held, ['secret'])
      assert.equal((await tag(cast.colleague, path, [])).error.code, 8)
      assert.equal((await tag(cast.setter, path, Array.from({ length: 21 }, String))).error.code, -32602)
      assert.deepEqual(await find(cast.contestant, { Text: 'Z' }), ['Zpath_x', 'Zyklus 100%'])
      assert.deepEqual(await find(cast.contestant, { Text: '0%' }), ['Zyklus 100%'])
      assert.deepEqual(await find(cast.contestant, { Text: 'h_' }), ['Zpath_x'])
      assert.deepEqual(await find(cast.contestant, { Text: 'EAS' }), ['Zyklus 100%'])
      assert.deepEqual(await find(cast.contestant, { Tag: 'Graphs' }), ['Zpath_x', 'Zyklus 100%'])
      assert.deepEqual(await find(cast.contestant, { Tag: 'secret' }), [])
      assert.deepEqual(await find(cast.setter, { Tag: 'secret', IsOwn: true }), ['Zheld'])
      assert.deepEqual(await find(cast.colleague, { IsOwn: true }), [])
      assert.deepEqual((await cast.contestant.call('get_problem_tag_list')).TagList, [
        { Tag: 'graphs', ProblemCount: 2 },
        { Tag: 'easy', ProblemCount: 1 },
      ])
    })

    const pair = (name: string) => [
      { path: `${name}.in`, data: name },
      { path: `${name}.ans`, data: name },
    ]
    const cases: readonly [what: string, names: string[], expected: [input: string, open: boolean, group: string][]][] =
      [
        [
          'folders are groups and sample is open',
          ['tests/sample/1', 'tests/small/1', 'tests/large/1', 'tests/large/2'],
          [
            ['tests/sample/1', true, ''],
            ['tests/large/1', false, 'large'],
            ['tests/large/2', false, 'large'],
            ['tests/small/1', false, 'small'],
          ],
        ],
        [
          'secret is no group, what lies in it may be',
          ['data/sample/1', 'data/secret/1', 'data/secret/g1/1'],
          [
            ['data/sample/1', true, ''],
            ['data/secret/1', false, ''],
            ['data/secret/g1/1', false, 'g1'],
          ],
        ],
        ['one folder around all is none', ['my tests/1'], [['my tests/1', false, '']]],
        ['samples alone', ['samples/1'], [['samples/1', true, '']]],
      ]
    for (const [what, names, expected] of cases)
      test(`a zip keeps its folders: ${what}`, async () => {
        const { UUID } = await makeProblem(cast.setter)
        const ZippedTestData = makeZip(names.flatMap(pair)).toString('base64')
        await cast.setter.call('create_test_case_list', { ProblemUUID: UUID, ZippedTestData, KeepsFolders: true })
        const range = { ProblemUUID: UUID, ...page() }
        const { TestCaseSnippetList } = await cast.setter.call('get_problem_test_case_snippet_list', range)
        const { TestCaseJudgingList } = await cast.setter.call('get_problem_test_case_judging_list', range)
        assert.deepEqual(
          TestCaseSnippetList.map(({ Input, IsHidden }: Json, at: number) => [
            Input,
            !IsHidden,
            TestCaseJudgingList[at].Group,
          ]),
          expected,
        )
        assert.equal(TestCaseJudgingList[0].ByteCount, 2 * expected[0]![0].length)
        const { GroupList, MaximumScore } = (await cast.setter.call('get_problem_judging', { UUID })).Judging
        const groups = new Set(expected.map(([, , group]) => group).filter(Boolean))
        assert.deepEqual(new Set(GroupList.map(({ Name }: Json) => Name)), groups)
        const sum = GroupList.reduce((all: number, one: Json) => all + one.MaximumScore, 0)
        if (groups.size > 0) assert.equal(sum, MaximumScore)
      })
  })
