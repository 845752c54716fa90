/**
 * Feeds: after any random acts a client that connected and reconnected anywhere has the objects that the lists have, for
 * whoever it is, on both databases.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { type ContestStage, handIn, hour, minute, startContests } from '../../judge/contests/contest-stage.ts'
import { engines } from '../../support/engines.ts'
import { makeProblem } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type FeedClient, hasWhatListsHave, makeFeedClient } from './feed-client.ts'

function makeDraw(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

for (const engine of engines)
  describe(`feeds of the Contest API on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    before(async () => {
      stage = await startContests(engine, { clock })
    })
    after(() => stage.stop())

    test('whoever reconnects anywhere has what the lists have, and the end comes last', async () => {
      const seed = engine === 'sqlite' ? 7 : 8
      const draw = makeDraw(seed)
      const { setter, contestant, rival, worker, anonymous } = stage.cast
      const start = clock.now()
      const { ContestID } = await stage.makeContest({ StartTime: start, Duration: 5 * hour, FreezeDuration: hour })
      const feed = `${stage.url}/api/contests/${ContestID}/event-feed`
      const people: Record<string, RpcClient> = { anonymous, contestant, rival, setter }
      const clients = Object.entries(people).map(([name, by]) => ({
        name,
        by,
        client: makeFeedClient(() => feed, by.token),
      }))
      const handed: number[] = []
      const pick = () => handed[draw(handed.length)] ?? 0
      const removed: object[] = []
      const code = (method: string, params: object) => setter.code(method, params)
      const results = [1, 2, 3, 6, 6, 9]
      const acts: (() => Promise<unknown>)[] = [
        ...Array.from({ length: 5 }, () => async () => {
          handed.push((await handIn(draw(2) ? contestant : rival, ContestID, draw(2) ? 'a' : 'b')).ID)
        }),
        ...Array.from({ length: 5 }, () => async () => {
          const { result } = await worker.ask('get_and_update_first_submitted_submission_to_executing')
          const Result = results[draw(results.length)]
          if (result) await worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result })
        }),
        () => code('ignore_submission', { ID: pick(), IsIgnored: draw(2) === 0 }),
        () => {
          const override = { ID: pick(), Result: 1 + draw(8), Password: admin.password, Reason: 'x' }
          return stage.cast.admin.code('override_result', override)
        },
        () => contestant.code('create_clarification', { ContestID, Text: 'Why?' }),
        () => code('create_clarification', { ContestID, Text: 'So', ToTeamIDList: [draw(2) ? 't1' : 't2'] }),
        () => code('create_clarification', { ContestID, Text: 'All' }),
        () => code('put_contest_group', { ContestID, ID: `g${draw(2)}`, Name: `Group ${draw(9)}` }),
        () => code('delete_contest_group', { ContestID, ID: `g${draw(2)}` }),
        () => {
          const GroupIDList = draw(2) ? ['g0'] : []
          const team = { ContestID, ID: 't2', Name: `Two ${draw(5)}`, AccountNameList: ['rival'], GroupIDList }
          return code('put_contest_team', { ...team, ExtraPenalty: draw(9), IsHidden: draw(3) === 0 })
        },
        () => code('put_contest_team', { ContestID, ID: 't3', Name: 'Three' }),
        () => code('delete_contest_team', { ContestID, ID: 't3' }),
        () => code('freeze_contest', { ContestID }),
        () => code('unfreeze_contest', { ContestID, Force: true }),
        () => code('update_contest', { ID: ContestID, Name: `Contest ${draw(9)}`, BoardIsHidden: draw(3) === 0 }),
        () => code('update_contest', { ID: ContestID, FreezeDuration: draw(2) ? 4 * hour : hour }),
        () => code('update_contest', { ID: ContestID, ShowsProblemsToPublic: draw(2) === 0 }),
        async () => {
          const StartTime = start + removed.length * 2 * minute
          removed.push({ StartTime, EndTime: StartTime + minute })
          await code('update_contest', { ID: ContestID, RemovedIntervalList: removed })
        },
      ]
      /** Until a client has what the lists have. */
      async function settle({ name, by, client }: { name: string; by: RpcClient; client: FeedClient }, where: string) {
        const { isAlike, demand } = hasWhatListsHave(client, () => stage.url, ContestID, by.token)
        const isSettled = () => {
          clock.advance(1_001)
          return isAlike()
        }
        await until(isSettled).catch(() => demand(`${name}, ${where}, seed ${seed}`))
      }
      for (let step = 1; step <= (engine === 'sqlite' ? 60 : 30); step++) {
        clock.advance(draw(3) * minute)
        await acts[draw(acts.length)]!()
        if (step % 6 === 0) await clients[draw(clients.length)]!.client.reconnect(draw)
        if (step % 30 === 0) for (const one of clients) await settle(one, `step ${step}`)
      }
      clock.advance(6 * hour)
      for (;;) {
        const { result } = await worker.ask('get_and_update_first_submitted_submission_to_executing')
        if (!result) break
        await worker.call('update_submission', { ID: result.Submission.ID, Status: 3, Result: 1 })
      }
      for (const one of clients) await settle(one, 'ended')
      const { SubmissionSnippetList: failed } = await setter.call('find_submission_snippet_list', {
        ContestID,
        Result: 9,
        Limit: 100,
      })
      for (const { ID } of failed) await code('ignore_submission', { ID, IsIgnored: true })
      const { ClarificationList } = await setter.call('get_clarification_list', { ContestID, Offset: 0, Limit: 100 })
      for (const { ID, IsOpen } of ClarificationList)
        if (IsOpen) await code('create_clarification', { ContestID, Text: 'Yes.', ReplyTo: ID })
      await code('unfreeze_contest', { ContestID })
      assert.equal(await code('finalize_contest', { ContestID }), 0)
      for (const { client } of clients) await client.reconnect(draw)
      for (const one of clients) {
        const { name, client } = one
        await settle(one, 'final')
        const isEnd = ({ type, data }: Json) => type === 'state' && data.end_of_updates !== null
        await until(async () => isEnd(client.lines.at(-1)))
        assert.equal(client.lines.filter(isEnd).length, 1, name)
      }
      await Promise.all(clients.map(({ client }) => client.leave()))
    })

    test('neither tokens, nor which of them are taken, nor the time of the board tell of hidden events', async () => {
      const { setter, contestant, anonymous } = stage.cast
      const draft = { StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour }
      const [{ ContestID }, other] = [await stage.makeContest(draft), await stage.makeContest(draft)]
      clock.advance(hour)
      await handIn(contestant, ContestID, 'a')
      const at = (id: string) => `${stage.url}/api/contests/${id}`
      const firstToken = async (id: string): Promise<string> => {
        const client = makeFeedClient(() => `${at(id)}/event-feed`, anonymous.token)
        await until(async () => client.lines.length > 0)
        await client.leave()
        return client.lines[0].token
      }
      const tokens = [await firstToken(ContestID), await firstToken(ContestID)]
      // Two of the same place differ, unless their feeds began within the same second and share what they are sent.
      await until(async () => {
        tokens[1] = await firstToken(ContestID)
        return tokens[0] !== tokens[1]
      })
      const places = Array.from({ length: 60 }, (_, i) => [`1.${i}`, `1.${i}.0.`]).flat()
      const ask = async (token: string) => {
        const address = `${at(ContestID)}/event-feed?since_token=${encodeURIComponent(token)}`
        const response = await fetch(address, { method: 'HEAD' })
        return response.status
      }
      const foreign = await firstToken(other.ContestID)
      const askAll = () => Promise.all([...places, foreign].map(ask))
      const boardTime = async () => {
        clock.advance(2_000)
        return ((await (await fetch(`${at(ContestID)}/scoreboard`)).json()) as Json).time
      }
      const taken = await askAll()
      // The freeze is noted a moment after it began, which the board's time tells.
      const phase = stage.services.store.db
        .selectFrom('contest')
        .select('told_phase')
        .where('public_id', '=', ContestID)
      await until(async () => ((await phase.executeTakeFirstOrThrow()).told_phase & 2) !== 0)
      const time = await boardTime()
      assert.deepEqual(new Set(taken), new Set([400]))
      await stage.judgeNext(1)
      await contestant.call('create_clarification', { ContestID, Text: 'A secret question' })
      await setter.call('put_contest_team', { ContestID, ID: 'ghost', Name: 'Ghost', IsHidden: true })
      assert.deepEqual([await askAll(), await boardTime()], [taken, time])
      for (const token of tokens) assert.equal(await ask(token), 200)
    })

    test('before the start the public hears nothing of problems, and never of hidden teams', async () => {
      const { setter, anonymous, rival } = stage.cast
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() + hour })
      const feed = `${stage.url}/api/contests/${ContestID}/event-feed`
      const clients = [anonymous, rival].map((by) => makeFeedClient(() => feed, by.token))
      const told = ({ lines }: FeedClient) => lines.some(({ type, id }) => type === 'groups' && id === 'g1')
      await setter.call('put_contest_group', { ContestID, ID: 'g1', Name: 'One' })
      await until(async () => clients.every(told))
      // The list of awards, of problems and of the own accounts may still be on their way.
      await setter.call('put_contest_group', { ContestID, ID: 'g2', Name: 'Two' })
      await until(async () => clients.every(({ lines }) => lines.some(({ id }) => id === 'g2')))
      const counts = clients.map(({ lines }) => lines.filter(({ type }) => type === 'accounts').length)
      const problem = await makeProblem(setter)
      const place = { ContestID, ID: 'secret', Label: 'C', UUID: problem.UUID, Ordinal: 9, Colour: '#00ff00' }
      await setter.call('put_contest_problem', place)
      await setter.call('put_contest_team', { ContestID, ID: 'ghost', Name: 'Ghost', IsHidden: true })
      await setter.call('delete_contest_team', { ContestID, ID: 'ghost' })
      await setter.call('put_contest_group', { ContestID, ID: 'g3', Name: 'Three' })
      await until(async () => clients.every(({ lines }) => lines.some(({ id }) => id === 'g3')))
      for (const [i, { lines, leave }] of clients.entries()) {
        assert.deepEqual(
          lines.filter(({ id }) => id === 'secret' || id === 'ghost'),
          [],
        )
        assert.equal(lines.filter(({ type }) => type === 'accounts').length, counts[i])
        await leave()
      }
    })

    test('the head of a feed is answered at once', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      const response = await fetch(`${stage.url}/api/contests/${ContestID}/event-feed`, { method: 'HEAD' })
      assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
      assert.equal(await response.text(), '')
    })
  })
