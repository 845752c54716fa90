/** The Contest API: endpoints, who sees what, files, writing, and a feed that goes on from every token, on both databases. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { type ContestStage, handIn, hour, minute, startContests } from '../../judge/contests/contest-stage.ts'
import { engines } from '../../support/engines.ts'
import type { Json } from '../../support/rpc.ts'
import { admin } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { toBase64 } from '../../support/zip.ts'
import { tokenAt } from './feed-client.ts'
import { applyEvents } from './full-contest.ts'

for (const engine of engines)
  describe(`the Contest API on ${engine}`, () => {
    const clock = makeManualClock()
    let stage: ContestStage
    before(async () => {
      stage = await startContests(engine, { clock })
    })
    after(() => stage.stop())

    const tokenOf = (who: keyof ContestStage['cast']) => stage.cast[who].token
    const ask = (path: string, who?: keyof ContestStage['cast'], init: RequestInit = {}) => {
      const token = who && tokenOf(who)
      const headers = { ...(token && { authorization: `Bearer ${token}` }), ...init.headers }
      return fetch(`${stage.url}/api${path}`, { ...init, headers })
    }
    const get = async (path: string, who?: keyof ContestStage['cast']): Promise<Json> => {
      const response = await ask(path, who)
      assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`)
      return response.json()
    }
    const status = async (path: string, who?: keyof ContestStage['cast'], init?: RequestInit) =>
      (await ask(path, who, init)).status

    test('it tells its version, and answers errors in its own shape', async () => {
      for (const path of ['', '/']) assert.equal((await get(path)).version, '2026-01')
      const response = await ask('/contests/none')
      assert.deepEqual(await response.json(), { code: 404, message: 'There is no contest none.' })
      assert.equal(response.headers.get('access-control-allow-origin'), '*')
      assert.equal(await status('/contests/none/what'), 404)
      assert.equal(await status('/contests', undefined, { method: 'DELETE' }), 405)
      assert.equal(await status('/contests', undefined, { method: 'OPTIONS' }), 204)
    })

    test('sign-in is by Basic with a password or a token, or by Bearer, and never by a cookie', async () => {
      const { ContestID } = await stage.makeContest({ IsPublic: false })
      const basic = (name: string, secret: string) => ({
        headers: { authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}` },
      })
      const path = `/contests/${ContestID}`
      assert.equal(await status(path), 404)
      assert.equal(await status(path, 'rival'), 200)
      assert.equal(await status(path, 'colleague'), 404)
      for (let i = 0; i < 2; i++) assert.equal(await status(path, undefined, basic('admin', admin.password)), 200)
      assert.equal(await status(path, undefined, basic('rival', tokenOf('rival')!)), 200)
      assert.equal(await status(path, undefined, basic('admin', 'wrong-password')), 401)
      const { Token } = await stage.cast.anonymous.call('create_session', {
        AccountName: 'admin',
        Password: admin.password,
      })
      assert.equal(await status(path, undefined, { headers: { cookie: `guildhall_session=${Token}` } }), 404)
      assert.equal(await status(path, undefined, { headers: { authorization: `Bearer ${Token}` } }), 200)
      assert.equal(await status(path, undefined, basic('ADMIN', Token)), 200)
      assert.equal(await status(path, undefined, basic('rival', Token)), 401, 'of another account')
    })

    test('verdicts are simplified before the freeze, held back after it, and whole after the thaw', async () => {
      const draft = { StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour }
      const { ContestID } = await stage.makeContest(draft)
      const at = `/contests/${ContestID}`
      clock.advance(minute + 250)
      const { ID } = await handIn(stage.cast.contestant, ContestID, 'a')
      await stage.judgeNext(6)
      clock.advance(hour)
      const { ID: late } = await handIn(stage.cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      const types = async (who?: keyof ContestStage['cast'], strict = '') =>
        (await get(`${at}/judgements${strict}`, who)).map((one: Json) => [
          one.submission_id,
          one.judgement_type_id ?? null,
          one.simplified_judgement_type_id ?? null,
        ])
      const whole = [
        [`${ID}`, 'WA', 'RE'],
        [`${late}`, 'AC', 'AC'],
      ]
      for (const who of [undefined, 'rival', 'colleague'] as const)
        assert.deepEqual(await types(who), [[`${ID}`, null, 'RE']])
      for (const who of ['contestant', 'setter', 'admin'] as const) assert.deepEqual(await types(who), whole)
      assert.deepEqual(await types(undefined, '?strict=1'), [[`${ID}`, 'RE', null]])
      const submissions = await get(`${at}/submissions`)
      assert.deepEqual(submissions[0], {
        id: `${ID}`,
        language_id: 'python3',
        problem_id: 'a',
        team_id: 't1',
        time: new Date(draft.StartTime + minute + 250).toISOString(),
        contest_time: '0:01:00.250',
        entry_point: null,
        files: [],
      })
      assert.equal(submissions.length, 2)
      for (const [who, code] of [
        ['rival', 404],
        ['contestant', 200],
        ['setter', 200],
        ['colleague', 404],
      ] as const)
        assert.equal(await status(`${at}/submissions/${ID}/files`, who), code, who)
      for (const who of [undefined, 'rival'] as const) assert.equal(await status(`${at}/judgements/${late}`, who), 404)
      await until(async () => (await get(`${at}/scoreboard`, 'setter')).rows[0].score.num_solved === 1)
      const row = (await get(`${at}/scoreboard`)).rows.find((one: Json) => one.team_id === 't1')
      assert.deepEqual(row.problems[0], { problem_id: 'a', num_judged: 1, num_pending: 1, solved: false })
      const own = (await get(`${at}/scoreboard`, 'setter')).rows[0]
      assert.deepEqual(own.score, { num_solved: 1, total_time: '1:21:00.000', time: '1:01:00.000' })
      assert.deepEqual(own.problems[0], {
        problem_id: 'a',
        num_judged: 2,
        num_pending: 0,
        solved: true,
        time: '1:01:00.000',
      })
      const board = await ask(`${at}/scoreboard`)
      const etag = board.headers.get('etag')!
      assert.equal(await status(`${at}/scoreboard`, undefined, { headers: { 'if-none-match': etag } }), 304)
      clock.advance(hour)
      const thaw = { id: ContestID, scoreboard_thaw_time: new Date(clock.now()).toISOString() }
      const patch = (body: object, who: keyof ContestStage['cast']) =>
        status(at, who, { method: 'PATCH', body: JSON.stringify(body) })
      assert.equal(await patch(thaw, 'rival'), 403)
      assert.equal(await patch({ ...thaw, id: 'other' }, 'setter'), 409)
      assert.equal(await patch({ ...thaw, start_time: null }, 'setter'), 400)
      assert.equal(await patch({ id: ContestID, start_time: null }, 'setter'), 403)
      assert.equal(await patch(thaw, 'setter'), 200)
      assert.equal(await patch(thaw, 'setter'), 403)
      for (const who of [undefined, 'rival', 'setter'] as const) assert.deepEqual(await types(who), whole)
      assert.notEqual((await get(`${at}/state`)).thawed, null)
    })

    test('access names what is sent, and nothing else is sent; lists are filtered by ids', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now() })
      const at = `/contests/${ContestID}`
      await handIn(stage.cast.contestant, ContestID, 'a')
      await handIn(stage.cast.rival, ContestID, 'b')
      await stage.judgeNext(1)
      await stage.judgeNext(2)
      const capabilities = async (who?: keyof ContestStage['cast']) => (await get(`${at}/access`, who)).capabilities
      assert.deepEqual(await capabilities(), [])
      assert.deepEqual(await capabilities('contestant'), ['team_submit', 'post_clar'])
      assert.deepEqual(await capabilities('setter'), ['contest_start', 'contest_thaw', 'admin_submit', 'post_clar'])
      const lists = [
        'judgement-types',
        'languages',
        'problems',
        'groups',
        'organizations',
        'teams',
        'submissions',
        'judgements',
        'clarifications',
        'awards',
      ]
      for (const who of [undefined, 'contestant', 'setter'] as const) {
        const { endpoints } = await get(`${at}/access`, who)
        const known = new Map<string, string[]>(endpoints.map((one: Json) => [one.type, one.properties]))
        for (const name of lists)
          for (const object of await get(`${at}/${name}`, who))
            assert.deepEqual(
              Object.keys(object).filter((key) => !known.get(name)!.includes(key)),
              [],
              `${name} by ${who}`,
            )
        for (const name of ['persons', 'commentary', 'webhooks']) assert.equal(await status(`${at}/${name}`, who), 404)
      }
      assert.equal((await get(`${at}/submissions?problem_id=a`)).length, 1)
      assert.equal((await get(`${at}/submissions?problem_id=a&team_id=t2`)).length, 0)
      assert.equal((await get(`${at}/teams?organization_id=`)).length, 2)
    })

    test('teams hand in and ask, the jury does for a team at a time of its own', async () => {
      const start = clock.now()
      const { ContestID } = await stage.makeContest({ StartTime: start, Duration: hour })
      const at = `/contests/${ContestID}`
      clock.advance(10 * minute)
      const data = toBase64([{ path: 'main.py', data: 'print(3)' }])
      const draft = { problem_id: 'a', language_id: 'python3', files: [{ data }] }
      const post = (what: string, body: object, who?: keyof ContestStage['cast']) =>
        ask(`${at}/${what}`, who, { method: 'POST', body: JSON.stringify(body) })
      const code = async (body: object, who?: keyof ContestStage['cast']) =>
        (await post('submissions', body, who)).status
      assert.equal(await code(draft), 401)
      assert.equal(await code(draft, 'colleague'), 403)
      const response = await post('submissions', draft, 'contestant')
      assert.equal(response.status, 201)
      const made = (await response.json()) as Json
      assert.equal(response.headers.get('location'), `/api${at}/submissions/${made.id}`)
      assert.deepEqual([made.team_id, made.contest_time, made.files[0].mime], ['t1', '0:10:00.000', 'application/zip'])
      const faults: object[] = [
        { id: '5' },
        { time: new Date(start).toISOString() },
        { files: [] },
        { files: [{ data: 'AAAA' }] },
        { files: [{ data, mime: 'text/plain' }] },
        {
          files: [
            {
              data: toBase64([
                { path: 'a', data: '1' },
                { path: 'b', data: '2' },
              ]),
            },
          ],
        },
        { language_id: 5 },
      ]
      for (const fault of faults)
        assert.equal(await code({ ...draft, ...fault }, 'contestant'), 400, JSON.stringify(fault))
      assert.equal(await code({ ...draft, team_id: 't2' }, 'contestant'), 403)
      assert.equal(await code({ ...draft, problem_id: 'z' }, 'contestant'), 404)
      const proxy = { ...draft, team_id: 't2', time: new Date(start + 5 * minute).toISOString() }
      assert.equal(await code({ ...proxy, time: undefined }, 'setter'), 400)
      assert.equal(await code({ ...proxy, time: new Date(start - 1).toISOString() }, 'setter'), 403)
      const other = (await (await post('submissions', proxy, 'setter')).json()) as Json
      assert.deepEqual([other.team_id, other.contest_time], ['t2', '0:05:00.000'])
      const clar = await post('clarifications', { text: 'Why?', problem_id: 'a' }, 'contestant')
      assert.equal(clar.status, 201)
      const question = (await clar.json()) as Json
      assert.deepEqual([question.from_team_id, question.to_team_ids, question.problem_id], ['t1', null, 'a'])
      assert.deepEqual(await get(`${at}/clarifications`), [])
      await stage.judgeNext(1)
      await stage.judgeNext(1)
    })

    test('20 of a team wait, more is 429; the jury’s are not counted', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const data = toBase64([{ path: 'main.py', data: 'print(3)' }])
      const draft = { problem_id: 'a', language_id: 'python3', files: [{ data }] }
      const post = (body: object, who: keyof ContestStage['cast']) =>
        ask(`/contests/${ContestID}/submissions`, who, { method: 'POST', body: JSON.stringify(body) })
      for (let i = 0; i < 20; i++) assert.equal((await post(draft, 'contestant')).status, 201)
      const refused = await post(draft, 'contestant')
      assert.deepEqual([refused.status, ((await refused.json()) as Json).code], [429, 429])
      const proxy = { ...draft, team_id: 't1', time: new Date(clock.now()).toISOString() }
      assert.equal((await post(proxy, 'setter')).status, 201)
      for (let i = 0; i < 21; i++) await stage.judgeNext(1)
    })

    test('ten wrong passwords lock a name, as at create_session', async () => {
      await stage.cast.admin.call('create_account', {
        ...{ AccountName: 'locked', DisplayName: 'Locked', Role: 'contestant', Password: 'the-right-password' },
      })
      const basic = (secret: string) => ({
        headers: { authorization: `Basic ${Buffer.from(`locked:${secret}`).toString('base64')}` },
      })
      assert.equal(await status('/contests', undefined, basic('the-right-password')), 200)
      for (let i = 0; i < 10; i++) assert.equal(await status('/contests', undefined, basic(`wrong-${i}`)), 401)
      const session = { AccountName: 'locked', Password: 'the-right-password' }
      assert.notEqual(await stage.cast.anonymous.code('create_session', session), 0)
    })

    /** The lines of a feed until nothing new has come for a while that a test waits for. */
    async function readFeed(
      path: string,
      who: keyof ContestStage['cast'] | undefined,
      isEnough: (lines: Json[]) => boolean,
    ): Promise<Json[]> {
      const leaving = new AbortController()
      const response = await ask(path, who, { signal: leaving.signal })
      assert.equal(response.status, 200)
      const lines: Json[] = []
      let rest = ''
      try {
        for await (const chunk of response.body!) {
          rest += Buffer.from(chunk).toString()
          const parts = rest.split('\n')
          rest = parts.pop()!
          lines.push(...parts.filter((line) => line !== '').map((line) => JSON.parse(line)))
          if (isEnough(lines)) break
        }
      } finally {
        leaving.abort()
      }
      return lines
    }

    test('of a problem whose statement is kept from the public it hears label, name and colour alone', async () => {
      const { ContestID } = await stage.makeContest({ StartTime: clock.now(), Duration: hour })
      const namesOf = async (who?: 'contestant') =>
        Object.keys((await get(`/contests/${ContestID}/problems/a`, who)) as object).sort()
      const told = ['attachments', 'id', 'label', 'name', 'ordinal', 'rgb', 'statement', 'uuid']
      assert.deepEqual(
        await namesOf(),
        told.filter((name) => !['attachments', 'statement'].includes(name)),
      )
      const figures = ['code_limit', 'memory_limit', 'output_limit', 'test_data_count', 'time_limit']
      assert.deepEqual(await namesOf('contestant'), [...told, ...figures].sort())
      await stage.cast.setter.call('update_contest', { ID: ContestID, ShowsProblemsToPublic: true })
      assert.deepEqual(await namesOf(), [...told, ...figures].sort())
    })

    test('a feed that goes on from any token comes to the same objects, and tells of nothing that is frozen', async () => {
      const { ContestID } = await stage.makeContest({
        StartTime: clock.now(),
        Duration: hour,
        FreezeDuration: 10 * minute,
      })
      const feed = `/contests/${ContestID}/event-feed`
      const { ID } = await handIn(stage.cast.contestant, ContestID, 'a')
      await stage.judgeNext(1)
      clock.advance(51 * minute)
      const { ID: late } = await handIn(stage.cast.contestant, ContestID, 'b')
      await stage.judgeNext(1)
      await stage.cast.setter.call('put_contest_group', { ContestID, ID: 'last', Name: 'Last' })
      await stage.cast.setter.call('delete_contest_group', { ContestID, ID: 'last' })
      const hasState = (lines: Json[]) => lines.some(({ type }) => type === 'state')
      for (const who of [undefined, 'contestant', 'setter'] as const) {
        const whole = await readFeed(feed, who, hasState)
        const expected = applyEvents(whole)
        const isSeen = who !== undefined
        assert.equal(`judgements ${late}` in expected, isSeen)
        assert.ok(`judgements ${ID}` in expected)
        for (const cut of [0, 1, 3, Math.floor(whole.length / 2), whole.length - 2]) {
          const more = await readFeed(`${feed}?since_token=${whole[cut]!.token}`, who, hasState)
          assert.deepEqual(applyEvents([...whole.slice(0, cut + 1), ...more]), expected, `${who} from ${cut}`)
        }
      }
      for (const wrong of [
        'since_token=none',
        'since_token=1.0',
        `since_token=${await tokenAt(stage.services, ContestID, 1)}.99.`,
        `since_token=${await tokenAt(stage.services, ContestID, 99_999)}`,
        'since_id=1',
      ])
        assert.equal(await status(`${feed}?${wrong}`), 400, wrong)
      // From the very beginning of the log the public hears of nothing that is frozen.
      const since = `?since_token=${await tokenAt(stage.services, ContestID, 0)}`
      const log = await readFeed(`${feed}${since}`, undefined, (lines) => lines.some(({ id }) => id === 'last'))
      assert.ok(!log.some(({ type, id }) => type === 'judgements' && id === `${late}`))
      assert.ok(log.some(({ type, id }) => type === 'submissions' && id === `${late}`))
      const token = log.at(-1)!.token
      const coming = readFeed(`${feed}?since_token=${token}`, undefined, (lines) =>
        lines.some(({ id }) => id === `${late}`),
      )
      clock.advance(hour)
      await stage.cast.setter.call('unfreeze_contest', { ContestID })
      const told = await coming
      await stage.cast.setter.call('finalize_contest', { ContestID })
      const isLast = ({ type, data }: Json) => type === 'state' && data.end_of_updates !== null
      for (const from of ['', since]) {
        const all = await readFeed(`${feed}${from}`, 'setter', (lines) => lines.some(isLast))
        assert.deepEqual([all.filter(isLast).length, isLast(all.at(-1)!)], [1, true], from)
      }
      assert.equal(told.find(({ id }) => id === `${late}`)!.data.judgement_type_id, 'AC')
    })
  })
