/** How many queries the work costs that a contest adds, counted where PostgreSQL's client sends them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { claim } from '../../support/judge.ts'
import { type ContestStage, handIn, startContests } from './contest-stage.ts'

describe('the queries of a contest', () => {
  let stage: ContestStage
  const texts: string[] = []
  const { query } = pg.Client.prototype
  before(async () => {
    stage = await startContests('postgres', {})
    pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const [asked] = args as [string | { text?: string }]
      texts.push(typeof asked === 'string' ? asked : (asked.text ?? ''))
      return (query as (...args: unknown[]) => unknown).apply(this, args)
    } as never
  })
  after(async () => {
    pg.Client.prototype.query = query
    await stage.stop()
  })

  /** Tables of contests, without the job that checks every second whether one starts. */
  const isOfContests = (text: string) => /"contest(_\w+)?"[ .]/.test(text) && !text.includes('next_tick')

  async function countFinishing(result: number): Promise<string[]> {
    const { ID, Lease } = await claim(stage.cast.worker)
    texts.length = 0
    await stage.cast.worker.call('update_submission', { ID, Lease, Status: 3, Result: result })
    return texts.filter(isOfContests).map((text) => text.slice(0, 60))
  }

  test('a wrong answer is counted with six queries, an accepted one with eight', async () => {
    const { ContestID } = await stage.makeContest({ StartTime: Date.now() - 1_000 })
    for (const result of [6, 6, 1]) {
      await handIn(stage.cast.contestant, ContestID, 'a')
      const asked = await countFinishing(result)
      // Two of them are asked of every submission, in a contest or not.
      assert.equal(asked.length, result === 1 ? 10 : 8, asked.join('\n'))
    }
  })
})
