/** What waits to be done is told by /metrics: how much, and for how long. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { type JudgeStage, makeProblem, startJudge, storeSubmissions, submit } from '../support/judge.ts'
import { until } from '../support/until.ts'

for (const engine of engines) {
  describe(`the figures of what waits on ${engine}`, () => {
    let stage: JudgeStage
    before(async () => {
      stage = await startJudge(engine)
    })
    after(() => stage.stop())

    async function readFigures(): Promise<Record<string, number>> {
      const text = await (await fetch(`${stage.url}/metrics`)).text()
      const found = text.matchAll(/^guildhall_(\w+(?:_waiting|_seconds|_dead)) ([\d.]+)$/gm)
      return Object.fromEntries(found.map(([, name, value]) => [name!, Number(value)]))
    }

    test('are none where nothing does', async () => {
      const { jobs_waiting_seconds, jobs_waiting, ...figures } = await readFigures()
      assert.ok(jobs_waiting! >= 0 && jobs_waiting_seconds! >= 0)
      assert.deepEqual(figures, {
        jobs_dead: 0,
        submissions_waiting: 0,
        submissions_waiting_seconds: 0,
        rejudged_submissions_waiting: 0,
        rejudged_submissions_waiting_seconds: 0,
        webhook_payloads_waiting: 0,
        webhook_payloads_waiting_seconds: 0,
        webhook_deliveries_waiting: 0,
        webhook_deliveries_waiting_seconds: 0,
      })
    })

    test('tell submissions, jobs and deliveries, and for how long the first has waited', async () => {
      const { store, jobs } = stage.services
      const { UUID } = await makeProblem(stage.cast.setter)
      const first = (await submit(stage.cast.contestant, UUID)).ID + 1
      const author = { authorId: stage.idOf('contestant'), problemUuid: UUID }
      await storeSubmissions(stage, [
        { id: first, ...author, status: 1 },
        { id: first + 1, ...author, status: 3 },
      ])
      await stage.cast.setter.call('rejudge_problem', { UUID })
      await store.write(async (trx) => {
        await trx
          .updateTable('submission')
          .set({ created_at: Date.now() - 60_000 })
          .where('id', '<', first)
          .execute()
        await trx.deleteFrom('job').where('kind', '=', 'judge.rejudge').execute()
        const hours = (count: number) => Date.now() - count * 3_600_000
        // Nobody runs these kinds.
        await jobs.enqueue(trx, 'test.due', {}, { runAt: hours(1) })
        await jobs.enqueue(trx, 'test.later', {}, { runAt: hours(-1) })
        const dead = await jobs.enqueue(trx, 'test.dead', {})
        await trx
          .updateTable('job')
          .set({ state: 'dead', finished_at: hours(2) })
          .where('id', '=', dead)
          .execute()
      })
      await until(async () => (await readFigures()).rejudged_submissions_waiting === 1)
      const figures = await readFigures()
      assert.deepEqual([figures.submissions_waiting, figures.jobs_dead], [2, 1])
      assert.ok(figures.jobs_waiting! >= 1)
      assert.ok(figures.submissions_waiting_seconds! >= 60 && figures.submissions_waiting_seconds! < 3_600)
      assert.ok(figures.jobs_waiting_seconds! >= 3_600)
    })
  })
}
