/** Shoots at a server of its own until time is over, looks at every answer, and then at what the server is left with. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine, makeMigratedDatabase } from '../support/engines.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type Answer, findFault, parseAnswers } from './answers.ts'
import { drawDatasets } from './datasets.ts'
import { drawForge } from './forge.ts'
import { drawGit } from './git.ts'
import { drawJudge } from './judge.ts'
import { type Holdings, inspect } from './leftovers.ts'
import { drawNonsense } from './nonsense.ts'
import { drawOAuth } from './oauth.ts'
import { type Random, randomOf } from './random.ts'
import { send } from './send.ts'
import { type Interface, type RequestParts, type Shot, writeRequest } from './shot.ts'
import { adminPassword, adminToken, makeWorld, type World } from './world.ts'

export type Options = {
  readonly engine: Engine
  readonly seed: number
  /** Shoots for so long, once the world is made. */
  readonly forMs: number
  /** This one shot of the seed alone. */
  readonly only?: number | undefined
}

export type Outcome = {
  readonly shots: number
  /** How many answers had which status, by interface. */
  readonly statuses: Readonly<Record<string, number>>
  readonly findings: readonly string[]
  readonly before: Holdings
  readonly after: Holdings
}

const lanes = 8
/** So many findings are enough to look at. */
const mostFindings = 20
/** Before the first look at what the server holds: caches, threads and connections are made by then. */
const warmUpShots = 200
/**
 * What the heap and its buffers hold after it all: 60 MiB were measured, of which most is code and schemas, and caches that are bounded to 64 MiB
 * for git, 16 MiB for items and less for others.
 */
const heldMarginBytes = 160 * 1024 * 1024
/**
 * Threads collect their garbage only while they work, and the allocator keeps pieces too small to give back: measured, 30 to
 * 180 MiB more after some thousand shots, and 360 MiB after 58,000, most of which came in the first two of eight minutes.
 */
const residentMarginBytes = 512 * 1024 * 1024

