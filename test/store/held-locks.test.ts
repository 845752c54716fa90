/** Row locks that another server holds and does not let go of: who needs them waits in bounds, and nobody else does. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { makeRest, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/** More than the server has connections. */
const writers = 30
let server: TestServer
let ann: RestClient
before(async () => {
  server = await startServer('postgres')
  ann = await makeUser(server, 'ann')
  for (const name of ['crowded', 'held', 'still', 'free']) await ann.post('/user/repos', { name })
})
after(() => server.stop())

/** As a server does that has begun to write to a repository and stands still, but for ever. */
async function holdRow(name: string) {
  const other = new pg.Client(server.database.url)
  await other.connect()
  await other.query('begin')
  await other.query('select id from repository where name = $1 for update', [name])
  return {
    async isWaitedFor(): Promise<boolean> {
      const { rows } = await other.query(
        'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
      )
      return rows.length > 0
    },
    letGo: () => other.end(),
  }
}

const describeIn = (name: string, description: string) =>
  server.services.store.write((trx) =>
    trx.updateTable('repository').set({ description }).where('name', '=', name).execute(),
  )

const read = async (name: string) => (await ann.get(`/repos/ann/${name}`)).body.description

const readReadiness = async () => {
  const response = await fetch(`${server.url}/readyz`)
  const { status, database } = (await response.json()) as { status: string; database: string }
  return { code: response.status, status, database }
}

// Beside each other, since they mostly wait.
describe('a lock that another holds', { concurrency: true }, () => {
  test('lets reads and other writes go on; those who wait pass once it is free, or are refused by name', async () => {
    const held = await holdRow('crowded')
    const writing = Array.from({ length: writers }, (_, i) => describeIn('crowded', `by ${i}`))
    const ended = Promise.allSettled(writing)
    await until(held.isWaitedFor)
    const stranger = makeRest(server.url)
    for (let i = 0; i < 10; i++) {
      assert.equal(await read('crowded'), null)
      assert.equal((await stranger.get('/users/ann/repos')).body.length, 4)
      const made = await ann.post('/repos/ann/free/issues', { title: `beside ${i}` })
      assert.equal(made.status, 201)
    }
    await until(async () => (await readReadiness()).database.startsWith('is busy'))
    await held.letGo()
    const outcomes = (await ended).map((end) => (end.status === 'fulfilled' ? 'passed' : end.reason.code))
    assert.deepEqual(new Set([...outcomes, 'passed', '55P03']), new Set(['passed', '55P03']))
    await describeIn('crowded', 'free again')
    assert.equal(await read('crowded'), 'free again')
    await until(async () => (await readReadiness()).status === 'ok')
  })

  test('and never lets go of: a write is refused with 503, and nothing of it is kept', async () => {
    const held = await holdRow('held')
    const { status, headers, body } = await ann.patch('/repos/ann/held', { description: 'never' })
    assert.deepEqual([status, headers.get('retry-after')], [503, '5'])
    assert.match(body.message, /^Somebody else is changing the same thing/)
    await held.letGo()
    assert.equal(await read('held'), null)
  })

  test('in a transaction of a server that stands still is ended by PostgreSQL, and others go on', async () => {
    const standing = Promise.withResolvers<void>()
    const writing = server.services.store.write(async (trx) => {
      await trx.updateTable('repository').set({ description: 'still' }).where('name', '=', 'still').execute()
      await standing.promise
      await trx.selectFrom('repository').select('id').execute()
    })
    const refused = assert.rejects(writing)
    await until(async () => (await ann.patch('/repos/ann/still', { description: 'goes on' })).status === 200)
    standing.resolve()
    await refused
    assert.equal(await read('still'), 'goes on')
  })
})
