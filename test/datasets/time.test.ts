/** What time does to data sets: unnamed ones expire, signatures end, limits reset. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { oneEngine } from '../support/engines.ts'
import { startServer } from '../support/server.ts'
import { makeApi, makeOther } from './api.ts'

const dayMs = 24 * 3600_000

for (const engine of oneEngine) {
  test(`an unnamed data set expires 7 days after its last use on ${engine}`, async (t) => {
    const clock = makeManualClock()
    const server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
    t.after(() => server.stop())
    const api = makeApi(server)
    const [used, unused, named] = [await api.make(), await api.make(), await api.make('kept')]
    for (const id of [used, unused, named]) await api.push(id, [{ a: 1 }])
    const itemsPublicUrl = (await api.ask('GET', `/datasets/${named}`)).body.data.itemsPublicUrl
    clock.advance(6 * dayMs)
    await api.text(used)
    clock.advance(2 * dayMs)
    assert.equal((await api.ask('GET', `/datasets/${unused}`)).status, 404)
    assert.equal((await api.ask('GET', '/datasets?unnamed=1')).body.data.total, 1 + 1)
    await server.services.datasets.settle()
    assert.equal((await api.ask('GET', `/datasets/${unused}`)).status, 404)
    assert.equal(await api.text(used), '[{"a":1}]')
    clock.advance(60 * dayMs)
    await server.services.datasets.settle()
    assert.equal((await api.ask('GET', `/datasets/${used}`)).status, 404)
    assert.equal(await api.text(named), '[{"a":1}]')
    const { total } = await server.services.store.db
      .selectFrom('dataset_chunk')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    assert.equal(total, 1)
    assert.equal((await fetch(itemsPublicUrl)).status, 403)
  })

  test(`a removed data set leaves no items behind on ${engine}`, async (t) => {
    const server = await startServer(engine)
    t.after(() => server.stop())
    const api = makeApi(server)
    const id = await api.make('gone')
    for (let i = 0; i < 40; i++) await api.push(id, { i })
    await api.send('DELETE', `/datasets/${id}`)
    assert.equal((await api.ask('POST', '/datasets?name=gone')).status, 201)
    await server.services.datasets.settle()
    for (const table of ['dataset_chunk', 'dataset_removal', 'dataset_field'] as const) {
      const rows = await server.services.store.db.selectFrom(table).select('dataset_id').execute()
      assert.deepEqual(rows, [], table)
    }
  })

  test(`limits are kept for each data set and named in a header on ${engine}`, async (t) => {
    const clock = makeManualClock()
    const server = await startServer(engine, { clock })
    t.after(() => server.stop())
    const api = makeApi(server)
    const id = await api.make('often')
    const addresses = [id, '~often', 'admin~often', 'ADMIN~often']
    const statuses = async (count: number, method: string, body?: string) => {
      const responses = await Promise.all(
        Array.from({ length: count }, (_, i) =>
          api.send(method, `/datasets/${addresses[i % 4]}${body ? '/items' : ''}`, body ? { body } : {}),
        ),
      )
      for (const response of responses) await response.text()
      return responses
    }
    const reads = await statuses(61, 'GET')
    assert.equal(reads.filter(({ status }) => status === 429).length, 1)
    const refused = reads.find(({ status }) => status === 429)!
    assert.deepEqual([refused.headers.get('retry-after'), refused.headers.get('x-ratelimit-limit')], ['1', '60'])
    const closed = await api.ask('PUT', `/datasets/${id}`, { generalAccess: 'RESTRICTED' })
    assert.equal(closed.status, 200, 'those who read it do not keep its owner from closing it')
    const changes = await statuses(60, 'PUT')
    assert.equal(changes.filter(({ status }) => status === 429).length, 1)
    const pushes = await statuses(401, 'POST', '{}')
    assert.equal(pushes.filter(({ status }) => status === 201).length, 400)
    assert.equal(pushes[0]!.headers.get('x-ratelimit-limit'), '400')
    clock.advance(1_000)
    assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.itemCount, 400)
    const other = await makeOther(server, 'other')
    assert.equal((await other.ask('GET', '/users/me')).status, 200)
    assert.equal((await makeApi(server, null).ask('GET', '/datasets/~often')).status, 401)
    const { body } = await other.ask('GET', '/users/me')
    const minute = { key: `datasets:user:${body.data.id}`, limit: 250_000, windowMs: 60_000 }
    await server.services.rates.add(minute, 250_000 - 3)
    assert.equal((await other.ask('GET', '/users/me')).status, 200)
    const full = await other.send('GET', '/users/me')
    assert.deepEqual([full.status, full.headers.get('x-ratelimit-limit')], [429, '250000'])
    assert.equal(full.headers.get('retry-after'), '60')
    assert.equal(((await full.json()) as { error: { type: string } }).error.type, 'rate-limit-exceeded')
  })
}
