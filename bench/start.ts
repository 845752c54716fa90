/** What a start leaves in memory: the server and the executor inside, some seconds after both are ready. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const starts = 3
const goalMb = 200
/** What was still under way when it became ready has come to rest by then. */
const restMs = 5_000

export async function bench(): Promise<Row[]> {
  const rounds: { server: number; executor: number; together: number }[] = []
  for (let round = 0; round < starts; round++) {
    const us = await startGuildhall({ GUILDHALL_EXECUTORS: '1' })
    while (!(await fetch(`${us.url}/readyz`)).ok) await sleep(100)
    await sleep(restMs)
    const pid = us.process.pid!
    const children = await listChildren(pid)
    const [server, ...executors] = await Promise.all([pid, ...children].map(measureMb))
    const executor = sum(executors.map(({ own, ofFiles }) => own + ofFiles))
    const all = [server!, ...executors]
    rounds.push({
      server: server!.own + server!.ofFiles,
      executor,
      together: sum(all.map(({ own }) => own)) + Math.max(...all.map(({ ofFiles }) => ofFiles)),
    })
    await us.stop()
  }
  const describe = ({ server, executor }: (typeof rounds)[number]) => `${server.toFixed(0)} + ${executor.toFixed(0)}`
  return [
    {
      what: 'resident memory of server and executor at rest',
      against: `${goalMb} MB`,
      ratios: rounds.map(({ server, executor }) => (server + executor) / goalMb),
      goal: { atMost: 1 },
      note: `${rounds.map(describe).join(', ')} MB`,
    },
    {
      what: 'the same, with the pages of Node’s program, which both share, counted once',
      against: `${goalMb} MB`,
      ratios: rounds.map(({ together }) => together / goalMb),
      goal: { atMost: 1 },
      note: `${rounds.map(({ together }) => together.toFixed(0)).join(', ')} MB`,
    },
  ]
}

const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)

async function listChildren(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    if (status.includes(`\nPPid:\t${pid}\n`)) found.push(Number(name))
  }
  return found
}

async function measureMb(pid: number): Promise<{ own: number; ofFiles: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024
  return { own: read('RssAnon') + read('RssShmem'), ofFiles: read('RssFile') }
}
