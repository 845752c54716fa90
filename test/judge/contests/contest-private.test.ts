/**
 * Beside verdicts: problems before the start, sources, figures, questions, rejudgings, the jury's list, accounts of teams,
 * hidden teams and private contests. Two servers differ in these alone, in every state of the contest, and whoever may know
 * nothing of them gets the same answers from both.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { claim, makeProblem, makeTest } from '../../support/judge.ts'
import { handIn, hour, minute } from './contest-stage.ts'
import {
  demandAlike,
  type Ground,
  insiders,
  listDiffering,
  makeGround,
  outsiders,
  untilNoted,
  type Who,
  type World,
} from './secret-worlds.ts'

const secrets = /secret/i

/** One that has not begun, with other problems: how many, their names, statements and colours. */
async function makeComing(ground: Ground, isLeft: boolean): Promise<World> {
  const { stage, clock } = ground
  const { setter } = stage.cast
  const { ContestID } = await stage.makeContest({ StartTime: clock.now() + 100 * hour, Duration: hour }, '')
  const words = isLeft ? ['first', 'second'] : ['other']
  const uuids: string[] = []
  for (const [i, word] of words.entries()) {
    const text = { DisplayName: `A secret ${word}`, Description: `Secret: ${word}` }
    const { UUID } = await makeProblem(setter, { ...text, TimeLimitInMillisecond: isLeft ? 1_000 : 2_000 })
    await setter.call('update_problem_judging', { UUID, Judging: { IsHeld: true } })
    const place = { ID: `p${i}`, Label: 'ABC'[i], UUID, Ordinal: i, Colour: isLeft ? '#ff0000' : '#0000ff' }
    await setter.call('put_contest_problem', { ContestID, ...place })
    uuids.push(UUID)
  }
  return { ...ground, ContestID, UUID: uuids[0]!, ids: [] }
}

/** One that runs: of the team's two submissions the verdicts are alike, and all that is behind them is not. */
async function makeRunning(ground: Ground, isLeft: boolean): Promise<World> {
  const { stage, clock } = ground
  const { setter, contestant, worker } = stage.cast
  const insert = (name: string) => stage.services.accounts.insert({ name, displayName: name, role: 'contestant' })
  const [extra, outcast] = [await insert('extra'), await insert('outcast')]
  const { text } = await stage.services.tokens.make(extra, { kind: 'classic', scopes: ['judge'] })
  const draft = { StartTime: clock.now(), Duration: 2 * hour, ShowsProblemsToPublic: true }
  const { ContestID, problems } = await stage.makeContest(draft, 'A')
  const { UUID } = problems.A!
  const made = await makeTest(setter, UUID)
  await setter.call('put_contest_team', {
    ContestID,
    ID: 't3',
    Name: 'Three',
    AccountNameList: isLeft ? [] : ['extra'],
  })
  await setter.call('update_contest', { ID: ContestID, JuryList: ['judge', ...(isLeft ? ['extra'] : [])] })
  const ids: number[] = []
  for (const [Result, words] of [
    [6, 'first'],
    [1, 'second'],
  ] as const) {
    clock.advance(minute)
    const Content = `print('secret ${words} ${isLeft}')`
    ids.push((await handIn(contestant, ContestID, 'a', { Content })).ID)
    const { ID, Lease } = await claim(worker)
    const ms = isLeft ? 10 : 700
    const figures = { CPUTimeInMillisecond: ms, WallTimeInMillisecond: ms, PeakMemoryInByte: ms * 1_000 }
    const run = { TestCaseUUID: made.UUID, Result, ...figures, Stderr: `secret ${isLeft}`, ExitCode: 0, Signal: null }
    const Report = { Result, CompilerOutput: `A secret warning ${isLeft}`, TestList: [run] }
    await worker.call('report_submission', { ID, Lease, Report })
  }
  if (!isLeft) return { ...ground, ContestID, UUID, ids }

  await contestant.call('create_clarification', { ContestID, ProblemID: 'a', Text: 'A secret question' })
  await setter.call('create_clarification', { ContestID, Text: 'A secret for one', ToTeamIDList: ['t1'] })
  const wish = { ContestID, SubmissionIDList: [ids[0]], Reason: 'A secret reason' }
  const { Rejudging } = await setter.call('create_rejudging', wish)
  await stage.judgeNext(1)
  await setter.call('cancel_rejudging', { ContestID, ID: Rejudging.ID })
  const ghost = { ContestID, ID: 'ghost', Name: 'A secret team', IsHidden: true, AccountNameList: ['outcast'] }
  await setter.call('put_contest_team', ghost)
  const token = (await stage.services.tokens.make(outcast, { kind: 'classic', scopes: ['judge'] })).text
  await handIn(stage.cast.anonymous.as(token), ContestID, 'a')
  await stage.judgeNext(1)
  const hidden = { ID: 'hidden', Name: 'A secret contest', Style: 'icpc', Duration: hour, StartTime: clock.now() }
  await setter.call('create_contest', hidden)
  await setter.call('put_contest_problem', {
    ContestID: 'hidden',
    ID: 'a',
    UUID,
    Label: 'A',
    Ordinal: 0,
    Colour: '#ff0000',
  })
  await setter.call('put_contest_team', { ContestID: 'hidden', ID: 't', Name: 'T', AccountNameList: ['extra'] })
  await handIn(stage.cast.anonymous.as(text), 'hidden', 'a')
  await stage.judgeNext(1)
  return { ...ground, ContestID, UUID, ids }
}

