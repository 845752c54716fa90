/**
 * Nothing that is kept from somebody can be told from any answer: two servers have the same contest, but for how what is
 * frozen ended, whether it is judged yet, what teams asked, and what the jury is about to change. Whoever may know nothing of
 * this gets the same answers from both, word for word; the jury gets others.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Engine, engines } from '../../support/engines.ts'
import { claim, makeTest } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'
import { handIn, hour, minute } from './contest-stage.ts'
import {
  aside,
  callsOf,
  demandAlike,
  insiders,
  listDiffering,
  makeGround,
  outsiders,
  untilNoted,
  type Who,
  type World,
} from './secret-worlds.ts'

type Listening = World & { readonly live: Readonly<Record<string, string[]>>; stop(): Promise<void> }

async function makeWorld(engine: Engine): Promise<Listening> {
  const ground = await makeGround(engine)
  const { stage, clock, clients } = ground
  const draft = { StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour, ShowsProblemsToPublic: true }
  const { ContestID, problems } = await stage.makeContest(draft, 'AB')
  const { UUID } = problems.B
  await makeTest(stage.cast.colleague, UUID)
  clock.advance(minute)
  const hand = async (Content: string): Promise<number> =>
    (await handIn(stage.cast.contestant, ContestID, 'b', { Content })).ID
  const ids = [await hand('early')]
  await stage.judgeNext(6)
  clock.advance(hour)
  for (const content of ['late', 'faulty', 'waiting']) ids.push(await hand(content))
  const leaving = new AbortController()
  const live: Record<string, string[]> = {}
  for (const who of [...outsiders.slice(1), ...insiders]) {
    const headers = { authorization: `Bearer ${clients[who]!.token}` }
    const response = await fetch(`${stage.url}/-/live`, { headers, signal: leaving.signal })
    assert.equal(response.status, 200, who)
    const heard: string[] = []
    live[who] = heard
    void (async () => {
      try {
        for await (const chunk of response.body!) heard.push(Buffer.from(chunk).toString())
      } catch {}
    })()
  }
  return {
    ...{ ...ground, ContestID, UUID, ids, live },
    async stop() {
      leaving.abort()
      await stage.stop()
    },
  }
}

/** What must not be known: in the one world it was accepted, the checker failed on the next one, and the last one waits. */
async function actInSecret({ stage, ContestID, ids: [early] }: World, isLeft: boolean): Promise<void> {
  const { worker, contestant, setter } = stage.cast
  const report = async (Result: number, ms: number) => {
    const { ID, Lease } = await claim(worker)
    const test = await stage.services.store.db.selectFrom('test_case').select('uuid').executeTakeFirstOrThrow()
    const figures = { CPUTimeInMillisecond: ms, WallTimeInMillisecond: ms, PeakMemoryInByte: ms * 1_000 }
    const TestList = [{ TestCaseUUID: test.uuid, Result, ...figures, Stderr: '', ExitCode: 0, Signal: null }]
    await worker.call('report_submission', {
      ID,
      Lease,
      Report: { Result, CompilerOutput: '', TestList, ...(Result === 9 && { JudgeMessage: 'A secret message' }) },
    })
  }
  await report(isLeft ? 1 : 6, isLeft ? 10 : 900)
  await report(isLeft ? 9 : 6, isLeft ? 10 : 900)
  if (isLeft) {
    await contestant.call('create_clarification', { ContestID, ProblemID: 'b', Text: 'A secret question' })
    await setter.call('create_clarification', { ContestID, Text: 'For one team', ToTeamIDList: ['t1'] })
    const ghost = { ContestID, ID: 'ghost', Name: 'A secret team', IsHidden: true }
    await setter.call('put_contest_team', ghost)
    await setter.call('put_contest_team', { ...ghost, ID: 'gone' })
    await setter.call('delete_contest_team', { ContestID, ID: 'gone' })
    await setter.call('create_rejudging', { ContestID, SubmissionIDList: [early], Reason: 'A secret reason' })
  } else await report(5, 500)
}

for (const engine of engines)
  describe(`what is kept from people in a contest on ${engine}`, () => {
    let left: Listening
    let right: Listening
    before(async () => {
      const worlds = await Promise.all([makeWorld(engine), makeWorld(engine)])
      left = worlds[0]
      right = worlds[1]
      await Promise.all([actInSecret(left, true), actInSecret(right, false)])
    })
    after(() => Promise.all([left.stop(), right.stop()]))

    test('every method that reads is asked, or is named as one that a contest is no part of', async () => {
      const document = (await (await fetch(`${left.stage.url}/-/judge/openapi.json`)).json()) as Json
      const names = [...new Set(JSON.stringify(document).match(/\b(?:get|find|wait)_[a-z_]+/g))]
      assert.ok(names.length > 30)
      const asked = callsOf(left)
      assert.deepEqual(
        names.filter((name) => !(name in asked) && !aside.has(name)),
        [],
      )
    })

    for (const state of ['frozen', 'ended'] as const)
      test(`is the same in both worlds for those who may not know, while it is ${state}, and not for those who may`, async () => {
        if (state === 'ended') for (const { clock } of [left, right]) clock.advance(hour)
        // Built boards are a second old at most.
        for (const { clock } of [left, right]) clock.advance(2_000)
        for (const world of [left, right]) await untilNoted(world, state === 'frozen' ? 2 : 4)
        for (const { clock } of [left, right]) clock.advance(2_000)
        await demandAlike(left, right, outsiders, /secret|For one team/)
        for (const who of insiders) {
          const differing = await listDiffering(left, right, who)
          for (const word of ['get_submission', 'get_clarification_list', `/api/contests/contest-1/judgements`])
            assert.ok(
              differing.some((key) => key.startsWith(word)),
              `${who}: ${word}`,
            )
        }
      })

    test('live updates tell the team and the jury alone that something was judged', () => {
      /** The first was judged before anybody listened, or just as they began. */
      const eventsOf = ({ live, ids }: Listening, who: Who): string[] =>
        (live[who]!.join('').match(/^data: .*$/gm) ?? []).filter((line) => line !== `data: {"ID":${ids[0]}}`)
      const heardOf = (world: Listening, who: Who) => eventsOf(world, who).includes(`data: {"ID":${world.ids[1]}}`)
      for (const world of [left, right]) {
        for (const who of insiders) assert.ok(heardOf(world, who), who)
        for (const who of outsiders.slice(1)) assert.ok(!heardOf(world, who), who)
      }
      for (const who of outsiders.slice(1)) assert.deepEqual(eventsOf(left, who), eventsOf(right, who), who)
    })

    test('metrics name no contest, team or submission', async () => {
      for (const { stage } of [left, right]) {
        const text = await (
          await fetch(`${stage.url}/metrics`, { headers: { authorization: `Bearer ${stage.cast.admin.token}` } })
        ).text()
        assert.doesNotMatch(text, /contest-\d|"t\d"|contestant|rival/)
      }
    })
  })
