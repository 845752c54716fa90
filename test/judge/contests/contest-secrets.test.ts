/**
 * Nothing that is kept from somebody can be told from any answer: two servers have the same contest, but for how what is
 * frozen ended, whether it is judged yet, what teams asked, and what the jury is about to change. Whoever may know nothing of
 * this gets the same answers from both, word for word; the jury gets others.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { type Engine, engines } from '../../support/engines.ts'
import { claim, makeTest, page } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { type ContestStage, handIn, hour, minute, startContests } from './contest-stage.ts'

const outsiders = ['anonymous', 'outsider', 'rival', 'carrier', 'colleague'] as const
const insiders = ['contestant', 'judge', 'setter', 'admin'] as const
type Who = (typeof outsiders)[number] | (typeof insiders)[number]

type World = {
  readonly stage: ContestStage
  readonly clock: ReturnType<typeof makeManualClock>
  readonly clients: Readonly<Record<Who, RpcClient>>
  readonly ContestID: string
  readonly UUID: string
  readonly ids: { early: number; late: number; waiting: number }
  readonly live: Readonly<Record<string, string[]>>
  stop(): Promise<void>
}

async function makeWorld(engine: Engine): Promise<World> {
  const clock = makeManualClock()
  const stage = await startContests(engine, { clock })
  const { accounts, tokens } = stage.house
  const outsider = await accounts.insert({ name: 'outsider', displayName: 'outsider', role: 'contestant' })
  const clientOf = async (name: string) => {
    const account = name === 'outsider' ? outsider : (await accounts.findByName(name))!
    const scopes = ['judge', 'notifications', 'repo', 'user'] as const
    return stage.cast.anonymous.as((await tokens.make(account, { kind: 'classic', scopes })).text)
  }
  const clients = { anonymous: stage.cast.anonymous } as Record<Who, RpcClient>
  for (const name of [...outsiders.slice(1), ...insiders]) clients[name] = await clientOf(name)
  const draft = { StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour, ShowsProblemsToPublic: true }
  const { ContestID, problems } = await stage.makeContest(draft, 'AB')
  const { UUID } = problems.B
  await makeTest(stage.cast.colleague, UUID)
  clock.advance(minute)
  const ids = {
    early: (await handIn(stage.cast.contestant, ContestID, 'b', { Content: 'early' })).ID,
    late: 0,
    waiting: 0,
  }
  await stage.judgeNext(6)
  clock.advance(hour)
  ids.late = (await handIn(stage.cast.contestant, ContestID, 'b', { Content: 'late' })).ID
  ids.waiting = (await handIn(stage.cast.contestant, ContestID, 'b', { Content: 'waiting' })).ID
  const leaving = new AbortController()
  const live: Record<string, string[]> = {}
  for (const who of [...outsiders.slice(1), ...insiders]) {
    const headers = { authorization: `Bearer ${clients[who]!.token}` }
    const response = await fetch(`${stage.url}/-/live`, { headers, signal: leaving.signal })
    assert.equal(response.status, 200, who)
    const heard: string[] = []
    live[who] = heard
    void (async () => {
      try {
        for await (const chunk of response.body!) heard.push(Buffer.from(chunk).toString())
      } catch {}
    })()
  }
  return {
    ...{ stage, clock, clients, ContestID, UUID, ids, live },
    async stop() {
      leaving.abort()
      await stage.stop()
    },
  }
}

/** What must not be known: in the one world it was accepted and the next one waits, in the other both were wrong and slow. */
async function actInSecret({ stage, ContestID, ids }: World, isLeft: boolean): Promise<void> {
  const { worker, contestant, setter } = stage.cast
  const report = async (Result: number, ms: number) => {
    const { ID, Lease } = await claim(worker)
    const test = await stage.house.store.db.selectFrom('test_case').select('uuid').executeTakeFirstOrThrow()
    const figures = { CPUTimeInMillisecond: ms, WallTimeInMillisecond: ms, PeakMemoryInByte: ms * 1_000 }
    const TestList = [{ TestCaseUUID: test.uuid, Result, ...figures, Stderr: '', ExitCode: 0, Signal: null }]
    await worker.call('report_submission', {
      ID,
      Lease,
      Report: { Result, CompilerOutput: '', TestList },
    })
  }
  await report(isLeft ? 1 : 6, isLeft ? 10 : 900)
  if (isLeft) {
    await contestant.call('create_clarification', { ContestID, ProblemID: 'b', Text: 'A secret question' })
    await setter.call('create_clarification', { ContestID, Text: 'For one team', ToTeamIDList: ['t1'] })
    await setter.call('create_rejudging', { ContestID, SubmissionIDList: [ids.early], Reason: 'A secret reason' })
  } else await report(5, 500)
}

