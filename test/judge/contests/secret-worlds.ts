/**
 * Two servers with the same contest but for what is kept from people, and all that somebody can be told of it, for tests that
 * nothing can be told from any answer.
 */
import assert from 'node:assert/strict'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { tokenAt } from '../../api/contest-api/feed-client.ts'
import type { Engine } from '../../support/engines.ts'
import { page } from '../../support/judge.ts'
import type { Json, RpcClient } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { type ContestStage, startContests } from './contest-stage.ts'

export const outsiders = ['anonymous', 'outsider', 'rival', 'carrier', 'colleague'] as const
export const insiders = ['contestant', 'judge', 'setter', 'admin'] as const
export type Who = (typeof outsiders)[number] | (typeof insiders)[number]

/** A server and its people. */
export type Ground = {
  readonly stage: ContestStage
  readonly clock: ReturnType<typeof makeManualClock>
  readonly clients: Readonly<Record<Who, RpcClient>>
}

/** `ids`: of the submissions of the contestant's team to its problem. */
export type World = Ground & {
  readonly ContestID: string
  readonly UUID: string
  readonly ids: readonly number[]
}

export async function makeGround(engine: Engine): Promise<Ground> {
  const clock = makeManualClock()
  const stage = await startContests(engine, { clock })
  const { accounts, tokens } = stage.services
  const outsider = await accounts.insert({ name: 'outsider', displayName: 'outsider', role: 'contestant' })
  const clients = { anonymous: stage.cast.anonymous } as Record<Who, RpcClient>
  for (const name of [...outsiders.slice(1), ...insiders]) {
    const account = name === 'outsider' ? outsider : (await accounts.findByName(name))!
    const scopes = ['judge', 'notifications', 'repo', 'user'] as const
    clients[name] = stage.cast.anonymous.as((await tokens.make(account, { kind: 'classic', scopes })).text)
  }
  return { stage, clock, clients }
}

