import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { actingFor } from '../../../src/accounts/actor.ts'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claim,
  claimMethod,
  finish,
  type JudgeStage,
  makeProblem,
  page,
  startJudge,
  storeSubmissions,
  submit,
  unknownId,
  unknownUuid,
} from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { until } from '../../support/until.ts'

for (const engine of engines) {
  describe(`submissions on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: JudgeStage
    let cast: Cast
    // Counted exactly in either database; as many as there are by default on one.
    const most = engine === 'sqlite' ? 1_000 : 200
    before(async () => {
      stage = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: `waitingSubmissions=${most}` } })
      cast = stage.cast
    })
    after(() => stage.stop())

    test('a submission is given back as it was handed in, NUL and all', async () => {
      const problem = await makeProblem(cast.setter)
      const Content = 'a\0b\r\n🙂'
      const snippet = await submit(cast.contestant, problem.UUID.toUpperCase(), { Content, Language: 'c' })
      const { Submission } = await cast.contestant.call('get_submission', { ID: snippet.ID })
      assert.deepEqual(Submission, { ...snippet, Content })
      const { ID, CreatedTime, Author, ...rest } = snippet
      assert.ok(Number.isSafeInteger(ID) && ID > 0)
      assert.ok(Math.abs(CreatedTime - Date.now()) < 60_000)
      assert.equal(Author.ID, stage.idOf('contestant'))
      assert.deepEqual(rest, {
        Problem: { UUID: problem.UUID, DisplayName: 'Sum' },
        Language: 'c',
        Status: 1,
        Result: 0,
        FinishedTime: null,
        CPUTimeInMillisecond: null,
        PeakMemoryInByte: null,
        Score: null,
        MaximumScore: null,
      })
    })

    rule('what is not there is 6', async () => {
      for (const method of ['get_submission', 'delete_submission', 'get_submission_report', 'rejudge_submission']) {
        assert.equal(await cast.admin.code(method, { ID: unknownId }), 6, method)
      }
      const ProblemUUID = unknownUuid()
      assert.equal(await cast.contestant.code('create_submission', { ProblemUUID, Content: 'x', Language: 'c' }), 6)
      assert.equal(await cast.contestant.code('get_problem_submission_snippet_list', { ProblemUUID, ...page() }), 6)
      assert.equal(
        await cast.contestant.code('get_account_submission_snippet_list', { AccountID: unknownId, ...page() }),
        6,
      )
      const both = { AccountID: stage.idOf('rival'), ProblemUUID, ...page() }
      assert.equal(await cast.contestant.code('get_account_problem_submission_snippet_list', both), 6)
      assert.equal(await cast.worker.code('update_submission', { ID: unknownId, Status: 3, Result: 1 }), 6)
      assert.equal(await cast.worker.code('update_submission', { ID: unknownId, Status: 2, Result: 0 }), 6)
      assert.equal(await cast.worker.code('renew_submission_lease', { ID: unknownId, Lease: 'x' }), 6)
      assert.equal(await cast.contestant.code('wait_for_submission', { ID: unknownId, WaitMillisecond: 0 }), 6)
    })

    rule('the switch for submissions answers 15, after 8 by role and before 6', async () => {
      const turn = (DisableSubmissionCreation: boolean) =>
        cast.admin.call('update_setting', { Setting: { Submission: { DisableSubmissionCreation } } })
      const draft = { ProblemUUID: unknownUuid(), Content: 'x', Language: 'c' }
      await turn(true)
      assert.equal(await cast.contestant.code('create_submission', draft), 15)
      assert.equal(await cast.admin.code('create_submission', draft), 15)
      assert.equal(await cast.worker.code('create_submission', draft), 8)
      await turn(false)
      assert.equal(await cast.contestant.code('create_submission', draft), 6)
    })

    test('each list has its own submissions, newest first, and knows how many', async () => {
      const [a, b] = [await makeProblem(cast.setter), await makeProblem(cast.setter)]
      const made: Json[] = []
      for (const [who, problem] of [
        ['contestant', a],
        ['rival', a],
        ['contestant', b],
        ['contestant', a],
        ['rival', b],
      ] as const) {
        made.push(await submit(cast[who], problem.UUID))
      }
      const idsOf = (list: Json) => list.SubmissionSnippetList.map(({ ID }: Json) => ID)
      const newest = made.map(({ ID }) => ID).toReversed()
      const all = await cast.worker.call('get_submission_snippet_list', page(0, 5))
      assert.deepEqual(idsOf(all), newest)
      assert.deepEqual(all.SubmissionSnippetList[0], made[4])
      const toA = await cast.rival.call('get_problem_submission_snippet_list', { ProblemUUID: a.UUID, ...page() })
      assert.equal(toA.TotalSubmissionCount, 3)
      assert.deepEqual(idsOf(toA), [newest[1], newest[3], newest[4]])
      const own = { AccountID: stage.idOf('contestant'), ...page(0, 2) }
      assert.deepEqual(idsOf(await cast.rival.call('get_account_submission_snippet_list', own)), [newest[1], newest[2]])
      const both = { AccountID: stage.idOf('contestant'), ProblemUUID: a.UUID, ...page(1, 5) }
      const ownToA = await cast.rival.call('get_account_problem_submission_snippet_list', both)
      assert.equal(ownToA.TotalSubmissionCount, 2)
      assert.deepEqual(idsOf(ownToA), [newest[4]])
      const far = await cast.rival.call('get_submission_snippet_list', page(2 ** 53 - 1, 5))
      assert.deepEqual(far.SubmissionSnippetList, [])
      assert.equal(far.TotalSubmissionCount, all.TotalSubmissionCount)
      const before = idsOf(await cast.rival.call('get_account_submission_snippet_list', { ...own, ...page() }))
      await cast.setter.call('update_problem_judging', { UUID: b.UUID, Judging: { IsHeld: true } })
      const withoutHeld = await cast.rival.call('get_account_submission_snippet_list', { ...own, ...page() })
      const left = before.filter((ID: number) => ID !== newest[2])
      assert.deepEqual([withoutHeld.TotalSubmissionCount, idsOf(withoutHeld)], [left.length, left])
      await cast.setter.call('update_problem_judging', { UUID: b.UUID, Judging: { IsHeld: false } })
    })

    test(`an account may have ${most} submissions waiting, exactly, however many are sent at once`, async () => {
      const { UUID } = await makeProblem(cast.setter)
      const send = () => cast.colleague.code('create_submission', { ProblemUUID: UUID, Content: 'x', Language: 'c' })
      const codes: number[] = []
      for (let i = 0; i <= most; i += 100) codes.push(...(await Promise.all(Array.from({ length: 100 }, send))))
      assert.equal(codes.filter((code) => code === 0).length, most)
      assert.equal(codes.filter((code) => code === 9).length, 100)
      while ((await claim(cast.worker)).Author.AccountName !== 'colleague');
      assert.equal(await send(), 0)
      assert.equal(await send(), 9)
      await cast.setter.call('delete_problem', { UUID })
    })

    test('own submissions are deleted at once, while another’s stay', async () => {
      const { UUID } = await makeProblem(cast.setter)
      const mine = await submit(cast.contestant, UUID)
      const theirs = await submit(cast.rival, UUID)
      await cast.contestant.call('delete_submission', { ID: mine.ID })
      const list = await cast.admin.call('get_problem_submission_snippet_list', { ProblemUUID: UUID, ...page() })
      assert.equal(list.TotalSubmissionCount, 1)
      assert.equal(list.SubmissionSnippetList[0].ID, theirs.ID)
      assert.equal(await cast.contestant.code('delete_submission', { ID: mine.ID }), 6)
    })

    rule('a report is read back: by its author without the words of hidden tests', async () => {
      await drain(cast)
      const { UUID } = await makeProblem(cast.setter)
      const [hidden, shown] = [
        (await cast.setter.call('create_test_case', { ProblemUUID: UUID, Input: '', Output: '', IsHidden: true }))
          .TestCaseSnippet,
        (await cast.setter.call('create_test_case', { ProblemUUID: UUID, Input: '', Output: '', IsHidden: false }))
          .TestCaseSnippet,
      ]
      const { ID } = await submit(cast.contestant, UUID)
      const held = await claim(cast.worker)
      const renewal = { ID, Lease: held.Lease, FinishedTestCaseCount: 1, TotalTestCaseCount: 2 }
      await cast.worker.call('renew_submission_lease', renewal)
      const early = await cast.contestant.call('get_submission_report', { ID })
      assert.deepEqual(early, {
        RosterName: null,
        MayDelete: true,
        Rejudged: null,
        Report: null,
        Progress: { FinishedTestCaseCount: 1, TotalTestCaseCount: 2 },
      })
      const line = {
        CPUTimeInMillisecond: 5,
        WallTimeInMillisecond: 9,
        PeakMemoryInByte: 3_000_000,
        ExitCode: 0,
        Signal: null,
      }
      const Report = {
        Result: 6,
        CompilerOutput: 'warning\0',
        TestList: [
          { TestCaseUUID: shown.UUID, Result: 1, Stderr: 'seen', ...line },
          {
            TestCaseUUID: hidden.UUID,
            Result: 6,
            Stderr: 'secret',
            ...line,
            CPUTimeInMillisecond: 27,
            Signal: 'SIGSEGV',
            ExitCode: null,
          },
        ],
      }
      const { SubmissionSnippet } = await cast.worker.call('report_submission', { ID, Lease: held.Lease, Report })
      assert.deepEqual([SubmissionSnippet.Status, SubmissionSnippet.Result], [3, 6])
      assert.deepEqual(
        [SubmissionSnippet.CPUTimeInMillisecond, SubmissionSnippet.PeakMemoryInByte],
        [30, 3 * 1024 * 1024],
      )
      assert.ok(SubmissionSnippet.FinishedTime >= SubmissionSnippet.CreatedTime)
      const unscored = { Score: null, MaximumScore: null, GroupList: [] }
      for (const who of ['setter', 'admin', 'worker'] as const) {
        const { Report: read } = await cast[who].call('get_submission_report', { ID })
        assert.deepEqual(read, { ...Report, ...unscored }, who)
      }
      const seen = (await cast.contestant.call('get_submission_report', { ID })).Report
      const [first, second] = Report.TestList
      const times = { CPUTimeInMillisecond: 30, WallTimeInMillisecond: 10, PeakMemoryInByte: 3 * 1024 * 1024 }
      const coarse = { ...times, Stderr: '', Signal: null, ExitCode: null }
      assert.deepEqual(seen, { ...Report, ...unscored, TestList: [first, { ...second, ...coarse }] })
      await cast.setter.call('delete_test_case', { UUID: shown.UUID })
      const later = (await cast.contestant.call('get_submission_report', { ID })).Report
      assert.equal(later.TestList[0].Stderr, '')
    })

    rule('a finished submission never has more tests finished than there are, whatever its executor said', async () => {
      await drain(cast)
      const { UUID } = await makeProblem(cast.setter)
      const draft = { ProblemUUID: UUID, Input: '', Output: '', IsHidden: true }
      const tests = [
        (await cast.setter.call('create_test_case', draft)).TestCaseSnippet,
        (await cast.setter.call('create_test_case', draft)).TestCaseSnippet,
      ]
      const figures = { CPUTimeInMillisecond: 5, WallTimeInMillisecond: 9, PeakMemoryInByte: 0, Stderr: '' }
      const line = { Result: 1, ...figures, ExitCode: 0, Signal: null }
      const TestList = tests.map((one) => ({ TestCaseUUID: one.UUID, ...line }))
      for (const [said, total] of [
        [undefined, 2],
        [{ FinishedTestCaseCount: 1, TotalTestCaseCount: 1 }, 2],
        [{ FinishedTestCaseCount: 1, TotalTestCaseCount: 5 }, 5],
      ] as const) {
        const { ID } = await submit(cast.contestant, UUID)
        const { Lease } = await claim(cast.worker)
        if (said) await cast.worker.call('renew_submission_lease', { ID, Lease, ...said })
        await cast.worker.call('report_submission', { ID, Lease, Report: { Result: 1, CompilerOutput: '', TestList } })
        const { Progress } = await cast.contestant.call('get_submission_report', { ID })
        assert.deepEqual(Progress, { FinishedTestCaseCount: 2, TotalTestCaseCount: total })
      }
    })

    test('a finished submission is judged again, alone or with all to its problem', async () => {
      await drain(cast)
      const { UUID } = await makeProblem(cast.setter)
      const made = [
        await submit(cast.contestant, UUID),
        await submit(cast.contestant, UUID),
        await submit(cast.rival, UUID),
      ]
      assert.equal(await cast.setter.code('rejudge_submission', { ID: made[0].ID }), 10)
      for (let i = 0; i < 2; i++) await finish(cast.worker, (await claim(cast.worker)).ID, 6)
      const held = await claim(cast.worker)
      assert.equal(await cast.setter.code('rejudge_submission', { ID: held.ID }), 10)
      const { SubmissionSnippet } = await cast.setter.call('rejudge_submission', { ID: made[1].ID })
      assert.deepEqual(
        [SubmissionSnippet.Status, SubmissionSnippet.Result, SubmissionSnippet.FinishedTime],
        [1, 0, null],
      )
      assert.deepEqual(await cast.setter.call('rejudge_problem', { UUID }), { RejudgedSubmissionCount: 1 })
      const again = [await claim(cast.worker), await claim(cast.worker)]
      assert.deepEqual(
        again.map(({ ID }) => ID),
        [made[0].ID, made[1].ID],
      )
    })

    test('very many are judged again in pieces, and what a killed server left of them is made up for', async () => {
      await drain(cast)
      const { UUID } = await makeProblem(cast.setter)
      const [authorId, first] = [stage.idOf('contestant'), (await submit(cast.contestant, UUID)).ID + 1]
      const ids = Array.from({ length: 1_200 }, (_, i) => first + i)
      await storeSubmissions(
        stage,
        ids.map((id) => ({ id, authorId, problemUuid: UUID, status: 3 })),
      )
      const countFinished = async () => {
        const rows = await stage.services.store.db
          .selectFrom('submission')
          .select('id')
          .where('status', '=', 3)
          .execute()
        return rows.filter(({ id }) => id >= first).length
      }
      assert.deepEqual(await cast.setter.call('rejudge_problem', { UUID }), { RejudgedSubmissionCount: 1_200 })
      assert.equal(await countFinished(), 0)

      const { store, jobs, judge } = stage.services
      const countJobs = async () =>
        (await store.db.selectFrom('job').select('id').where('kind', '=', 'judge.rejudge').execute()).length
      const before = await countJobs()
      const asked = await Promise.all(Array.from({ length: 15 }, () => cast.setter.call('rejudge_problem', { UUID })))
      assert.ok(asked.every(({ RejudgedSubmissionCount }) => RejudgedSubmissionCount === 0))
      assert.equal(await countJobs(), before, 'asked again while nothing is finished, nothing is left to do')
      await store.write((trx) =>
        trx.updateTable('submission').set({ status: 3, finished_at: 5 }).where('id', '>=', first).execute(),
      )
      const setter = (await stage.services.accounts.findByName('setter'))!
      const { id: problemId } = await judge.problems.find(actingFor(setter), UUID)
      const order = { problemId, finishedBy: 5 }
      await store.write((trx) => jobs.enqueue(trx, 'judge.rejudge', order))
      await until(async () => (await countFinished()) === 0)
      await cast.setter.call('delete_problem', { UUID })
    })
  })
}

async function drain(cast: Cast): Promise<void> {
  for (;;) {
    const answer = await cast.admin.ask(claimMethod)
    if (answer.error) return
    await finish(cast.admin, answer.result.Submission.ID)
  }
}