/** Calls that could tell something, by method. Every other that reads is named below, or the test fails. */
const callsOf = ({ ContestID, UUID, ids, stage }: World): Record<string, object[]> => {
  const all = Object.values(ids)
  const AccountID = stage.idOf('contestant')
  const ofAccount = { AccountID, ...page() }
  const ofContest = { ContestID, ...page() }
  return {
    get_contest: [{ ID: ContestID }],
    get_contest_list: [page()],
    get_scoreboard: [{ ContestID }, { ContestID, IsPublic: true }],
    get_series_standings: [{ ContestIDList: [ContestID], ...page() }],
    get_contest_team_list: [ofContest],
    get_clarification_list: [ofContest],
    get_rejudging_list: [ofContest],
    get_rejudging: [{ ContestID, ID: 1 }],
    get_submission: all.map((ID) => ({ ID })),
    wait_for_submission: all.map((ID) => ({ ID, WaitMillisecond: 0 })),
    get_submission_report: all.map((ID) => ({ ID })),
    get_submission_comment_list: all.map((ID) => ({ ID })),
    get_submission_snippet_list: [page()],
    get_account_submission_snippet_list: [ofAccount],
    get_problem_submission_snippet_list: [{ ProblemUUID: UUID, ...page() }],
    get_account_problem_submission_snippet_list: [{ ...ofAccount, ProblemUUID: UUID }],
    find_submission_snippet_list: [
      { ContestID, Limit: 100 },
      { ProblemUUID: UUID, Limit: 100 },
      { AccountID, TeamID: 't1', Limit: 1 },
      ...[1, 2, 3].map((Status) => ({ ContestID, Status, Limit: 100 })),
      ...[0, 1, 6, 9].map((Result) => ({ ProblemUUID: UUID, Result, Limit: 100 })),
    ],
    get_problem: [{ UUID }],
    get_problem_statement: [{ UUID }],
    get_problem_judging: [{ UUID }],
    get_problem_snippet_list: [page()],
    get_account_problem_snippet_list: [ofAccount],
    find_problem_snippet_list: [page(), { ...page(), Text: 'Problem' }],
    get_problem_tag_list: [{ UUID }],
    get_problem_test_case_snippet_list: [{ ProblemUUID: UUID, ...page() }],
    get_account: [{ ID: AccountID }],
    get_account_list: [page()],
    get_server_info: [{}],
    get_session: [{}],
  }
}

/** These would change something, and tell outsiders by their refusals alone. */
const refusedCallsOf = ({ ContestID, ids }: World): Record<string, object[]> => {
  const all = Object.values(ids)
  return {
    delete_submission: all.map((ID) => ({ ID })),
    rejudge_submission: all.map((ID) => ({ ID })),
    ignore_submission: all.map((ID) => ({ ID, IsIgnored: true })),
    override_result: all.map((ID) => ({ ID, Result: 1, Password: 'password', Reason: 'x' })),
    put_submission_comment: all.map((ID) => ({ ID, Text: 'x' })),
    finalize_contest: [{ ContestID }],
    apply_rejudging: [{ ContestID, ID: 1 }],
    delete_contest_team: [{ ContestID, ID: 't1' }],
  }
}

/** Reading methods of what a contest is no part of, or of the caller's own. Balloons are for the staff. */
const aside: ReadonlySet<string> = new Set([
  'get_balloon_list',
  'get_and_update_first_submitted_submission_to_executing',
  'get_class',
  'get_class_list',
  'get_class_member_list',
  'get_sheet',
  'get_sheet_statement',
  'get_sheet_list',
  'get_sheet_results',
  'get_sheet_copy_list',
  'get_similarity',
  'get_problem_link_list',
  'get_session_list',
  'get_token_list',
  'get_queue',
  'get_executor_list',
  'get_test_case',
  'get_test_case_judging',
  'get_problem_test_case_judging_list',
])

const collections = [
  ...['', '/access', '/account', '/judgement-types', '/problems', '/groups', '/organizations', '/teams', '/accounts'],
  ...['/state', '/submissions', '/judgements', '/runs', '/clarifications', '/awards', '/scoreboard'],
]

/** What may differ between any two servers. */
const alike = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid')
    .replace(/"(?:TestCase|Judging)Hash":"[0-9a-f]{64}"/g, 'hash')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'server')

/** Everything that somebody is answered, by what was asked. */
async function lookAround(world: World, who: Who, others: Record<string, object[]>): Promise<Map<string, string>> {
  const { stage, clients, ContestID, ids } = world
  const by = clients[who]
  const told = new Map<string, string>()
  for (const [method, list] of Object.entries({ ...callsOf(world), ...others }))
    for (const params of list) {
      const { result, error } = await by.ask(method, params)
      const { RequestID, ...data } = error?.data ?? {}
      assert.equal(RequestID, undefined, method)
      const key = alike(`${method} ${JSON.stringify(params)}`)
      told.set(key, alike(JSON.stringify(result ?? [error.code, error.message, data])))
    }
  const headers: Record<string, string> = by.token ? { authorization: `Bearer ${by.token}` } : {}
  const get = async (path: string) => {
    const response = await fetch(`${stage.url}${path}`, { headers })
    told.set(alike(path), alike(`${response.status} ${await response.text()}`))
  }
  const base = `/api/contests/${ContestID}`
  for (const path of collections) await get(`${base}${path}`)
  for (const id of Object.values(ids))
    for (const type of ['submissions', 'judgements']) await get(`${base}/${type}/${id}`)
  for (const id of Object.values(ids)) await get(`${base}/submissions/${id}/files`)
  for (const id of [1, 2, 3]) await get(`${base}/clarifications/${id}`)
  for (const path of [
    '/notifications',
    '/events',
    '/users/contestant/events',
    '/user/repos',
    '/v2/datasets',
    '/search/users?q=contestant',
  ])
    await get(path)
  for (const query of ['', '?since_token=1.0'])
    told.set(`feed ${query}`, await readEvents(`${stage.url}${base}/event-feed${query}`, headers))
  return told
}

