/** A database connection that dies: the call that had it may fail, the next ones work, nothing answered is lost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { makeRpcClient, type RpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

let server: TestServer
let client: RpcClient
before(async () => {
  server = await startServer('postgres')
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
  await create('after-all')
  assert.equal(answered.at(-1), 'after-all')
  const { AccountList } = await client.call('get_account_list', { Offset: 0, Limit: 100 })
  const names = new Set(AccountList.map((account: { AccountName: string }) => account.AccountName))
  for (const name of answered) assert.ok(names.has(name), name)
})