/** Calls that could tell something, by method. Every other that reads is named below, or the test fails. */
export const callsOf = ({ ContestID, UUID, ids, stage }: World): Record<string, object[]> => {
  const all = ids
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
    get_contest_submission_list: [{ ContestID, SubmissionIDList: ids.length > 0 ? ids : [1] }],
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
    get_problem_repository_list: [{ UUID }],
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
export const refusedCallsOf = ({ ContestID, ids }: World): Record<string, object[]> => {
  const all = ids
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
export const aside: ReadonlySet<string> = new Set([
  'get_balloon_list',
  'get_and_update_first_submitted_submission_to_executing',
  'get_class',
  'get_class_list',
  'get_class_member_list',
  'get_class_results',
  'get_sheet',
  'get_sheet_statement',
  'get_sheet_list',
  'get_sheet_news',
  'get_sheet_results',
  'get_sheet_copy_list',
  'get_similarity',
  'get_problem_link_list',
  'get_roster_import_list',
  'get_problem_repository_list',
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
    // Of a board, in which problems' UUIDs are. That nothing else shows in it has a test of its own.
    .replace(/"Version":"[\w-]{22}"/g, 'version')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'server')

/** Everything that somebody is answered, by what was asked. */
export async function lookAround(
  world: World,
  who: Who,
  others: Record<string, object[]>,
): Promise<Map<string, string>> {
  const { stage, clients, ContestID, UUID, ids } = world
  const by = clients[who]
  const told = new Map<string, string>()
  const headers: Record<string, string> = by.token ? { authorization: `Bearer ${by.token}` } : {}
  const base = `/api/contests/${ContestID}`
  const first = `?since_token=${await tokenAt(stage.services, ContestID, 0)}`
  const feeds = ['', first].map(
    async (query) =>
      [
        `feed ${query && 'from the first'}`,
        await readEvents(`${stage.url}${base}/event-feed${query}`, headers),
      ] as const,
  )
  for (const [method, list] of Object.entries({ ...callsOf(world), ...others }))
    for (const params of list) {
      const { result, error } = await by.ask(method, params)
      const { RequestID, ...data } = error?.data ?? {}
      assert.equal(RequestID, undefined, method)
      const key = alike(`${method} ${JSON.stringify(params)}`)
      told.set(key, alike(JSON.stringify(result ?? [error.code, error.message, data])))
    }
  const get = async (path: string) => {
    const response = await fetch(`${stage.url}${path}`, { headers })
    told.set(alike(path), alike(`${response.status} ${await response.text()}`))
  }
  for (const path of collections) await get(`${base}${path}`)
  for (const id of ids) for (const type of ['submissions', 'judgements']) await get(`${base}/${type}/${id}`)
  for (const id of ids) await get(`${base}/submissions/${id}/files`)
  for (const id of [1, 2, 3]) await get(`${base}/clarifications/${id}`)
  for (const path of [
    '/notifications',
    '/events',
    '/users/contestant/events',
    '/user/repos',
    '/v2/datasets',
    '/search/users?q=contestant',
    `/-/judge/contests/${ContestID}/awards/winner/t1.svg`,
  ])
    await get(path)
  // Zipped, with the problem's UUID in it.
  const pack = `/-/judge/problems/${UUID}/package`
  told.set(alike(pack), String((await fetch(`${stage.url}${pack}`, { headers })).status))
  for (const [name, events] of await Promise.all(feeds)) told.set(name, events)
  return told
}

/** A job notes the freeze (2) and the end (4) a moment later, and tells feeds and boards. */
export const untilNoted = ({ stage, ContestID }: World, phase: 2 | 4): Promise<unknown> =>
  until(async () => {
    const contest = stage.services.store.db
      .selectFrom('contest')
      .select('told_phase')
      .where('public_id', '=', ContestID)
    return ((await contest.executeTakeFirstOrThrow()).told_phase & phase) !== 0
  })

/** Whether all of these people are answered the same in both worlds, word for word. */
export async function demandAlike(left: World, right: World, people: readonly Who[], secrets: RegExp): Promise<void> {
  for (const who of people) {
    const [one, other] = await Promise.all([
      lookAround(left, who, refusedCallsOf(left)),
      lookAround(right, who, refusedCallsOf(right)),
    ])
    assert.deepEqual([...one.keys()], [...other.keys()])
    for (const [key, answer] of one) assert.equal(answer, other.get(key), `${who} asks ${key}`)
    const told = secrets.exec([...one.values(), ...other.values()].join('\n'))
    assert.equal(told?.[0], undefined, who)
  }
}

/** What these people ask and are answered otherwise in the one world than in the other. */
export async function listDiffering(left: World, right: World, who: Who): Promise<string[]> {
  const [one, other] = await Promise.all([lookAround(left, who, {}), lookAround(right, who, {})])
  return [...one].filter(([key, answer]) => answer !== other.get(key)).map(([key]) => key)
}

/** Without tokens, which count what everybody is told. */
async function readEvents(address: string, headers: Record<string, string>): Promise<string> {
  const leaving = new AbortController()
  const response = await fetch(address, { headers, signal: leaving.signal })
  const events: string[] = []
  let rest = ''
  // Nothing more comes once nothing has come for so long, on a server that answers others at once.
  const leaveSoon = (): NodeJS.Timeout =>
    setTimeout(async () => {
      const [mine, start] = [timer, performance.now()]
      await fetch(new URL('/api', address)).then((answer) => answer.text())
      if (mine !== timer) return
      if (performance.now() - start < 150) leaving.abort()
      else timer = leaveSoon()
    }, 700)
  let timer = leaveSoon()
  try {
    for await (const chunk of response.body!) {
      clearTimeout(timer)
      timer = leaveSoon()
      rest += Buffer.from(chunk).toString()
      const lines = rest.split('\n')
      rest = lines.pop()!
      for (const line of lines.filter(Boolean)) {
        const { token: _token, ...event } = JSON.parse(line) as Json
        // Awards come when the board is built, between other events or after them; their list is compared by itself.
        if (event.type !== 'awards') events.push(alike(JSON.stringify(event)))
      }
    }
  } catch {
  } finally {
    clearTimeout(timer)
  }
  // A job notes the start, the freeze and the end a moment later, before or after what others do then.
  return events.sort().join('\n')
}
