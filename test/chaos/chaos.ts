/** Chaos: two servers and three executors at work under faults; then everything is looked at. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeRandom, randomOf } from '../fuzz/random.ts'
import { until } from '../support/until.ts'
import { auditAnswers } from './audit.ts'
import { adminRpc, type Findings, makeClient } from './client.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { bringAbout } from './faults.ts'
import { auditDatabase, auditFiles, auditProcesses, letTimePass } from './leftovers.ts'
import {
  handIn,
  keepItems,
  makeRemembered,
  problemDraft,
  pushCommits,
  type Remembered,
  setProblems,
  signUp,
  type Worker,
} from './work.ts'

export type ChaosOptions = {
  readonly seed: number
  readonly language: string
  /** Every fault once and then until so long is over. */
  readonly minutes: number
  tell(line: string): void
}

export type ChaosOutcome = { readonly findings: Findings; readonly work: string; readonly canBeFull: boolean }

/** A language that is judged here without more ado, or why there is none. */
export function findLanguage(): { language: string } | { reason: string } {
  const has = (program: string) => {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  if (process.platform !== 'linux' || !has('bwrap')) return { reason: 'there is no bubblewrap to judge in' }
  if (has('python3')) return { language: 'python' }
  return has('gcc') ? { language: 'c' } : { reason: 'there is neither Python nor a C compiler' }
}

/** Once the faults are over, whoever still waits is answered within this time. */
const lastAnswerMs = 90_000

export async function runChaos({ seed, language, minutes, tell }: ChaosOptions): Promise<ChaosOutcome> {
  const findings: Findings = []
  const known = makeRemembered()
  const cluster = await startCluster(makeRandom(seed), language)
  try {
    const problem = await makeSumProblem(cluster.servers[0]!.url)
    const until = performance.now() + minutes * 60_000
    let isOver = false
    const giveUp = new AbortController()
    const workers: Worker[] = [
      signUp,
      setProblems,
      handIn(problem, language),
      handIn(problem, language),
      keepItems,
      keepItems,
      pushCommits,
      pushCommits,
    ]
    const urls = cluster.servers.map(({ url }) => url)
    const working = workers.map((work, i) => {
      const client = makeClient({ urls, random: randomOf(seed, i + 1), findings, signal: giveUp.signal })
      return work(paced(client), known, () => !isOver).catch(
        (error) => void findings.push(`${work.name}: ${error.stack}`),
      )
    })
    try {
      await bringAbout(cluster, randomOf(seed, 0), {
        isOver: (rounds) => rounds > 0 && performance.now() >= until,
        tell,
      })
    } finally {
      isOver = true
      setTimeout(() => giveUp.abort(), lastAnswerMs).unref()
      await Promise.all(working)
    }
    if (giveUp.signal.aborted) findings.push('someone had no answer, long after the last fault')
    const work = describeWork(known)
    tell(work)
    await audit(cluster, known, findings)
    if (findings.length > 0)
      for (const { member } of cluster.servers) tell(`${member.name}: ${member.output().slice(-4_000)}`)
    return { findings, work, canBeFull: cluster.canBeFull }
  } finally {
    await cluster.close()
  }
}

async function audit(cluster: Cluster, known: Remembered, findings: Findings): Promise<void> {
  for (const { url } of cluster.servers) await until(() => isReady(url), 100)
  await auditAnswers({ cluster, known, findings })
  for (const { url } of cluster.servers) await auditUnhandled(url, findings)
  for (const executor of cluster.executors) await demandEnd(executor, findings)
  await letTimePass(cluster)
  for (const { member } of cluster.servers) await demandEnd(member, findings)
  // The next to start finishes what those before it could not.
  const [{ member, url }] = cluster.servers as [(typeof cluster.servers)[number]]
  await member.start()
  await until(() => isReady(url), 100)
  await demandEnd(member, findings)
  await auditProcesses(cluster, findings)
  await auditDatabase(cluster, findings)
  auditFiles(cluster, findings)
}

async function demandEnd({ name, end }: Cluster['executors'][number], findings: Findings): Promise<void> {
  const code = await end()
  if (code !== 0) findings.push(`${name} ended with ${code} when it was told to`)
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  )

async function auditUnhandled(url: string, findings: Findings): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text()
  for (const line of text.matchAll(/^guildhall_un\w+_total [1-9]\d*$/gm)) findings.push(line[0])
}

async function makeSumProblem(url: string): Promise<string> {
  const rpc = adminRpc(url)
  const { Problem } = await rpc.call('create_problem', problemDraft('Sum'))
  await rpc.call('create_test_case', { ProblemUUID: Problem.UUID, Input: '1 2\n', Output: '3\n', IsHidden: true })
  return Problem.UUID
}

/** People think between two acts, and the machine has other things to do than to answer these. */
function paced(client: ReturnType<typeof makeClient>): ReturnType<typeof makeClient> {
  return {
    ...client,
    async insist(act) {
      await sleep(50 + client.random.below(350))
      return client.insist(act)
    },
  }
}

function describeWork({ accounts, problems, submissions, pushes, items }: Remembered): string {
  const sum = (counts: Iterable<number>) => [...counts].reduce((a, b) => a + b, 0)
  const commits = sum([...pushes.values()].map(({ length }) => length))
  const batches = sum([...items.values()].map(({ answered }) => answered.length))
  return `answered: ${accounts.length} accounts, ${problems.length} problems, ${submissions.length} submissions, ${pushes.size} repositories, ${commits} pushes, ${batches} pushes of items`
}
