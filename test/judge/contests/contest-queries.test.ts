/** How many queries a contest costs: to count a verdict, and to read a board. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { claim } from '../../support/judge.ts'
import { countRequestQueries, type RequestQueries } from '../../support/request-queries.ts'
import { until } from '../../support/until.ts'
import { type ContestStage, handIn, startContests } from './contest-stage.ts'

for (const engine of engines)
  describe(`the queries of a contest on ${engine}`, () => {
    let stage: ContestStage
    let queries: RequestQueries
    before(async () => {
      stage = await startContests(engine, {})
      queries = countRequestQueries()
    })
    after(async () => {
      queries.stop()
      await stage.stop()
    })

    const isOfContests = (text: string) => /"contest(_\w+)?"[ .]/.test(text)

    test('a wrong answer is counted with six queries, an accepted one with eight', async () => {
      const { contestant, worker } = stage.cast
      const { ContestID } = await stage.makeContest({ StartTime: Date.now() - 1_000 })
      for (const result of [6, 6, 1]) {
        await handIn(contestant, ContestID, 'a')
        const { ID, Lease } = await claim(worker)
        queries.take('')
        await worker.call('update_submission', { ID, Lease, Status: 3, Result: result })
        const asked = queries.take('').filter(isOfContests)
        // One of them is asked of every submission, in a contest or not.
        assert.equal(asked.length, result === 1 ? 9 : 7, asked.join('\n'))
      }
    })

    for (const IsPublic of [true, false])
      test(`readers of the built board of a ${IsPublic ? 'public' : 'private'} contest ask nothing, however long they go on`, async () => {
        const { ContestID } = await stage.makeContest({ StartTime: Date.now() - 1_000, IsPublic })
        const { contestant, setter, anonymous } = stage.cast
        const readers = [contestant, setter, stage.staff, ...(IsPublic ? [anonymous] : [])]
        const address = `${stage.url}/api/contests/${ContestID}/scoreboard`
        const readAll = async () => {
          for (const { token, call } of readers) {
            const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
            const answer = await fetch(address, { headers })
            assert.equal(answer.status, 200)
            await answer.arrayBuffer()
            await call('get_scoreboard', { ContestID })
          }
        }
        await readAll()
        // A machine that stands still may let a board grow old, so that a reader has to wait for it.
        await until(async () => {
          queries.take('')
          for (const begun = performance.now(); performance.now() - begun < 2_500; ) await readAll()
          const asked = queries.take('').filter((text) => !isOfSignIn(text))
          return asked.length === 0
        })
      })

    /** Deciding who the caller is: a token is looked up with its account. */
    const isOfSignIn = (text: string) => text.includes('"token"') || text === 'pragma data_version'
  })
