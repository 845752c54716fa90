/** The network to PostgreSQL: it falls silent, it has no more connections to give, it comes back. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { interposeProxy, makeDatabase, makeMigratedDatabase, silentLog, type TestDatabase } from '../support/engines.ts'
import { type LogLines, makeLogLines } from '../support/log-lines.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { makeRpcClient, readJson } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const headers = { authorization: `Bearer ${admin.token}` }

async function asOwner(database: TestDatabase, ...statements: string[]): Promise<void> {
  const client = new pg.Client(database.url)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const readReadiness = async ({ url }: TestServer) => {
  const response = await fetch(`${url}/readyz`)
  return [response.status, (await readJson(response)).database]
}

describe('a network that swallows what is sent', () => {
  let database: Awaited<ReturnType<typeof interposeProxy>>
  let server: TestServer
  let lines: LogLines
  before(async () => {
    database = await interposeProxy(await makeMigratedDatabase('postgres'))
    lines = makeLogLines()
    server = await startServer('postgres', { database, log: lines.log })
  })
  after(async () => {
    await server.stop()
    await database.drop()
  })

  test('ends requests with 503 and is told by /readyz, which does not wait for them; then all goes on', async () => {
    assert.deepEqual(await readReadiness(server), [200, 'ok'])
    assert.equal((await fetch(`${server.url}/user`, { headers })).status, 200)
    const heard: (string | undefined)[] = []
    server.services.store.listen('test-channel', (payload) => heard.push(payload))

    database.proxy.pause()
    const order: string[] = []
    const asking = Array.from({ length: 25 }, async () => {
      const answer = await fetch(`${server.url}/user`, { headers })
      order.push('request')
      return `${answer.status}, after ${answer.headers.get('retry-after')}`
    })
    assert.deepEqual(await readReadiness(server), [503, 'does not answer'])
    order.push('readiness')
    assert.equal(order[0], 'readiness')
    assert.deepEqual(new Set(await Promise.all(asking)), new Set(['503, after 5']))
    const { error } = await makeRpcClient(server.url, admin.token).ask('get_account_list', { Offset: 0, Limit: 1 })
    assert.equal(error.code, -32603)

    await database.proxy.resume()
    await lines.await(/signals are heard again/)
    // What was told meanwhile was not heard: those who listen are told to look.
    assert.ok(heard.includes(undefined))
    assert.deepEqual(await readReadiness(server), [200, 'ok'])
    assert.equal((await fetch(`${server.url}/user`, { headers })).status, 200)
  })
})

describe('a connection', () => {
  let database: TestDatabase
  let server: TestServer
  before(async () => {
    database = await makeMigratedDatabase('postgres')
    server = await startServer('postgres', { database })
  })
  after(async () => {
    await server.stop()
    await database.drop()
  })

  test('has bounds on the side of PostgreSQL too', async () => {
    const show = async (name: string) => {
      const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(
        server.services.store.db,
      )
      return rows[0]!.value
    }
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'tcp_keepalives_idle']) {
      assert.notEqual(await show(name), '0', name)
    }
  })
})

describe('a PostgreSQL with few connections to give', () => {
  let database: TestDatabase
  let server: TestServer
  before(async () => {
    const owned = await makeDatabase('postgres')
    const name = new URL(owned.url!).pathname.slice(1)
    await asOwner(
      owned,
      `create role ${name} login password 'few' connection limit 4`,
      `alter database ${name} owner to ${name}`,
      `alter schema public owner to ${name}`,
    )
    const url = owned.url!.replace('postgres:postgres@', `${name}:few@`)
    database = {
      folder: owned.folder,
      url,
      open: () => openPostgres(url, silentLog),
      drop: async () => {
        await asOwner(owned, `reassign owned by ${name} to postgres`, `alter database ${name} owner to postgres`)
        await owned.drop()
      },
    }
    server = await startServer('postgres', { database })
  })
  after(async () => {
    await server.stop()
    await database.drop()
  })

  test('is enough for many requests at once: they wait for those it gave', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await fetch(`${server.url}/user`, { headers })).status),
    )
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})

test('a PostgreSQL whose disk is full is told as such to who writes, and by /readyz; who reads is served', async () => {
  const server = await startServer('postgres')
  const said = `could not extend file "base/1/2": No space left on device`
  await asOwner(
    server.database,
    `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception using errcode = '53100', message = '${said}'; end $$`,
    'create trigger refuse before insert on repository execute function refuse()',
  )
  const body = '{"name":"a"}'
  const answer = await fetch(`${server.url}/user/repos`, { method: 'POST', headers, body })
  assert.equal(answer.status, 503)
  assert.match(await answer.text(), /The database’s disk is full/)
  assert.equal((await fetch(`${server.url}/user`, { headers })).status, 200)
  const readiness = await fetch(`${server.url}/readyz`)
  const { status, database } = await readJson(readiness)
  const told = [200, 'degraded', 'its disk is full: nothing new can be kept']
  assert.deepEqual([readiness.status, status, database], told)
  await server.stop()
})

describe('a PostgreSQL that takes no changes', () => {
  let database: TestDatabase
  let server: TestServer
  before(async () => {
    database = await makeMigratedDatabase('postgres')
    server = await startServer('postgres', { database })
    const name = new URL(database.url!).pathname.slice(1)
    await asOwner(
      database,
      `alter database ${name} set default_transaction_read_only = on`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    )
  })
  after(async () => {
    await server.stop()
    await database.drop()
  })

  test('is told as such by each interface, and by /readyz', () => demandReadOnly(server))
})

async function demandReadOnly(server: TestServer): Promise<void> {
  await until(async () => (await readReadiness(server))[1] !== 'does not answer')
  assert.deepEqual(await readReadiness(server), [503, 'takes no changes'])
  const post = (path: string, body: string) => fetch(`${server.url}${path}`, { method: 'POST', headers, body })
  for (const answer of [await post('/user/repos', '{"name":"a"}'), await post('/v2/datasets?name=a', '')]) {
    assert.equal(answer.status, 503)
    assert.match(await answer.text(), /takes no changes/)
  }
  const { error } = await makeRpcClient(server.url, admin.token).ask('update_account', { ID: 1, DisplayName: 'Other' })
  assert.equal(error.code, -32603)
  assert.match(error.message, /takes no changes/)
}

describe('a PostgreSQL that comes back as a standby', () => {
  let postgres: PostgresServer
  let database: TestDatabase
  let server: TestServer
  before(async () => {
    postgres = await startPostgres()
    const folder = await mkdtemp(join(tmpdir(), 'guildhall-test-'))
    const url = `${postgres.url}/postgres`
    const drop = () => rm(folder, { recursive: true, force: true })
    database = { folder, url, open: () => openPostgres(url, silentLog), drop }
    server = await startServer('postgres', { database })
  })
  after(async () => {
    await server.stop()
    await database.drop()
    await postgres.stop()
  })

  test('takes no changes until it is promoted, and then is listened to again', async () => {
    await postgres.restartAsStandby()
    await demandReadOnly(server)
    // Their requests are counted, which is a change.
    for (const path of ['/user', '/v2/datasets']) {
      const answer = await fetch(`${server.url}${path}`, { headers })
      assert.equal(answer.status, 503)
      assert.match(await answer.text(), /takes no changes at the moment/)
    }
    const { AccountList } = await makeRpcClient(server.url, admin.token).call('get_account_list', {
      Offset: 0,
      Limit: 1,
    })
    assert.equal(AccountList[0].AccountName, admin.name)

    await asOwner(database, 'select pg_promote()')
    const heard: (string | undefined)[] = []
    const { store } = server.services
    store.listen('test-channel', (payload) => heard.push(payload))
    await until(async () => (await readReadiness(server))[1] === 'ok')
    await until(async () => (await fetch(`${server.url}/user`, { headers })).status === 200)
    await until(async () => {
      await store.write((trx) => store.notify(trx, 'test-channel', 'said')).catch(() => {})
      return heard.includes('said')
    })
  })
})
