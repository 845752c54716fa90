/** A full disk: what can't be kept is refused, what was answered stays, and the server lives on. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { makeManualClock } from '../../src/lib/clock.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin, startServer } from '../support/server.ts'

const cli = join(import.meta.dirname, '..', '..', 'src', 'cli.ts')
let folder: string
let child: ChildProcess

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-full-'))
})
after(async () => {
  child?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** No file may grow past so many kilobytes: the system refuses the write, as it does on a full disk. */
async function serve(maxFileKilobytes?: number): Promise<string> {
  const limit = maxFileKilobytes ? `trap '' XFSZ; ulimit -f ${maxFileKilobytes}; ` : ''
  child = spawn('bash', ['-c', `${limit}exec "$@"`, 'bash', process.execPath, cli, 'serve'], {
    env: {
      ...process.env,
      GUILDHALL_PORT: '0',
      GUILDHALL_DATA: folder,
      GUILDHALL_EXECUTORS: '0',
      GUILDHALL_LOG: 'silent',
      GUILDHALL_ADMIN_PASSWORD: admin.password,
      GUILDHALL_ADMIN_TOKEN: admin.token,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const chunk of child.stdout!) {
    const found = /http:\/\/localhost:\d+/.exec(String(chunk))
    if (found) return found[0].replace('localhost', '127.0.0.1')
  }
  throw new Error('The server did not start.')
}

async function end(): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

test('accounts refused for want of room are not there, those answered are, and the server answers on', async () => {
  // The tables have their files before the disk is full, and the admin a place in them.
  await serve()
  await end()
  const largest = Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size))
  const client = makeRpcClient(await serve(Math.ceil(largest / 1024) + 200), admin.token)
  const outcomes = new Map<string, boolean>()
  for (let i = 0; i < 150 && [...outcomes.values()].filter((isKept) => !isKept).length < 5; i++) {
    const AccountName = `full-${i}`
    const params = { AccountName, DisplayName: 'x'.repeat(64), Role: 'contestant', Password: 'a password' }
    const code = await client.code('create_account', params)
    assert.ok(code === 0 || code === -32603, `code ${code}`)
    outcomes.set(AccountName, code === 0)
  }
  assert.ok([...outcomes.values()].includes(false), 'the disk was never full')
  assert.ok((await client.call('get_account_list', { Offset: 0, Limit: 100 })).TotalAccountCount > 1)
  child.kill('SIGKILL')

  const again = makeRpcClient(await serve(), admin.token)
  const { AccountList } = await again.call('get_account_list', { Offset: 0, Limit: 100 })
  const kept = new Set(AccountList.map((account: { AccountName: string }) => account.AccountName))
  const first = [...outcomes].slice(-90)
  for (const [name, wasAnswered] of first) assert.equal(kept.has(name), wasAnswered, name)
  await again.call('create_account', {
    AccountName: 'room-again',
    DisplayName: 'x',
    Role: 'contestant',
    Password: 'a password',
  })
})

test('a disk that takes no more keeps nobody from reading, and each interface says why nothing is written', async () => {
  const clock = makeManualClock()
  const server = await startServer('sqlite', { clock })
  try {
    const byToken = makeRpcClient(server.url, admin.token)
    const bySession = await byToken.signIn(admin.name, admin.password)
    await server.services.store.write((trx) => sql`pragma query_only = 1`.execute(trx))
    // The use of both would be noted by now.
    clock.advance(10 * 60_000)
    for (const client of [byToken, bySession]) await client.call('get_account_list', { Offset: 0, Limit: 10 })

    const { error } = await byToken.ask('update_account', { ID: 1, DisplayName: 'Other' })
    assert.deepEqual([error.code, typeof error.data.RequestID], [-32603, 'string'])
    assert.match(error.message, /disk is full/)
    const headers = { authorization: `Bearer ${admin.token}` }
    const post = (path: string, body: string) => fetch(`${server.url}${path}`, { method: 'POST', headers, body })
    for (const answer of [await post('/user/repos', '{"name":"a"}'), await post('/v2/datasets?name=a', '')]) {
      assert.equal(answer.status, 503)
      assert.match(await answer.text(), /disk is full/)
    }
  } finally {
    await server.stop()
  }
})
