/** Tokens and repositories are remembered between requests: a right that is taken away is gone with the next request, whoever took it. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of engines) {
  describe(`remembered rights on ${engine}`, () => {
    let server: TestServer
    let root: RestClient
    let ann: RestClient
    let bob: RestClient
    const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status
    /** Twice, so that the second answer comes of what is remembered. */
    const read = async (client: RestClient, path = '/repos/ann/vault') => {
      const first = await statusOf(client.get(path))
      assert.equal(await statusOf(client.get(path)), first)
      return first
    }

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await ann.post('/user/repos', { name: 'vault', private: true })
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.patch('/orgs/acme', { default_repository_permission: 'none' })
      await ann.post('/orgs/acme/repos', { name: 'plans', private: true })
    })
    after(() => server.stop())

    test('a collaborator who is taken out, and one whose level is lowered', async () => {
      await server.services.store.write((trx) =>
        trx
          .insertInto('collaborator')
          .columns(['repository_id', 'user_id', 'rank', 'created_at'])
          .expression((eb) =>
            eb
              .selectFrom('repository')
              .innerJoin('account', (join) => join.on('account.name', '=', 'bob'))
              .select((inner) => ['repository.id', 'account.id', inner.lit(3).as('rank'), inner.lit(0).as('at')])
              .where('repository.name', '=', 'vault'),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      )
      assert.equal(await read(bob), 200)
      assert.equal(await statusOf(ann.delete('/repos/ann/vault/collaborators/bob')), 204)
      assert.equal(await read(bob), 404)
    })

    test('a repository that becomes private, and one that is renamed', async () => {
      await ann.post('/user/repos', { name: 'open' })
      assert.equal(await read(bob, '/repos/ann/open'), 200)
      assert.equal(await statusOf(ann.patch('/repos/ann/open', { private: true })), 200)
      assert.equal(await read(bob, '/repos/ann/open'), 404)
      await ann.patch('/repos/ann/open', { private: false, name: 'opened' })
      assert.equal(await read(bob, '/repos/ann/opened'), 200)
      await ann.post('/user/repos', { name: 'open', private: true })
      assert.equal(await read(bob, '/repos/ann/open'), 404)
      assert.equal((await ann.get('/repos/ann/open')).body.private, true)
    })

    test('a member who leaves the organisation, and a team that loses its repository', async () => {
      await root.put('/orgs/acme/memberships/bob', {})
      await ann.post('/orgs/acme/teams', { name: 'Crew', privacy: 'closed' })
      await ann.put('/orgs/acme/teams/crew/memberships/bob', {})
      assert.equal(await read(bob, '/repos/acme/plans'), 404)
      await ann.put('/orgs/acme/teams/crew/repos/acme/plans', { permission: 'pull' })
      assert.equal(await read(bob, '/repos/acme/plans'), 200)
      await ann.delete('/orgs/acme/teams/crew/repos/acme/plans')
      assert.equal(await read(bob, '/repos/acme/plans'), 404)
      await ann.patch('/orgs/acme', { default_repository_permission: 'read' })
      assert.equal(await read(bob, '/repos/acme/plans'), 200)
      await ann.delete('/orgs/acme/members/bob')
      assert.equal(await read(bob, '/repos/acme/plans'), 404)
    })

    test('an account that is suspended, and one that is no admin any longer', async () => {
      assert.equal(await read(bob, '/user'), 200)
      await root.put('/users/bob/suspended')
      assert.equal(await read(bob, '/user'), 403)
      await root.delete('/users/bob/suspended')
      assert.equal(await read(bob, '/user'), 200)
      const setRole = (role: 'admin' | 'contestant') =>
        server.services.store.write((trx) =>
          trx.updateTable('account').set({ role }).where('name', '=', 'bob').execute(),
        )
      const text = await makeToken(server, 'bob', { kind: 'classic', scopes: ['repo', 'site_admin'] })
      const client = makeRest(server.url, text)
      await setRole('admin')
      assert.equal(await read(client), 200)
      await setRole('contestant')
      assert.equal(await read(client), 404)
    })

    test('a token that is revoked', async () => {
      const text = await makeToken(server, 'bob', { kind: 'classic', scopes: ['repo'] })
      const client = makeRest(server.url, text)
      assert.equal(await read(client, '/user'), 200)
      const found = await server.services.tokens.find(text)
      await server.services.tokens.revoke(found!.token.id)
      assert.equal(await read(client, '/user'), 401)
    })

    test('what another process takes away at the database', async () => {
      const text = await makeToken(server, 'ann', { kind: 'classic', scopes: ['repo'] })
      const client = makeRest(server.url, text)
      const { folder, url } = server.database
      async function change(statement: string): Promise<void> {
        if (url) {
          const other = new pg.Client(url)
          await other.connect()
          await other.query(statement)
          await other.end()
          return
        }
        const other = new DatabaseSync(`${folder}/guildhall.db`)
        other.exec(statement)
        other.close()
      }
      for (let round = 0; round < 5; round++) {
        assert.equal(await read(client), 200)
        await change("update account set suspended_at = 1 where name = 'ann'")
        assert.equal(await read(client), 403)
        await change("update account set suspended_at = null where name = 'ann'")
        assert.equal(await read(client), 200)
        await change("update repository set name = 'moved', name_key = 'moved' where name = 'vault'")
        assert.equal(await read(client), 404)
        await change("update repository set name = 'vault', name_key = 'vault' where name = 'moved'")
      }
      await change('delete from token where id = (select max(id) from token)')
      assert.equal(await read(client), 401)
    })
  })
}