/** Without tokens, which count what everybody is told. */
async function readEvents(address: string, headers: Record<string, string>): Promise<string> {
  const leaving = new AbortController()
  const response = await fetch(address, { headers, signal: leaving.signal })
  const events: string[] = []
  let rest = ''
  const timer = setTimeout(() => leaving.abort(), 700)
  try {
    for await (const chunk of response.body!) {
      rest += Buffer.from(chunk).toString()
      const lines = rest.split('\n')
      rest = lines.pop()!
      for (const line of lines.filter(Boolean)) {
        const { token: _token, ...event } = JSON.parse(line) as Json
        events.push(alike(JSON.stringify(event)))
      }
    }
  } catch {
  } finally {
    clearTimeout(timer)
  }
  return events.join('\n')
}

for (const engine of engines)
  describe(`what is kept from people in a contest on ${engine}`, () => {
    let left: World
    let right: World
    before(async () => {
      const worlds = await Promise.all([makeWorld(engine), makeWorld(engine)])
      left = worlds[0]
      right = worlds[1]
      await Promise.all([actInSecret(left, true), actInSecret(right, false)])
    })
    after(() => Promise.all([left.stop(), right.stop()]))

    test('every method that reads is asked, or is named as one that a contest is no part of', async () => {
      const document = (await (await fetch(`${left.stage.url}/-/judge/openapi.json`)).json()) as Json
      const names = [...new Set(JSON.stringify(document).match(/\b(?:get|find|wait)_[a-z_]+/g))]
      assert.ok(names.length > 30)
      const asked = callsOf(left)
      assert.deepEqual(
        names.filter((name) => !(name in asked) && !aside.has(name)),
        [],
      )
    })

    for (const state of ['frozen', 'ended'] as const)
      test(`is the same in both worlds for those who may not know, while it is ${state}, and not for those who may`, async () => {
        if (state === 'ended') for (const { clock } of [left, right]) clock.advance(hour)
        // Built boards are a second old at most.
        for (const { clock } of [left, right]) clock.advance(2_000)
        for (const who of outsiders) {
          const [one, other] = await Promise.all([
            lookAround(left, who, refusedCallsOf(left)),
            lookAround(right, who, refusedCallsOf(right)),
          ])
          assert.deepEqual([...one.keys()], [...other.keys()])
          for (const [key, answer] of one) assert.equal(answer, other.get(key), `${who} asks ${key}`)
          const secrets = /secret|For one team/.exec([...one.values(), ...other.values()].join('\n'))
          assert.equal(secrets?.[0], undefined, who)
        }
        for (const who of insiders) {
          const [one, other] = await Promise.all([lookAround(left, who, {}), lookAround(right, who, {})])
          const differing = [...one].filter(([key, answer]) => answer !== other.get(key)).map(([key]) => key)
          for (const word of ['get_submission', 'get_clarification_list', `/api/contests/contest-1/judgements`])
            assert.ok(
              differing.some((key) => key.startsWith(word)),
              `${who}: ${word}`,
            )
        }
      })

    test('live updates tell the team and the jury alone that something was judged', () => {
      /** The first was judged before anybody listened, or just as they began. */
      const eventsOf = ({ live, ids }: World, who: Who): string[] =>
        (live[who]!.join('').match(/^data: .*$/gm) ?? []).filter((line) => line !== `data: {"ID":${ids.early}}`)
      const heardOf = (world: World, who: Who) => eventsOf(world, who).includes(`data: {"ID":${world.ids.late}}`)
      for (const world of [left, right]) {
        for (const who of insiders) assert.ok(heardOf(world, who), who)
        for (const who of outsiders.slice(1)) assert.ok(!heardOf(world, who), who)
      }
      for (const who of outsiders.slice(1)) assert.deepEqual(eventsOf(left, who), eventsOf(right, who), who)
    })

    test('metrics name no contest, team or submission', async () => {
      for (const { stage } of [left, right]) {
        const text = await (
          await fetch(`${stage.url}/metrics`, { headers: { authorization: `Bearer ${stage.cast.admin.token}` } })
        ).text()
        assert.doesNotMatch(text, /contest-\d|"t\d"|contestant|rival/)
      }
    })
  })
