import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import {
  type Cast,
  claim,
  claimMethod,
  finish,
  type JudgeStage,
  makeProblem,
  startJudge,
  submit,
} from '../../support/judge.ts'
import { type Json, makeRpcClient } from '../../support/rpc.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const untilWaiting = ({ services }: TestServer, count: number) =>
  until(() => services.judge.longPolls.countWaiting() === count)

for (const engine of engines) {
  describe(`waiting calls on ${engine}`, () => {
    let stage: JudgeStage
    let cast: Cast
    let problem: Json
    before(async () => {
      stage = await startJudge(engine)
      cast = stage.cast
      problem = await makeProblem(cast.setter)
    })
    after(() => stage.stop())

    const waitingFor = { WaitMillisecond: 30_000 }

    test('a claim that waits answers when a submission arrives', async () => {
      const waiting = claim(cast.worker, waitingFor)
      await untilWaiting(stage, 1)
      const { ID } = await submit(cast.contestant, problem.UUID)
      assert.equal((await waiting).ID, ID)
    })

    test('many that wait get one each', async () => {
      const waiting = Array.from({ length: 8 }, () => claim(cast.worker, waitingFor))
      await untilWaiting(stage, 8)
      const made: Json[] = []
      for (let i = 0; i < 8; i++) made.push(await submit(cast.contestant, problem.UUID))
      const claimed = await Promise.all(waiting)
      assert.deepEqual(
        claimed.map(({ ID }) => ID).sort((a, b) => a - b),
        made.map(({ ID }) => ID),
      )
    })

    test('a claim that waits in vain is 6 when its time is up', async () => {
      assert.equal(await cast.worker.code(claimMethod, { WaitMillisecond: 30 }), 6)
    })

    test('a claimer that has gone takes nothing with it', async () => {
      const gone = new AbortController()
      const body = JSON.stringify({ jsonrpc: '2.0', id: problem.UUID, method: claimMethod, params: waitingFor })
      const headers = { authorization: `Bearer ${cast.worker.token}`, 'content-type': 'application/json' }
      const call = fetch(stage.url, { method: 'POST', headers, body, signal: gone.signal }).catch(() => undefined)
      await untilWaiting(stage, 1)
      gone.abort()
      await call
      await untilWaiting(stage, 0)
      const { ID } = await submit(cast.contestant, problem.UUID)
      assert.equal((await claim(cast.worker, waitingFor)).ID, ID)
    })

    test('nor does one who has gone before the claim in their batch began', async () => {
      const { ID } = await submit(cast.contestant, problem.UUID)
      const gone = new AbortController()
      const entry = (method: string, params: object) => ({ jsonrpc: '2.0', id: problem.UUID, method, params })
      const body = JSON.stringify([entry('wait_for_submission', { ID, ...waitingFor }), entry(claimMethod, waitingFor)])
      const headers = { authorization: `Bearer ${cast.worker.token}`, 'content-type': 'application/json' }
      const call = fetch(stage.url, { method: 'POST', headers, body, signal: gone.signal }).catch(() => undefined)
      await untilWaiting(stage, 1)
      gone.abort()
      await call
      await untilWaiting(stage, 0)
      assert.equal((await claim(cast.helper, { WaitMillisecond: 1_000 })).ID, ID)
    })

    test('one who waits for a submission hears when it is finished, given up or gone', async () => {
      const { ID } = await submit(cast.contestant, problem.UUID)
      const waiting = cast.contestant.call('wait_for_submission', { ID, ...waitingFor })
      await untilWaiting(stage, 1)
      await claim(cast.worker)
      await finish(cast.worker, ID, 6)
      const { Submission } = await waiting
      assert.deepEqual([Submission.Status, Submission.Result, Submission.Content], [3, 6, 'print(3)'])
      const again = await cast.contestant.call('wait_for_submission', { ID, ...waitingFor })
      assert.deepEqual(again.Submission, Submission)
      const next = await submit(cast.contestant, problem.UUID)
      const vain = cast.rival.code('wait_for_submission', { ID: next.ID, ...waitingFor })
      await untilWaiting(stage, 1)
      await cast.contestant.call('delete_submission', { ID: next.ID })
      assert.equal(await vain, 6)
    })

    test('one who waits too short hears how things stand', async () => {
      const { ID } = await submit(cast.contestant, problem.UUID)
      const { Submission } = await cast.rival.call('wait_for_submission', { ID, WaitMillisecond: 30 })
      assert.deepEqual([Submission.Status, Submission.Content], [1, ''])
      await cast.contestant.call('delete_submission', { ID })
    })

    test('a server that stops does not wait for those who wait', async () => {
      const other = await startJudge(engine)
      const waiting = other.cast.worker.ask(claimMethod, waitingFor)
      await untilWaiting(other, 1)
      await Promise.all([other.stop(), waiting])
      assert.equal((await waiting).error.code, 6)
    })
  })
}

describe('waiting calls on two servers of one PostgreSQL', () => {
  test('a claim at one answers when the submission arrives at the other, and its end is heard there', async () => {
    const here = await startJudge('postgres')
    const there = await startJudge('postgres', { database: here.database })
    try {
      const problem = await makeProblem(here.cast.setter)
      const waiting = claim(makeRpcClient(there.url, here.cast.worker.token), { WaitMillisecond: 30_000 })
      await untilWaiting(there, 1)
      const { ID } = await submit(here.cast.contestant, problem.UUID)
      const held = await waiting
      assert.equal(held.ID, ID)
      const listener = here.cast.contestant.call('wait_for_submission', { ID, WaitMillisecond: 30_000 })
      await untilWaiting(here, 1)
      await finish(makeRpcClient(there.url, here.cast.worker.token), ID)
      assert.equal((await listener).Submission.Status, 3)
    } finally {
      await there.stop()
      await here.stop()
    }
  })
})
