/** A database connection that dies: the call that had it may fail, the next ones work, nothing answered is lost. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeUser } from '../support/rest.ts'
import { makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
let client: RpcClient
before(async () => {
  server = await startServer('postgres', { hashesInEarnest: true })
  client = makeRpcClient(server.url, admin.token)
})
after(() => server.stop())

async function cutAllConnections(): Promise<void> {
  const other = new pg.Client(server.database.url)
  await other.connect()
  await other.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await other.end()
}

test('a server whose connections are all cut, again and again, keeps what it answered and answers on', async () => {
  const answered: string[] = []
  const create = async (name: string) => {
    const params = { AccountName: name, DisplayName: 'x', Role: 'contestant', Password: 'a password' }
    const { id, error } = await client.ask('create_account', params)
    if (!error) return void answered.push(name)
    assert.deepEqual([error.code, typeof id], [-32603, 'string'])
    assert.match(error.message, /database does not answer/)
  }
  for (let round = 0; round < 4; round++) {
    const before = answered.length
    const running = Array.from({ length: 6 }, (_, i) => create(`cut-${round}-${i}`))
    await until(() => answered.length >= before + round)
    await cutAllConnections()
    await Promise.all(running)
  }
  // PostgreSQL ends what it was told to end a moment later.
  let tries = 0
  await until(async () => {
    const name = `after-all-${tries++}`
    await create(name)
    return answered.at(-1) === name
  })
  const { AccountList } = await client.call('get_account_list', { Offset: 0, Limit: 100 })
  const names = new Set(AccountList.map((account: { AccountName: string }) => account.AccountName))
  for (const name of answered) assert.ok(names.has(name), name)
})

test('a request leaves the places of its caller, whatever becomes of it: its client goes, it is wrong, the database is away', async () => {
  const ann = await makeUser(server, 'ann')
  await ann.post('/user/repos', { name: 'r', auto_init: true })
  const { port } = new URL(server.url)
  const head = `Host: localhost\r\nAuthorization: Bearer ${ann.token}\r\n`
  const texts = [
    `GET /repos/ann/r HTTP/1.1\r\n${head}\r\n`,
    `GET /repos/ann/r/commits HTTP/1.1\r\n${head}\r\nGET /user HTTP/1.1\r\n${head}\r\n`,
    `POST /user/repos HTTP/1.1\r\n${head}Content-Length: 30\r\n\r\n{"name":`,
    `POST /user/repos HTTP/1.1\r\n${head}Content-Length: 1\r\n\r\n{`,
    `GET /repos/ann/nothing HTTP/1.1\r\n${head}\r\n`,
    `GET /user HTTP/1.1\r\n${head}X-Platform-Api-Version: none\r\n\r\n`,
  ]
  const leaveEarly = async (text: string, i: number) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text)
    // Some go at once, some as soon as they hear anything, some after a while.
    if (i % 3 === 1)
      await new Promise((resolve) =>
        socket
          .once('data', resolve)
          .once('close', resolve)
          .setTimeout(200, () => resolve(0)),
      )
    if (i % 3 === 2) await sleep(i)
    socket.destroy()
  }
  const psql = new pg.Client(server.database.url)
  await psql.connect()
  const countHeld = async () => {
    const { rows } = await psql.query('select coalesce(sum(held), 0)::int as held from concurrency_slot')
    return rows[0].held
  }
  for (let round = 0; round < 3; round++) {
    const leaving = Array.from({ length: 30 }, (_, i) => leaveEarly(texts[i % texts.length]!, i))
    if (round > 0)
      await psql.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await Promise.all(leaving)
    await until(async () => (await ann.get('/user')).status === 200)
    await until(async () => (await countHeld()) === 0)
  }
  await psql.end()
})
