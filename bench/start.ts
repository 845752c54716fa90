/** What a start leaves in memory: the server and the executor inside, some seconds after both are ready. */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const starts = 3
const goalMb = 150
/** What was still under way when it became ready has come to rest by then. */
const restMs = 5_000

export async function bench(): Promise<Row[]> {
  const rounds: { server: number; executor: number }[] = []
  for (let round = 0; round < starts; round++) {
    const us = await startGuildhall({ GUILDHALL_EXECUTORS: '1' })
    while (!(await fetch(`${us.url}/readyz`)).ok) await sleep(100)
    await sleep(restMs)
    const pid = us.process.pid!
    const children = await listChildren(pid)
    const sizes = await Promise.all(children.map(measureMb))
    rounds.push({ server: await measureMb(pid), executor: sizes.reduce((sum, size) => sum + size, 0) })
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
  ]
}

async function listChildren(pid: number): Promise<number[]> {
  const found: number[] = []
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '')
    if (status.includes(`\nPPid:\t${pid}\n`)) found.push(Number(name))
  }
  return found
}

async function measureMb(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) / 1024
}
