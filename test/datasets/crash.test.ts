/** A server killed outright while items are pushed or indexed: what was answered is there exactly once, and counts agree with items. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engines, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { admin } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { type Api, makeApi } from './api.ts'

const rounds = 2
const writers = 6

for (const engine of engines)
  test(`kill -9 loses no answered push and doubles none on ${engine}`, async (t) => {
    const database = await makeMigratedDatabase(engine)
    t.after(() => database.drop())
    let running = await start(database)
    t.after(() => running.end())
    const id = await running.api.make('survivor')
    const answered = new Set<string>()
    const sent = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      let isAlive = true
      const pushing = Promise.all(
        Array.from({ length: writers }, (_, writer) =>
          pushUntilDead(running.api, id, `${round}.${writer}`, sent, answered),
        ),
      ).finally(() => {
        isAlive = false
      })
      const before = answered.size
      // Each round dies at another moment: hardly begun, or in the thick of it.
      const enough = 40 + round * 60 + (round % 2) * 60
      await until(() => !isAlive || answered.size >= before + enough)
      assert.ok(isAlive, 'pushes failed before the server was killed')
      await running.end()
      await pushing
      running = await start(database)
      await checkWhole(running.api, id, answered, sent)
    }
    // Between larger chunks, each start may leave up to three small ones that together do not reach the first step, 4,096 bytes.
    const store = await database.open()
    const countSmall = async () => {
      const rows = await store.db
        .selectFrom('dataset_chunk')
        .select('first_item')
        .where('byte_count', '<', 4_096)
        .execute()
      return rows.length
    }
    await until(async () => (await countSmall()) <= 3 * (rounds + 1))
    await store.close()
    await checkWhole(running.api, id, answered, sent)
  })

for (const engine of engines)
  test(`an index goes on where kill -9 ended it on ${engine}`, async (t) => {
    const database = await makeMigratedDatabase(engine)
    t.after(() => database.drop())
    let running = await start(database)
    t.after(() => running.end())
    const id = await running.api.make('indexed')
    const total = 60_000
    const at = 30_000
    for (let first = 0; first < total; first += at)
      await running.api.push(
        id,
        Array.from({ length: at }, (_, i) => ({ n: (first + i) * 7, t: `text ${(first + i) % 1000}` })),
      )
    await running.api.ask('PUT', `/datasets/${id}`, { indexes: ['n', 't'] })
    const countIndexed = async (): Promise<number> => {
      const { indexes } = (await running.api.ask('GET', `/datasets/${id}`)).body.data
      return indexes.reduce((sum: number, { itemCount }: { itemCount: number }) => sum + itemCount, 0)
    }
    for (const enough of [1, total + 1]) {
      await until(async () => (await countIndexed()) >= enough)
      await running.end()
      await endLeases(database)
      running = await start(database)
    }
    await until(async () => (await countIndexed()) === 2 * total)
    const store = await database.open()
    const { count } = await store.db
      .selectFrom('dataset_index_entry')
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    await store.close()
    assert.equal(Number(count), 2 * total)
    for (const i of [0, 29_999, 30_000, 59_999])
      assert.equal(await running.api.text(id, `filter=n%3D${7 * i}`), `[{"n":${7 * i},"t":"text ${i % 1000}"}]`)
    const page = await running.api.text(id, 'sort=-n&limit=2&fields=n')
    assert.equal(page, `[{"n":${7 * (total - 1)}},{"n":${7 * (total - 2)}}]`)
    const texts = JSON.parse(await running.api.text(id, 'filter=t%3D%22text%207%22&fields=n')) as { n: number }[]
    assert.deepEqual(
      texts.map(({ n }) => n),
      Array.from({ length: 60 }, (_, i) => 7 * (7 + 1000 * i)),
    )
  })

/** As if the half minute had gone by, after which what a server held that is gone is another's. */
async function endLeases(database: TestDatabase): Promise<void> {
  const store = await database.open()
  await store.write((trx) => trx.updateTable('job').set({ lease_until: 0 }).where('state', '=', 'running').execute())
  await store.close()
}

async function pushUntilDead(
  api: Api,
  id: string,
  name: string,
  sent: Set<string>,
  answered: Set<string>,
): Promise<void> {
  for (let i = 0; ; i++) {
    const push = `${name}.${i}`
    sent.add(push)
    const items = Array.from({ length: 5 }, (_, part) => ({
      push,
      part,
      ...(part === 4 ? {} : { text: 'x'.repeat(200) }),
    }))
    try {
      await api.push(id, [...items, { '#push': push }])
      answered.add(push)
    } catch {
      return
    }
  }
}

/** Every push whole or absent, every answered one there, each once; the counts are those of the items. */
async function checkWhole(
  api: Api,
  id: string,
  answered: ReadonlySet<string>,
  sent: ReadonlySet<string>,
): Promise<void> {
  const items = JSON.parse(await api.text(id)) as { push?: string; part?: number; '#push'?: string }[]
  const { data } = (await api.ask('GET', `/datasets/${id}`)).body
  assert.deepEqual([data.itemCount, data.cleanItemCount], [items.length, (items.length / 6) * 5])
  assert.equal(data.stats.writeCount, items.length / 6)
  const stored = new Set<string>()
  for (let at = 0; at < items.length; at += 6) {
    const push = items[at]!.push!
    assert.ok(!stored.has(push) && sent.has(push), push)
    stored.add(push)
    for (let part = 0; part < 5; part++)
      assert.deepEqual([items[at + part]!.push, items[at + part]!.part], [push, part])
    assert.equal(items[at + 5]!['#push'], push)
  }
  for (const push of answered) assert.ok(stored.has(push), `${push} was answered and is gone`)
}

async function start(database: TestDatabase): Promise<ServerProcess & { api: Api }> {
  const server = await startServerProcess(database, {
    GUILDHALL_LIMITS: 'off',
    GUILDHALL_ADMIN_PASSWORD: admin.password,
    GUILDHALL_ADMIN_TOKEN: admin.token,
  })
  return { ...server, api: makeApi(server) }
}
