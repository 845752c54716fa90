/** Lock-out and rate limits together: who spends what, who is locked out by whom, and what each is told. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { oneEngine } from '../support/engines.ts'
import { makeRest, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

const lockedOut = 'Maximum number of login attempts exceeded. Please try again later.'

for (const engine of oneEngine) {
  describe(`lock-out beside limits on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let victim: RestClient
    /** Each client has an address of its own, as a proxy tells it. */
    const from = (address: string, token?: string) => makeRest(server.url, token, { 'x-forwarded-for': address })
    const wrong = (client: RestClient, login: string) => {
      const authorization = `Basic ${Buffer.from(`${login}:gdp_wrong`).toString('base64')}`
      return client.get('/user', { authorization })
    }
    before(async () => {
      server = await startServer(engine, { clock, environment: { GUILDHALL_TRUST_PROXY: 'on' } })
      victim = from('10.0.0.1', (await makeUser(server, 'victim')).token)
    })
    after(() => server.stop())

    test('an address that has spent its hour locks nobody out', async () => {
      const attacker = from('10.6.6.6')
      for (let i = 0; i < 60; i++) assert.equal((await attacker.get('/meta')).status, 200)
      for (let i = 0; i < 12; i++) {
        const { status, body } = await wrong(attacker, 'victim')
        assert.deepEqual([status, body.message.slice(0, 23)], [403, 'API rate limit exceeded'])
      }
      assert.equal((await victim.get('/user')).status, 200)
    })

    test('who is locked out is told so, not that an address has nothing left', async () => {
      clock.advance(3_600_000)
      const attacker = from('10.6.6.7')
      for (let i = 0; i < 10; i++) assert.equal((await wrong(attacker, 'victim')).status, 401)
      const quiet = from('10.0.0.1')
      for (let i = 0; i < 60; i++) assert.equal((await quiet.get('/meta')).status, 200)
      assert.equal((await quiet.get('/meta')).status, 403)
      const told = await victim.get('/user')
      assert.deepEqual([told.status, told.body.message], [403, lockedOut])
      assert.equal(told.headers.get('x-ratelimit-limit'), '5000', 'the budget is their own')
      assert.equal((await wrong(attacker, 'victim')).body.message, lockedOut)
      clock.advance(10 * 60_000 + 1)
      assert.equal((await victim.get('/user')).status, 200)
    })

    test('a wrong credential is one request of its address, whatever it asks for', async () => {
      clock.advance(3_600_000)
      const attacker = from('10.6.6.8')
      const used = async () => Number((await wrong(attacker, 'nobody-here')).headers.get('x-ratelimit-used'))
      assert.deepEqual([await used(), await used(), await used()], [1, 2, 3])
    })
  })
}
