/**
 * Every read, against a bare Node server in the same run: objects, pages of thirty and polls that nothing has changed for, with
 * 0, 10 and 100 writes a second beside them, on both databases. On PostgreSQL the bare server asks as many prepared queries, one
 * after the other, as a read of ours has round trips at most. `npm run bench reads -- --only=WORD,WORD --writes=0,100 --database=sqlite` narrows it,
 * `--rounds=101` measures those that are near their goals for longer.
 */
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { compareServers, requestsPerSecond, type Target, warmUpSeconds } from './load.ts'
import { type Peer, startGuildhall, startScript } from './peers.ts'
import { allReads, type Kind, type Read } from './reads/targets.ts'
import { makeWorld, type World } from './reads/world.ts'
import type { Row } from './table.ts'

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3)

const goals: Readonly<Record<string, Record<Kind, number>>> = {
  sqlite: { object: 0.25, page: 0.1, poll: 0.5 },
  postgres: { object: 0.5, page: 0.5, poll: 0.5 },
}
/** As test/forge/round-trips.test.ts holds them. */
const roundTrips: Record<Kind, number> = { object: 3, page: 4, poll: 3 }
const connections = 10
const rounds = Number(option('rounds') ?? 31)
const seconds = Number(option('seconds') ?? 0.06)
/** For what is well over its goal. */
const fewRounds = 5
/** Before what counts. */
const warmSeconds = 0.7

export async function bench(): Promise<Row[]> {
  const databases = (option('database') ?? 'sqlite,postgres').split(',')
  const rows: Row[] = []
  for (const database of databases) for (const part of parts) rows.push(...(await benchPart(database, part)))
  return rows
}

/** What is counted is counted here, too, against figures that nobody reaches; data sets know no such figures. */
const unreached = [
  ...['anonymous', 'user', 'installation', 'installation-most', 'oauth-app', 'audit-log', 'search', 'code-search'],
  ...['points', 'cpu-seconds', 'content-minute', 'content-hour', 'concurrent'],
]
const shared = { GUILDHALL_MARKED_AT_ONCE: '1' }
const parts = [
  {
    has: (what: string) => !what.includes(' /v2/'),
    environment: {
      ...shared,
      GUILDHALL_LIMIT_FIGURES: unreached.map((name) => `${name}=1000000000`).join(),
    },
  },
  { has: (what: string) => what.includes(' /v2/'), environment: { ...shared, GUILDHALL_LIMITS: 'off' } },
]

async function benchPart(database: string, part: (typeof parts)[number]): Promise<Row[]> {
  const words = (option('only') ?? '').split(',')
  const isAsked = (what: string) => part.has(what) && words.some((word) => what.includes(word))
  if (database === 'postgres') await globalSetup()
  const environment: Record<string, string> = {
    ...part.environment,
    ...(database === 'postgres' && { DATABASE_URL: `${process.env.TEST_POSTGRES_URL}/postgres` }),
  }
  const startPeer = () => (environment.DATABASE_URL ? startBareOnPostgres(environment.DATABASE_URL) : startBare())
  const [bare, us] = [await startPeer(), await startGuildhall(environment)]
  try {
    const world = await makeWorld(us.url)
    const named = allReads(world).filter(({ what }) => isAsked(what))
    const reads = await keepAnswered(named)
    if (reads.length === 0) return []
    // What all of them share is to be compiled before the first is measured.
    await requestsPerSecond(await targetOf(reads[0]!), warmUpSeconds, connections)
    const rows: Row[] = []
    for (const rate of (option('writes') ?? '0,10,100').split(',').map(Number)) {
      const stop = startWrites(world, rate)
      for (const read of reads) rows.push(await measure(read, { us, bare, database }, `${database}, ${rate} writes/s`))
      await stop()
    }
    return rows
  } finally {
    await us.stop()
    await bare.stop()
    if (database === 'postgres') await globalTeardown()
  }
}

async function ask({ url, method = 'GET', headers = {}, body }: Target): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { method, headers, ...(body && { body }), redirect: 'manual' })
  return { status: answer.status, text: await answer.text() }
}

