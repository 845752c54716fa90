/** What could be worked out from other answers than those that a rule hides. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

for (const engine of engines)
  describe(`hints at what a contest hides on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    before(async () => {
      stage = await startContests(engine, { clock })
    })
    after(() => stage.stop())

    const get = async (path: string, by?: RpcClient): Promise<{ status: number; body: Json; text: string }> => {
      const headers: Record<string, string> = by?.token ? { authorization: `Bearer ${by.token}` } : {}
      const response = await fetch(`${stage.url}${path}`, { headers })
      const text = await response.text()
      return {
        status: response.status,
        text,
        body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
      }
    }

    test('a hidden board can’t be added up from the scores of others', async () => {
      const { contestant, rival, setter } = stage.cast
      const draft = { Style: 'ioi', StartTime: clock.now(), Duration: hour, BoardIsHidden: true }
      const { ContestID } = await stage.makeContest(draft)
      const { ID } = await handIn(contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const path = `/api/contests/${ContestID}/judgements/${ID}`
      const readers = [undefined, rival, contestant, stage.judge, setter]
      const scores = async () => Promise.all(readers.map(async (by) => (await get(path, by)).body.score))
      assert.deepEqual(await scores(), [undefined, undefined, 100, 100, 100])
      const offered = async (by?: RpcClient): Promise<boolean> => {
        const { endpoints } = (await get(`/api/contests/${ContestID}/access`, by)).body
        return endpoints.find((one: Json) => one.type === 'judgements').properties.includes('score')
      }
      assert.deepEqual([await offered(), await offered(contestant), await offered(setter)], [false, true, true])
      const epochOf = async () =>
        (
          await stage.services.store.db
            .selectFrom('contest')
            .select('feed_epoch')
            .where('public_id', '=', ContestID)
            .executeTakeFirstOrThrow()
        ).feed_epoch
      const before = await epochOf()
      await setter.call('update_contest', { ID: ContestID, BoardIsHidden: false })
      assert.deepEqual(await scores(), [100, 100, 100, 100, 100])
      assert.equal(await epochOf(), before + 1, 'feeds begin anew: they have judgements without scores')
    })

    test('a submission that is hidden from somebody is refused as one that is not there, in the same words', async () => {
      const { contestant, rival, setter } = stage.cast
      const draft = { StartTime: clock.now(), Duration: hour }
      const open = await stage.makeContest(draft)
      const closed = await stage.makeContest({ ...draft, IsPublic: false })
      await setter.call('put_contest_team', {
        ...{ ContestID: open.ContestID, ID: 't1', Name: 'One', AccountNameList: ['contestant'], IsHidden: true },
      })
      const ids = [
        (await handIn(contestant, open.ContestID, 'a')).ID,
        (await handIn(contestant, closed.ContestID, 'a')).ID,
      ]
      for (let i = 0; i < 2; i++) await stage.judgeNext(1)
      const missing = 999_999
      const told = async (by: RpcClient, method: string, ID: number, more: object) => {
        const { error } = await by.ask(method, { ID, ...more })
        return `${error.code} ${error.message}`.replace(String(ID), 'N')
      }
      await setter.call('delete_contest_team', { ContestID: closed.ContestID, ID: 't2' })
      for (const [method, more] of [
        ['ignore_submission', { IsIgnored: true }],
        ['override_result', { Result: 1, Password: 'correct horse', Reason: 'x' }],
      ] as const)
        for (const ID of ids)
          assert.equal(await told(rival, method, ID, more), await told(rival, method, missing, more), `${method} ${ID}`)
    })

    test('a rejudging that is unseen is not in the figures that anybody may read', async () => {
      const { contestant, setter } = stage.cast
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const { ID } = await handIn(contestant, ContestID, 'a')
      await stage.judgeNext(1)
      await setter.call('create_rejudging', { ContestID, SubmissionIDList: [ID], Reason: 'x' })
      const { text } = await get('/metrics')
      assert.match(text, /^guildhall_rejudged_submissions_waiting 0$/m)
      assert.match(text, /^guildhall_rejudged_submissions_waiting_seconds 0$/m)
      assert.match(text, /^guildhall_submissions_waiting 0$/m)
      await stage.judgeNext(1)
    })

    test('nobody prints a certificate of a frozen board', async () => {
      const { contestant, rival, setter } = stage.cast
      const draft = { StartTime: clock.now(), Duration: hour, FreezeDuration: minute * 30, IsPublic: true }
      const { ContestID } = await stage.makeContest(draft)
      clock.advance(minute)
      await handIn(contestant, ContestID, 'a')
      await stage.judgeNext(1)
      clock.advance(40 * minute)
      for (const problem of ['a', 'b']) await handIn(rival, ContestID, problem)
      for (let i = 0; i < 2; i++) await stage.judgeNext(1)
      clock.advance(hour)
      await until(async () => (await setter.code('finalize_contest', { ContestID })) === 0)
      const path = `/-/judge/contests/${ContestID}/awards/winner/t1.svg`
      const frozen = await get(path)
      assert.equal(frozen.status, 409)
      assert.match(frozen.text, /The scoreboard is frozen: awards are certified once it is thawed/)
      assert.equal((await get(`/-/judge/contests/${ContestID}/awards/winner/t2.svg`, setter)).status, 200)
      await setter.call('unfreeze_contest', { ContestID })
      clock.advance(2_000)
      assert.equal((await get(path)).status, 404)
      assert.equal((await get(`/-/judge/contests/${ContestID}/awards/winner/t2.svg`)).status, 200)
    })
  })
