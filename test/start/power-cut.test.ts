/** A power cut on SQLite: what was not synced is gone, and all that anybody was told or shown is there. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Api, makeApi } from '../datasets/api.ts'
import { makeDatabase } from '../support/engines.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const rounds = 2
const writers = 6

test('a power cut loses nothing that was answered, nor anything that was shown', async (t) => {
  const place = await makePlace(t)
  let { server, api } = await place.start()
  const id = await api.make('survivor')
  const answered = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    const file = readFileSync(place.database)
    const shown: string[][] = []
    const working = [
      readUntilDead(api, id, shown),
      ...Array.from({ length: writers }, (_, i) => pushUntilDead(api, id, `${round}.${i}`, answered)),
    ]
    const enough = answered.size + 60 + 20 * round
    while (answered.size < enough) await sleep(1)
    await server.end('SIGKILL')
    await Promise.all(working)
    assert.deepEqual(readFileSync(place.database), file, 'only the log was written, so the cut is in the log alone')
    place.cutPower()
    ;({ server, api } = await place.start())
    const stored = new Set(await listPushes(api, id))
    assert.deepEqual(
      [...answered, ...shown.flat()].filter((push) => !stored.has(push)),
      [],
    )
    assert.ok(shown.length > 1, 'somebody looked on')
    for (const push of stored) answered.add(push)
  }
})

test('after a sync that fails nothing is written and reads go on, until the server is started again', async (t) => {
  const place = await makePlace(t)
  const { server, api } = await place.start()
  const id = await api.make('failing')
  await api.push(id, [{ push: 'before' }])
  writeFileSync(place.failing, '')
  const refused = await api.ask('POST', `/datasets/${id}/items`, [{ push: 'unsure' }])
  assert.equal(refused.status, 503)
  assert.match(refused.body.error.message, /disk failed/)
  // Once lost, what a sync was to write is not brought back by one that succeeds.
  rmSync(place.failing)
  assert.equal((await api.ask('POST', `/datasets/${id}/items`, [{ push: 'after' }])).status, 503)
  const rpc = makeRpcClient(server.url, admin.token)
  assert.match((await rpc.ask('update_account', { ID: 1, DisplayName: 'x' })).error.message, /disk failed/)
  assert.deepEqual(await listPushes(api, id), ['before'])
  assert.equal((await fetch(`${server.url}/readyz`)).status, 503)
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
  const file = readFileSync(place.database)
  await server.end('SIGTERM')
  assert.deepEqual(readFileSync(place.database), file, 'a log that is not to be trusted was not moved into the file')
  place.cutPower()

  const again = await place.start()
  assert.deepEqual(await listPushes(again.api, id), ['before'])
  await again.api.push(id, [{ push: 'again' }])
  assert.deepEqual(await listPushes(again.api, id), ['before', 'again'])
})

async function makePlace(t: TestContext) {
  const database = await makeDatabase('sqlite')
  const servers: ServerProcess[] = []
  t.after(async () => {
    await Promise.all(servers.map((server) => server.end()))
    await database.drop()
  })
  const aside = join(database.folder, 'aside')
  mkdirSync(aside)
  const [file, copy, failing] = [join(database.folder, 'guildhall.db'), join(aside, 'wal'), join(aside, 'failing')]
  const recorder = new URL('../support/recorded-syncs.ts', import.meta.url)
  return {
    database: file,
    failing,
    /** The log is as it was when the last sync that ended began. */
    cutPower(): void {
      assert.ok(existsSync(copy))
      for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
      copyFileSync(copy, `${file}-wal`)
    },
    async start(): Promise<{ server: ServerProcess; api: Api }> {
      const server = await startServerProcess(database, {
        NODE_OPTIONS: `--import=${recorder}`,
        RECORDED_WAL: `${file}-wal`,
        RECORDED_COPY: copy,
        RECORDED_FAILING: failing,
        GUILDHALL_LIMITS: 'off',
        GUILDHALL_ADMIN_PASSWORD: admin.password,
        GUILDHALL_ADMIN_TOKEN: admin.token,
      })
      servers.push(server)
      return { server, api: makeApi(server) }
    },
  }
}

async function listPushes(api: Api, id: string): Promise<string[]> {
  return (JSON.parse(await api.text(id)) as { push: string }[]).map(({ push }) => push)
}

async function pushUntilDead(api: Api, id: string, name: string, answered: Set<string>): Promise<void> {
  for (let i = 0; ; i++) {
    const push = `${name}.${i}`
    try {
      await api.push(id, [{ push }])
      answered.add(push)
    } catch {
      return
    }
  }
}

async function readUntilDead(api: Api, id: string, shown: string[][]): Promise<void> {
  for (;;) {
    try {
      shown.push(await listPushes(api, id))
    } catch {
      return
    }
  }
}
