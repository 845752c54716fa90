/** What counts as one client: limits and lock-outs count an IPv4 address, or a whole IPv6 network; what is written down has the address itself. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { networkOf } from '../../src/lib/network.ts'
import { registerOAuthApp } from '../forge/oauth/oauth-world.ts'
import { engines } from '../support/engines.ts'
import { makeRest, makeUser, type RestAnswer } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const environment = {
  GUILDHALL_TRUST_PROXY: 'on',
  GUILDHALL_LIMIT_FIGURES: 'anonymous=3,audit-log=2,oauth-tokens=2,lfs-anonymous=2',
  GUILDHALL_JUDGE_LIMITS: 'callsPerMinute=3',
}

for (const engine of engines)
  describe(`clients by network, ${engine}`, () => {
    let server: TestServer
    before(async () => {
      server = await startServer(engine, { environment })
    })
    after(() => server.stop())

    const from = (address: string, token?: string) => makeRest(server.url, token, { 'x-forwarded-for': address })
    const statusesOf = async (addresses: readonly string[], ask: (address: string) => Promise<{ status: number }>) => {
      const statuses: number[] = []
      for (const address of addresses) statuses.push((await ask(address)).status)
      return statuses
    }
    /** Four addresses of one network, and one of the next. */
    const spread = (start: string) => {
      const network = `2001:db8:${start}:1`
      const all = [`${network}::1`, `${network}:ffff:ffff:ffff:ffff`, `${network}:0:0:0:2`, `${network}:3:4:5:6`]
      return [...all, `2001:db8:${start}:2::1`]
    }
    const call = async (address: string, method: string, params: object = {}): Promise<string> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params })
      return (await makeRpcClient(server.url).post(body, { 'x-forwarded-for': address })).text()
    }

    test('requests of those who have not signed in count by the /64', async () => {
      const ask = (address: string): Promise<RestAnswer> => from(address).get('/meta')
      assert.deepEqual(await statusesOf(spread('a'), ask), [200, 200, 200, 403, 200])
      const refused = await ask('2001:db8:a:1::77')
      assert.match(refused.body.message, /^API rate limit exceeded for 2001:db8:a:1::77\./, 'they are told their own')
    })

    test('an IPv4 address is one client, however a socket or a proxy spells it', async () => {
      const spellings = ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:c000:207', '192.0.2.7:4711', '192.0.2.8']
      assert.deepEqual(await statusesOf(spellings, (address) => from(address).get('/meta')), [200, 200, 200, 403, 200])
    })

    test('wrong tokens lock out the /64 they come from, and an admin lifts it by an address of it', async () => {
      const root = from('198.51.100.1', admin.token)
      const wrong = { authorization: `Bearer gdp_${'x'.repeat(36)}` }
      const addressOf = (i: number) => `2001:db8:b:1::${i.toString(16)}`
      const ann = await makeUser(server, 'ann')
      // Each client has three requests here: a lock-out is for those who have not yet spent them.
      await server.services.store.write((trx) =>
        trx
          .insertInto('lockout')
          .values({
            key: 'credential:address:2001:db8:b:1::/64',
            failures: JSON.stringify(Array(9).fill(Date.now())),
            blocked_until: 0,
          })
          .execute(),
      )
      assert.equal((await from(addressOf(1)).get('/user', wrong)).status, 401, 'the tenth wrong one')
      assert.equal((await from(addressOf(2), ann.token).get('/user')).status, 403, 'a right one, from beside it')
      assert.equal((await from('2001:db8:b:2::1', ann.token).get('/user')).status, 200)
      const [locked] = (await root.get('/admin/lockouts')).body
      assert.equal(locked.key, 'credential:address:2001:db8:b:1::/64')
      assert.equal((await root.delete(`/admin/lockouts/${encodeURIComponent(addressOf(7))}`)).status, 204)
      assert.equal((await from(addressOf(2), ann.token).get('/user')).status, 200)
    })

    test('the judge’s calls count by the /64', async () => {
      const refused: boolean[] = []
      for (const address of spread('c')) refused.push(/3 calls a minute/.test(await call(address, 'list_problems')))
      assert.deepEqual(refused, [false, false, false, true, false])
    })

    test('new accounts count by the /64', async () => {
      const key = `new-account:${networkOf('2001:db8:d:1::')}`
      await server.services.rates.spend([{ key, limit: 600, windowMs: 3_600_000, cost: 600 }])
      const draft = { AccountName: 'dan', DisplayName: 'dan', Password: 'a good password', Role: 'contestant' }
      assert.match(await call('2001:db8:d:1::9', 'create_account', draft), /600 accounts an hour/)
      assert.match(await call('2001:db8:d:2::9', 'create_account', draft), /"result"/)
    })

    test('what is counted by user and address, or by app and address, counts by the /64', async () => {
      const audit = (address: string) => from(address, admin.token).get('/enterprises/guildhall/audit-log')
      assert.deepEqual(await statusesOf(spread('e'), audit), [200, 200, 403, 403, 200])
      const app = await registerOAuthApp(await makeUser(server, 'eve'), { device_flow: true })
      const exchange = (address: string) =>
        from(address).ask(
          'POST',
          '/login/oauth/access_token',
          {
            client_id: app.client_id,
            device_code: 'none',
            grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          },
          { 'content-type': 'application/json', accept: 'application/json' },
        )
      assert.deepEqual(await statusesOf(spread('f'), exchange), [200, 200, 403, 403, 200])
    })

    test('the audit log has the address itself', async () => {
      const root = from('2001:db8:1:2:3:4:5:6', admin.token)
      await root.post('/admin/users', { login: 'fay' })
      const { body } = await from('203.0.113.9', admin.token).get('/enterprises/guildhall/audit-log?phrase=user:fay')
      assert.deepEqual(
        new Set(body.map(({ actor_ip }: { actor_ip: string }) => actor_ip)),
        new Set(['2001:db8:1:2:3:4:5:6']),
      )
    })
  })

