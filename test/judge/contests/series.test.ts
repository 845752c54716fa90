/** Series: standings over several contests, by a rule, as somebody may see them, and as a data set. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { oneEngine } from '../../support/engines.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { handIn, hour, minute, startContests } from './contest-stage.ts'

for (const engine of oneEngine)
  test('standings add up contests by their rule, tell nobody what a board does not, and are stored', async () => {
    const clock = makeManualClock()
    const stage = await startContests(engine, { clock })
    try {
      const { setter, contestant, rival, anonymous } = stage.cast
      const ContestIDList: string[] = []
      /** What the two teams solve, by problem. */
      const play = async (first: string, second: string, over: object = {}): Promise<string> => {
        const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: 2 * hour, ...over })
        clock.advance(10 * minute)
        for (const [by, problems] of [[contestant, first] as const, [rival, second] as const])
          for (const problem of problems) {
            await handIn(by, ContestID, problem)
            await stage.judgeNext(1)
          }
        clock.advance(3 * hour)
        return ContestID
      }
      ContestIDList.push(await play('ab', 'a'), await play('', 'b'), await play('a', 'ab'))
      const standings = async (by: RpcClient, over: object = {}) => {
        const { RowList } = await by.call('get_series_standings', { ContestIDList, Offset: 0, Limit: 100, ...over })
        return RowList.map(({ Rank, TeamID, Points, Penalty }: Json) => [Rank, TeamID, Points, Penalty])
      }
      const sum = [
        [1, 't2', 4, 40],
        [2, 't1', 3, 30],
      ]
      assert.deepEqual(await standings(anonymous), sum)
      assert.deepEqual(await standings(setter, { Rule: 'best', BestCount: 1 }), [
        [1, 't1', 2, 20],
        [1, 't2', 2, 20],
      ])
      const { TotalTeamCount, RowList } = await anonymous.call('get_series_standings', {
        ContestIDList,
        Rule: 'best',
        BestCount: 2,
        Offset: 1,
        Limit: 1,
      })
      assert.deepEqual([TotalTeamCount, RowList.length], [2, 1])
      const counted = RowList[0].CellList.map(({ IsCounted }: Json) => IsCounted)
      assert.equal(counted.filter(Boolean).length, 2)
      const made = await stage.cast.admin.call('store_series_standings', { ContestIDList, Name: 'season' })
      assert.equal(made.ItemCount, 2)
      const headers = { authorization: `Bearer ${stage.cast.admin.token}` }
      const items = await (await fetch(`${stage.url}/v2/datasets/${made.DatasetID}/items`, { headers })).json()
      const [one, two, three] = ContestIDList
      assert.deepEqual((items as Json)[0], {
        ...{ rank: 1, team: 't2', name: 'Two', points: 4, penalty: 40 },
        ...{ [`contest ${one}`]: 1, [`contest ${two}`]: 1, [`contest ${three}`]: 2 },
      })
      const code = (by: RpcClient, over: object) =>
        by.code('get_series_standings', { ContestIDList, Offset: 0, Limit: 10, ...over })
      assert.equal(await code(setter, { Rule: 'best' }), -32602)
      assert.equal(await code(setter, { ContestIDList: [] }), -32602)
      assert.equal(await contestant.code('store_series_standings', { ContestIDList, Name: 'season' }), 8)
      const secret = await play('a', 'a', { IsPublic: false })
      assert.equal(await code(anonymous, { ContestIDList: [secret] }), 6)
      const points = await play('a', 'a', { Style: 'ioi' })
      assert.equal(await code(setter, { ContestIDList: [one, points] }), 10)
      const frozen = await play('a', '', { FreezeDuration: 2 * hour })
      assert.deepEqual(
        (await standings(rival, { ContestIDList: [frozen] })).map(([, , Points]: Json) => Points),
        [0, 0],
      )
      assert.deepEqual((await standings(setter, { ContestIDList: [frozen] }))[0], [1, 't1', 1, 10])
    } finally {
      await stage.stop()
    }
  })
