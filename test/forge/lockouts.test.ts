/** Lock-outs as admins meet them: told of a proxy that makes them likely, seen and lifted. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Engine, engines } from '../support/engines.ts'
import { type LogLines, makeLogLines } from '../support/log-lines.ts'
import { runProgram } from '../support/program.ts'
import { asAdmin, makeRest, makeUser } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

for (const engine of engines) {
  describe(`lock-outs on ${engine}`, () => {
    let server: TestServer
    let lines: LogLines
    before(async () => {
      lines = makeLogLines()
      server = await startServer(engine, { log: lines.log, environment: { GUILDHALL_LIMITS: 'off' } })
    })
    after(() => server.stop())

    const environment = (): Record<string, string> => environmentOf(engine, server)
    const basic = (login: string, token: string) => ({
      authorization: `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`,
    })

    async function lockOut(login: string): Promise<void> {
      const client = makeRest(server.url)
      for (let i = 0; i < 10; i++) await client.get('/user', basic(login, `gdp_${'x'.repeat(36)}`))
      assert.equal((await client.get('/user', basic(login, 'wrong'))).status, 403)
    }

    test('an admin sees who is locked out and lets them in; others may not', async () => {
      const ann = await makeUser(server, 'ann')
      await lockOut('ann')
      assert.equal((await ann.get('/user')).status, 403)
      const root = asAdmin(server)
      const { body } = await root.get('/admin/lockouts')
      assert.deepEqual(Object.keys(body[0]), ['key', 'blocked_until'])
      assert.equal(body[0].key, 'credential:user:ann')
      assert.equal((await root.delete('/admin/lockouts/credential%3Auser%3Aann')).status, 204)
      assert.equal((await ann.get('/user')).status, 200)
      assert.deepEqual((await root.get('/admin/lockouts')).body, [])
      assert.equal((await root.delete('/admin/lockouts/credential%3Auser%3Aann')).status, 404)
      assert.equal((await ann.get('/admin/lockouts')).status, 403)
    })

    test('so does the command line, beside a running server', async () => {
      const bob = await makeUser(server, 'bob')
      await lockOut('bob')
      assert.match((await runProgram(['lockout', 'list'], environment())).out, /credential:user:bob/)
      assert.equal((await runProgram(['lockout', 'lift', 'credential:user:bob'], environment())).code, 0)
      assert.equal((await bob.get('/user')).status, 200)
      const again = await runProgram(['lockout', 'lift', 'credential:user:bob'], environment())
      assert.deepEqual([again.code, /is not locked out/.test(again.err)], [1, true])
      await lockOut('bob')
      const tokens = makeRest(server.url)
      for (let i = 0; i < 10; i++) await tokens.get('/user', { authorization: `Bearer gdp_${'x'.repeat(36)}` })
      const { out } = await runProgram(['lockout', 'list'], environment())
      assert.match(out, /^bob +credential:user:bob /m)
      assert.match(out, /^127\.0\.0\.1 +credential:address:127\.0\.0\.1 /m)
      for (const who of ['Bob', '127.0.0.1'])
        assert.equal((await runProgram(['lockout', 'lift', who], environment())).code, 0, who)
      assert.equal((await bob.get('/user')).status, 200)
    })

    test('the first request through a proxy that is not believed is told in the log, once, with what to set', async () => {
      await makeRest(server.url).get('/meta')
      assert.deepEqual(lines.find(/proxy/), [])
      for (let i = 0; i < 3; i++) await makeRest(server.url).get('/meta', { 'x-forwarded-for': '192.0.2.7' })
      const told = lines.find(/proxy/)
      assert.equal(told.length, 1)
      assert.match(told[0].msg, /GUILDHALL_TRUST_PROXY=on/)
    })
  })
}

const environmentOf = (engine: Engine, { database }: TestServer): Record<string, string> => ({
  GUILDHALL_DATA: database.folder,
  ...(engine === 'postgres' && { DATABASE_URL: database.url! }),
})
