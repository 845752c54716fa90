/** User migrations: kills in a loop (`--kills=20`), and an export beside `git bundle` plus a raw dump of the same rows (`--mib=64`). */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createWriteStream, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { killExports } from '../test/forge/migrations/killed-exports.ts'
import { killImports } from '../test/forge/migrations/killed-imports.ts'
import { fillRepository } from '../test/forge/migrations/many-records.ts'
import { makeWorkingFolder, remoteUrl } from '../test/support/git.ts'
import { makeRest, type RestClient } from '../test/support/rest.ts'
import { admin, startServer, type TestServer } from '../test/support/server.ts'
import { readOption } from './options.ts'
import type { Row } from './table.ts'

const mib = 1024 * 1024
const rounds = 3

export async function bench(): Promise<Row[]> {
  return [
    await measureKills(Number(readOption('kills') ?? 20), 'exports', killExports),
    await measureKills(Number(readOption('kills') ?? 20), 'imports', killImports),
    ...(await measureExport(Number(readOption('mib') ?? 64))),
  ]
}

async function measureKills(kills: number, what: string, kill: typeof killExports): Promise<Row> {
  const drops: (() => Promise<unknown>)[] = []
  try {
    const note = await kill(kills, (drop) => drops.push(drop))
    return {
      what: `${kills} ${what} killed at random moments`,
      against: 'ended once, sound',
      ratios: [1],
      goal: { atLeast: 1 },
      note,
    }
  } finally {
    for (const drop of drops.reverse()) await drop()
  }
}

async function measureExport(size: number): Promise<Row[]> {
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  const work = await makeWorkingFolder()
  try {
    const root = makeRest(server.url, admin.token)
    const { body } = await root.post('/user/repos', { name: 'large' })
    for (let i = 0; i < size; i += 16) writeFileSync(join(work.path, `noise-${i}.bin`), randomBytes(16 * mib))
    // Noise has no deltas, for which git would look for half an hour, and packs to nothing less.
    await work.must('config', 'core.bigFileThreshold', '1m')
    await work.must('config', 'core.compression', '0')
    await work.must('add', '.')
    await work.must('commit', '--quiet', '-m', 'Noise')
    await work.must('push', '--quiet', remoteUrl(server.url, 'admin/large', admin.name, admin.token), 'main')
    await fillRepository(server, body.id, [body.owner.id], { issues: 2_500, events: 10_000, comments: 3_000 })
    const ratios: number[] = []
    const growths: number[] = []
    for (let round = 0; round < rounds; round++) {
      const peer = await timed(() => dumpByHand(server, body.id, work.path))
      global.gc?.()
      const before = process.memoryUsage().rss
      let peak = before
      const watching = setInterval(() => {
        peak = Math.max(peak, process.memoryUsage().rss)
      }, 20)
      const ours = await timed(async () => {
        const { body: migration } = await root.post('/user/migrations', { repositories: ['large'] })
        await awaitLongExport(root, migration.id)
      })
      clearInterval(watching)
      ratios.push(ours / peer)
      growths.push((peak - before) / mib)
    }
    return [
      { what: `export of ${size} MiB and 15,500 records`, against: 'git bundle and a raw dump, gzipped', ratios },
      { what: 'growth of memory meanwhile, MiB', against: '150', ratios: growths, goal: { atMost: 150 } },
    ]
  } finally {
    await server.stop()
    await work.drop()
  }
}

/** Gigabytes take minutes. */
async function awaitLongExport(root: RestClient, id: number): Promise<void> {
  for (;;) {
    const { state, failure_reason } = (await root.get(`/user/migrations/${id}`)).body
    if (state === 'exported') return
    if (state === 'failed') throw new Error(failure_reason)
    await sleep(50)
  }
}

/** What one would do without an export: the repository as a bundle, the rows as lines of JSON, both through gzip. */
async function dumpByHand({ services }: TestServer, repositoryId: number, folder: string): Promise<void> {
  const { forge, store } = services
  const bundle = join(folder, 'peer.bundle')
  const { status, stderr } = spawnSync('git', [
    '--git-dir',
    forge.git.folderOf({ id: repositoryId }),
    'bundle',
    'create',
    bundle,
    '--all',
  ])
  if (status !== 0) throw new Error(String(stderr))
  spawnSync('gzip', ['-4', '-f', bundle])
  async function* lines() {
    for (const table of ['issue', 'issue_comment', 'issue_event'] as const) {
      const rows = await store.db.selectFrom(table).selectAll().where('repository_id', '=', repositoryId).execute()
      for (const row of rows) yield `${JSON.stringify(row)}\n`
    }
  }
  const rows = join(folder, 'peer.jsonl.gz')
  await pipeline(Readable.from(lines()), createGzip({ level: 4 }), createWriteStream(rows))
  await Promise.all([rm(`${bundle}.gz`, { force: true }), rm(rows, { force: true })])
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}
