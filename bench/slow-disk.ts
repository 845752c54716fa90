/** Reads beside writes on a disk whose syncs take 8 ms: how much longer a read takes than on a server that writes nothing. */
import { spawnSync } from 'node:child_process'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { adminToken, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const syncMs = 8
const writesPerSecond = 60
/** Reads start at fixed times whether or not those before were answered: a server that stands still is felt by all of them. */
const readsPerSecond = 200
const roundSeconds = 5
const rounds = 5

export async function bench(): Promise<Row[]> {
  if (spawnSync('strace', ['--version']).status !== 0) {
    throw new Error('slow-disk delays syncs with strace: install it (Debian: apt-get install strace).')
  }
  const inject = `inject=fsync,fdatasync:delay_exit=${syncMs * 1000}`
  // With -D the tracer stands aside, so that signals reach the server itself.
  const slow = ['strace', '-D', '-f', '--seccomp-bpf', '-o', '/dev/null', '-e', 'trace=fsync,fdatasync', '-e', inject]
  const us = await startGuildhall({ GUILDHALL_LIMITS: 'off' }, slow)
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const ask = (method: string, path: string, body?: string) => timeRequest(agent, method, us.url + path, body)
  const made = await fetch(`${us.url}/v2/datasets?name=bench`, { method: 'POST', headers: authorization })
  const { data } = (await made.json()) as { data: { id: string } }
  const read = () => ask('GET', '/user')
  const write = () => ask('POST', `/v2/datasets/${data.id}/items`, '{"bench":"slow-disk"}')

  await pace(read, readsPerSecond, 2 * roundSeconds)
  const [medians, ninetyNinths]: [number[], number[]] = [[], []]
  const notes: string[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await pace(read, readsPerSecond, roundSeconds)
    const [beside, writes] = await Promise.all([
      pace(read, readsPerSecond, roundSeconds),
      pace(write, writesPerSecond, roundSeconds),
    ])
    medians.push(quantile(beside, 0.5) / quantile(alone, 0.5))
    ninetyNinths.push(quantile(beside, 0.99) / quantile(alone, 0.99))
    notes.push(`${show(alone)} → ${show(beside)} (write ${quantile(writes, 0.5).toFixed(1)})`)
  }
  agent.destroy()
  await us.stop()
  const against = 'the same without writes'
  return [
    {
      what: `median of a read beside ${writesPerSecond} writes a second, syncs of ${syncMs} ms`,
      against,
      ratios: medians,
      goal: { atMost: 1.5 },
      note: `p50/p99 in ms: ${notes[0]}`,
    },
    { what: 'p99 of the same', against, ratios: ninetyNinths },
  ]
}

const authorization = { authorization: `Bearer ${adminToken}` }

/** Starts one act after the other at a steady rate, and answers how long each took, in ms. */
async function pace(act: () => Promise<number>, perSecond: number, seconds: number): Promise<number[]> {
  const started = performance.now()
  const running: Promise<number>[] = []
  for (let i = 0; i < perSecond * seconds; i++) {
    const early = started + (i * 1000) / perSecond - performance.now()
    if (early > 0) await sleep(early)
    running.push(act())
  }
  return Promise.all(running)
}

function timeRequest(agent: Agent, method: string, url: string, body?: string): Promise<number> {
  const started = performance.now()
  const headers = { ...authorization, ...(body && { 'content-type': 'application/json' }) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      if (response.statusCode! >= 300) reject(new Error(`${method} ${url} was answered ${response.statusCode}.`))
      response.resume().on('end', () => resolve(performance.now() - started))
    })
    sent.on('error', reject).end(body)
  })
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!
}

const show = (values: readonly number[]) => `${quantile(values, 0.5).toFixed(2)}/${quantile(values, 0.99).toFixed(1)}`
