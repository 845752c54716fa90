/** What feeds cost the database: those that see the same read it once. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ContestStage, handIn, startContests } from '../../judge/contests/contest-stage.ts'
import { engines } from '../../support/engines.ts'
import { countRequestQueries, type RequestQueries } from '../../support/request-queries.ts'
import { until } from '../../support/until.ts'

const feedCount = 20

for (const engine of engines)
  describe(`the queries of feeds on ${engine}`, () => {
    let stage: ContestStage
    let queries: RequestQueries
    const leaving = new AbortController()
    before(async () => {
      stage = await startContests(engine, {})
      queries = countRequestQueries()
    })
    after(async () => {
      leaving.abort()
      queries.stop()
      await stage.stop()
    })

    /** The text that each has got so far. */
    async function open(address: string, token?: string, signal = leaving.signal): Promise<{ text: string }> {
      const got = { text: '' }
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
      const response = await fetch(address, { headers, signal })
      const take = async () => {
        for await (const chunk of response.body!) got.text += Buffer.from(chunk).toString()
      }
      take().catch(() => {})
      return got
    }

    const hasBegun = ({ text }: { text: string }) => text.includes('"type":"state"')

    /** What so many feeds together ask until each has begun, without what each asks to find its caller and the contest. */
    async function countBeginning(address: string, token: string | undefined, count: number): Promise<number> {
      const own = new AbortController()
      const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
      queries.take('')
      await fetch(address, { method: 'HEAD', headers })
      const alone = queries.take('event-feed').length
      const feeds = await Promise.all(Array.from({ length: count }, () => open(address, token, own.signal)))
      await until(() => feeds.every(hasBegun))
      const asked = queries.take('event-feed').length
      own.abort()
      return asked - count * alone
    }

    test('twenty feeds of one audience begin with about the queries of one, for the public and the jury', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: Date.now() - 1_000 })
      await handIn(stage.cast.contestant, ContestID, 'a')
      await stage.judgeNext(6)
      const address = `${stage.url}/api/contests/${ContestID}/event-feed`
      for (const token of [undefined, stage.cast.setter.token, stage.cast.contestant.token]) {
        const one = await countBeginning(address, token, 1)
        const all = await countBeginning(address, token, feedCount)
        // On a busy machine some begin a second later, or ask for the next changes already.
        assert.ok(all <= 3 * one, `${all} queries of ${feedCount} feeds, ${one} of one`)
      }
    })

    test('a submission and its verdict reach all public feeds in their order, and are read once for them', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: Date.now() - 1_000 })
      const address = `${stage.url}/api/contests/${ContestID}/event-feed`
      const feeds = await Promise.all(Array.from({ length: feedCount }, () => open(address)))
      await until(() => feeds.every(hasBegun))
      await until(() => feeds.every(({ text }) => text.includes('"type":"awards"')))
      queries.take('')
      const before = feeds.map(({ text }) => text.length)
      const { ID } = await handIn(stage.cast.contestant, ContestID, 'a')
      await stage.judgeNext(6)
      const listNew = ({ text }: { text: string }, i: number) =>
        text
          .slice(before[i])
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
          .filter(({ type }) => type !== 'awards')
          .map(({ type, id }) => `${type} ${id}`)
      const expected = [`submissions ${ID}`, `judgements ${ID}`]
      await until(() => feeds.every((feed, i) => listNew(feed, i).length >= expected.length))
      for (const [i, feed] of feeds.entries()) assert.deepEqual(listNew(feed, i), expected)
      const asked = queries.take('event-feed').filter((text) => text.includes('contest'))
      // Alone each would look at the contest, its log and the submissions for itself, after each of the two changes.
      assert.ok(asked.length < 2 * feedCount, `${asked.length} queries of ${feedCount} feeds`)
    })
  })
