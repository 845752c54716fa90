/** Servers whose clocks differ: times that they compare are the database's. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../src/lib/clock.ts'
import { makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import {
  claim,
  claimMethod,
  finish,
  type JudgeStage,
  makeProblem,
  makeTest,
  startJudge,
  submit,
} from '../support/judge.ts'

const skewMs = 90_000

describe('two servers on one PostgreSQL', () => {
  let database: TestDatabase
  let right: JudgeStage
  let ahead: JudgeStage
  let behind: JudgeStage
  before(async () => {
    database = await makeMigratedDatabase('postgres')
    right = await startJudge('postgres', { database })
    const skewed = (ms: number) =>
      startJudge('postgres', { database, machineClock: { now: () => systemClock.now() + ms } })
    ahead = await skewed(skewMs)
    behind = await skewed(-skewMs)
  })
  after(async () => {
    for (const server of [right, ahead, behind]) await server.stop()
    await database.drop()
  })

  test('do not take each other’s fresh leases, whoever’s clock is wrong', async () => {
    const { UUID } = await makeProblem(right.cast.setter)
    await makeTest(right.cast.setter, UUID)
    for (const [holder, other] of [
      [right, ahead],
      [behind, right],
    ] as const) {
      const { ID } = await submit(right.cast.contestant, UUID)
      assert.equal((await claim(holder.cast.worker)).ID, ID)
      assert.equal(await other.cast.helper.code(claimMethod), 6, 'there is nothing left to claim')
      await finish(holder.cast.worker, ID)
    }
  })

  test('leave each other’s running jobs alone', async () => {
    const { jobs, store } = right.services
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    jobs.define('test.skew', async () => {
      begun.resolve()
      await release.promise
    })
    const id = await store.write((trx) => jobs.enqueue(trx, 'test.skew', {}))
    await begun.promise
    // In its first round the other server looks for jobs whose lease is over, and then takes what waits.
    await ahead.services.jobs.stop()
    const round = Promise.withResolvers<void>()
    ahead.services.jobs.define('test.round', async () => round.resolve())
    await store.write((trx) => jobs.enqueue(trx, 'test.round', {}))
    await ahead.services.jobs.start()
    await round.promise
    assert.equal((await jobs.find(id))!.state, 'running')
    release.resolve()
    for (;;) {
      const job = await jobs.find(id)
      if (job!.state !== 'running') {
        assert.deepEqual([job!.state, job!.tries], ['done', 1])
        break
      }
    }
  })

  test('tell the same time, to the second', () => {
    const times = [right, ahead, behind].map(({ services }) => services.clock.now())
    assert.ok(Math.max(...times) - Math.min(...times) < 5_000, times.join(' '))
  })
})
