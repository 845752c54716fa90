/**
 * A contest on two servers over one PostgreSQL with its teams, scripted executors, readers of the board and feeds. A
 * server is killed twice, and an executor once.
 */
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { hour, minute, startContests } from '../../test/judge/contests/contest-stage.ts'
import { makeRpcClient } from '../../test/support/rpc.ts'
import { type ServerProcess, startServerProcess } from '../../test/support/server-process.ts'
import type { Row } from '../table.ts'
import { type FeedFollower, followFeed } from './feed-follower.ts'

type Plan = {
  readonly minutes: number
  readonly teams: number
  readonly submissions: number
  readonly readers: number
  readonly feeds: number
  /** Whose servers run: another version's, say. */
  readonly checkout: string | undefined
}

/** A reader of a page looks this often. */
const readEveryMs = 10_000
const executors = 4
/** What is handed in must be judged and told this long after the end: a killed executor's lease has to end. */
const settleMs = 2 * minute
const labels = 'ABCDEFGHIJKL'

export async function* runContest(plan: Plan): AsyncGenerator<Row> {
  const { minutes, teams, submissions, readers, feeds, checkout } = plan
  const stage = await startContests('postgres', {})
  const servers: ServerProcess[] = []
  const start = () => startServerProcess(stage.database, { GUILDHALL_LIMITS: 'off' }, checkout)
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  let [isClosed, isOver] = [false, false]
  try {
    for (let i = 0; i < 2; i++) servers.push(await start())
    const { ContestID } = await stage.makeContest({ StartTime: Date.now() - minute, Duration: 5 * hour }, labels)
    const tokens: string[] = []
    for (let i = 0; i < teams; i++) {
      const draft = { name: `team-${i}`, displayName: `Team ${i}`, role: 'contestant' } as const
      const account = await stage.services.accounts.insert(draft)
      tokens.push((await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge'] })).text)
      const team = { ContestID, ID: `team${i}`, Name: `Team ${i}`, AccountNameList: [account.name] }
      await stage.cast.setter.call('put_contest_team', team)
    }
    let turn = 0
    const next = () => servers[turn++ % servers.length]!.url
    const path = `/api/contests/${ContestID}`
    const answeredAt = new Map<string, number>()
    /** When something was answered that boards show, in order. */
    const changedAt: number[] = []
    const [times, ages]: number[][] = [[], []]
    let [failed, judged] = [0, 0]
    const read = async (i: number) => {
      await sleep((i / readers) * readEveryMs)
      while (!isClosed) {
        const [begun, begunAt] = [performance.now(), Date.now()]
        await readBoardTime(agent, `${next()}${path}/scoreboard`).then(
          (at) => {
            times!.push(performance.now() - begun)
            ages!.push(ageOf(at, changedAt, begunAt))
          },
          () => failed++,
        )
        await sleep(readEveryMs)
      }
    }
    const team = async (i: number) => {
      const own = Math.ceil(submissions / teams)
      for (let n = 0; n < own && !isClosed; n++) {
        await sleep((Math.random() * 2 * minutes * minute) / own)
        if (isClosed) return
        // Each problem is solved at the second try, so that the board shows every submission.
        const Content = n < labels.length ? `${[6, 3][n % 2]}` : '1'
        const ProblemID = labels[(i + n) % labels.length]!.toLowerCase()
        await makeRpcClient(next(), tokens[i])
          .call('create_contest_submission', { ContestID, ProblemID, Language: 'python', Content })
          .then(
            ({ SubmissionSnippet: { ID } }) => {
              answeredAt.set(`${ID}`, performance.now())
              changedAt.push(Date.now())
            },
            () => failed++,
          )
      }
    }
    let isKilled = false
    const judge = async (_: unknown, executor: number) => {
      while (!isOver)
        try {
          const worker = makeRpcClient(next(), stage.cast.worker.token)
          const method = 'get_and_update_first_submitted_submission_to_executing'
          const { Submission } = await worker.call(method, { WaitMillisecond: 1_000 })
          if (isKilled && executor === 0) return
          await worker.call('update_submission', { ID: Submission.ID, Status: 3, Result: Number(Submission.Content) })
          changedAt.push(Date.now())
          judged++
        } catch {}
    }
    const kill = async () => {
      for (let i = 0; i < 2; i++) {
        await sleep((minutes * minute) / 3)
        if (isClosed) return
        isKilled = true
        await servers[i]!.end('SIGKILL')
        servers[i] = await start()
      }
    }
    const follow = (_: unknown, i: number): FeedFollower =>
      followFeed({
        agent,
        // An address has at most 20 feeds: this machine has as many addresses as it is asked for.
        localAddress: `127.0.1.${1 + (i % 100)}`,
        nextAddress: () => `${next()}${path}/event-feed`,
        isOver: () => isOver,
        answeredAt,
      })
    const followers = Array.from({ length: feeds }, follow)
    const all = [
      ...Array.from({ length: readers }, (_, i) => read(i)),
      ...Array.from({ length: teams }, (_, i) => team(i)),
      ...Array.from({ length: executors }, judge),
      kill(),
    ]
    await sleep(minutes * minute)
    isClosed = true
    const judgedInTime = judged
    const outcome = await settle(`${servers[0]!.url}${path}`, followers, [...answeredAt.keys()])
    isOver = true
    await Promise.all(servers.map((server) => server.end('SIGTERM')))
    await Promise.allSettled([...all, ...followers.map(({ following }) => following)])
    const [read50, read99, , age99, oldest] = [
      at(times!, 0.5),
      at(times!, 0.99),
      at(ages!, 0.5),
      at(ages!, 0.99),
      at(ages!, 1),
    ]
    const delays = followers.flatMap((one) => one.delays)
    const sum = (count: (one: FeedFollower) => number) => followers.reduce((so, one) => so + count(one), 0)
    const beside = `${readers} readers and ${feeds} feeds`
    yield {
      what: `submissions judged beside ${beside}`,
      against: 'handed in',
      ratios: [judgedInTime / answeredAt.size],
      note: `${(judgedInTime / minutes).toFixed(0)} a minute, ${(answeredAt.size / minutes).toFixed(0)} handed in; ${outcome.lost} lost; ${failed} calls failed around two kills`,
    }
    yield {
      what: `a board read beside ${beside}`,
      against: '1 s',
      ratios: [read50 / 1_000, read99 / 1_000],
      note: `${times!.length} reads, p50 ${read50.toFixed(0)} ms, p99 ${read99.toFixed(0)} ms`,
    }
    yield {
      what: `how old a board was beside ${beside}`,
      against: '1 s',
      ratios: [oldest / 1_000],
      goal: { atMost: 1 },
      note: `p99 ${age99.toFixed(0)} ms, oldest ${oldest.toFixed(0)} ms`,
    }
    if (feeds === 0) return
    yield {
      what: `${feeds} feeds: from an answer to its event`,
      against: '1 s',
      ratios: [at(delays, 0.5) / 1_000, at(delays, 0.99) / 1_000],
      note: `p50 ${at(delays, 0.5).toFixed(0)} ms, p99 ${at(delays, 0.99).toFixed(0)} ms, longest ${at(delays, 1).toFixed(0)} ms; ${sum((one) => one.told())} events, ${sum((one) => one.refused())} refused; ${outcome.inconsistent} of ${feeds} unlike the lists`,
    }
  } finally {
    ;[isClosed, isOver] = [true, true]
    agent.destroy()
    await Promise.all(servers.map((server) => server.end()))
    await stage.stop()
  }
}

const at = (all: readonly number[], share: number): number => {
  const sorted = Float64Array.from(all).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** How long ago the first change was answered that a board of this time may not show. */
function ageOf(shownAt: number, changedAt: readonly number[], now: number): number {
  let [low, high] = [0, changedAt.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (changedAt[middle]! <= shownAt) low = middle + 1
    else high = middle
  }
  return Math.max(0, now - (changedAt[low] ?? now))
}

/** Waits until all that was answered is judged, and every feed was told what the lists have; else counts what is not. */
async function settle(base: string, followers: readonly FeedFollower[], answered: readonly string[]) {
  const endsAt = performance.now() + settleMs
  for (;;) {
    const lists = new Map<string, string>()
    for (const type of ['submissions', 'judgements', 'teams', 'problems', 'awards'])
      for (const one of await (await fetch(`${base}/${type}`)).json().then((all) => all as { id: string }[]))
        lists.set(`${type} ${one.id}`, JSON.stringify(one))
    const lost = answered.filter((id) => !lists.has(`judgements ${id}`)).length
    const isAlike = ({ objects }: FeedFollower) => [...lists].every(([key, text]) => objects.get(key) === text)
    const inconsistent = followers.filter((one) => !isAlike(one)).length
    if (lost + inconsistent === 0 || performance.now() > endsAt) return { lost, inconsistent }
    await sleep(1_000)
  }
}

/** When the board was read that is answered. */
const readBoardTime = (agent: Agent, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(address, { agent }, (response) => {
      let head = ''
      response.setEncoding('utf8')
      response
        .on('data', (text: string) => {
          if (head.length < 100) head += text
        })
        .on('end', () => {
          const time = /"time":"([^"]*)"/.exec(head)?.[1]
          if (response.statusCode === 200 && time) resolve(Date.parse(time))
          else reject(new Error(`${response.statusCode}`))
        })
        .on('error', reject)
    }).on('error', reject)
  })
