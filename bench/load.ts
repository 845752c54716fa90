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
  const request = writeRequest(target)
  const startedAt = performance.now()
  const until = startedAt + seconds * 1_000
  const asked = await Promise.all(Array.from({ length: connections }, () => askUntil(target, request, until)))
  return asked.reduce((sum, each) => sum + each) / ((performance.now() - startedAt) / 1_000)
}

function writeRequest({ url, method = 'GET', headers = {}, body = '' }: Target): Buffer {
  const { host, pathname, search } = new URL(url)
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host, connection: 'keep-alive', ...headers, ...length })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${head}\r\n${body}`)
}

function askUntil({ url, method = 'GET' }: Target, request: Buffer, until: number): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let answered = 0
    const counter = makeAnswerCounter((status) => {
      answered++
      if (status < 200 || status >= 400) socket.destroy(new Error(`${method} ${url}: it was answered with ${status}.`))
      else if (performance.now() < until) socket.write(request)
      else socket.destroy()
    })
    const callback = (size: number) => {
      counter.push(memory.subarray(0, size))
      return true
    }
    // Read into the same memory again: a client that makes new of it for each piece is slower than a server of long answers.
    const onread = { buffer: memory, callback }
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread })
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('end', () => reject(new Error(`${method} ${url}: the server closed the connection.`)))
    socket.on('close', () => resolve(answered))
  })
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

/** Of the processors' time, what a hypervisor may give to others in a round that counts. */
const bearableTheft = 0.03
/** So many times the rounds are tried where the machine is disturbed; then those count that were disturbed least. */
const patience = 3

type Round = { readonly us: Sample; readonly peer: Sample; readonly stolen: number }
type Sample = { readonly rate: number; readonly ticks: number }

/** Rates say what clients get. The processor time a request took, theirs by ours, says the same where other programs disturb the rates. */
export async function compareServers(ours: Side, theirs: Side, load = usualLoad) {
  for (const [, target] of [ours, theirs]) await requestsPerSecond(target, load.warmUpSeconds, load.connections)
  const tried: Round[] = []
  const calm = () => tried.filter(({ stolen }) => stolen <= bearableTheft)
  while (calm().length < load.rounds && tried.length < load.rounds * patience) {
    const before = await readMachineTicks()
    const [peer, us] = [await sample(theirs, load), await sample(ours, load)]
    const after = await readMachineTicks()
    tried.push({ us, peer, stolen: (after.stolen - before.stolen) / (after.all - before.all) })
  }
  const counted = tried.toSorted((a, b) => a.stolen - b.stolen).slice(0, load.rounds)
  const sum = (side: 'us' | 'peer', what: keyof Sample) => counted.reduce((all, round) => all + round[side][what], 0)
  const byTime = sum('peer', 'ticks') / sum('peer', 'rate') / (sum('us', 'ticks') / sum('us', 'rate'))
  const isDisturbed = calm().length < load.rounds
  const note = `${byTime.toFixed(2)} by processor time${isDisturbed ? ', on a disturbed machine' : ''}`
  return { ratios: counted.map(({ us, peer }) => us.rate / peer.rate), note, isDisturbed }
}

async function sample([peer, target]: Side, { seconds, connections }: Load): Promise<Sample> {
  const before = await ticksOf(peer)
  const rate = await requestsPerSecond(target, seconds, connections)
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
