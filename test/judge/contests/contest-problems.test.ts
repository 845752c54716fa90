/** The problems of contests and who keeps them: run before they are handed in, deleted by their authors, held back after all. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { tokenAt } from '../../api/contest-api/feed-client.ts'
import { engines } from '../../support/engines.ts'
import { type Cast, page } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

for (const engine of engines)
  describe(`problems of contests on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    let cast: Cast
    before(async () => {
      stage = await startContests(engine, { clock })
      cast = stage.cast
    })
    after(() => stage.stop())

    test('one that is held is run for its teams while it runs, and for its jury, before anything is handed in', async () => {
      const FeatureList = ['checker', 'interactive', 'score', 'trial']
      const offer = { LanguageList: [{ Value: 'python', Name: 'Python' }], FeatureList }
      const wish = { LanguageList: ['python'], FeatureList }
      const { problems } = await stage.makeContest({ StartTime: clock.now() + hour, Duration: hour }, 'A')
      const { UUID } = problems.A
      await cast.setter.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
      const run = { ProblemUUID: UUID, Language: 'python', Content: 'print(3)' }
      const answered = async (by: keyof Cast | 'judge') => {
        await cast.worker.call('register_executor', { Name: 'played', ParallelRunCount: 1, ...offer })
        const asked = (by === 'judge' ? stage.judge : cast[by]).ask('run_program', run)
        const claim = cast.worker.ask('claim_trial', { ...wish, WaitMillisecond: 10_000 })
        // One that is refused waits for nobody.
        const { result, error: refusal } = await Promise.race([claim, asked])
        if (refusal) return refusal.code
        const { ID, Lease } = result.Trial
        const Report = { Result: 1, CompilerOutput: '', RunList: [] }
        await cast.worker.call('report_trial', { ID, Lease, Report })
        const { error } = await asked
        return error?.code ?? 0
      }
      assert.equal(await cast.contestant.code('run_program', run), 6)
      assert.equal(await answered('judge'), 0)
      clock.advance(hour)
      assert.equal(await answered('contestant'), 0)
      assert.equal(await cast.colleague.code('run_program', run), 6)
    })

    test('its author deletes one that a contest of others holds, unless something was handed in to it there', async () => {
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const { A, B } = problems
      const { Clarification } = await cast.contestant.call('create_clarification', {
        ContestID,
        ProblemID: 'b',
        Text: 'Why?',
      })
      assert.equal(await cast.setter.code('delete_problem', { UUID: A.UUID }), 10)
      const used = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      await handIn(cast.contestant, used.ContestID, 'b')
      await stage.judgeNext(1)
      assert.equal(await cast.colleague.code('delete_problem', { UUID: used.problems.B.UUID }), 10)
      assert.equal(await cast.colleague.code('delete_problem', { UUID: B.UUID }), 0)
      const { Contest } = await cast.setter.call('get_contest', { ID: ContestID })
      const labels = Contest.ProblemList.map(({ Label }: Json) => Label)
      assert.deepEqual(labels, ['A'])
      const { ClarificationList } = await cast.setter.call('get_clarification_list', { ContestID, ...page() })
      const [question] = ClarificationList
      assert.deepEqual([question.ID, question.ProblemID, question.Category], [Clarification.ID, null, 'general'])
    })

    test('a contest that is final does not keep a problem from being deleted: its feed begins anew', async () => {
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now(), Duration: minute })
      clock.advance(2 * minute)
      await cast.setter.call('finalize_contest', { ContestID })
      const token = await tokenAt(stage.services, ContestID, 1)
      const feed = `${stage.url}/api/contests/${ContestID}/event-feed?since_token=${token}`
      assert.equal((await fetch(feed, { method: 'HEAD' })).status, 200)
      assert.equal(await cast.colleague.code('delete_problem', { UUID: problems.B.UUID }), 0)
      assert.equal((await fetch(feed)).status, 400)
    })

    test('the name of one that its author holds back after all is kept from everybody else', async () => {
      const { ContestID, problems } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const { UUID } = problems.B
      await cast.colleague.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
      await cast.colleague.call('update_problem', { UUID, DisplayName: 'Secret' })
      const { Contest } = await cast.setter.call('get_contest', { ID: ContestID })
      const names = Contest.ProblemList.map(({ DisplayName }: Json) => DisplayName)
      assert.deepEqual(names, ['Problem A', '(not yet public)'])
      const headers = { authorization: `Bearer ${cast.contestant.token}` }
      const base = `${stage.url}/api/contests/${ContestID}/problems`
      const listed = (await (await fetch(base, { headers })).json()) as Json
      assert.deepEqual(
        listed.map(({ name, statement }: Json) => [name, statement.length]),
        [
          ['Problem A', 1],
          ['(not yet public)', 0],
        ],
      )
      assert.equal((await fetch(`${base}/b/statement`, { headers })).status, 404)
    })

    test('a question is about a problem or of a category, and not both, by the jury as well', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const draft = { ContestID, Text: 'x', ProblemID: 'a', Category: 'sysops' }
      for (const by of [cast.setter, cast.contestant])
        assert.equal(await by.code('create_clarification', draft), -32602)
    })

    test('a freeze by hand that is lifted early leaves the one that was set', async () => {
      const draft = { StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour }
      const { ContestID } = await stage.makeContest(draft)
      const state = async () => (await cast.anonymous.call('get_contest', { ID: ContestID })).Contest.State
      clock.advance(10 * minute)
      await cast.setter.call('freeze_contest', { ContestID })
      const { ID } = await handIn(cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const seen = async () => (await cast.rival.call('get_submission', { ID })).Submission.Status
      assert.deepEqual([await state(), await seen()], ['frozen', 2])
      await cast.setter.call('unfreeze_contest', { ContestID, Force: true })
      assert.deepEqual([await state(), await seen()], ['running', 3])
      clock.advance(hour)
      assert.deepEqual([await state(), await seen()], ['frozen', 3])
    })
  })