test('the network of an address has as many bits as it is told', () => {
  const cases: [string, number, string][] = [
    ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64'],
    ['2001:db8:1:2ff:3:4:5:6', 56, '2001:db8:1:200::/56'],
    ['2001:db8:1:2ff:3:4:5:6', 48, '2001:db8:1::/48'],
    ['2001:db8:ffff::', 32, '2001:db8::/32'],
    ['2001:db8:ffff::', 33, '2001:db8:8000::/33'],
    ['2001:db8::1', 128, '2001:db8:0:0:0:0:0:1/128'],
    ['2001:db8::ffff', 120, '2001:db8:0:0:0:0:0:ff00/120'],
    ['2001:db8::1', 112, '2001:db8:0:0:0:0:0::/112'],
    ['::ffff:192.0.2.7', 128, '192.0.2.7'],
    ['0:0:0:0:0:ffff:c000:0207', 64, '192.0.2.7'],
    ['::192.0.2.7', 64, '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', 128, '64:ff9b:0:0:0:0:c000:207/128'],
    ['[2001:db8:1:2::5]', 64, '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::5]:4711', 64, '2001:db8:1:2::/64'],
    ['192.0.2.7:4711', 64, '192.0.2.7'],
    ['fe80::1%eth0', 64, 'fe80:0:0:0::/64'],
    ['not:an:address', 64, 'not:an:address'],
    ['house', 64, 'house'],
    ['', 64, ''],
  ]
  for (const [address, bits, network] of cases) assert.equal(networkOf(address, bits), network, `${address} by ${bits}`)
})

test('GUILDHALL_IPV6_PREFIX says how many bits are one client', async () => {
  const server = await startServer('sqlite', { environment: { ...environment, GUILDHALL_IPV6_PREFIX: '48' } })
  try {
    const ask = async (address: string) =>
      (await makeRest(server.url, undefined, { 'x-forwarded-for': address }).get('/meta')).status
    const statuses: number[] = []
    for (const subnet of [1, 2, 3, 4]) statuses.push(await ask(`2001:db8:1:${subnet}::1`))
    assert.deepEqual(statuses, [200, 200, 200, 403])
    assert.equal(await ask('2001:db8:2:1::1'), 200)
  } finally {
    await server.stop()
  }
})

for (const [host, client] of [
  ['::1', '0:0:0:0::/64'],
  // A socket for both families spells an IPv4 address as `::ffff:127.0.0.1`.
  ['::', '127.0.0.1'],
] as const)
  test(`who connects to ${host} without a proxy counts as ${client}, whatever their headers say`, async () => {
    const figures = { GUILDHALL_LIMIT_FIGURES: 'anonymous=3' }
    const server = await startServer('sqlite', { environment: { ...figures, GUILDHALL_HOST: host } })
    try {
      const ask = (address: string, headers = {}) =>
        makeRest(server.url, undefined, { 'x-forwarded-for': address }).get('/meta', headers)
      const wrong = { authorization: `Bearer gdp_${'x'.repeat(36)}` }
      const statuses = [(await ask('2001:db8::1', wrong)).status]
      for (const subnet of [1, 2, 3]) statuses.push((await ask(`2001:db8:1:${subnet}::1`)).status)
      assert.deepEqual(statuses, [401, 200, 200, 403])
      const rows = await server.services.store.db.selectFrom('lockout').select('key').execute()
      assert.deepEqual(
        rows.map(({ key }) => key),
        [`credential:address:${client}`],
      )
    } finally {
      await server.stop()
    }
  })
