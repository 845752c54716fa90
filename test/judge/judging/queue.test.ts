import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
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
  submit,
} from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'

const leaseMs = 60_000

for (const engine of engines) {
  describe(`the queue on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    let problem: Json
    const clock = makeManualClock(Date.now())
    before(async () => {
      stage = await startJudge(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())
    beforeEach(async () => {
      if (problem) await cast.admin.call('delete_problem', { UUID: problem.UUID })
      problem = await makeProblem(cast.setter)
    })

    const hand = (change = {}) => submit(cast.contestant, problem.UUID, change)
    const update = (who: keyof Cast, ID: number, Status: number, Result: number, Lease?: string) =>
      cast[who].code('update_submission', { ID, Status, Result, ...(Lease !== undefined && { Lease }) })
    const stateOf = async (ID: number) => {
      const { Submission } = await cast.admin.call('get_submission', { ID })
      return [Submission.Status, Submission.Result]
    }

    test('the oldest is claimed first, whole and under a lease; an empty queue is 6', async () => {
      const made = [await hand({ Content: 'first' }), await hand(), await hand()]
      const first = await claim(cast.worker)
      const { Lease, LeaseExpiryTime, JudgingHash, TimeLimitInMillisecond, ChargedAccount, ...rest } = first
      const { MemoryLimitInByte, TestCaseHash, ...submission } = rest
      const { Problem } = await cast.worker.call('get_problem', { UUID: problem.UUID })
      assert.deepEqual([MemoryLimitInByte, TestCaseHash], [Problem.MemoryLimitInByte, Problem.TestCaseHash])
      assert.deepEqual(submission, { ...made[0], Content: 'first', Status: 2 })
      assert.match(Lease, /^\S{20,}$/)
      assert.match(JudgingHash, /^[0-9a-f]{64}$/)
      assert.equal(TimeLimitInMillisecond, 1_000)
      assert.deepEqual(ChargedAccount, { ID: submission.Author.ID })
      assert.equal(LeaseExpiryTime, clock.now() + leaseMs)
      assert.equal((await claim(cast.helper)).ID, made[1].ID)
      assert.equal((await claim(cast.admin)).ID, made[2].ID)
      assert.equal(await cast.worker.code(claimMethod), 6)
      assert.deepEqual(await stateOf(made[0].ID), [2, 0])
    })

    test('a submission given back has its old place', async () => {
      const [first, second] = [await hand(), await hand()]
      await claim(cast.worker)
      assert.equal(await update('worker', first.ID, 1, 0), 0)
      assert.deepEqual(await stateOf(first.ID), [1, 0])
      assert.equal((await claim(cast.worker)).ID, first.ID)
      assert.equal((await claim(cast.worker)).ID, second.ID)
    })

    test('giving back any number of times is no loss', async () => {
      const { ID } = await hand()
      for (let i = 0; i < 5; i++) {
        await claim(cast.worker)
        assert.equal(await update('worker', ID, 1, 0), 0)
      }
      assert.deepEqual(await stateOf(ID), [1, 0])
    })

    test('only the transitions of the contract are there', async () => {
      const { ID } = await hand()
      for (const Status of [1, 2, 3]) assert.equal(await update('admin', ID, Status, 1), 10, `1 → ${Status}`)
      assert.equal(await update('admin', ID, 1, 0), 10)
      await claim(cast.worker)
      assert.equal(await update('worker', ID, 2, 0), 10)
      assert.equal(await update('worker', ID, 1, 5), 10)
      assert.equal(await update('worker', ID, 3, 0), -32602)
      assert.deepEqual(await stateOf(ID), [2, 0])
      assert.equal(await update('worker', ID, 3, 9), 0)
      assert.deepEqual(await stateOf(ID), [3, 9])
      for (const Status of [1, 2, 3]) assert.equal(await update('worker', ID, Status, 0 + Number(Status === 3)), 10)
    })

    test('every result from 1 to 9 finishes', async () => {
      for (let result = 1; result <= 9; result++) {
        const { ID } = await hand()
        await claim(cast.worker)
        const { SubmissionSnippet } = await finish(cast.worker, ID, result)
        assert.deepEqual([SubmissionSnippet.Status, SubmissionSnippet.Result], [3, result])
      }
    })

    test('without a lease the claimer or an admin may report, with one whoever has the present one', async () => {
      const { ID } = await hand()
      const { Lease } = await claim(cast.worker)
      assert.equal(await update('helper', ID, 3, 1), 10)
      assert.equal(await update('worker', ID, 3, 1, 'wrong'), 10)
      assert.equal(await update('admin', ID, 3, 1, 'wrong'), 10)
      assert.equal(await update('helper', ID, 3, 1, Lease), 0)
      const next = await hand()
      await claim(cast.worker)
      assert.equal(await update('admin', next.ID, 3, 1), 0)
    })

    test('a lease that is renewed holds; one that is not ends to the millisecond', async () => {
      const { ID } = await hand()
      const { Lease } = await claim(cast.worker)
      clock.advance(leaseMs - 1)
      const { LeaseExpiryTime } = await cast.worker.call('renew_submission_lease', { ID, Lease })
      assert.equal(LeaseExpiryTime, clock.now() + leaseMs)
      clock.advance(leaseMs - 1)
      assert.deepEqual(await stateOf(ID), [2, 0])
      assert.equal(await cast.worker.code(claimMethod), 6)
      clock.advance(1)
      assert.equal(await cast.worker.code('renew_submission_lease', { ID, Lease }), 10)
      assert.equal(await update('worker', ID, 3, 1), 10)
      assert.equal(await update('admin', ID, 3, 1), 10)
      assert.deepEqual(await stateOf(ID), [1, 0])
    })

    test('a lost one goes to the next claimer, and its old holder’s result is refused', async () => {
      const { ID } = await hand()
      const old = await claim(cast.worker)
      clock.advance(leaseMs)
      const fresh = await claim(cast.helper)
      assert.equal(fresh.ID, ID)
      assert.notEqual(fresh.Lease, old.Lease)
      const Report = { Result: 1, CompilerOutput: '', TestList: [] }
      assert.equal(await cast.worker.code('report_submission', { ID, Lease: old.Lease, Report }), 10)
      assert.equal(await update('worker', ID, 3, 1), 10)
      assert.equal(await update('worker', ID, 3, 1, old.Lease), 10)
      assert.equal(await cast.helper.code('report_submission', { ID, Lease: fresh.Lease, Report }), 0)
    })

    test('lists tell of a lost one as it is: submitted', async () => {
      const { ID } = await hand()
      const see = async () => {
        const params = { ProblemUUID: problem.UUID, ...page() }
        const { SubmissionSnippetList } = await cast.rival.call('get_problem_submission_snippet_list', params)
        const { Submission } = await cast.rival.call('get_submission', { ID })
        return [SubmissionSnippetList[0].Status, Submission.Status]
      }
      assert.deepEqual(await see(), [1, 1])
      await claim(cast.worker)
      assert.deepEqual(await see(), [2, 2])
      clock.advance(leaseMs)
      assert.deepEqual(await see(), [1, 1])
    })

    test('after three losses and failures, in any mixture, the result is 9', async () => {
      const { ID } = await hand()
      const other = await hand()
      await claim(cast.worker)
      clock.advance(leaseMs)
      const { Lease } = await claim(cast.worker)
      const failure = { ID, Lease, Reason: 'the sandbox would not start' }
      const { SubmissionSnippet } = await cast.worker.call('report_submission_failure', failure)
      assert.deepEqual([SubmissionSnippet.Status, SubmissionSnippet.Result], [1, 0])
      assert.equal((await claim(cast.worker)).ID, ID)
      clock.advance(leaseMs)
      assert.deepEqual(await stateOf(ID), [3, 9])
      for (const status of [1, 1, 3]) {
        const held = await claim(cast.worker)
        assert.equal(held.ID, other.ID)
        const params = { ID: other.ID, Lease: held.Lease, Reason: '' }
        const told = await cast.worker.call('report_submission_failure', params)
        assert.equal(told.SubmissionSnippet.Status, status)
      }
      assert.deepEqual(await stateOf(other.ID), [3, 9])
    })

    test('a deleted submission’s late result is 6', async () => {
      const { ID } = await hand()
      const { Lease } = await claim(cast.worker)
      assert.equal(await cast.contestant.code('delete_submission', { ID }), 10)
      await cast.admin.call('delete_submission', { ID })
      assert.equal(await update('worker', ID, 3, 1), 6)
      assert.equal(await update('worker', ID, 3, 1, Lease), 6)
      assert.equal(await cast.worker.code('renew_submission_lease', { ID, Lease }), 6)
    })

    test('an executor that says what it can run gets that, and what nobody runs', async () => {
      const register = (who: 'worker' | 'helper', Name: string, values: string[]) =>
        cast[who].call('register_executor', {
          Name,
          LanguageList: values.map((Value) => ({ Value, Name: Value })),
          ParallelRunCount: 2,
        })
      await register('worker', 'built-in', ['c', 'python'])
      await register('helper', 'far', ['go', 'c'])
      const languages = ['go', 'brainfuck', 'python', 'c']
      const made = new Map<string, number>()
      for (const Language of languages) made.set(Language, (await hand({ Language })).ID)
      assert.equal((await claim(cast.worker, { LanguageList: ['c', 'python'] })).ID, made.get('brainfuck'))
      assert.equal((await claim(cast.worker, { LanguageList: ['c', 'python'] })).ID, made.get('python'))
      assert.equal((await claim(cast.worker, { LanguageList: ['c', 'python'] })).ID, made.get('c'))
      assert.equal(await cast.worker.code(claimMethod, { LanguageList: ['c', 'python'] }), 6)
      for (const done of ['brainfuck', 'python', 'c']) await finish(cast.worker, made.get(done)!)
      clock.advance(14 * 60_000)
      await register('worker', 'built-in', ['c', 'python'])
      assert.equal(await cast.worker.code(claimMethod, { LanguageList: ['c', 'python'] }), 6, 'it may come back')
      clock.advance(60_000)
      await register('worker', 'built-in', ['c', 'python'])
      assert.equal((await claim(cast.worker, { LanguageList: ['python'] })).ID, made.get('go'))
    })

    test('what an executor that comes back with less offered lately is no unknown language: it waits', async () => {
      const offer = (values: string[]) =>
        cast.worker.call('register_executor', {
          Name: 'short of room',
          LanguageList: values.map((Value) => ({ Value, Name: Value })),
          ParallelRunCount: 2,
        })
      await offer(['c', 'ruby'])
      const { ID } = await hand({ Language: 'ruby' })
      const never = await hand({ Language: 'never-offered' })
      await offer(['c'])
      assert.equal(await cast.worker.code(claimMethod, { LanguageList: ['c'], Order: 'fair' }), 6)
      assert.deepEqual(await Promise.all([stateOf(ID), stateOf(never.ID)]), [
        [1, 0],
        [3, 7],
      ])
      clock.advance(15 * 60_000)
      await offer(['c'])
      assert.equal(await cast.worker.code(claimMethod, { LanguageList: ['c'], Order: 'fair' }), 6)
      assert.deepEqual(await stateOf(ID), [3, 7])
      await cast.worker.call('register_executor', {
        Name: 'built-in',
        ParallelRunCount: 2,
        LanguageList: ['c', 'python'].map((Value) => ({ Value, Name: Value })),
      })
    })

    test('the server tells which languages the executors that are there offer', async () => {
      const info = await cast.anonymous.call('get_server_info')
      assert.deepEqual(info.SupportedLanguageList.map(({ Value }: Json) => Value).sort(), ['c', 'python'])
      assert.equal(info.IsDistributed, true)
    })
  })

  describe(`a server on ${engine} before the first executor`, () => {
    test('offers the built-in table, and is not distributed until another executor than its own came', async () => {
      const stage = await startJudge(engine)
      try {
        const { cast } = stage
        const infoOf = async () => (await cast.anonymous.call('get_server_info')) as Json
        const before = await infoOf()
        assert.deepEqual(
          before.SupportedLanguageList.map(({ Value }: Json) => Value),
          ['c', 'cpp', 'java', 'python', 'javascript', 'typescript', 'go', 'rust'],
        )
        assert.equal(before.IsDistributed, false)
        const own = { Name: 'built-in', LanguageList: [{ Value: 'c', Name: 'C 17' }], ParallelRunCount: 1 }
        await cast.worker.call('register_executor', own)
        const after = await infoOf()
        assert.deepEqual(after.SupportedLanguageList, [{ Value: 'c', Name: 'C 17' }])
        assert.equal(after.IsDistributed, false)
        await cast.helper.code(claimMethod)
        assert.equal((await infoOf()).IsDistributed, true)
      } finally {
        await stage.stop()
      }
    })
  })

  describe(`executors of one name and account on ${engine}`, () => {
    test('are told apart by their instance, offer and judge together, are gone when they say so, and leave the list', async () => {
      const clock = makeManualClock(Date.now())
      const stage = await startJudge(engine, { clock })
      try {
        const { cast } = stage
        const register = (Name: string, values: string[], InstanceID?: string) =>
          cast.worker.call('register_executor', {
            Name,
            LanguageList: values.map((Value) => ({ Value, Name: Value })),
            ParallelRunCount: 2,
            ...(InstanceID !== undefined && { InstanceID }),
          })
        const info = async () => {
          const { SupportedLanguageList, IsDistributed } = await cast.anonymous.call('get_server_info')
          return [SupportedLanguageList.map(({ Value }: Json) => Value).sort(), IsDistributed]
        }
        const list = async () => {
          const { ExecutorList } = await cast.admin.call('get_executor_list')
          return ExecutorList.map((one: Json) => [one.Name, one.ParallelRunCount, one.IsConnected]).sort()
        }
        await register('built-in on a', ['c', 'java'], '1')
        await register('built-in on a', ['c'], '2')
        await register('built-in on a', ['c', 'java'], '1')
        assert.deepEqual(await info(), [['c', 'java'], false])
        assert.deepEqual(await list(), [
          ['built-in on a', 2, true],
          ['built-in on a', 2, true],
        ])
        const problem = await makeProblem(cast.setter)
        for (let i = 0; i < 5; i++) await submit(cast.contestant, problem.UUID, { Language: 'c' })
        for (const code of [0, 0, 0, 0, 6])
          assert.equal(
            await cast.worker.code(claimMethod, { LanguageList: ['c'], Order: 'fair' }),
            code,
            'as many as both run',
          )
        await register('far', ['go'], '1')
        await register('far', ['go'], '2')
        await cast.helper.call('unregister_executor', { Name: 'far', InstanceID: '1' })
        await cast.worker.call('unregister_executor', { Name: 'built-in on a', InstanceID: '1' })
        await cast.worker.call('unregister_executor', { Name: 'far', InstanceID: '%' })
        assert.deepEqual(await list(), [
          ['built-in on a', 2, false],
          ['built-in on a', 2, true],
          ['far', 2, true],
          ['far', 2, true],
        ])
        clock.advance(3 * 60_000)
        await register('built-in on a', ['c'], '2')
        await register('far', ['go'])
        assert.deepEqual(await list(), [
          ['built-in on a', 2, true],
          ['far', 2, true],
        ])
        clock.advance(25 * 60 * 60_000)
        await register('built-in on b', ['c'], '3')
        assert.deepEqual(await list(), [['built-in on b', 2, true]])
        assert.deepEqual(await info(), [['c'], true], 'others have connected')
      } finally {
        await stage.stop()
      }
    })
  })
}
