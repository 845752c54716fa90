/** What admins see of a queue: exact figures of a short one, and of a long one figures that may be a second old. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { longQueue } from '../../../src/judge/judging/oversight.ts'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { type JudgeStage, makeProblem, startJudge, storeSubmissions, submit } from '../../support/judge.ts'

for (const engine of engines)
  describe(`the queue that admins see on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let stage: JudgeStage
    let problemUuid: string
    before(async () => {
      stage = await startJudge(engine, { clock })
      problemUuid = (await makeProblem(stage.cast.setter)).UUID
    })
    after(() => stage.stop())

    const waiting = async (): Promise<number> => (await stage.cast.admin.call('get_queue')).Queue.WaitingSubmissionCount
    const handIn = () => submit(stage.cast.contestant, problemUuid)

    test('is counted with each submission while it is short', async () => {
      for (let count = 1; count <= 3; count++) {
        await handIn()
        assert.equal(await waiting(), count)
      }
    })

    test('is counted once more within a second where it is long, however much is handed in', async () => {
      const authorId = stage.idOf('admin')
      const more = Array.from({ length: longQueue }, (_, at) => ({ id: 100 + at, authorId, problemUuid, status: 1 }))
      await storeSubmissions(stage, more)
      const long = longQueue + 3
      assert.equal(await waiting(), long)
      await handIn()
      assert.equal(await waiting(), long)
      clock.advance(1_000)
      assert.equal(await waiting(), long + 1)
    })
  })
