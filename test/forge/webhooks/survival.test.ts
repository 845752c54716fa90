/** Webhooks between servers and across a kill: nothing is sent twice where nothing failed, and nothing is lost where something did. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeMigratedDatabase } from '../../support/engines.ts'
import { makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' }

async function makeHooked(client: RestClient, login: string, name: string, receiver: Receiver): Promise<string> {
  await client.post('/user/repos', { name })
  const config = { url: `${receiver.url}/${name}`, content_type: 'json' }
  const { status, body, text } = await client.post(`/repos/${login}/${name}/hooks`, { config, events: ['issues'] })
  assert.equal(status, 201, text)
  return `/repos/${login}/${name}/hooks/${body.id}/deliveries?per_page=100`
}

describe('webhooks of two servers on one database', () => {
  let servers: readonly TestServer[]
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
    const first = await startServer('postgres', { environment })
    servers = [first, await startServer('postgres', { environment, database: first.database })]
  })
  after(async () => {
    for (const server of servers.toReversed()) await server.stop()
    await receiver.close()
  })

  test('each event is sent once, in order, whichever of them made it', async () => {
    const ann = await makeUser(servers[0]!, 'ann')
    const clients = servers.map(({ url }) => makeRest(url, ann.token))
    const names = ['one', 'two', 'three']
    const lists: string[] = []
    for (const name of names) lists.push(await makeHooked(ann, 'ann', name, receiver))
    const count = 12
    // Half of them come while others are on their way.
    receiver.answer = (response) => void setTimeout(() => response.writeHead(204).end(), 5)
    const post = async (name: string) => {
      for (let i = 0; i < count; i++)
        assert.equal((await clients[i % 2]!.post(`/repos/ann/${name}/issues`, { title: `${i}` })).status, 201)
    }
    await Promise.all(names.map(post))
    for (const list of lists) await until(async () => (await ann.get(list)).body.length === count + 1, 100)
    for (const name of names) {
      const came = receiver.received.filter(({ path }) => path.endsWith(`/${name}`))
      assert.equal(new Set(came.map(({ headers }) => headers['x-github-delivery'])).size, came.length)
      const titles = came.map(({ text }) => JSON.parse(text).issue?.title).filter((title) => title !== undefined)
      assert.deepEqual(
        titles,
        Array.from({ length: count }, (_, i) => `${i}`),
      )
    }
  })
})

test('what a killed server was sending is sent again under the same name, listed once, and what waited follows', async () => {
  const receiver = await startReceiver()
  const database = await makeMigratedDatabase('sqlite')
  const settings = { ...environment, GUILDHALL_ADMIN_TOKEN: admin.token, GUILDHALL_ADMIN_PASSWORD: admin.password }
  let server = await startServerProcess(database, settings)
  try {
    const list = await makeHooked(makeRest(server.url, admin.token), 'admin', 'killed', receiver)
    const listed = async (): Promise<Json[]> => (await makeRest(server.url, admin.token).get(list)).body
    await until(async () => (await listed()).length === 1)
    // It never answers, and so the server dies in the middle.
    receiver.answer = () => {}
    for (const title of ['first', 'second'])
      await makeRest(server.url, admin.token).post('/repos/admin/killed/issues', { title })
    await until(() => receiver.received.length === 2)
    await server.end('SIGKILL')
    receiver.answer = (response) => void response.writeHead(204).end()
    server = await startServerProcess(database, settings)
    await until(async () => (await listed()).length === 3, 50)
    const titles = receiver.received.map(({ text }) => JSON.parse(text).issue?.title)
    assert.deepEqual(titles, [undefined, 'first', 'first', 'second'])
    const guids = receiver.received.map(({ headers }) => headers['x-github-delivery'])
    assert.equal(guids[1], guids[2])
    assert.deepEqual(
      (await listed()).map(({ guid, status_code }) => [guid, status_code]),
      [guids[3], guids[2], guids[0]].map((guid) => [guid, 204]),
    )
  } finally {
    await server.end('SIGKILL')
    await receiver.close()
    await database.drop()
  }
})

test('a delivery at which the server ended twice is a failed attempt, and the next is made', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const database = await makeMigratedDatabase('sqlite')
  t.after(database.drop)
  const first = await startServer('sqlite', { environment, database })
  const ann = await makeUser(first, 'ann')
  const list = await makeHooked(ann, 'ann', 'deadly', receiver)
  await until(async () => (await ann.get(list)).body.length === 1)
  receiver.answer = () => {}
  await ann.post('/repos/ann/deadly/issues', { title: 'Deadly' })
  await until(() => receiver.received.length === 2)
  // Its request is still on its way when the server goes; the row is then as the second one that died left it.
  await first.stop()
  const store = await database.open()
  const dead = { state: 'running', tries: 2, deaths: 1, lease: 'gone', lease_until: 1, finished_at: null } as const
  await store.write((trx) =>
    trx
      .updateTable('job')
      .set(dead)
      .where('kind', '=', 'forge.webhook-sending')
      .where('state', '=', 'queued')
      .execute(),
  )
  await store.close()
  receiver.answer = (response) => void response.writeHead(204).end()
  const second = await startServer('sqlite', { environment, database })
  t.after(() => second.stop())
  const again = makeRest(second.url, ann.token)
  await until(async () => (await again.get(list)).body.length === 3)
  const statuses = (await again.get(list)).body.map((one: Json) => [one.event, one.status, one.status_code])
  assert.deepEqual(statuses, [
    ['issues', 'OK', 204],
    ['issues', 'The server ended while it sent this', 0],
    ['ping', 'OK', 204],
  ])
})
