/** Pushes with an Idempotency-Key are stored once: again, at once, by two servers, and after a kill. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines, makeMigratedDatabase } from '../support/engines.ts'
import { admin, startServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { type Api, type Json, makeApi, onEachEngine } from './api.ts'

const environment = { GUILDHALL_LIMITS: 'off' }

const pushWith = (api: Api, id: string, key: string, items: unknown) =>
  api.send('POST', `/datasets/${id}/items`, { body: JSON.stringify(items), headers: { 'idempotency-key': key } })

onEachEngine('keys', (world) => {
  test('the same key is stored once, and says so when it comes again', async () => {
    const { api } = world
    const id = await api.make()
    const first = await pushWith(api, id, 'a', [{ i: 1 }])
    const again = await pushWith(api, id, 'a', [{ i: 1 }])
    assert.deepEqual([first.status, first.headers.get('idempotency-replayed')], [201, null])
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, 'true'])
    assert.equal((await pushWith(api, id, 'b', [{ i: 1 }])).status, 201)
    assert.equal(await api.text(id), '[{"i":1},{"i":1}]')
    const { data } = (await api.ask('GET', `/datasets/${id}`)).body
    assert.deepEqual([data.itemCount, data.stats.writeCount], [2, 2])
    const other = await api.make()
    assert.equal((await pushWith(api, other, 'a', [{ i: 9 }])).status, 201)
  })

  test('a key that came with other items is refused, and so is one that is no key', async () => {
    const { api } = world
    const id = await api.make()
    await pushWith(api, id, 'a', { i: 1 })
    const reused = await pushWith(api, id, 'a', { i: 2 })
    const { error } = (await reused.json()) as Json
    assert.deepEqual([reused.status, error.type], [422, 'idempotency-key-reused'])
    for (const key of ['with blank', 'x'.repeat(256), ''])
      assert.equal((await pushWith(api, id, key, { i: 3 })).status, 400, key)
    assert.equal((await pushWith(api, id, 'c', [{ i: 1 }, 'no object'])).status, 400)
    assert.equal((await pushWith(api, id, 'c', [{ i: 4 }])).status, 201, 'what was refused has claimed nothing')
    assert.equal(await api.text(id), '[{"i":1},{"i":4}]')
  })

  test('of many at once, on two servers, one is stored', async () => {
    const { api, server } = world
    const isShared = server.database.url !== undefined
    const second = isShared ? await startServer('postgres', { database: server.database, environment }) : null
    const apis = second ? [api, makeApi(second)] : [api]
    const id = await api.make()
    const sent = Array.from({ length: 20 }, (_, i) => pushWith(apis[i % apis.length]!, id, 'one', { i: 0 }))
    const answers = await Promise.all(sent)
    assert.ok(answers.every(({ status }) => status === 201))
    assert.equal(answers.filter(({ headers }) => headers.has('idempotency-replayed')).length, 19)
    assert.equal(await api.text(id), '[{"i":0}]')
    await second?.stop()
  })
})

for (const engine of engines)
  test(`what a killed server had stored is not stored again on ${engine}`, async (t) => {
    const database = await makeMigratedDatabase(engine)
    t.after(() => database.drop())
    const settings = {
      ...environment,
      GUILDHALL_ADMIN_PASSWORD: admin.password,
      GUILDHALL_ADMIN_TOKEN: admin.token,
    }
    const first = await startServerProcess(database, settings)
    const id = await makeApi(first).make('once')
    // Whatever of these was stored when it is killed, the client knows of none.
    const sent = Array.from({ length: 60 }, (_, i) =>
      pushWith(makeApi(first), id, `key-${i}`, [{ i }]).catch(() => null),
    )
    await Promise.race(sent)
    await first.end()
    await Promise.all(sent)
    const second = await startServerProcess(database, settings)
    t.after(() => second.end())
    const api = makeApi(second)
    for (let i = 0; i < 60; i++) assert.equal((await pushWith(api, id, `key-${i}`, [{ i }])).status, 201)
    const items = JSON.parse(await api.text(id)) as { i: number }[]
    assert.deepEqual(
      items.map(({ i }) => i).sort((a, b) => a - b),
      Array.from({ length: 60 }, (_, i) => i),
    )
  })
