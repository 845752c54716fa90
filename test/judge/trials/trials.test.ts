/** run_program and the operations of executors behind it, with executors played by the test. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claim,
  finish,
  type JudgeStage,
  makeProblem,
  makeTest,
  startJudge,
  submit,
} from '../../support/judge.ts'
import { type Json, makeRpcClient, type RpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'

const languages = [{ Value: 'python', Name: 'Python' }]
const run = { Content: 'print(3)', Language: 'python' }
const claimed = { LanguageList: ['python'], FeatureList: ['checker', 'interactive', 'score'] }
const waiting = { ...claimed, WaitMillisecond: 10_000 }

const takeTrial = async (by: RpcClient, params: object = waiting): Promise<Json> =>
  (await by.call('claim_trial', params)).Trial
const report = (Stdout: string) => ({
  Result: 1,
  CompilerOutput: '',
  RunList: [
    {
      ...{ Result: 1, Input: '', Output: '', Stdout, IsStdoutCut: false, Stderr: '', ExitCode: 0, Signal: null },
      ...{ CPUTimeInMillisecond: 1, WallTimeInMillisecond: 1, PeakMemoryInByte: 1 },
    },
  ],
})
const answer = (by: RpcClient, { ID, Lease }: Json, Stdout = 'yes') =>
  by.call('report_trial', { ID, Lease, Report: report(Stdout) })

for (const engine of engines) {
  describe(`programs that are run without a submission on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let stage: JudgeStage
    let cast: Cast
    let problem: Json
    before(async () => {
      stage = await startJudge(engine, { clock })
      cast = stage.cast
      problem = await makeProblem(cast.setter)
      await makeTest(cast.setter, problem.UUID, { Input: 'secret\n', Output: 'hidden\n' })
    })
    after(() => stage.stop())
    const register = (FeatureList: readonly string[], by = cast.worker) =>
      by.call('register_executor', { Name: 'played', LanguageList: languages, ParallelRunCount: 2, FeatureList })
    const ask = (by: RpcClient, change: object = {}) =>
      by.ask('run_program', { ProblemUUID: problem.UUID, ...run, ...change })
    const rows = () => stage.services.store.db.selectFrom('trial').select(['id', 'status']).execute()
    const untilRows = (count: number) => until(async () => (await rows()).length === count)

    test('without an executor that can, it is refused at once: none is there, or only one that is older', async () => {
      assert.equal((await ask(cast.contestant)).error.code, 10)
      await register(['checker', 'interactive', 'score'])
      assert.equal((await ask(cast.contestant)).error.code, 10)
      await register(['checker', 'interactive', 'score', 'trial'])
      assert.equal((await ask(cast.contestant, { Language: 'cobol' })).result.Result, 7)
    })

    test('an executor gets the examples and no test, and its report is the answer', async () => {
      const asked = ask(cast.contestant)
      const trial = await takeTrial(cast.worker)
      assert.deepEqual(trial.ExampleList, [{ Input: '1 2\n', Output: '3\n', ArgumentList: null }])
      assert.deepEqual(
        [trial.Input, trial.Content, trial.Language, trial.ProblemUUID, trial.ChargedAccount.ID],
        [null, run.Content, 'python', problem.UUID, stage.idOf('contestant')],
      )
      assert.doesNotMatch(JSON.stringify(trial), /secret|hidden/)
      await cast.worker.call('renew_trial_lease', { ID: trial.ID, Lease: trial.Lease })
      await answer(cast.worker, trial, 'said')
      const { result } = await asked
      assert.deepEqual([result.Result, result.RunList[0].Stdout], [1, 'said'])
      assert.deepEqual(await rows(), [], 'nothing of it is kept')
      const { TotalSubmissionCount } = await cast.admin.call('get_submission_snippet_list', { Offset: 0, Limit: 1 })
      assert.equal(TotalSubmissionCount, 0)
    })

    test('with an input of one’s own there are no examples, and an empty one is an input, too', async () => {
      for (const Input of ['7 8\n', '', 'nul \0 nul']) {
        const asked = ask(cast.contestant, { Input })
        const trial = await takeTrial(cast.worker)
        assert.deepEqual([trial.Input, trial.ExampleList], [Input, []])
        await answer(cast.worker, trial)
        assert.equal((await asked).result.Result, 1)
      }
    })

    test('a problem without examples, or that talks, is tried on its open tests', async () => {
      const bare = await makeProblem(cast.setter, { ExampleList: [] })
      await makeTest(cast.setter, bare.UUID, { Input: 'hidden', Output: 'x' })
      await makeTest(cast.setter, bare.UUID, { Input: 'open', Output: 'y', IsHidden: false })
      const asked = ask(cast.contestant, { ProblemUUID: bare.UUID })
      const trial = await takeTrial(cast.worker)
      assert.deepEqual(trial.ExampleList, [{ Input: 'open', Output: 'y', ArgumentList: null }])
      await answer(cast.worker, trial)
      await asked
    })

    test('the time of a run is the problem’s with the factor of the language, and 10 s at most', async () => {
      const slow = await makeProblem(cast.setter, { TimeLimitInMillisecond: 60_000 })
      const quick = await makeProblem(cast.setter, { TimeLimitInMillisecond: 1_000 })
      const Judging = { LanguageFactorList: [{ Language: 'python', TimeFactor: 3 }] }
      await cast.setter.call('update_problem_judging', { UUID: quick.UUID, Judging })
      for (const [one, ms] of [
        [slow, 10_000],
        [quick, 3_000],
      ] as const) {
        const asked = ask(cast.contestant, { ProblemUUID: one.UUID })
        const trial = await takeTrial(cast.worker)
        assert.equal(trial.TimeLimitInMillisecond, ms)
        await answer(cast.worker, trial)
        await asked
      }
    })

    test('whoever may not submit may not run either, and the switch binds both', async () => {
      const held = await makeProblem(cast.setter)
      await cast.setter.call('update_problem_judging', { UUID: held.UUID, Judging: { IsHeld: true } })
      const codes = async (by: RpcClient, change = {}) => (await ask(by, change)).error?.code ?? 0
      assert.equal(await codes(cast.anonymous), 17)
      assert.equal(await codes(cast.worker), 8)
      assert.equal(await codes(cast.contestant, { ProblemUUID: held.UUID }), 6)
      assert.equal(await codes(cast.contestant, { ProblemUUID: crypto.randomUUID() }), 6)
      assert.equal(await codes(cast.contestant, { Content: '' }), -32602)
      assert.equal(await codes(cast.contestant, { Input: 'x'.repeat(262_145) }), -32602)
      const set = (DisableSubmissionCreation: boolean) =>
        cast.admin.call('update_setting', { Setting: { Submission: { DisableSubmissionCreation } } })
      await set(true)
      assert.equal(await codes(cast.contestant), 15)
      await set(false)
      for (const by of [cast.contestant, cast.setter]) assert.equal(await by.code('claim_trial', claimed), 8)
    })

    test('it comes after every submission that somebody waits for, and before what is judged again', async () => {
      const first = await submit(cast.rival, problem.UUID)
      const asked = ask(cast.contestant)
      await untilRows(1)
      assert.equal(await cast.worker.code('claim_trial', claimed), 6)
      const { ID } = await claim(cast.worker)
      assert.equal(ID, first.ID)
      await finish(cast.worker, ID)
      await cast.setter.call('rejudge_submission', { ID })
      await answer(cast.worker, await takeTrial(cast.worker, claimed))
      assert.equal((await asked).result.Result, 1)
      await finish(cast.worker, (await claim(cast.worker)).ID)
    })

    test('an account has two at a time, of which one runs; whoever has used least is next', async () => {
      const own = [ask(cast.rival), ask(cast.rival)]
      await untilRows(2)
      const { error } = await ask(cast.rival)
      assert.equal(error.code, 9)
      assert.ok(error.data.RetryAfterSecond > 0)
      const one = await takeTrial(cast.worker)
      assert.equal(await cast.helper.code('claim_trial', claimed), 6, 'the other waits for the first')
      const late = ask(cast.colleague)
      const next = await takeTrial(cast.helper)
      assert.equal(next.ChargedAccount.ID, stage.idOf('colleague'))
      await answer(cast.worker, one)
      await Promise.race(own)
      // Whoever has just had one comes after a newcomer, though it has waited longer.
      const newcomer = ask(cast.setter)
      await untilRows(3)
      const third = await takeTrial(cast.worker)
      assert.equal(third.ChargedAccount.ID, stage.idOf('setter'))
      await answer(cast.helper, next)
      await answer(cast.worker, third)
      await answer(cast.worker, await takeTrial(cast.worker))
      await Promise.all([...own, late, newcomer])
    })

    test('when its client goes, the trial goes, and the executor is told so', async () => {
      const gone = new AbortController()
      const params = { ProblemUUID: problem.UUID, ...run }
      const body = JSON.stringify({ jsonrpc: '2.0', id: crypto.randomUUID(), method: 'run_program', params })
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${cast.contestant.token}` }
      const sent = fetch(`${stage.url}/`, { method: 'POST', headers, body, signal: gone.signal }).catch(() => null)
      const { ID, Lease } = await takeTrial(cast.worker)
      gone.abort()
      await sent
      await untilRows(0)
      assert.equal(await cast.worker.code('renew_trial_lease', { ID, Lease }), 6)
      assert.equal(await cast.worker.code('report_trial', { ID, Lease, Report: report('') }), 6)
    })

    test('an executor that dies is replaced once, and then the caller is told', async () => {
      const asked = ask(cast.contestant)
      const first = await takeTrial(cast.worker)
      clock.advance(15_000)
      const second = await takeTrial(cast.helper)
      assert.equal(second.ID, first.ID)
      assert.equal(await cast.worker.code('report_trial', { ID: first.ID, Lease: first.Lease, Report: report('') }), 10)
      await cast.helper.call('report_trial', { ID: second.ID, Lease: second.Lease, Reason: 'The disk is full.' })
      const { error } = await asked
      assert.equal(error.code, -32603)
      assert.match(error.message, /executor failed/)
    })

    test('where no executor comes in time, the caller is told to try again', async () => {
      const asked = ask(cast.contestant)
      await untilRows(1)
      clock.advance(60_000)
      assert.equal((await asked).error.code, 9)
      await untilRows(0)
    })

    test('a problem that is deleted meanwhile ends it', async () => {
      const doomed = await makeProblem(cast.setter)
      const asked = ask(cast.contestant, { ProblemUUID: doomed.UUID })
      await untilRows(1)
      await cast.setter.call('delete_problem', { UUID: doomed.UUID })
      assert.equal((await asked).error.code, 6)
    })

    test('a report is a report or a reason, by who holds the lease', async () => {
      const asked = ask(cast.contestant)
      const { ID, Lease } = await takeTrial(cast.worker)
      const code = (by: RpcClient, change: object) => by.code('report_trial', { ID, Lease, ...change })
      assert.equal(await code(cast.worker, {}), -32602)
      assert.equal(await code(cast.worker, { Report: report(''), Reason: 'both' }), -32602)
      assert.equal(await code(cast.helper, { Report: report('') }), 10)
      assert.equal(await code(cast.worker, { Lease: 'another', Report: report('') }), 10)
      assert.equal(await code(cast.contestant, { Report: report('') }), 8)
      assert.equal(await code(cast.worker, { Report: report('') }), 0)
      assert.equal((await asked).result.Result, 1)
    })

    test('of all together so many are taken, and another account is refused beyond', async () => {
      const other = await startJudge(engine, { environment: { GUILDHALL_JUDGE_LIMITS: 'trials=1' } })
      const { UUID } = await makeProblem(other.cast.setter)
      const given = { Name: 'played', LanguageList: languages, ParallelRunCount: 2, FeatureList: ['trial'] }
      await other.cast.worker.call('register_executor', given)
      const client = makeRpcClient(other.url, other.cast.contestant.token)
      const asked = client.ask('run_program', { ProblemUUID: UUID, ...run })
      const trial = await takeTrial(other.cast.worker)
      assert.equal(await other.cast.rival.code('run_program', { ProblemUUID: UUID, ...run }), 9)
      await answer(other.cast.worker, trial)
      await asked
      await other.stop()
    })

    test('why a checker does not compile is told to the problem’s author, and to nobody else', async () => {
      const Report = { Result: 9, CompilerOutput: '', RunList: [], JudgeMessage: 'checker.cpp:1: oops' }
      const tell = async (by: RpcClient) => {
        const asked = ask(by)
        const { ID, Lease } = await takeTrial(cast.worker)
        await cast.worker.call('report_trial', { ID, Lease, Report })
        const { Result, JudgeMessage } = (await asked).result
        return [Result, JudgeMessage]
      }
      assert.deepEqual(await tell(cast.setter), [9, 'checker.cpp:1: oops'])
      assert.deepEqual(await tell(cast.contestant), [9, undefined])
    })
  })
}
