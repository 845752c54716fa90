/** A contest that has something of everything that the Contest API tells, and all that somebody is told of it. */
import type { makeManualClock } from '../../../src/lib/clock.ts'
import { type ContestStage, handIn, hour, minute } from '../../judge/contests/contest-stage.ts'
import { claim, makeTest } from '../../support/judge.ts'
import type { Json } from '../../support/rpc.ts'

export const collections = [
  'judgement-types',
  'languages',
  'problems',
  'groups',
  'organizations',
  'teams',
  'accounts',
  'submissions',
  'judgements',
  'runs',
  'clarifications',
  'awards',
] as const

/** Its freeze begins after an hour and it ends after two; a submission of each result was judged before. */
export async function makeFullContest(
  stage: ContestStage,
  clock: ReturnType<typeof makeManualClock>,
  Style: 'icpc' | 'ioi',
): Promise<string> {
  const { setter, contestant, rival, worker } = stage.cast
  const draft = { Style, StartTime: clock.now(), Duration: 2 * hour, FreezeDuration: hour, ShowsProblemsToPublic: true }
  const { ContestID, problems } = await stage.makeContest(draft, 'A')
  const test = await makeTest(setter, problems.A.UUID)
  await setter.call('put_contest_group', { ContestID, ID: 'north', Name: 'North' })
  await setter.call('put_contest_organisation', { ContestID, ID: 'school', Name: 'School' })
  const place = { ContestID, OrganisationID: 'school', GroupIDList: ['north'] }
  await setter.call('put_contest_team', {
    ...place,
    ID: 't1',
    Name: 'One',
    Label: '1',
    AccountNameList: ['contestant'],
  })
  await setter.call('put_contest_team', { ContestID, ID: 'ghost', Name: 'Ghost', IsHidden: true })
  clock.advance(minute + 250)
  const judge = async (Result: number) => {
    const { ID, Lease } = await claim(worker)
    const figures = { CPUTimeInMillisecond: 12, WallTimeInMillisecond: 20, PeakMemoryInByte: 1_000_000 }
    const one = { TestCaseUUID: test.UUID, Result, ...figures, Stderr: '', ExitCode: 0, Signal: null }
    const TestList = Result === 2 || Result === 7 || Result === 9 ? [] : [one]
    await worker.call('report_submission', {
      ID,
      Lease,
      Report: { Result, CompilerOutput: '', TestList, ...(Result === 9 && { JudgeMessage: 'x' }) },
    })
  }
  for (const Result of [2, 3, 4, 5, 6, 7, 8, 9, 1]) {
    await handIn(contestant, ContestID, 'a')
    await judge(Result)
    clock.advance(minute)
  }
  await handIn(rival, ContestID, 'a', { Language: 'java' })
  const say = async (by: typeof setter, Text: string, over: object = {}): Promise<Json> =>
    (await by.call('create_clarification', { ContestID, Text, ...over })).Clarification
  const question = await say(contestant, 'Why?', { ProblemID: 'a' })
  await say(setter, 'So.', { ReplyTo: question.ID })
  await say(setter, 'To all')
  await say(setter, 'To the north', { ToGroupIDList: ['north'] })
  await say(setter, 'To two', { ToTeamIDList: ['t1', 't2'] })
  return ContestID
}

export type Answers = {
  readonly objects: ReadonlyMap<string, Json>
  readonly feed: readonly Json[]
}

/** What somebody is told: every endpoint that `access` names, and the feed up to its last event by now. */
export async function readAll(
  url: string,
  ContestID: string,
  token: string | undefined,
  query = '',
  hasFeed = true,
): Promise<Answers> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const base = `${url}/api/contests`
  const get = async (path: string): Promise<Json> => (await fetch(`${base}${path}${query}`, { headers })).json()
  const objects = new Map<string, Json>()
  objects.set('contests', await get(''))
  objects.set('contest', await get(`/${ContestID}`))
  const access = await get(`/${ContestID}/access`)
  objects.set('access', access)
  for (const { type } of access.endpoints)
    if (type !== 'contest' && type !== 'event-feed') objects.set(type, await get(`/${ContestID}/${type}`))
  if (token) objects.set('account', await get(`/${ContestID}/account`))
  return { objects, feed: hasFeed ? await readFeed(`${base}/${ContestID}/event-feed${query}`, headers) : [] }
}

/** Up to the state, which is last at first. */
export async function readFeed(
  address: string,
  headers: Record<string, string>,
  isEnough = (lines: readonly Json[]) => lines.at(-1)?.type === 'state',
): Promise<Json[]> {
  const leaving = new AbortController()
  const response = await fetch(address, { headers, signal: leaving.signal })
  if (response.status !== 200) throw new Error(`${address}: ${response.status}`)
  const lines: Json[] = []
  let rest = ''
  try {
    for await (const chunk of response.body!) {
      rest += Buffer.from(chunk).toString()
      const parts = rest.split('\n')
      rest = parts.pop()!
      for (const line of parts) if (line !== '') lines.push(JSON.parse(line))
      if (isEnough(lines)) return lines
    }
    return lines
  } finally {
    leaving.abort()
  }
}

/** What a client has after these events. */
export function applyEvents(lines: readonly Json[]): Record<string, Json> {
  const found = new Map<string, Json>()
  for (const { type, id, data } of lines) {
    if (id !== null || type === 'contest' || type === 'state') {
      if (data === null) found.delete(`${type} ${id}`)
      else found.set(`${type} ${id}`, data)
      continue
    }
    for (const key of [...found.keys()]) if (key.startsWith(`${type} `)) found.delete(key)
    for (const object of data) found.set(`${type} ${object.id}`, object)
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}
