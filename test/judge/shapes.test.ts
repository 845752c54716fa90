/** Every object that the contract lists, member by member and in its order; what is our own comes after. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Cast, claim, type JudgeStage, makeProblem, makeTest, page, startJudge, submit } from '../support/judge.ts'
import type { Json } from '../support/rpc.ts'

const account = ['ID', 'AccountName', 'DisplayName', 'Role']
const problem = [
  'UUID',
  'DisplayName',
  'Author',
  'Description',
  'TimeLimitInMillisecond',
  'MemoryLimitInByte',
  'ExampleList',
  'CreatedTime',
  'UpdatedTime',
  'TestCaseHash',
]
const problemSnippet = problem.filter((name) => !['Description', 'ExampleList', 'TestCaseHash'].includes(name))
const testCase = ['UUID', 'Input', 'Output', 'IsHidden']
const submission = ['ID', 'Problem', 'Author', 'Content', 'Language', 'Status', 'Result', 'CreatedTime']
const submissionSnippet = submission.filter((name) => name !== 'Content')

describe('the objects of the contract', () => {
  let stage: JudgeStage
  let cast: Cast
  before(async () => {
    stage = await startJudge('sqlite')
    cast = stage.cast
  })
  after(() => stage.stop())

  test('have its members in its order, whichever operation gives them', async () => {
    const { UUID } = await makeProblem(cast.setter)
    const made = await makeTest(cast.setter, UUID)
    const { ID } = await submit(cast.setter, UUID)
    const AccountID = stage.idOf('setter')
    const calls: [string, object, Json][] = [
      ['get_session', {}, { Account: account }],
      ['get_account', { ID: AccountID }, { Account: account }],
      ['update_account', { ID: AccountID }, { Account: account }],
      ['get_account_list', page(), { TotalAccountCount: 0, AccountList: [account] }],
      ['get_problem', { UUID }, { Problem: problem }],
      ['update_problem', { UUID }, { Problem: problem }],
      ['get_problem_snippet_list', page(), { TotalProblemCount: 0, ProblemSnippetList: [problemSnippet] }],
      [
        'get_account_problem_snippet_list',
        { AccountID, ...page() },
        { TotalProblemCount: 0, ProblemSnippetList: [problemSnippet] },
      ],
      ['get_test_case', { UUID: made.UUID }, { TestCase: testCase }],
      ['update_test_case', { UUID: made.UUID }, { TestCaseSnippet: testCase }],
      [
        'get_problem_test_case_snippet_list',
        { ProblemUUID: UUID, ...page() },
        { TotalTestCaseCount: 0, TestCaseSnippetList: [testCase] },
      ],
      ['get_submission', { ID }, { Submission: submission }],
      ['get_submission_snippet_list', page(), { TotalSubmissionCount: 0, SubmissionSnippetList: [submissionSnippet] }],
    ]
    for (const [method, params, expected] of calls) {
      const result = await cast.setter.call(method, params)
      assert.deepEqual(Object.keys(result), Object.keys(expected), method)
      for (const [name, members] of Object.entries<Json>(expected)) {
        if (members === 0) assert.ok(Number.isSafeInteger(result[name]), `${method}: ${name}`)
        else if (Array.isArray(members[0])) assertMembers(result[name][0], members[0], `${method}: ${name}`)
        else assertMembers(result[name], members, `${method}: ${name}`)
      }
    }
    const claimed = await claim(cast.worker)
    assertMembers(claimed, submission, 'the claim')
    assert.deepEqual(Object.keys(claimed.Problem), ['UUID', 'DisplayName'])
    assert.deepEqual(Object.keys(claimed.Author), account)
  })

  function assertMembers(found: Json, expected: readonly string[], what: string): void {
    assert.deepEqual(Object.keys(found).slice(0, expected.length), expected, what)
  }

  test('an unknown member is ignored, however deep', async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
    for (const [method, params] of [
      ['update_account', `"ID":${stage.idOf('admin')},"Other":${deep}`],
      ['update_setting', `"Setting":{"Other":${deep}}`],
    ]) {
      const answer = await cast.admin.post(`{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":{${params}}}`)
      assert.ok(((await answer.json()) as Json).result, method)
    }
  })

  test('a problem deleted in the midst of everything leaves nothing half done', async () => {
    const { UUID } = await makeProblem(cast.setter)
    const made = await Promise.all(Array.from({ length: 10 }, () => submit(cast.contestant, UUID)))
    const { ID } = await claim(cast.worker)
    const codes = await Promise.all([
      ...made.map((one) => cast.contestant.code('delete_submission', { ID: one.ID })),
      cast.setter.code('rejudge_problem', { UUID }),
      cast.setter.code('delete_problem', { UUID }),
      cast.setter.code('delete_problem', { UUID }),
      ...made.map(() => cast.contestant.code('create_submission', { ProblemUUID: UUID, Content: 'x', Language: 'c' })),
      cast.worker.code('update_submission', { ID, Status: 3, Result: 1 }),
      cast.setter.code('create_test_case', { ProblemUUID: UUID, Input: '', Output: '', IsHidden: true }),
    ])
    assert.ok(
      codes.every((code) => [0, 6, 10].includes(code)),
      codes.join(' '),
    )
    assert.equal(await cast.worker.code('update_submission', { ID, Status: 3, Result: 1 }), 6)
    const { TotalSubmissionCount, SubmissionSnippetList } = await cast.admin.call('get_submission_snippet_list', page())
    assert.equal(TotalSubmissionCount, SubmissionSnippetList.length)
    assert.ok(SubmissionSnippetList.every((one: Json) => one.Problem.UUID !== UUID))
  })
})
