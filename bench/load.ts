/** Load for a server: the same number of connections and the same request on us and on the peer, turn by turn. */
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { makeAnswerCounter } from './answer-counter.ts'
import type { Peer } from './peers.ts'

export type Target = {
  readonly url: string
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** All of what is read is dealt with before anything else is read. */
const memory = Buffer.alloc(256 * 1024)

/** Requests a second, all of them answered as they should be; each connection asks again once it is answered. */
export async function requestsPerSecond(target: Target, seconds = 2, connections = 16): Promise<number> {
  const clients = openClients(target, connections)
  try {
    return await clients.ask(seconds)
  } finally {
    clients.close()
  }
}

type Clients = { ask(seconds: number): Promise<number>; close(): void }

/** So many connections, which ask for so long whenever they are told to. */
function openClients(target: Target, connections: number): Clients {
  const request = writeRequest(target)
  const clients = Array.from({ length: connections }, () => openClient(target, request))
  return {
    async ask(seconds) {
      const startedAt = performance.now()
      const until = startedAt + seconds * 1_000
      const asked = await Promise.all(clients.map((client) => client.askUntil(until)))
      return asked.reduce((sum, each) => sum + each) / ((performance.now() - startedAt) / 1_000)
    },
    close() {
      for (const client of clients) client.close()
    },
  }
}

function writeRequest({ url, method = 'GET', headers = {}, body = '' }: Target): Buffer {
  const { host, pathname, search } = new URL(url)
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host, connection: 'keep-alive', ...headers, ...length })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${head}\r\n${body}`)
}

function openClient({ url, method = 'GET' }: Target, request: Buffer) {
  const { hostname, port } = new URL(url)
  let answered = 0
  let until = 0
  let finish = (_count: number) => {}
  let fail = (_error: Error) => {}
  const counter = makeAnswerCounter((status) => {
    answered++
    if (status < 200 || status >= 400) fail(new Error(`${method} ${url}: it was answered with ${status}.`))
    else if (performance.now() < until) socket.write(request)
    else finish(answered)
  })
  const callback = (size: number) => {
    counter.push(memory.subarray(0, size))
    return true
  }
  // Read into the same memory again: a client that makes new of it for each piece is slower than a server of long answers.
  const onread = { buffer: memory, callback }
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
  socket.on('error', (error) => fail(error))
  socket.on('end', () => fail(new Error(`${method} ${url}: the server closed the connection.`)))
  return {
    askUntil: (end: number) =>
      new Promise<number>((resolve, reject) => {
        ;[answered, until, finish, fail] = [0, end, resolve, reject]
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

/** What V8 takes to compile what is used much: until then a server is half as fast as it will be. */
export const warmUpSeconds = 4

/** Ratios of our rate to the peer's, one a round, the two taking turns so that noise falls on both. */
export async function compareRates(ours: Target, peer: Target, rounds = 5, connections = 16): Promise<number[]> {
  await requestsPerSecond(ours, warmUpSeconds, connections)
  await requestsPerSecond(peer, warmUpSeconds, connections)
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const theirs = await requestsPerSecond(peer, 2, connections)
    ratios.push((await requestsPerSecond(ours, 2, connections)) / theirs)
  }
  return ratios
}

export type Load = {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  readonly warmUpSeconds: number
}
type Side = readonly [peer: Peer, target: Target]

const usualLoad: Load = { rounds: 5, seconds: 2, connections: 16, warmUpSeconds }

/** A round counts where the hypervisor gave no more than this part of the processors' time to others. */
const mostStolen = 0.03
/** So many times the rounds are tried where the machine is disturbed; then those count that were disturbed least. */
const patience = 3

type Round = { readonly us: Sample; readonly peer: Sample; readonly stolen: number }
type Sample = { readonly rate: number; readonly ticks: number }

/**
 * Rates say what clients get. The processor time a request took, theirs by ours, says the same where other programs disturb
 * the rates. Short rounds, many of them: a shared processor is three times as fast at one second as at another.
 */
export async function compareServers(ours: Side, theirs: Side, load = usualLoad) {
  const open = ([peer, target]: Side) => ({ peer, clients: openClients(target, load.connections) })
  const [us, other] = [open(ours), open(theirs)]
  try {
    for (const { clients } of [us, other]) await clients.ask(load.warmUpSeconds)
    const tried: Round[] = []
    const calm = () => tried.filter(({ stolen }) => stolen <= mostStolen)
    while (calm().length < load.rounds && tried.length < load.rounds * patience) {
      const before = await readMachineTicks()
      const [theirSample, ourSample] = [await sample(other, load), await sample(us, load)]
      const after = await readMachineTicks()
      const stolen = (after.stolen - before.stolen) / Math.max(1, after.all - before.all)
      tried.push({ us: ourSample, peer: theirSample, stolen })
    }
    return sumUp(tried.toSorted((a, b) => a.stolen - b.stolen).slice(0, load.rounds), calm().length < load.rounds)
  } finally {
    us.clients.close()
    other.clients.close()
  }
}

function sumUp(counted: readonly Round[], isDisturbed: boolean) {
  const sum = (side: 'us' | 'peer', what: keyof Sample) => counted.reduce((all, round) => all + round[side][what], 0)
  const byTime = sum('peer', 'ticks') / sum('peer', 'rate') / (sum('us', 'ticks') / sum('us', 'rate'))
  const note = `${byTime.toFixed(2)} by processor time${isDisturbed ? ', on a disturbed machine' : ''}`
  return { ratios: counted.map(({ us, peer }) => us.rate / peer.rate), note, isDisturbed }
}

type Measured = { readonly peer: Peer; readonly clients: Clients }

async function sample({ peer, clients }: Measured, { seconds }: Load): Promise<Sample> {
  const before = await ticksOf(peer)
  const rate = await clients.ask(seconds)
  return { rate, ticks: (await ticksOf(peer)) - before }
}

/** By proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal. */
async function readMachineTicks(): Promise<{ stolen: number; all: number }> {
  const [line] = (await readFile('/proc/stat', 'utf8')).split('\n', 1)
  const ticks = line!.split(/ +/).slice(1, 9).map(Number)
  return { stolen: ticks[7]!, all: ticks.reduce((sum, each) => sum + each) }
}

/** The clock ticks that a process has had of the processors, by proc_pid_stat(5). */
async function ticksOf({ process: { pid } }: Peer): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}
