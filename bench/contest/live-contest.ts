/** A contest on two servers over one PostgreSQL with its teams, a scripted executor, readers of the board and feeds; one server is killed. */
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { hour, minute, startContests } from '../../test/judge/contests/contest-stage.ts'
import { makeRpcClient } from '../../test/support/rpc.ts'
import { type ServerProcess, startServerProcess } from '../../test/support/server-process.ts'
import type { Row } from '../table.ts'

type Plan = {
  readonly minutes: number
  readonly teams: number
  readonly submissions: number
  readonly readers: number
  readonly feeds: number
}

/** A reader of a page looks this often. */
const readEveryMs = 10_000

export async function* runContest({ minutes, teams, submissions, readers, feeds }: Plan): AsyncGenerator<Row> {
  const stage = await startContests('postgres', {})
  const servers: ServerProcess[] = []
  const environment = { GUILDHALL_LIMITS: 'off' }
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  let isOver = false
  try {
    for (let i = 0; i < 2; i++) servers.push(await startServerProcess(stage.database, environment))
    const { ContestID } = await stage.makeContest(
      { StartTime: Date.now() - minute, Duration: 5 * hour },
      'ABCDEFGHIJKL',
    )
    const tokens: string[] = []
    for (let i = 0; i < teams; i++) {
      const account = await stage.services.accounts.insert({
        name: `team-${i}`,
        displayName: `Team ${i}`,
        role: 'contestant',
      })
      tokens.push((await stage.services.tokens.make(account, { kind: 'classic', scopes: ['judge'] })).text)
      const team = { ContestID, ID: `team${i}`, Name: `Team ${i}`, AccountNameList: [account.name] }
      await stage.cast.setter.call('put_contest_team', team)
    }
    let turn = 0
    const next = () => servers[turn++ % servers.length]!.url
    const path = `/api/contests/${ContestID}`
    const times: number[] = []
    let [failed, told, refused, handedIn, judged] = [0, 0, 0, 0, 0]
    const read = async (i: number) => {
      await sleep((i / readers) * readEveryMs)
      while (!isOver) {
        const begun = performance.now()
        await fetchAll(agent, `${next()}${path}/scoreboard`).then(
          () => times.push(performance.now() - begun),
          () => failed++,
        )
        await sleep(readEveryMs)
      }
    }
    const follow = async (i: number) => {
      // An address has at most 20 feeds: this machine has as many addresses as it is asked for.
      const localAddress = `127.0.1.${1 + (i % 100)}`
      for (let since = ''; !isOver; await sleep(200))
        since = await readLines(
          { agent, localAddress },
          `${next()}${path}/event-feed${since}`,
          since,
          () => isOver,
          () => told++,
          () => refused++,
        )
    }
    const team = async (i: number) => {
      const own = Math.ceil(submissions / teams)
      for (let n = 0; n < own && !isOver; n++) {
        await sleep((Math.random() * 2 * minutes * minute) / own)
        const draft = {
          ContestID,
          ProblemID: 'abcdefghijkl'[(i + n) % 12],
          Language: 'python',
          Content: `${[6, 1, 3][n % 3]}`,
        }
        await makeRpcClient(next(), tokens[i])
          .call('create_contest_submission', draft)
          .then(
            () => handedIn++,
            () => failed++,
          )
      }
    }
    const judge = async () => {
      while (!isOver)
        try {
          const worker = makeRpcClient(next(), stage.cast.worker.token)
          const method = 'get_and_update_first_submitted_submission_to_executing'
          const { Submission } = await worker.call(method, { WaitMillisecond: 1_000 })
          await worker.call('update_submission', { ID: Submission.ID, Status: 3, Result: Number(Submission.Content) })
          judged++
        } catch {}
    }
    const kill = async () => {
      await sleep((minutes * minute) / 2)
      await servers[0]!.end('SIGKILL')
      servers[0] = await startServerProcess(stage.database, environment)
    }
    const all = [
      ...Array.from({ length: readers }, (_, i) => read(i)),
      ...Array.from({ length: feeds }, (_, i) => follow(i)),
      ...Array.from({ length: teams }, (_, i) => team(i)),
      ...Array.from({ length: 4 }, judge),
      kill(),
    ]
    await sleep(minutes * minute)
    isOver = true
    await Promise.all(servers.map((server) => server.end('SIGTERM')))
    await Promise.allSettled(all)
    const sorted = times.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    yield {
      what: `a board read by ${readers} readers beside ${feeds} feeds`,
      against: '1 s',
      ratios: [at(0.5) / 1_000, at(0.99) / 1_000],
      note: `${times.length} reads, p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms; ${handedIn} handed in, ${judged} judged, ${told} events told, ${refused} feeds refused; ${failed} calls failed around one kill`,
    }
  } finally {
    isOver = true
    agent.destroy()
    await Promise.all(servers.map((server) => server.end()))
    await stage.stop()
  }
}

const fetchAll = (agent: Agent, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(address, { agent }, (response) => {
      response
        .on('data', () => {})
        .on('end', () => resolve(response.statusCode!))
        .on('error', reject)
    }).on('error', reject)
  })

/** Answers how to go on after the last line. */
const readLines = (
  options: { agent: Agent; localAddress: string },
  address: string,
  from: string,
  isOver: () => boolean,
  onLine: () => void,
  onRefusal: () => void,
): Promise<string> =>
  new Promise((resolve) => {
    let [rest, since] = ['', from]
    const request = get(address, options, (response) => {
      if (response.statusCode !== 200) onRefusal()
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        if (response.statusCode !== 200) return
        const lines = (rest + text).split('\n')
        rest = lines.pop()!
        for (const line of lines.filter(Boolean)) {
          onLine()
          since = `?since_token=${/"token":"([^"]*)"/.exec(line)?.[1]}`
        }
        if (isOver()) request.destroy()
      })
      response.on('close', () => resolve(since))
    })
    request.on('error', () => resolve(since))
  })
