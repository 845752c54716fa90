import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Cast,
  claimMethod,
  type JudgeStage,
  makeProblem,
  makeTest,
  problemDraft,
  startJudge,
  submit,
} from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'

const mebibyte = 1024 * 1024
const badParams = -32602

/** A value at the edge of what a field takes, or just beyond it. */
type Edge = [value: unknown, isTaken: boolean]

const names = (most: number): Edge[] => [
  ['', false],
  ['x', true],
  ['🙂'.repeat(most), true],
  ['x'.repeat(most + 1), false],
  ['nul\0', false],
  ['half \ud800', false],
  [7, false],
  [null, false],
]
const wholes = (least: number, most: number): Edge[] => [
  [least - 1, false],
  [least, true],
  [most, true],
  [most + 1, false],
  [least + 0.5, false],
  [String(least), false],
  [2 ** 53, false],
]
const uuids: Edge[] = [
  ['', false],
  ['not-a-uuid', false],
  ['{6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11}', false],
  [7, false],
]
const example = (Input: string, Output = '') => ({ Input, Output })
const examples: Edge[] = [
  [[], true],
  [Array(20).fill(example('')), true],
  [Array(21).fill(example('')), false],
  [[example('x'.repeat(65_536))], true],
  [[example('x'.repeat(65_537))], false],
  [[example('', 'x'.repeat(65_537))], false],
  [[example('\ud800')], false],
  [[{ Input: '' }], false],
  [{}, false],
]
const ids: Edge[] = [
  [-1, false],
  [1.5, false],
  ['1', false],
  [2 ** 53, false],
]
const limitsOfLists: Edge[] = [
  [0, false],
  [1, true],
  [100, true],
  [101, false],
  [-1, false],
  ['10', false],
]
const offsets: Edge[] = [
  [0, true],
  [2 ** 53 - 1, true],
  [2 ** 53, false],
  [-1, false],
  [0.5, false],
]

