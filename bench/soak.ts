/** A thousand connections of mixed work, for a while: `npm run bench soak -- --minutes 3 --connections 1000 --engine sqlite`. */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from '../test/fuzz/leftovers.ts'
import { type Engine, makeDatabase } from '../test/support/engines.ts'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { admin } from '../test/support/server.ts'
import { startServerProcess } from '../test/support/server-process.ts'
import { readOption } from './options.ts'
import { prepareMix, type Work } from './soak/mix.ts'
import type { Row } from './table.ts'

/** Each connection rests for two seconds on average between two requests, as people and programs that poll do. */
const longestRestMs = 4_000
const sampleMs = 2_000

type Sample = { readonly atMs: number; readonly bytes: number; readonly descriptors: number }
type Outcome = { errors: string[]; timesMs: number[]; samples: Sample[] }

export async function bench(): Promise<Row[]> {
  const minutes = Number(readOption('minutes') ?? 3)
  const connections = Number(readOption('connections') ?? 1_000)
  const engine = (readOption('engine') ?? 'sqlite') as Engine
  if (engine === 'postgres') await globalSetup()
  const database = await makeDatabase(engine)
  try {
    const server = await startServerProcess(database, {
      GUILDHALL_LIMITS: 'off',
      GUILDHALL_LOG: 'info',
      GUILDHALL_ADMIN_PASSWORD: admin.password,
      GUILDHALL_ADMIN_TOKEN: admin.token,
    })
    try {
      const announced = server.output().length
      const outcome = await soak(server, connections, minutes * 60_000)
      const logged = server.output().slice(announced)
      process.stderr.write(logged.slice(0, 4_000))
      return describe(outcome, minutes, connections, engine, countLines(logged))
    } finally {
      await server.end('SIGTERM')
    }
  } finally {
    await database.drop()
    if (engine === 'postgres') await globalTeardown()
  }
}

async function soak({ url, pid }: { url: string; pid: number }, connections: number, lastsMs: number) {
  const mix = await prepareMix(url)
  const outcome: Outcome = { errors: [], timesMs: [], samples: [] }
  const began = performance.now()
  const isOver = () => performance.now() - began > lastsMs
  const connection = async () => {
    // One for each: a common one would let those that rest lend their connection to others.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    // They come one after the other within the first ten seconds.
    await sleep(Math.random() * Math.min(10_000, lastsMs / 4))
    while (!isOver()) {
      await ask(agent, url, draw(mix), outcome)
      await sleep(Math.random() * longestRestMs)
    }
    agent.destroy()
  }
  const sampling = async () => {
    while (!isOver()) {
      const { residentBytes, sockets, pipes, files } = inspect(pid)
      const descriptors = sockets + pipes + files
      outcome.samples.push({ atMs: performance.now() - began, bytes: residentBytes, descriptors })
      await sleep(sampleMs)
    }
  }
  await Promise.all([sampling(), ...Array.from({ length: connections }, connection)])
  return outcome
}

function draw(mix: readonly Work[]): Work {
  let left = Math.random() * mix.reduce((sum, { weight }) => sum + weight, 0)
  for (const work of mix) {
    left -= work.weight
    if (left < 0) return work
  }
  return mix[0]!
}

function ask(agent: Agent, url: string, work: Work, { errors, timesMs }: Outcome): Promise<void> {
  const { method, path, name } = work
  const body = work.body?.()
  const began = performance.now()
  return new Promise((resolve) => {
    const fail = (why: string) => {
      errors.push(`${name}: ${why}`)
      resolve()
    }
    const headers = {
      authorization: `Bearer ${admin.token}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const call = request(url + path, { agent, method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => (text += part))
      answer.on('error', (error) => fail(error.message))
      answer.on('end', () => {
        // A long poll takes as long as it was asked to.
        if (name !== 'wait_for_submission') timesMs.push(performance.now() - began)
        if (work.isFine(answer.statusCode!, text)) resolve()
        else fail(`${answer.statusCode} ${text.slice(0, 200)}`)
      })
    })
    call.on('error', (error) => fail(error.message))
    call.end(body)
  })
}

const countLines = (output: string): number => output.split('\n').length - 1

function describe(
  { errors, timesMs, samples }: Outcome,
  minutes: number,
  connections: number,
  engine: Engine,
  logLines: number,
): Row[] {
  for (const error of new Set(errors.slice(0, 20))) process.stdout.write(`${error}\n`)
  const sorted = Float64Array.from(timesMs).sort()
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
  const settledMs = Math.min(60_000, (minutes * 60_000) / 3)
  const settled = samples.filter(({ atMs }) => atMs >= settledMs)
  const part = Math.max(1, Math.floor(settled.length / 4))
  const mean = (some: readonly Sample[], of: 'bytes' | 'descriptors') =>
    some.reduce((sum, sample) => sum + sample[of], 0) / some.length
  const growth = (of: 'bytes' | 'descriptors') => mean(settled.slice(-part), of) / mean(settled.slice(0, part), of)
  const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`
  const shape = `${connections} connections, ${minutes} minutes, ${engine}`
  const after = `${Math.round(settledMs / 1000)} s`
  return [
    {
      what: `errors, ${shape}`,
      against: `${timesMs.length} answers`,
      ratios: [errors.length],
      goal: { atMost: 0 },
      note: `${Math.round(timesMs.length / minutes / 60)} a second`,
    },
    {
      what: 'the slowest hundredth, in seconds',
      against: '',
      ratios: [quantile(0.99) / 1000],
      note: `p50 ${Math.round(quantile(0.5))} ms, p90 ${Math.round(quantile(0.9))} ms, the slowest ${Math.round(quantile(1))} ms`,
    },
    {
      what: 'memory, at the end',
      against: `after ${after}`,
      ratios: [growth('bytes')],
      goal: { atMost: 1.1 },
      note: `${mib(mean(settled.slice(-part), 'bytes'))}, at most ${mib(Math.max(...samples.map(({ bytes }) => bytes)))}`,
    },
    {
      what: 'open descriptors, at the end',
      against: `after ${after}`,
      ratios: [growth('descriptors')],
      goal: { atMost: 1.1 },
      note: `at most ${Math.max(...samples.map(({ descriptors }) => descriptors))}`,
    },
    { what: 'lines of log', against: '', ratios: [logLines], goal: { atMost: 10 } },
  ]
}