export async function fuzz({ engine, seed, forMs, only }: Options): Promise<Outcome> {
  const database = await makeMigratedDatabase(engine)
  const server = await startServerProcess(database, {
    GUILDHALL_LOG: 'error',
    GUILDHALL_LIMITS: 'off',
    // Each request comes from an address of its own: wrong credentials would soon lock the one of this machine out.
    GUILDHALL_TRUST_PROXY: 'on',
    GUILDHALL_ADMIN_TOKEN: adminToken,
    GUILDHALL_ADMIN_PASSWORD: adminPassword,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'collect-garbage.ts')}`,
  })
  try {
    return await shootAt(server, seed, forMs, only)
  } finally {
    await server.end()
    await database.drop()
  }
}

async function shootAt(server: ServerProcess, seed: number, forMs: number, only?: number): Promise<Outcome> {
  const world = await makeWorld(server.url)
  const port = Number(new URL(server.url).port)
  const findings: string[] = []
  const statuses: Record<string, number> = {}
  let index = 0

  async function shoot(at: number): Promise<void> {
    const shot = drawShot(randomOf(seed, at), world)
    const found = await take(port, shot, (status) => {
      const key = `${shot.wire} ${status}`
      statuses[key] = (statuses[key] ?? 0) + 1
    })
    if (found !== undefined && findings.length < mostFindings) findings.push(describe(seed, at, shot, found))
  }

  async function shootUntil(isOver: () => boolean): Promise<void> {
    const lane = async () => {
      while (!isOver() && findings.length < mostFindings) await shoot(index++)
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }

  if (only !== undefined) {
    await shoot(only)
  } else {
    await shootUntil(() => index >= warmUpShots)
  }
  const before = await settle(server)
  const endsAt = Date.now() + forMs
  if (only === undefined) await shootUntil(() => Date.now() >= endsAt)
  const after = await settle(server, before)
  findings.push(...(await findLeftovers(server, before, after)))
  return { shots: index, statuses, findings, before, after }
}

/** Undefined where all is well. */
async function take(port: number, shot: Shot, count: (status: number) => void): Promise<string | undefined> {
  const { received, isClosed } = await send(port, shot)
  if (shot.manner !== 'whole') return undefined
  if (!isClosed && !shot.isUnfinished) return 'no answer'
  let answers: Answer[]
  try {
    answers = parseAnswers(received, shot.methods)
  } catch (error) {
    return shot.isUnfinished && !isClosed ? undefined : (error as Error).message
  }
  for (const answer of answers) count(answer.status)
  // Each of them is answered, unless one in the middle was such that the connection had to end.
  const isShort = answers.length < shot.methods.length && (answers.at(-1)?.status ?? 0) < 400
  if (!shot.isMalformed && isShort) return `${answers.length} answers to ${shot.methods.length} requests`
  for (const answer of answers) {
    const fault = findFault(shot, answer)
    if (fault !== undefined) return `${fault} in ${quoteBytes(received.subarray(0, 600))}`
  }
  return undefined
}

const draws: Readonly<Record<Interface, (random: Random, world: World) => RequestParts>> = {
  judge: drawJudge,
  forge: drawForge,
  git: drawGit,
  datasets: drawDatasets,
  oauth: drawOAuth,
}
const wires: readonly Interface[] = ['judge', 'forge', 'forge', 'forge', 'datasets', 'datasets', 'git', 'oauth']

function drawShot(random: Random, world: World): Shot {
  if (random.isChance(0.08)) {
    return { ...drawNonsense(random, `Bearer ${adminToken}`), manner: 'whole' }
  }
  const wire = random.pick(wires)
  const address = `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`
  const drawParts = (): RequestParts => {
    const parts = draws[wire](random, world)
    return { ...parts, headers: [['X-Forwarded-For', address], ...(parts.headers ?? [])] }
  }
  const count = random.isChance(0.06) ? 2 + random.below(5) : 1
  const requests = Array.from({ length: count }, drawParts)
  const bytes = Buffer.concat(requests.map((parts, at) => writeRequest({ ...parts, isKept: at < count - 1 })))
  const about = requests.map(({ method, path }) => `${method} ${path.slice(0, 200)}`).join(' + ')
  const whole = { about, wire, bytes, methods: requests.map(({ method }) => method), isMalformed: isOdd(requests) }
  const chance = random.below(20)
  if (chance === 0) return { ...whole, manner: 'half', cutAt: random.below(bytes.length), resets: random.isChance(0.5) }
  if (chance === 1) return { ...whole, manner: 'reset' }
  if (chance === 2) return { ...whole, manner: 'unread' }
  if (chance === 3) return { ...whole, manner: 'slow' }
  return { ...whole, manner: 'whole' }
}

/** Bytes in a head that HTTP does not allow, or too many of them: Node's own parser refuses such. */
const isOdd = (requests: readonly RequestParts[]): boolean =>
  requests.some(
    ({ path, method, headers = [] }) =>
      method === 'TRACE' ||
      path.length + headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0) > 15_000 ||
      headers.some(([name]) => name === 'Expect' || name === 'Upgrade'),
  )

function describe(seed: number, at: number, shot: Shot, found: string): string {
  const { about, wire, manner, bytes } = shot
  const text =
    bytes.length > 4_000 ? `${quoteBytes(bytes.subarray(0, 4_000))}… (${bytes.length} bytes)` : quoteBytes(bytes)
  return `seed ${seed}, shot ${at} (${wire}, ${manner}): ${found}\n  ${about}\n  ${text}`
}

const quoteBytes = (bytes: Buffer): string => JSON.stringify(bytes.toString('latin1'))

/** What the server holds once it is at rest, its garbage collected: no git runs, and the sockets are back to what they were. */
async function settle(server: ServerProcess, before?: Holdings): Promise<Holdings> {
  const patienceEndsAt = Date.now() + 20_000
  let now = inspect(server.pid)
  const isAtRest = () =>
    now.children.length === 0 &&
    (before === undefined ||
      (now.sockets <= before.sockets && now.pipes <= before.pipes && now.files <= before.files + 5))
  for (let quiet = 0; quiet < 5 && Date.now() < patienceEndsAt; quiet = isAtRest() ? quiet + 1 : 0) {
    process.kill(server.pid, 'SIGUSR2')
    await sleep(200)
    now = inspect(server.pid)
  }
  return now
}

/** Threads of exports stay for minutes once one was needed, as many as there are processors. Each has a pipe of its own, with two ends. */
const ofThreads = 2 * availableParallelism()

async function findLeftovers(server: ServerProcess, before: Holdings, after: Holdings): Promise<string[]> {
  const findings: string[] = []
  const demand = (isSo: boolean, words: string) => isSo || findings.push(words)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1])
  demand(read('guildhall_unhandled_rejections_total') === 0, 'a rejection was not awaited')
  demand(read('guildhall_uncaught_exceptions_total') === 0, 'an exception was not caught')
  demand(after.children.length === 0, `processes are left over: ${after.children.join(', ')}`)
  demand(after.sockets <= before.sockets, `sockets are left over: ${after.sockets} after ${before.sockets}`)
  demand(after.pipes <= before.pipes + ofThreads, `pipes are left over: ${after.pipes} after ${before.pipes}`)
  demand(after.files <= before.files + 5, `files are left open: ${after.files} after ${before.files}`)
  const heldBytes = read('nodejs_heap_size_used_bytes') + read('nodejs_external_memory_bytes')
  demand(heldBytes <= heldMarginBytes, `${Math.round(heldBytes / 2 ** 20)} MiB are held after a collection`)
  const grown = after.residentBytes - before.residentBytes
  demand(grown <= residentMarginBytes, `memory has grown by ${Math.round(grown / 2 ** 20)} MiB`)
  for (const line of server.output().split('\n')) {
    // What it says of a machine that is too busy is no answer to a request.
    if (!line.startsWith('{') || /the data folder is (?:away|back)/.test(line)) continue
    if (findings.length < 2 * mostFindings) findings.push(`it logged ${line.slice(0, 2_000)}`)
  }
  return findings
}
