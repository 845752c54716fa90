/** Claims by feature, reports with points and messages, and problems that are held. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claim,
  claimMethod,
  finish,
  type JudgeStage,
  makeProblem,
  makeTest,
  page,
  startJudge,
  storeSubmissions,
  submit,
} from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { until } from '../../support/until.ts'

const program = { Language: 'python', FileList: [{ Name: 'a.py', Content: '' }] }
const kinds: Record<string, object> = {
  plain: {},
  checker: { Checker: { Kind: 'tokens' } },
  interactive: { Type: 'interactive', Checker: { Kind: 'kattis', Program: program } },
  score: { IsScored: true },
}
const every = ['checker', 'interactive', 'score']

for (const engine of engines)
  describe(`richer judging on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let cast: Cast
    let UUID: string
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: 'heldProblems=2' } })
      cast = stage.cast
      // A language that no executor offers would go to any.
      const LanguageList = ['python', 'java', 'c'].map((Value) => ({ Value, Name: Value }))
      await cast.helper.call('register_executor', {
        Name: 'able',
        LanguageList,
        ParallelRunCount: 9,
        FeatureList: every,
      })
    })
    after(() => stage.stop())
    beforeEach(async () => {
      UUID = (await makeProblem(cast.setter)).UUID
    })

    const set = (Judging: object, of = UUID) => cast.setter.call('update_problem_judging', { UUID: of, Judging })
    const hand = async (by: keyof Cast = 'contestant', to = UUID, change = {}): Promise<number> =>
      (await submit(cast[by], to, change)).ID
    const next = async (params: object = {}): Promise<number | undefined> => {
      const { result, error } = await cast.admin.ask(claimMethod, params)
      if (error) assert.equal(error.code, 6)
      return result?.Submission.ID
    }
    const drain = async (): Promise<void> => {
      for (;;) {
        const ID = await next({ FeatureList: every })
        if (ID === undefined) return
        await finish(cast.admin, ID)
      }
    }
    const metric = async (): Promise<number> => {
      const text = await (await fetch(`${stage.url}/metrics`)).text()
      return Number(/^guildhall_stranded_submissions (\d+)$/m.exec(text)![1])
    }

    for (const Order of [undefined, 'fair'])
      test(`what needs a feature goes only to who names it (${Order ?? 'first come'})`, async () => {
        await drain()
        const order = Order ? { Order } : {}
        const ids: Record<string, number> = {}
        for (const [kind, judging] of Object.entries(kinds)) {
          const problem = await makeProblem(cast.setter)
          await set(judging, problem.UUID)
          // An author each: the fair order would hold back another of the same.
          const by = (['contestant', 'rival', 'setter', 'colleague'] as const)[Object.keys(ids).length]!
          ids[kind] = await hand(by, problem.UUID)
        }
        assert.equal(await next({ ...order, LanguageList: ['java'] }), undefined)
        assert.equal(await next(order), ids.plain)
        assert.equal(await next(order), undefined)
        assert.equal(await next({ ...order, FeatureList: ['interactive'] }), undefined, 'its checker is a feature, too')
        assert.equal(await next({ ...order, FeatureList: ['score', 'later'] }), ids.score)
        assert.equal(await next({ ...order, FeatureList: ['score', 'checker'], LanguageList: ['python'] }), ids.checker)
        assert.equal(await next({ ...order, FeatureList: every }), ids.interactive)
        for (const ID of Object.values(ids)) await finish(cast.admin, ID)
      })

    test('what waits follows its problem, whichever way it changes, and what nobody can judge is told', async () => {
      await drain()
      const mine = await hand()
      await set(kinds.score!)
      assert.equal(await next(), undefined)
      await until(async () => (await metric()) === 0)
      const able = { Name: 'able', LanguageList: [], ParallelRunCount: 9 }
      await cast.helper.call('register_executor', able)
      await until(async () => (await metric()) === 1)
      const { Queue } = await cast.admin.call('get_queue')
      assert.deepEqual(Queue.StrandedList, [{ FeatureList: ['score'], WaitingSubmissionCount: 1 }])
      await cast.helper.call('register_executor', { ...able, FeatureList: every })
      await until(async () => (await metric()) === 0)
      await set({ IsScored: false })
      assert.equal(await next(), mine)
      await set(kinds.checker!)
      await cast.admin.call('update_submission', { ID: mine, Status: 1, Result: 0 })
      assert.equal(await next(), undefined)
      assert.equal(await next({ FeatureList: ['checker'] }), mine)
      await finish(cast.admin, mine)
      await set({ Checker: { Kind: 'lines' } })
      await cast.setter.call('rejudge_submission', { ID: mine })
      assert.equal(await next(), mine)
      await finish(cast.admin, mine)
    })

    test('a submission whose problem changed unseen goes to the right executor all the same', async () => {
      await drain()
      const mine = await hand()
      const behind = await hand('rival', (await makeProblem(cast.setter)).UUID)
      await stage.services.store.write((trx) =>
        trx.updateTable('problem').set({ needs: 4 }).where('uuid', '=', UUID).execute(),
      )
      assert.equal(await next(), behind)
      assert.equal(await next({ Order: 'fair' }), undefined)
      assert.equal(await next({ FeatureList: ['score'] }), mine)
      for (const ID of [mine, behind]) await finish(cast.admin, ID)
    })

    rule('the claim carries the hash and the time limit, by language and at most a minute', async () => {
      await drain()
      const LanguageFactorList = [
        { Language: 'java', TimeFactor: 2.5 },
        { Language: 'python', TimeFactor: 10 },
      ]
      await set({ LanguageFactorList })
      const { JudgingHash } = (await cast.setter.call('get_problem_judging', { UUID })).Judging
      const limitFor = async (Language: string) => {
        const ID = await hand('contestant', UUID, { Language })
        const claimed = await claim(cast.worker)
        assert.deepEqual([claimed.ID, claimed.JudgingHash], [ID, JudgingHash])
        await finish(cast.admin, ID)
        return claimed.TimeLimitInMillisecond
      }
      assert.deepEqual([await limitFor('c'), await limitFor('java')], [1_000, 2_500])
      await cast.setter.call('update_problem', { UUID, TimeLimitInMillisecond: 6_001 })
      assert.equal(await limitFor('python'), 60_000)
    })

    test('a setter who changes the judging in a loop keeps nobody waiting', async () => {
      await drain()
      const own = Array.from({ length: 60 }, () => hand('setter'))
      await Promise.all(own)
      let isOver = false
      const loop = (async () => {
        for (let i = 0; !isOver; i++) await set({ IsScored: i % 2 === 0, MaximumScore: i })
      })()
      const open = await makeProblem(cast.colleague)
      for (const params of [{}, { Order: 'fair' }]) {
        const other = await hand('rival', open.UUID)
        let tries = 0
        for (;;) {
          const found = await next(params)
          if (found === other) break
          // Those of the setter that were plain at that moment came first; nothing is given to the wrong executor, or twice.
          assert.ok(++tries <= 61, 'one claim after another finds something')
          if (found !== undefined) await finish(cast.admin, found)
        }
        await finish(cast.admin, other)
      }
      isOver = true
      await loop
    })

    const outcome = (TestCaseUUID: string, Result: number, more: object = {}) => ({
      TestCaseUUID,
      Result,
      CPUTimeInMillisecond: 1,
      WallTimeInMillisecond: 1,
      PeakMemoryInByte: 1,
      Stderr: '',
      ExitCode: 0,
      Signal: null,
      ...more,
    })
    const judge = async (ID: number, Report: object): Promise<Json> => {
      const claimed = await claim(cast.worker, { FeatureList: every })
      assert.equal(claimed.ID, ID)
      const params = { ID, Lease: claimed.Lease, Report: { CompilerOutput: '', TestList: [], ...Report } }
      return cast.worker.ask('report_submission', params)
    }
    const reportTo = async (by: keyof Cast, ID: number): Promise<Json> =>
      (await cast[by].call('get_submission_report', { ID })).Report
    const snippetTo = async (by: keyof Cast, ID: number): Promise<Json> =>
      (await cast[by].call('get_submission', { ID })).Submission

    async function makeGroups(): Promise<Json[]> {
      await set({
        IsScored: true,
        MaximumScore: 10,
        GroupList: [
          { Name: 'small', MaximumScore: 4 },
          { Name: 'large', MaximumScore: 6, Aggregation: 'pass-fail', RequireList: ['small'] },
        ],
      })
      const tests: Json[] = [await makeTest(cast.setter, UUID, { IsHidden: false })]
      for (const Group of ['small', 'small', 'large']) {
        const made = await makeTest(cast.setter, UUID)
        await cast.setter.call('update_test_case_judging', { UUID: made.UUID, Group })
        tests.push(made)
      }
      return tests
    }

    test('points by rules that changed since are no points: the submission is judged again until rules and tests rest', async () => {
      await drain()
      const tests = await makeGroups()
      const ID = await hand()
      const TestList = tests.map((one: Json) => outcome(one.UUID, 1))
      /** Judges it by the rules of the claim, which change before the report where `change` says so. */
      const judgeBy = async (change?: object, act: () => unknown = () => {}): Promise<Json> => {
        const { Lease, JudgingHash, ...claimed } = await claim(cast.worker, { FeatureList: every })
        assert.equal(claimed.ID, ID)
        if (change) await set(change)
        await act()
        const Report = { Result: 1, CompilerOutput: '', TestList }
        const { SubmissionSnippet } = await cast.worker.call('report_submission', { ID, Lease, Report, JudgingHash })
        return [SubmissionSnippet.Status, SubmissionSnippet.Result, SubmissionSnippet.Score]
      }
      assert.deepEqual(await judgeBy({ MaximumScore: 8 }), [1, 0, null])
      assert.deepEqual(await judgeBy(), [3, 1, 8])
      const restless = await cast.setter.ask('rejudge_problem', { UUID })
      assert.equal(restless.error, undefined, JSON.stringify(restless.error))
      for (const MaximumScore of [7, 6, 5, 4])
        assert.deepEqual(await judgeBy({ MaximumScore }), [1, 0, null], 'that is nobody’s failure, however often')
      assert.deepEqual(await judgeBy(), [3, 1, 4])
      for (const changeTests of [
        () => makeTest(cast.setter, UUID),
        () => cast.setter.call('update_test_case', { UUID: TestList[1]!.TestCaseUUID, IsHidden: false }),
      ]) {
        await cast.setter.call('rejudge_submission', { ID })
        assert.deepEqual(await judgeBy(undefined, changeTests), [1, 0, null], 'nor is a change of the tests')
        assert.equal((await judgeBy())[0], 3)
      }
      await cast.setter.call('rejudge_submission', { ID })
      const states: number[] = []
      for (let i = 0; i < 23; i++) states.push((await judgeBy({ MaximumScore: 10 + i }))[0])
      assert.deepEqual(states, [...Array(22).fill(1), 3], 'but those that never rest end it')
    })

    test('points are added up by group, and are for who handed in and who keeps the problem', async () => {
      await drain()
      const tests = await makeGroups()
      const ID = await hand()
      const TestList = [
        outcome(tests[0].UUID, 1),
        outcome(tests[1].UUID, 1, { Score: 0.5 }),
        outcome(tests[2].UUID, 1, { Score: null }),
        outcome(tests[3].UUID, 4),
      ]
      const { result } = await judge(ID, { Result: 4, TestList })
      assert.deepEqual([result.SubmissionSnippet.Score, result.SubmissionSnippet.MaximumScore], [2.5, 10])
      const report = await reportTo('contestant', ID)
      assert.deepEqual([report.Score, report.MaximumScore], [2.5, 10])
      assert.deepEqual(report.GroupList, [
        { Name: 'small', Score: 2.5, Result: 1 },
        { Name: 'large', Score: 0, Result: 4 },
      ])
      assert.deepEqual(
        report.TestList.map(({ Score }: Json) => Score),
        [undefined, 0.5, undefined, undefined],
      )
      for (const who of ['contestant', 'setter', 'admin', 'worker'] as const)
        assert.equal((await snippetTo(who, ID)).Score, 2.5, who)
      for (const who of ['rival', 'colleague'] as const) assert.equal((await snippetTo(who, ID)).Score, null, who)
      const { SubmissionSnippetList } = await cast.rival.call('get_submission_snippet_list', page(0, 1))
      assert.deepEqual([SubmissionSnippetList[0].ID, SubmissionSnippetList[0].Score], [ID, null])

      await cast.setter.call('update_problem_judging', { UUID, Judging: { MaximumScore: 1 } })
      assert.equal((await snippetTo('contestant', ID)).Score, 2.5, 'nothing is judged again by itself')
      await cast.setter.call('rejudge_submission', { ID })
      assert.equal((await snippetTo('contestant', ID)).Score, null)
      await finish(cast.admin, (await claim(cast.worker, { FeatureList: every })).ID)
      assert.equal((await snippetTo('contestant', ID)).Score, 1, 'a result without a report gives all or nothing')
    })

    rule('tests that were not run have no result, and a compile error gives nothing', async () => {
      await drain()
      const tests = await makeGroups()
      const ID = await hand()
      const TestList = [6, 6, 1, 0].map((Result, i) => outcome(tests[i].UUID, Result))
      await judge(ID, { Result: 6, TestList })
      const report = await reportTo('contestant', ID)
      assert.deepEqual(
        [report.Score, ...report.GroupList.flatMap(({ Score, Result }: Json) => [Score, Result])],
        [2, 2, 6, 0, 0],
      )
      const { Progress } = await cast.contestant.call('get_submission_report', { ID })
      assert.equal(Progress.FinishedTestCaseCount, 3)
      const broken = await hand()
      await judge(broken, { Result: 2, CompilerOutput: 'no' })
      assert.equal((await reportTo('contestant', broken)).Score, 0)
      await set({ IsScored: false, GroupList: [{ Name: 'small' }, { Name: 'large' }] })
      const plain = await hand()
      await judge(plain, { Result: 1, TestList: [outcome(tests[1].UUID, 1, { Score: 3 })] })
      const { Score, MaximumScore, GroupList } = await reportTo('contestant', plain)
      assert.deepEqual([Score, MaximumScore, GroupList], [null, null, []])
    })

    rule(
      'a submission that could not be judged, or in a language that nobody offers, has its points all the same',
      async () => {
        await drain()
        const tests = await makeGroups()
        const faulty = await hand()
        const TestList = [1, 1, 9].map((Result, i) => outcome(tests[i].UUID, Result))
        await judge(faulty, { Result: 9, JudgeMessage: 'the checker ended with exit code 5', TestList })
        const unknown = await hand('contestant', UUID, { Language: 'made-up' })
        assert.equal(await next({ Order: 'fair', LanguageList: ['python'] }), undefined)
        for (const [ID, Result, Score] of [
          [faulty, 9, 2],
          [unknown, 7, 0],
        ] as const) {
          const snippet = await snippetTo('contestant', ID)
          const report = await reportTo('contestant', ID)
          assert.deepEqual([snippet.Result, snippet.Score, snippet.MaximumScore], [Result, Score, 10])
          assert.deepEqual([report.Result, report.Score, report.MaximumScore], [Result, Score, 10])
          assert.equal(report.GroupList.length, 2)
        }
      },
    )

    rule('where nothing gives points, only who passed the open tests has them', async () => {
      await drain()
      const open = await makeTest(cast.setter, UUID, { IsHidden: false })
      for (const [Aggregation, Result, Score] of [
        ['pass-fail', 6, 0],
        ['pass-fail', 1, 100],
        ['min', 6, 0],
        ['sum', 6, 0],
      ] as const) {
        await set({ IsScored: true, Aggregation })
        const ID = await hand()
        await judge(ID, { Result, TestList: [outcome(open.UUID, Result)] })
        assert.equal((await reportTo('contestant', ID)).Score, Score, `${Aggregation} ${Result}`)
      }
    })

    test('messages and differences: those for the jury to the jury, the others to who handed in, of open tests alone', async () => {
      await drain()
      const shown = await makeTest(cast.setter, UUID, { IsHidden: false })
      const hidden = await makeTest(cast.setter, UUID)
      const ID = await hand()
      const told = { JudgeMessage: 'jury', TeamMessage: 'team', Expected: '3', Got: '4', DifferenceLine: 7 }
      await judge(ID, { Result: 6, TestList: [outcome(shown.UUID, 6, told), outcome(hidden.UUID, 6, told)] })
      const toldTo = async (who: keyof Cast) =>
        (await reportTo(who, ID)).TestList.map((one: Json) => [
          one.JudgeMessage,
          one.TeamMessage,
          one.Expected,
          one.Got,
          one.DifferenceLine,
        ])
      const all = ['jury', 'team', '3', '4', 7]
      assert.deepEqual(await toldTo('contestant'), [
        [undefined, 'team', '3', '4', 7],
        [undefined, undefined, undefined, undefined, undefined],
      ])
      for (const who of ['setter', 'admin', 'worker'] as const) assert.deepEqual(await toldTo(who), [all, all], who)
    })

    rule('a fault of the checker is final at once and counted; without its message it is refused', async () => {
      await drain()
      const made = await makeTest(cast.setter, UUID)
      const ID = await hand()
      const claimed = await claim(cast.worker)
      const report = { Result: 9, CompilerOutput: '', TestList: [outcome(made.UUID, 9, { JudgeMessage: 'exit 5' })] }
      const about = { ID, Lease: claimed.Lease }
      assert.equal(await cast.worker.code('report_submission', { ...about, Report: report }), -32602)
      const Report = { ...report, JudgeMessage: 'the checker ended with exit code 5\nand said more' }
      const { SubmissionSnippet } = await cast.worker.call('report_submission', { ...about, Report })
      assert.deepEqual([SubmissionSnippet.Status, SubmissionSnippet.Result], [3, 9])
      assert.equal((await reportTo('setter', ID)).JudgeMessage, Report.JudgeMessage)
      assert.equal((await reportTo('contestant', ID)).JudgeMessage, undefined)
      const told = async () => (await cast.setter.call('get_problem_judging', { UUID })).Judging
      const { FaultCount, LastFault } = await told()
      assert.equal(FaultCount, 1)
      assert.deepEqual([LastFault.SubmissionID, LastFault.Message], [ID, 'the checker ended with exit code 5'])
      const failing = await hand('rival')
      const { Lease } = await claim(cast.worker)
      await cast.worker.call('report_submission_failure', { ID: failing, Lease, Reason: 'mine' })
      assert.equal((await told()).FaultCount, 1)
      await cast.setter.call('update_problem_judging', {
        UUID,
        Judging: { LanguageFactorList: [{ Language: 'python', TimeFactor: 1.5 }] },
      })
      assert.deepEqual([(await told()).FaultCount, (await told()).LastFault], [1, null])
    })

    rule(
      'a problem that is held is there for its author and admins, for executors to judge, and in no list of all',
      async () => {
        await drain()
        const made = await makeTest(cast.setter, UUID, { IsHidden: false })
        const ID = await hand()
        const totals = async () => [
          (await cast.admin.call('get_problem_snippet_list', page())).TotalProblemCount,
          (await cast.admin.call('get_submission_snippet_list', page())).TotalSubmissionCount,
        ]
        const [problems, submissions] = await totals()
        await set({ IsHeld: true })
        assert.deepEqual(await totals(), [problems - 1, submissions - 1])

        const AccountID = stage.idOf('setter')
        const about: [string, object][] = [
          ['get_problem', { UUID }],
          ['get_problem_statement', { UUID }],
          ['get_problem_judging', { UUID }],
          ['get_problem_test_case_snippet_list', { ProblemUUID: UUID, ...page() }],
          ['get_test_case', { UUID: made.UUID }],
          ['get_submission', { ID }],
          ['wait_for_submission', { ID, WaitMillisecond: 0 }],
          ['get_submission_report', { ID }],
        ]
        const lists: [string, object][] = [
          ['get_problem_submission_snippet_list', { ProblemUUID: UUID, ...page() }],
          ['get_account_problem_submission_snippet_list', { AccountID, ProblemUUID: UUID, ...page() }],
          ['find_submission_snippet_list', { ProblemUUID: UUID, Limit: 20 }],
        ]
        for (const [method, params] of lists) {
          for (const who of ['contestant', 'rival', 'colleague', 'worker'] as const)
            assert.equal(await cast[who].code(method, params), 6, `${who} ${method}`)
          for (const who of ['setter', 'admin'] as const)
            assert.equal(await cast[who].code(method, params), 0, `${who} ${method}`)
        }
        for (const [who, status] of [
          ['setter', 200],
          ['admin', 200],
          ['worker', 404],
          ['contestant', 404],
        ] as const) {
          const headers = { authorization: `Bearer ${cast[who].token}` }
          const files = await fetch(`${stage.url}/-/judge/problems/${UUID}/files`, { headers })
          assert.equal(files.status, status, `${who}'s files`)
        }
        const found = await cast.worker.call('find_submission_snippet_list', { Limit: 20 })
        assert.ok(found.SubmissionSnippetList.every((one: Json) => one.ID !== ID))
        for (const [method, params] of about) {
          for (const who of ['contestant', 'rival', 'colleague'] as const)
            assert.equal(await cast[who].code(method, params), 6, `${who} ${method}`)
          for (const who of ['setter', 'admin', 'worker'] as const)
            assert.equal(await cast[who].code(method, params), 0, `${who} ${method}`)
        }
        const acts: [string, object][] = [
          ['update_problem', { UUID }],
          ['delete_problem', { UUID }],
          ['update_problem_judging', { UUID, Judging: {} }],
          ['create_test_case', { ProblemUUID: UUID, Input: '', Output: '', IsHidden: true }],
          ['update_test_case', { UUID: made.UUID }],
          ['delete_test_case', { UUID: made.UUID }],
          ['update_test_case_judging', { UUID: made.UUID }],
          ['rejudge_problem', { UUID }],
          ['rejudge_submission', { ID }],
          ['create_submission', { ProblemUUID: UUID, Content: 'x', Language: 'c' }],
          ['delete_submission', { ID }],
        ]
        for (const [method, params] of acts) assert.equal(await cast.colleague.code(method, params), 6, method)

        const listed = async (who: keyof Cast) => {
          const list = await cast[who].call('get_account_problem_snippet_list', { AccountID, ...page() })
          return [
            list.TotalProblemCount - list.ProblemSnippetList.length,
            list.ProblemSnippetList.some((one: Json) => one.UUID === UUID),
          ]
        }
        for (const who of ['setter', 'admin'] as const) assert.deepEqual(await listed(who), [0, true], who)
        for (const who of ['colleague', 'worker'] as const) assert.deepEqual(await listed(who), [0, false], who)
        const own = { AccountID: stage.idOf('contestant'), ...page() }
        const { SubmissionSnippetList } = await cast.contestant.call('get_account_submission_snippet_list', own)
        assert.ok(SubmissionSnippetList.every((one: Json) => one.ID !== ID))
        const mine = await hand('setter')
        assert.deepEqual([await next(), await next()], [ID, mine], 'it is judged all the same')
        for (const one of [ID, mine]) await finish(cast.admin, one)

        await set({ IsHeld: false })
        assert.deepEqual(await totals(), [problems, submissions + 1])
        assert.equal(await cast.contestant.code('get_submission', { ID }), 0)
      },
    )

    test('lists without held ones are complete, page by page, however they are counted', async () => {
      const held = [UUID, (await makeProblem(cast.setter)).UUID]
      for (let i = 0; i < 6; i++) {
        for (const to of held) await hand('rival', to)
        await hand('rival', (await makeProblem(cast.setter)).UUID)
      }
      await set({ IsHeld: true }, held[0])
      await set({ IsHeld: true }, held[1])
      const list = { AccountID: stage.idOf('rival') }
      const open = (await makeProblem(cast.setter)).UUID
      const first = (await hand('rival', open)) + 1
      const many = Array.from({ length: 1_800 }, (_, i) => ({
        id: first + i,
        authorId: stage.idOf('rival'),
        problemUuid: [held[0]!, held[1]!, open][i % 3]!,
        status: 3,
      }))
      await storeSubmissions(stage, many)
      for (const folds of [false, true]) {
        if (folds) await stage.services.judge.counts.fold()
        for (const [method, params] of [
          ['get_submission_snippet_list', {}],
          ['get_account_submission_snippet_list', list],
        ] as const) {
          const { TotalSubmissionCount } = await cast.rival.call(method, { ...params, ...page(0, 1) })
          const ids: number[] = []
          for (let offset = 0; ; offset += 100) {
            const { SubmissionSnippetList } = await cast.rival.call(method, { ...params, ...page(offset, 100) })
            for (const { ID, Problem } of SubmissionSnippetList) {
              assert.ok(!held.includes(Problem.UUID))
              ids.push(ID)
            }
            if (SubmissionSnippetList.length < 100) break
          }
          assert.equal(ids.length, TotalSubmissionCount, `${method} ${folds}`)
          assert.equal(new Set(ids).size, ids.length)
        }
      }
      const third = await makeProblem(cast.setter)
      const params = { UUID: third.UUID, Judging: { IsHeld: true } }
      assert.equal(await cast.setter.code('update_problem_judging', params), 9)
      for (const one of [...held, open]) await cast.setter.call('delete_problem', { UUID: one })
      assert.equal(await cast.setter.code('update_problem_judging', params), 0)
      await cast.setter.call('delete_problem', { UUID: third.UUID })
    })
  })
