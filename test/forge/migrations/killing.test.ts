/** kill -9 at random moments of an export or an import: each ends whole, or failed with a reason; never stuck, never twice. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { makeMigratedDatabase } from '../../support/engines.ts'
import { asAdmin, makeRest } from '../../support/rest.ts'
import { admin, startServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'
import { awaitExport } from './exports.ts'
import { awaitImport, handIn } from './imports.ts'
import { killExports } from './killed-exports.ts'
import { killImports } from './killed-imports.ts'

test('an export that is killed again and again ends with one sound archive, and leaves nothing else', async (t) => {
  const told = await killExports(2, (drop) => t.after(drop))
  t.diagnostic(told)
  assert.match(told, /2 kills/)
})

test('an import that is killed again and again is whole or not there at all, and leaves nothing else', async (t) => {
  const told = await killImports(2, (drop) => t.after(drop))
  t.diagnostic(told)
  assert.match(told, /2 kills: 2 imported/)
})

const environment = {
  GUILDHALL_ADMIN_PASSWORD: admin.password,
  GUILDHALL_ADMIN_TOKEN: admin.token,
  GUILDHALL_LIMITS: 'off',
}

/** An archive that takes very long to be looked through: one file of 32 GiB of nothing, which is not even kept. */
async function makeEndless(): Promise<Buffer> {
  const portion = 256 * 1024 * 1024
  const portions = 128
  const tar = pack()
  const header = once(tar, 'data')
  tar.entry({ name: 'repositories/ann/open.git/config', size: portion * portions })
  const [start] = (await header) as [Buffer]
  tar.destroy()
  return Buffer.concat([
    gzipSync(start),
    ...Array<Buffer>(portions).fill(gzipSync(Buffer.alloc(portion), { level: 1 })),
  ])
}

test('an import whose server was killed twice is given up, and says so; the server goes on', async (t) => {
  const database = await makeMigratedDatabase('sqlite')
  t.after(database.drop)
  await (await startServer('sqlite', { database, environment })).stop()
  const store = await database.open()
  t.after(() => store.close())
  const readJob = () =>
    store.db.selectFrom('job').select(['state', 'tries']).where('kind', '=', 'forge.import').executeTakeFirst()
  let server = await startServerProcess(database, environment)
  t.after(() => server.end())
  const { id } = await handIn(makeRest(server.url, admin.token), await makeEndless())
  for (const tries of [1, 2]) {
    await until(async () => {
      const job = await readJob()
      return job?.state === 'running' && job.tries === tries
    })
    await server.end()
    server = await startServerProcess(database, environment)
  }
  const root = makeRest(server.url, admin.token)
  const { state, failure_reason } = await awaitImport(root, id)
  assert.equal(state, 'failed')
  assert.match(failure_reason, /The server ended, or stood still, each time it imported this archive/)
  assert.deepEqual({ ...(await readJob()) }, { state: 'dead', tries: 2 })
  assert.equal((await root.get('/user')).status, 200)
})

test('an export whose server was killed twice is given up, and says so', async (t) => {
  const database = await makeMigratedDatabase('sqlite')
  t.after(database.drop)
  const first = await startServer('sqlite', { database, environment })
  const made = asAdmin(first)
  assert.equal((await made.post('/user/repos', { name: 'small', auto_init: true })).status, 201)
  const { body } = await made.post('/user/migrations', { repositories: ['small'] })
  await awaitExport(made, body.id)
  // As the second server left it that was killed while it exported.
  await first.services.store.write(async (trx) => {
    await trx.updateTable('migration').set({ state: 'exporting', archive_hash: null, run: 'gone' }).execute()
    const dead = { state: 'running', tries: 2, deaths: 1, lease: 'gone', lease_until: 1, finished_at: null } as const
    await trx.updateTable('job').set(dead).where('kind', '=', 'forge.migration').execute()
  })
  await first.stop()
  const second = await startServer('sqlite', { database, environment })
  t.after(() => second.stop())
  const { state, failure_reason } = await awaitExport(asAdmin(second), body.id)
  assert.equal(state, 'failed')
  assert.match(failure_reason, /The server ended, or stood still, each time it made this export/)
})