const targetOf = async ({ target, renew }: Read): Promise<Target> => (await renew?.()) ?? target

/** A list that has no pages, of thirty and more. */
const isLongList = (text: string): boolean => text.startsWith('[') && JSON.parse(text).length >= 30

/** What has nothing to show in this world is told, and not measured: a 404 is another thing. */
async function keepAnswered(reads: readonly Read[]): Promise<Read[]> {
  const kept: Read[] = []
  const missing: string[] = []
  for (const read of reads) {
    const { status, text } = await ask(await targetOf(read))
    if (status < 400) kept.push(read.kind === 'object' && isLongList(text) ? { ...read, kind: 'page' } : read)
    else missing.push(`${read.what} (${status})`)
  }
  if (missing.length > 0) process.stderr.write(`not measured, since nothing is there: ${missing.join(', ')}\n`)
  return kept
}

const startBare = (): Promise<Peer> =>
  startScript(`
    import { createServer } from 'node:http'
    const body = JSON.stringify({ hello: 'world' })
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    })
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`)

/** `/3` is answered after three queries, each prepared and asked once the one before is answered. */
const startBareOnPostgres = (url: string): Promise<Peer> =>
  startScript(`
    import { createServer } from 'node:http'
    import pg from 'pg'
    const pool = new pg.Pool({ connectionString: ${JSON.stringify(url)}, max: 10 })
    const query = { name: 'row', text: 'select id, name, kind from account where id = $1', values: [1] }
    const body = JSON.stringify({ hello: 'world' })
    const server = createServer(async (request, response) => {
      request.resume()
      for (let left = Number(request.url.slice(1)); left > 0; left--) await pool.query(query)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
      response.end(body)
    })
    server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`)

type Sides = { readonly us: Peer; readonly bare: Peer; readonly database: string }

/** A few rounds, and where those do not meet the goal, as many as were asked for, which alone count then. */
async function measure(read: Read, { us, bare, database }: Sides, where: string): Promise<Row> {
  const { what, kind } = read
  const goal = goals[database]![kind]
  const peer = { url: `${bare.url}/${roundTrips[kind]}` }
  const target = await targetOf(read)
  const compare = (rounds: number, warmUpSeconds: number) =>
    compareServers([us, target], [bare, peer], { rounds, seconds, connections, warmUpSeconds })
  const few = await compare(fewRounds, seconds)
  const isPlain = !few.isDisturbed && few.ratios.toSorted((a, b) => a - b)[Math.floor(fewRounds / 2)]! >= goal
  const { ratios, note } = isPlain ? few : await compare(rounds, warmSeconds)
  process.stderr.write(`${where}: ${what}: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}, ${note}\n`)
  return { what, against: `bare Node, ${where}`, ratios, goal: { atLeast: goal }, note }
}

/** So many writes a second, over all three interfaces in turn; none of them to what is read. One that is refused ends the bench. */
function startWrites({ ann, members, problem }: World, perSecond: number): () => Promise<void> {
  const submission = { ProblemUUID: problem, Language: 'python', Content: 'print(3)' }
  const acts: ((turn: number) => Promise<unknown>)[] = [
    () => ann.rest('POST', '/v2/datasets/~set-2/items', [{ title: 'One more' }]),
    // One account has only so many submissions waiting.
    (turn) => members[turn % members.length]!.rpc('create_submission', submission),
    () => ann.rest('PATCH', '/repos/ann/written', { description: String(Math.random()) }),
  ]
  const running = new Set<Promise<unknown>>()
  let count = 0
  const write = () => {
    const [place, turn] = [count % acts.length, Math.floor(count / acts.length)]
    count++
    const act = acts[place]!(turn)
    running.add(act)
    act.then(() => running.delete(act))
  }
  const timer = perSecond > 0 ? setInterval(write, 1_000 / perSecond) : undefined
  return async () => {
    clearInterval(timer)
    await Promise.all(running)
  }
}