for (const engine of oneEngine)
  describe(`what is private in a contest on ${engine}`, () => {
    let grounds: readonly [Ground, Ground]
    before(async () => {
      grounds = await Promise.all([makeGround(engine), makeGround(engine)])
    })
    after(() => Promise.all(grounds.map(({ stage }) => stage.stop())))
    const makeBoth = (make: (ground: Ground, isLeft: boolean) => Promise<World>) =>
      Promise.all([make(grounds[0], true), make(grounds[1], false)])

    test('nothing of its problems is told before the start, to its teams neither', async () => {
      const [left, right] = await makeBoth(makeComing)
      await demandAlike(left, right, [...outsiders, 'contestant'], secrets)
      for (const who of ['judge', 'setter', 'admin'] as const) {
        const differing = await listDiffering(left, right, who)
        assert.ok(
          differing.some((key) => key.startsWith('get_problem ')),
          who,
        )
      }
    })

    test('the same is told while it runs, after the thaw and when it is final', async () => {
      const [left, right] = await makeBoth(makeRunning)
      // The jury's list, and the team that one is in, are one's own business.
      const all: Who[] = [...outsiders]
      const act = (method: string, params: object) =>
        Promise.all(
          [left, right].map(({ stage, ContestID }) => stage.cast.admin.call(method, { ContestID, ...params })),
        )
      const move = (ms: number) => {
        for (const { clock } of [left, right]) clock.advance(ms)
      }
      move(2_000)
      await demandAlike(left, right, all, secrets)
      for (const who of insiders) {
        const differing = await listDiffering(left, right, who)
        assert.ok(differing.includes(`get_submission_report {"ID":${left.ids[0]}}`), `${who}: ${differing}`)
      }
      move(2 * hour)
      for (const world of [left, right]) await untilNoted(world, 4)
      move(2_000)
      const { ClarificationList } = await left.stage.cast.admin.call('get_clarification_list', {
        ...{ ContestID: left.ContestID, Offset: 0, Limit: 100 },
      })
      for (const { ID, IsOpen } of ClarificationList)
        if (IsOpen)
          await left.stage.cast.admin.call('create_clarification', {
            ...{ ContestID: left.ContestID, Text: 'A secret answer', ReplyTo: ID },
          })
      await demandAlike(left, right, all, secrets)
      await act('finalize_contest', {})
      move(2_000)
      await demandAlike(left, right, all, secrets)
    })
  })
