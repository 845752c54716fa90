/**
 * The first time: how long each kind of request takes as the first after a start, against the same request warm. The server has
 * the data of an earlier run, so nothing but the start itself is cold. `--only=csv,python` measures some acts, `--rounds=5` more starts.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, timed } from './executor/timing.ts'
import { listActs, prepare } from './first/acts.ts'
import { readOption } from './options.ts'
import { type Peer, startGuildhall, startScript } from './peers.ts'
import type { Row } from './table.ts'

const rounds = Number(readOption('rounds') ?? 3)
const only = readOption('only')?.split(',')
/** The first of these still warm something up. */
const [warmUps, warmTimes] = [10, 7]
/** What is slower than this has its line in the note. */
const goal = { atMost: 3 } as const

type Measured = { readonly first: number; readonly warm: number }

export async function bench(): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-first-'))
  const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_EXECUTORS: '1', GUILDHALL_DATA: join(folder, 'data') }
  const all = new Map<string, Measured[]>()
  const starts: number[] = []
  try {
    const before = await startGuildhall(environment)
    const problem = await prepare(before.url)
    await before.stop()
    for (let round = 0; round < rounds; round++) {
      starts.push(await compareStarts(environment))
      const us = await startGuildhall(environment)
      try {
        await waitUntilReady(us)
        for (const { what, act } of await listActs(us.url, problem, folder)) {
          if (only && !only.some((word) => what.includes(word))) continue
          all.set(what, [...(all.get(what) ?? []), await measure(act)])
        }
      } finally {
        await us.stop()
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return [
    { what: 'a start, until it answers', against: 'a start of bare Node with Fastify', ratios: starts },
    ...[...all].map(([what, measured]): Row => {
      const milliseconds = ({ first, warm }: Measured) => `${first.toFixed(0)} and ${warm.toFixed(1)} ms`
      return {
        what: `${what}, the first after a start`,
        against: 'the same, warm',
        ratios: measured.map(({ first, warm }) => first / warm),
        goal,
        note: milliseconds(measured[measured.length >> 1]!),
      }
    }),
  ]
}

async function measure(act: () => Promise<unknown>): Promise<Measured> {
  const first = await timed(act)
  // What takes a second is not made quicker by ten more.
  for (let i = 0, begun = performance.now(); i < warmUps && performance.now() - begun < 3_000; i++) await act()
  const warm: number[] = []
  for (let i = 0; i < warmTimes; i++) warm.push(await timed(act))
  return { first, warm: median(warm) }
}

async function compareStarts(environment: Record<string, string>): Promise<number> {
  const script = `
    import Fastify from 'fastify'
    const server = Fastify()
    server.get('/healthz', async () => ({ status: 'ok' }))
    await server.listen({ host: '127.0.0.1', port: 0 })
    console.log('http://127.0.0.1:' + server.server.address().port)`
  const timeStart = async (start: () => Promise<Peer>) => {
    let peer: Peer | undefined
    const time = await timed(async () => {
      peer = await start()
      await fetch(`${peer.url}/healthz`)
    })
    await peer!.stop()
    return time
  }
  const ours = await timeStart(() => startGuildhall({ ...environment, GUILDHALL_EXECUTORS: '0' }))
  return ours / (await timeStart(() => startScript(script)))
}

/** With an executor; what the start still does besides has come to rest some seconds later. */
async function waitUntilReady({ url }: Peer): Promise<void> {
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(100)
  await sleep(3_000)
}
