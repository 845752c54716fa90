/** The forge over HTTP, against a bare echo; git over HTTP, against a clone from a file. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compareRates, type Target } from './load.ts'
import { adminToken, type Peer, startEcho, startGuildhall } from './peers.ts'
import type { Row } from './table.ts'

const run = promisify(execFile)
const mib = 1024 * 1024
const headers = { authorization: `Bearer ${adminToken}` }

export async function bench(): Promise<Row[]> {
  return [...(await compareRequests()), ...(await compareClones()), ...(await watchMemory())]
}

/** One and the same server is up to 15 % faster or slower from one start to the next: several starts, then the median. */
const starts = 3

async function compareRequests(): Promise<Row[]> {
  const rows = new Map<string, number[]>()
  for (let start = 0; start < starts; start++) {
    for (const [what, ratios] of await compareStarted()) rows.set(what, [...(rows.get(what) ?? []), ...ratios])
  }
  return [...rows].map(([what, ratios]) => ({ what, against: 'bare Fastify echo', ratios, goal: { atLeast: 0.5 } }))
}

async function compareStarted(): Promise<[string, number[]][]> {
  // Limits are on, as they are in use; their figures are out of the bench's reach.
  const figures = 'user=1000000000, points=1000000000, cpu-seconds=1000000'
  const [echo, us] = [await startEcho(), await startGuildhall({ GUILDHALL_LIMIT_FIGURES: figures })]
  const body = JSON.stringify({ name: 'bench' })
  await fetch(`${us.url}/user/repos`, { method: 'POST', headers, body })
  const peer: Target = { url: `${echo.url}/` }
  const repository: Target = { url: `${us.url}/repos/admin/bench`, headers }
  const etag = (await fetch(repository.url, { headers })).headers.get('etag')!
  const targets: [string, Target][] = [
    ['GET /rate_limit', { url: `${us.url}/rate_limit`, headers }],
    ['GET /repos/{o}/{r}', repository],
    ['GET /repos/{o}/{r}, 304', { ...repository, headers: { ...headers, 'if-none-match': etag } }],
  ]
  const found: [string, number[]][] = []
  for (const [what, target] of targets) found.push([what, await compareRates(target, peer, 3)])
  await us.stop()
  await echo.stop()
  return found
}

/** A repository of so many MiB that do not compress, in files of 1 MiB, pushed to us. */
async function makeHeavy(us: Peer, folder: string, sizeMib: number): Promise<string> {
  const git = (...words: string[]) => run('git', ['-C', folder, ...words])
  await git('init', '--quiet', '--initial-branch=main', '.')
  await git('config', 'core.compression', '0')
  await git('config', 'core.bigFileThreshold', '512k')
  await git('config', 'user.email', 'bench@example.org')
  await git('config', 'user.name', 'Bench')
  for (let i = 0; i < sizeMib; i++) await writeFile(join(folder, `part${i}`), randomBytes(mib))
  await git('add', '.')
  await git('commit', '--quiet', '--message=heavy')
  const name = `heavy${sizeMib}`
  await fetch(`${us.url}/user/repos`, { method: 'POST', headers, body: JSON.stringify({ name }) })
  const remote = `${us.url.replace('://', `://admin:${adminToken}@`)}/admin/${name}.git`
  await git('push', '--quiet', remote, 'main')
  return remote
}

const timed = async (act: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

async function compareClones(): Promise<Row[]> {
  const us = await startGuildhall()
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-git-'))
  try {
    const remote = await makeHeavy(us, folder, 100)
    const bare = join(us.folder, 'repositories', '01', '1.git')
    const clone = (from: string) => async () => {
      await run('git', ['clone', '--quiet', '--bare', from, join(folder, 'copy')])
      await rm(join(folder, 'copy'), { recursive: true })
    }
    const ratios: number[] = []
    for (let round = 0; round < 4; round++) {
      const theirs = await timed(clone(`file://${bare}`))
      const ours = await timed(clone(remote))
      // The first round warms the disk's cache for both.
      if (round > 0) ratios.push(ours / theirs)
    }
    return [{ what: 'clone of 100 MiB', against: 'git clone file://, same folder', ratios, goal: { atMost: 1.5 } }]
  } finally {
    await us.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The server's own memory while 1 GiB is pushed and cloned: its peak against what it was before. */
async function watchMemory(): Promise<Row[]> {
  const us = await startGuildhall()
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-bench-git-'))
  const peakKib = async () =>
    Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${us.process.pid}/status`, 'utf8'))?.[1])
  try {
    await fetch(`${us.url}/user`, { headers })
    const before = await peakKib()
    const remote = await makeHeavy(us, folder, 1024)
    await run('git', ['clone', '--quiet', '--bare', remote, join(folder, 'copy')])
    const after = await peakKib()
    const note = `${Math.round(before / 1024)} MiB before, ${Math.round(after / 1024)} MiB at the peak`
    return [
      {
        what: 'memory, 1 GiB pushed and cloned',
        against: 'before',
        ratios: [after / before],
        goal: { atMost: 2 },
        note,
      },
    ]
  } finally {
    await us.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
