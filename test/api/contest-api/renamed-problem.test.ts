/** Problems are renamed without an event of their contests: boards and feeds show it within a second all the same. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ContestStage, startContests } from '../../judge/contests/contest-stage.ts'
import { engines } from '../../support/engines.ts'
import { until } from '../../support/until.ts'
import { makeFeedClient } from './feed-client.ts'

/** A second, and what a busy machine takes for it. */
const withinMs = 3_000

for (const engine of engines)
  describe(`a renamed problem on ${engine}`, () => {
    let stage: ContestStage
    before(async () => {
      stage = await startContests(engine, {})
    })
    after(() => stage.stop())

    test('shows on the board and in feeds within a second', async () => {
      const { setter, anonymous } = stage.cast
      const { ContestID, problems } = await stage.makeContest({ StartTime: Date.now() - 1_000 })
      const client = makeFeedClient(() => `${stage.url}/api/contests/${ContestID}/event-feed`, anonymous.token)
      const readBoard = async () => JSON.stringify(await anonymous.call('get_scoreboard', { ContestID }))
      await until(async () => client.lines.some(({ type }) => type === 'state'))
      assert.ok((await readBoard()).includes('Problem A'))
      await setter.call('update_problem', { UUID: problems.A.UUID, DisplayName: 'Another name' })
      const renamedAt = performance.now()
      const isTold = () => client.lines.some(({ type, data }) => type === 'problems' && data.name === 'Another name')
      await until(async () => isTold() && (await readBoard()).includes('Another name'))
      assert.ok(performance.now() - renamedAt < withinMs, `${performance.now() - renamedAt} ms`)
      await client.leave()
    })
  })
