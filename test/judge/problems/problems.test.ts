import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  type JudgeStage,
  makeProblem,
  makeTest,
  page,
  problemDraft,
  startJudge,
  storeSubmissions,
  submit,
  unknownId,
  unknownUuid,
} from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'

for (const engine of engines) {
  describe(`problems and test cases on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let cast: Cast
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
    })
    after(() => stage.stop())

    const hashOf = async (UUID: string): Promise<string> =>
      (await cast.worker.call('get_problem', { UUID })).Problem.TestCaseHash
    const testsOf = async (ProblemUUID: string, Offset = 0, Limit = 100): Promise<Json> =>
      cast.setter.call('get_problem_test_case_snippet_list', { ProblemUUID, Offset, Limit })

    test('a problem is given back as it was made, by any case of its uuid', async () => {
      const made = await makeProblem(cast.setter, {
        Description: 'naïve 🙂',
        ExampleList: [{ Input: 'a\0b', Output: '' }],
      })
      const { Problem } = await cast.contestant.call('get_problem', { UUID: made.UUID.toUpperCase() })
      assert.deepEqual(Problem, made)
      const { UUID, Author, CreatedTime, UpdatedTime, TestCaseHash, ...rest } = made
      assert.deepEqual(rest, {
        ...problemDraft,
        Description: 'naïve 🙂',
        ExampleList: [{ Input: 'a\0b', Output: '' }],
      })
      assert.match(UUID, /^[0-9a-f-]{36}$/)
      assert.equal(Author.AccountName, 'setter')
      assert.equal(CreatedTime, UpdatedTime)
      assert.match(TestCaseHash, /^[0-9a-f]{64}$/)
      const other = await makeProblem(cast.setter)
      assert.notEqual(TestCaseHash, other.TestCaseHash, 'no one can tell by it what tests another problem has')
      assert.notEqual(TestCaseHash, createHash('sha256').digest('hex'))
    })

    rule('an update changes what is given and leaves what is absent or null', async () => {
      const made = await makeProblem(cast.setter)
      const change = { UUID: made.UUID, DisplayName: 'Renamed', Description: null, ExampleList: [] }
      const { Problem } = await cast.setter.call('update_problem', change)
      const { UpdatedTime } = Problem
      assert.ok(UpdatedTime >= made.UpdatedTime)
      assert.deepEqual(Problem, { ...made, DisplayName: 'Renamed', ExampleList: [], UpdatedTime })
    })

    test('lists are newest first, of everyone or of one account', async () => {
      const made = [await makeProblem(cast.colleague), await makeProblem(cast.colleague), await makeProblem(cast.admin)]
      const uuids = made.map(({ UUID }) => UUID)
      const all = await cast.contestant.call('get_problem_snippet_list', page(0, 3))
      assert.deepEqual(
        all.ProblemSnippetList.map(({ UUID }: Json) => UUID),
        uuids.toReversed(),
      )
      const { Description, ExampleList, TestCaseHash, ...snippet } = made[2]
      assert.deepEqual(all.ProblemSnippetList[0], snippet)
      const params = { AccountID: stage.idOf('colleague'), ...page(1, 1) }
      const own = await cast.contestant.call('get_account_problem_snippet_list', params)
      assert.equal(own.TotalProblemCount, 2)
      assert.deepEqual(
        own.ProblemSnippetList.map(({ UUID }: Json) => UUID),
        [uuids[0]],
      )
      const none = { AccountID: unknownId, ...page() }
      assert.equal(await cast.contestant.code('get_account_problem_snippet_list', none), 6)
    })

    rule('what is not there is 6, before it is anyone’s', async () => {
      const UUID = unknownUuid()
      for (const method of ['get_problem', 'update_problem', 'delete_problem', 'get_test_case', 'update_test_case']) {
        assert.equal(await cast.setter.code(method, { UUID }), 6, method)
      }
      assert.equal(await cast.setter.code('delete_test_case', { UUID }), 6)
      const draft = { ProblemUUID: UUID, Input: '', Output: '', IsHidden: true }
      assert.equal(await cast.setter.code('create_test_case', draft), 6)
      assert.equal(await cast.setter.code('get_problem_test_case_snippet_list', { ProblemUUID: UUID, ...page() }), 6)
    })

    test('a deleted problem takes its test cases and submissions along', async () => {
      const problem = await makeProblem(cast.setter)
      const other = await makeProblem(cast.setter)
      const made = await makeTest(cast.setter, problem.UUID)
      const gone = await submit(cast.contestant, problem.UUID)
      const kept = await submit(cast.contestant, other.UUID)
      const account = { AccountID: stage.idOf('contestant'), ...page(0, 1) }
      const before = await cast.admin.call('get_account_submission_snippet_list', account)
      await cast.setter.call('delete_problem', { UUID: problem.UUID })
      assert.equal(await cast.setter.code('get_test_case', { UUID: made.UUID }), 6)
      assert.equal(await cast.setter.code('get_submission', { ID: gone.ID }), 6)
      assert.equal(await cast.setter.code('get_submission', { ID: kept.ID }), 0)
      const after = await cast.admin.call('get_account_submission_snippet_list', account)
      assert.equal(after.TotalSubmissionCount, before.TotalSubmissionCount - 1)
      assert.equal(await cast.setter.code('delete_problem', { UUID: problem.UUID }), 6)
      const left = await stage.services.store.db.selectFrom('test_data').select('test_case_id').execute()
      const cases = await stage.services.store.db.selectFrom('test_case').select('id').execute()
      assert.deepEqual(left.map((row) => row.test_case_id).sort(), cases.map((row) => row.id).sort())
    })

    test('one with very many submissions goes while others read, who see all of it or nothing', async () => {
      const { UUID } = await makeProblem(cast.setter)
      const first = (await submit(cast.contestant, UUID)).ID + 1
      const authorId = stage.idOf('contestant')
      const ids = Array.from({ length: 3_000 }, (_, i) => first + i)
      await storeSubmissions(
        stage,
        ids.map((id) => ({ id, authorId, problemUuid: UUID, status: 3 })),
      )
      const read = async (): Promise<number> =>
        (await cast.admin.call('get_submission_snippet_list', page(0, 1))).TotalSubmissionCount
      const before = await read()
      let isGone = false
      const deleting = cast.setter.call('delete_problem', { UUID }).finally(() => {
        isGone = true
      })
      const seen = new Set<number>()
      while (!isGone) seen.add(await read())
      await deleting
      seen.add(await read())
      seen.add(before)
      assert.deepEqual(
        [...seen].sort((a, b) => a - b),
        [before - 3_001, before],
      )
    })

    test('test data are bytes: NUL, line ends and every plane come back as they went', async () => {
      const problem = await makeProblem(cast.setter)
      const Input = 'a\0b\r\n\u2028 \u{10FFFF}\n'
      const { UUID } = await makeTest(cast.setter, problem.UUID, { Input, Output: '' })
      const { TestCase } = await cast.worker.call('get_test_case', { UUID })
      assert.deepEqual(TestCase, { UUID, Input, Output: '', IsHidden: true })
    })

    rule('a snippet is cut to a hundred characters, never inside one', async () => {
      const problem = await makeProblem(cast.setter)
      const cases: [string, string][] = [
        ['x'.repeat(100), 'x'.repeat(100)],
        ['x'.repeat(101), `${'x'.repeat(100)}...`],
        ['🙂'.repeat(100), '🙂'.repeat(100)],
        [`x${'🙂'.repeat(100)}`, `x${'🙂'.repeat(99)}...`],
        [`${'é'.repeat(99)}\0\0`, `${'é'.repeat(99)}\0...`],
        ['', ''],
      ]
      for (const [Input, shown] of cases) {
        const snippet = await makeTest(cast.setter, problem.UUID, { Input, Output: Input })
        assert.deepEqual([snippet.Input, snippet.Output], [shown, shown])
      }
      const { TestCaseSnippetList } = await testsOf(problem.UUID)
      assert.deepEqual(
        TestCaseSnippetList.map(({ Input }: Json) => Input),
        cases.map(([, shown]) => shown),
      )
    })

    test('test cases are listed in judging order, which an update does not change', async () => {
      const problem = await makeProblem(cast.setter)
      const made = []
      for (const Input of ['1', '2', '3', '4']) made.push(await makeTest(cast.setter, problem.UUID, { Input }))
      await cast.setter.call('update_test_case', { UUID: made[1].UUID, Input: 'two', IsHidden: false, Output: null })
      await cast.setter.call('delete_test_case', { UUID: made[0].UUID })
      await makeTest(cast.setter, problem.UUID, { Input: '5' })
      const { TotalTestCaseCount, TestCaseSnippetList } = await testsOf(problem.UUID, 0, 3)
      assert.equal(TotalTestCaseCount, 4)
      assert.deepEqual(
        TestCaseSnippetList.map(({ Input, Output, IsHidden }: Json) => [Input, Output, IsHidden]),
        [
          ['two', '3\n', false],
          ['3', '3\n', true],
          ['4', '3\n', true],
        ],
      )
      assert.equal((await testsOf(problem.UUID, 3, 3)).TestCaseSnippetList[0].Input, '5')
      assert.deepEqual((await testsOf(problem.UUID, 4, 3)).TestCaseSnippetList, [])
    })

    test('the hash changes exactly when the test list does', async () => {
      const { UUID } = await makeProblem(cast.setter)
      const hashes = [await hashOf(UUID)]
      const step = async (changes: boolean, act: Promise<Json>) => {
        const given = await act
        const hash = await hashOf(UUID)
        assert.match(hash, /^[0-9a-f]{64}$/)
        assert.equal(hash !== hashes.at(-1), changes)
        if (changes) assert.ok(!hashes.includes(hash))
        hashes.push(hash)
        return given
      }
      const first = await step(true, makeTest(cast.setter, UUID))
      const second = await step(true, makeTest(cast.setter, UUID))
      await step(false, cast.setter.call('update_test_case', { UUID: first.UUID, Input: '1 2\n' }))
      await step(false, cast.setter.call('update_problem', { UUID, DisplayName: 'Other', TimeLimitInMillisecond: 7 }))
      await step(true, cast.setter.call('update_test_case', { UUID: first.UUID, Input: '1 2\n3', Output: '\n' }))
      await step(true, cast.setter.call('update_test_case', { UUID: first.UUID, Input: '1 2\n', Output: '3\n\n' }))
      await step(true, cast.setter.call('update_test_case', { UUID: second.UUID, IsHidden: false }))
      await step(false, submit(cast.contestant, UUID))
      await cast.setter.call('delete_test_case', { UUID: second.UUID })
      await cast.setter.call('delete_test_case', { UUID: first.UUID })
      assert.equal(await hashOf(UUID), hashes[0])
    })

    test('test cases added at once from many sides all get a place of their own', async () => {
      const problem = await makeProblem(cast.setter)
      await Promise.all(Array.from({ length: 30 }, () => makeTest(cast.setter, problem.UUID)))
      assert.equal((await testsOf(problem.UUID)).TotalTestCaseCount, 30)
      const rows = await stage.services.store.db
        .selectFrom('test_case')
        .innerJoin('problem', 'problem.id', 'problem_id')
        .select('position')
        .where('problem.uuid', '=', problem.UUID)
        .execute()
      assert.equal(new Set(rows.map(({ position }) => position)).size, 30)
    })

    rule('the switches for problems answer 15 to every role, after 8 by role and before 6', async () => {
      const problem = await makeProblem(cast.setter)
      const made = await makeTest(cast.setter, problem.UUID)
      const turn = (DisableProblemCreation: boolean, DisableProblemUpdate: boolean) =>
        cast.admin.call('update_setting', { Setting: { Problem: { DisableProblemCreation, DisableProblemUpdate } } })
      await turn(true, true)
      const missing = { UUID: unknownUuid() }
      for (const who of ['setter', 'admin'] as const) {
        assert.equal(await cast[who].code('create_problem', problemDraft), 15)
        assert.equal(await cast[who].code('update_problem', missing), 15)
        assert.equal(await cast[who].code('update_test_case', missing), 15)
        assert.equal(await cast[who].code('delete_test_case', { UUID: made.UUID }), 15)
        const draft = { ProblemUUID: problem.UUID, Input: '', Output: '', IsHidden: true }
        assert.equal(await cast[who].code('create_test_case', draft), 15)
        assert.equal(
          await cast[who].code('create_test_case_list', { ProblemUUID: problem.UUID, ZippedTestData: '' }),
          15,
        )
      }
      assert.equal(await cast.contestant.code('create_problem', problemDraft), 8)
      assert.equal(await cast.setter.code('create_problem', {}), -32602)
      assert.equal(await cast.setter.code('delete_problem', { UUID: problem.UUID }), 0)
      await turn(false, false)
      assert.equal(await cast.setter.code('create_problem', problemDraft), 0)
    })
  })
}