describe('limits, each at its edge', () => {
  let stage: JudgeStage
  let cast: Cast
  let problem: Json
  let testCase: Json
  before(async () => {
    stage = await startJudge('sqlite')
    cast = stage.cast
    problem = await makeProblem(cast.setter)
    testCase = await makeTest(cast.setter, problem.UUID)
    await submit(cast.contestant, problem.UUID)
  })
  after(() => stage.stop())

  async function tryEdges(by: keyof Cast, method: string, params: () => object, field: string, edges: Edge[]) {
    for (const [value, isTaken] of edges) {
      const { error } = await cast[by].ask(method, { ...params(), [field]: value })
      const said = `${method} ${field} ${JSON.stringify(value)?.slice(0, 40)}: ${JSON.stringify(error)}`
      if (isTaken) assert.notEqual(error?.code, badParams, said)
      else {
        assert.equal(error?.code, badParams, said)
        assert.ok(error.data.Errors.length > 0, said)
        assert.ok(error.data.Errors[0].Field.startsWith(field), said)
        assert.equal(typeof error.data.Errors[0].Reason, 'string')
      }
    }
  }

  const problemFields: [string, Edge[]][] = [
    ['DisplayName', names(256)],
    [
      'Description',
      [
        ['', true],
        ['🙂'.repeat(100_000), true],
        ['x'.repeat(100_001), false],
        ['\0', false],
      ],
    ],
    ['TimeLimitInMillisecond', wholes(1, 60_000)],
    ['MemoryLimitInByte', wholes(4 * mebibyte, 8 * 1024 * mebibyte)],
    ['ExampleList', examples],
  ]
  test('of a list far too long, whose members are not looked at one by one', async () => {
    const { error } = await cast.setter.ask('create_problem', { ...problemDraft, ExampleList: Array(1_000).fill({}) })
    const fault = { Field: 'ExampleList', Reason: 'must NOT have more than 20 items' }
    assert.deepEqual([error.code, error.data.Errors], [badParams, [fault]])
  })

  for (const [field, edges] of problemFields) {
    test(`of a problem's ${field}`, async () => {
      await tryEdges('setter', 'create_problem', () => problemDraft, field, edges)
      const given = edges.filter(([value]) => value !== null)
      await tryEdges('setter', 'update_problem', () => ({ UUID: problem.UUID }), field, given)
    })
  }

  test('of a test case’s texts', async () => {
    const most = 'é'.repeat(8 * mebibyte)
    const edges: Edge[] = [
      ['', true],
      [most, true],
      [`${most}x`, false],
      ['\ud800', false],
      [7, false],
    ]
    const draft = { ProblemUUID: problem.UUID, Input: '', Output: '', IsHidden: true }
    await tryEdges('setter', 'create_test_case', () => draft, 'Input', edges)
    await tryEdges('setter', 'update_test_case', () => ({ UUID: testCase.UUID }), 'Output', edges)
    await tryEdges('setter', 'create_test_case', () => draft, 'IsHidden', [
      [1, false],
      ['true', false],
    ])
  })

  test('of a submission', async () => {
    const draft = () => ({ ProblemUUID: problem.UUID, Content: 'x', Language: 'c' })
    const edges: Edge[] = [
      ['', false],
      ['x', true],
      ['é'.repeat(32_000), true],
      [`x${'é'.repeat(32_000)}`, false],
      ['\ud800', false],
      ['a\0', true],
    ]
    await tryEdges('contestant', 'create_submission', draft, 'Content', edges)
    await tryEdges('contestant', 'create_submission', draft, 'Language', names(32))
    await tryEdges('contestant', 'create_submission', draft, 'ProblemUUID', uuids)
  })

  test('of ids, uuids, offsets and limits', async () => {
    for (const method of ['get_submission', 'delete_submission', 'get_submission_report', 'rejudge_submission']) {
      await tryEdges('admin', method, () => ({}), 'ID', ids)
    }
    for (const method of [
      'get_problem',
      'get_problem_statement',
      'get_problem_judging',
      'get_test_case_judging',
      'delete_problem',
      'get_test_case',
      'delete_test_case',
      'rejudge_problem',
    ]) {
      await tryEdges('setter', method, () => ({}), 'UUID', uuids)
    }
    const lists: Record<string, object> = {
      get_problem_snippet_list: {},
      get_account_problem_snippet_list: { AccountID: 1 },
      get_problem_test_case_snippet_list: { ProblemUUID: problem.UUID },
      get_submission_snippet_list: {},
      get_account_submission_snippet_list: { AccountID: 1 },
      get_problem_submission_snippet_list: { ProblemUUID: problem.UUID },
      get_account_problem_submission_snippet_list: { AccountID: 1, ProblemUUID: problem.UUID },
    }
    for (const [method, params] of Object.entries(lists)) {
      await tryEdges('contestant', method, () => ({ ...params, Offset: 0 }), 'Limit', limitsOfLists)
      await tryEdges('contestant', method, () => ({ ...params, Limit: 1 }), 'Offset', offsets)
      if ('AccountID' in params)
        await tryEdges('contestant', method, () => ({ ...params, Offset: 0, Limit: 1 }), 'AccountID', ids)
      if ('ProblemUUID' in params)
        await tryEdges('contestant', method, () => ({ ...params, Offset: 0, Limit: 1 }), 'ProblemUUID', uuids)
    }
  })

  test('of what executors send', async () => {
    await tryEdges('worker', 'update_submission', () => ({ ID: 1, Status: 3, Result: 1 }), 'Status', wholes(1, 3))
    await tryEdges('worker', 'update_submission', () => ({ ID: 1, Status: 1, Result: 1 }), 'Result', wholes(0, 9))
    await tryEdges('worker', 'update_submission', () => ({ ID: 1, Status: 3 }), 'Result', [[0, false]])
    await tryEdges('worker', claimMethod, () => ({ LanguageList: [] }), 'WaitMillisecond', [
      [-1, false],
      [30_001, false],
    ])
    await tryEdges('worker', 'wait_for_submission', () => ({ ID: 1 }), 'WaitMillisecond', [
      [0, true],
      [30_001, false],
    ])
  })

  test('of a contest, its parts and what is done in it', async () => {
    const year = 366 * 24 * 60 * 60_000
    const listOf = (most: number, member: unknown): Edge[] => [
      [Array(most).fill(member), true],
      [Array(most + 1).fill(member), false],
    ]
    const contest = { Name: 'Edges', Style: 'icpc', Duration: year }
    const ContestID = 'edges'
    await cast.setter.call('create_contest', { ID: ContestID, ...contest })
    const contestFields: [string, Edge[]][] = [
      ['Name', names(256).filter(([value]) => value !== null)],
      ['Duration', wholes(60_000, year)],
      ['FreezeDuration', wholes(0, year)],
      ['CountdownPause', wholes(0, year)],
      ...['PenaltyMinute', 'GoldMedalCount', 'SilverMedalCount', 'BronzeMedalCount'].map((field): [string, Edge[]] => [
        field,
        wholes(0, 10_000),
      ]),
      ['LanguageList', listOf(100, { Language: 'c', TimeFactor: 1 }).slice(1)],
      ['LanguageList', [[[{ Language: 'x'.repeat(32), TimeFactor: 10 }], true]]],
      ['LanguageList', [[[{ Language: 'x'.repeat(33), TimeFactor: 1 }], false]]],
      ['LanguageList', [[[{ Language: 'c', TimeFactor: 0.99 }], false]]],
      ['LanguageList', [[[{ Language: 'c', TimeFactor: 10.01 }], false]]],
      ['JuryList', listOf(1_000, 'setter')],
    ]
    for (const [field, edges] of contestFields)
      await tryEdges('setter', 'update_contest', () => ({ ID: ContestID }), field, edges)
    await tryEdges('setter', 'create_contest', () => ({ ID: 'more', ...contest }), 'Duration', wholes(60_000, year))
    const part = { ContestID, ID: 'a', Label: 'A', UUID: problem.UUID, Ordinal: 0, Colour: '#00ff00' }
    await tryEdges('setter', 'put_contest_problem', () => part, 'Label', names(16))
    await tryEdges('setter', 'put_contest_problem', () => part, 'Ordinal', wholes(0, 10_000))
    const team = { ContestID, ID: 't', Name: 'T', AccountNameList: [] }
    await tryEdges('setter', 'put_contest_team', () => team, 'Name', names(256))
    await tryEdges('setter', 'put_contest_team', () => team, 'ExtraPenalty', wholes(-1_000_000, 1_000_000))
    const run = { ContestID, ProblemID: 'a', Language: 'c', Content: 'x' }
    await tryEdges('contestant', 'create_contest_submission', () => run, 'Language', names(32))
    const again = { ContestID, Reason: 'x' }
    await tryEdges('setter', 'create_rejudging', () => again, 'Language', names(32).slice(0, -1))
    await tryEdges('setter', 'create_rejudging', () => again, 'Reason', names(1_000))
    await tryEdges('setter', 'create_rejudging', () => again, 'SubmissionIDList', [[[], false], ...listOf(1_000, 1)])
    const series = { Offset: 0, Limit: 1 }
    await tryEdges('setter', 'get_series_standings', () => series, 'ContestIDList', [
      [[], false],
      [[ContestID], true],
      ...listOf(50, ContestID).slice(1),
    ])
    const best = { ...series, ContestIDList: [ContestID], Rule: 'best' }
    await tryEdges('setter', 'get_series_standings', () => best, 'BestCount', wholes(1, 50))
  })

  test('limits are configuration', async () => {
    const environment = { GUILDHALL_JUDGE_LIMITS: 'sourceBytes=4, waitingSubmissions=1' }
    const other = await startJudge('sqlite', { environment })
    try {
      const { UUID } = await makeProblem(other.cast.setter)
      const send = (Content: string) =>
        other.cast.contestant.code('create_submission', { ProblemUUID: UUID, Content, Language: 'c' })
      assert.equal(await send('12345'), badParams)
      assert.equal(await send('1234'), 0)
      assert.equal(await send('1234'), 9)
    } finally {
      await other.stop()
    }
  })
})
