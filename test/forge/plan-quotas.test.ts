/** How wide the hour of an installation is: by the plan of the account it is on, its repositories and its people. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

for (const engine of oneEngine) {
  describe(`the hour of an installation on ${engine}`, () => {
    let server: TestServer
    let root: RestClient
    let ann: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMIT_FIGURES: 'content-minute=1000' } })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
    })
    after(() => server.stop())

    async function install(login: string, repositories: unknown = 'all') {
      const draft = { kind: 'installation', repositories, permissions: { contents: 'read' } }
      return makeRest(server.url, await makeToken(server, login, draft))
    }
    const limitOf = async (app: RestClient) => {
      const { headers, body } = await app.get('/rate_limit')
      assert.equal(String(body.resources.core.limit), headers.get('x-ratelimit-limit'))
      return body.resources.core.limit
    }
    const makeOrganisation = (login: string) => root.post('/admin/organizations', { login, admin: 'ann' })

    let enrolled = 0
    /** Members, without the requests that hundreds of them would take. */
    async function enrol(login: string, count: number, state: 'active' | 'pending' = 'active') {
      const { accounts, store } = server.services
      const { id } = (await accounts.findByName(login))!
      await Promise.all(
        Array.from({ length: count }, async () => {
          const name = `person-${++enrolled}`
          const user = await accounts.insert({ name, displayName: name, role: 'contestant' })
          const row = {
            organisation_id: id,
            user_id: user.id,
            role: 'member' as const,
            state,
            is_public: 0,
            created_at: 0,
          }
          await store.write((trx) => trx.insertInto('organisation_member').values(row).execute())
        }),
      )
    }

    test('grows by 50 for each person beyond 20, at once, and not for those who were only invited', async () => {
      await makeOrganisation('grow')
      const app = await install('grow')
      await enrol('grow', 5, 'pending')
      await enrol('grow', 19)
      assert.equal(await limitOf(app), 5_000, '20 with its owner')
      await enrol('grow', 1)
      assert.equal(await limitOf(app), 5_050)
    })

    test('grows with people and repositories together, is 12,500 at the most, and 15,000 by the plan', async () => {
      await makeOrganisation('large')
      await enrol('large', 29)
      for (let i = 0; i < 22; i++) await ann.post('/orgs/large/repos', { name: `r${i}` })
      const app = await install('large')
      const narrow = await install('large', ['large/r1', 'Large/R1'])
      assert.equal(await limitOf(app), 5_000 + 50 * (10 + 2))
      assert.equal(await limitOf(narrow), 5_000 + 50 * 10, 'of the repositories only those chosen count')
      await enrol('large', 137)
      assert.equal(await limitOf(app), 12_450)
      await enrol('large', 1)
      assert.equal(await limitOf(app), 12_500)
      await enrol('large', 1)
      assert.equal(await limitOf(app), 12_500)
      await root.patch('/admin/organizations/large', { plan: 'enterprise' })
      assert.equal(await limitOf(app), 15_000)
      await root.patch('/admin/organizations/large', { plan: 'free' })
      assert.equal(await limitOf(app), 12_500)
    })

    test('is that of the account it is on, which is what a refusal names, and no other token is an organisation’s', async () => {
      const { body } = await root.post('/admin/organizations', { login: 'owner', admin: 'ann' })
      await ann.post('/orgs/owner/repos', { name: 'hidden', private: true })
      await ann.post('/user/repos', { name: 'mine', private: true })
      const app = await install('owner')
      assert.equal((await app.get('/repos/owner/hidden')).status, 200)
      assert.equal((await app.get('/repos/ann/mine')).status, 404)
      assert.equal((await app.get('/user')).status, 403)
      const users = await makeRest(server.url, await makeToken(server, 'ann', { kind: 'installation' })).get('/meta')
      assert.equal(users.headers.get('x-ratelimit-used'), '1', 'another account, another hour')
      const other = await root.post('/admin/users/owner/tokens', { kind: 'classic' })
      assert.equal(other.status, 404)
      const figures = { GUILDHALL_LIMIT_FIGURES: 'installation=0, installation-most=0' }
      const strict = await startServer(engine, { database: server.database, environment: figures })
      try {
        const refused = await makeRest(strict.url, app.token).get('/meta')
        assert.equal(refused.status, 403)
        assert.ok(refused.body.message.startsWith(`API rate limit exceeded for installation ID ${body.id}.`))
      } finally {
        await strict.stop()
      }
    })
  })
}
