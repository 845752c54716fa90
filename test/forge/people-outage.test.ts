/** A database in trouble is told as such: it is never taken for a user, a member or a team that is not there. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

for (const engine of oneEngine) {
  describe(`people in an outage on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      await makeUser(server, 'bob')
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await asAdmin(server).put('/orgs/acme/memberships/bob', {})
      await ann.post('/orgs/acme/teams', { name: 'Crew' })
    })
    after(() => server.stop())

    /** With a column that is away for as long as the act takes. */
    async function without<T>(table: string, column: string, act: () => Promise<T>): Promise<T> {
      const rename = (from: string, to: string) =>
        server.services.store.write((trx) =>
          sql`alter table ${sql.table(table)} rename column ${sql.ref(from)} to ${sql.ref(to)}`.execute(trx),
        )
      await rename(column, 'away')
      try {
        return await act()
      } finally {
        await rename('away', column)
      }
    }

    test('a membership that can’t be read is no missing one', async () => {
      await without('organisation_member', 'is_public', async () => {
        const answers = [
          await ann.get('/orgs/acme/members/bob'),
          await ann.put('/orgs/acme/memberships/bob', { role: 'member' }),
          await ann.post('/orgs/acme/teams', { name: 'Other', maintainers: ['bob'] }),
          await ann.put('/orgs/acme/teams/crew/memberships/bob', {}),
        ]
        assert.deepEqual(
          answers.map(({ status }) => status),
          [500, 500, 500, 500],
        )
      })
      assert.equal((await ann.get('/orgs/acme/members/bob')).status, 204)
    })

    test('an owner who can’t be read is no missing one', async () => {
      const draft = { login: 'later', admin: 'ann' }
      await without('profile', 'plan', async () =>
        assert.equal((await asAdmin(server).post('/admin/organizations', draft)).status, 500),
      )
      assert.equal((await asAdmin(server).post('/admin/organizations', draft)).status, 201)
    })

    test('who can’t be put in a team is not invited to its organisation either', async () => {
      await makeUser(server, 'cid')
      const put = () => ann.put('/orgs/acme/teams/crew/memberships/cid', {})
      await without('team_member', 'created_at', async () => assert.equal((await put()).status, 500))
      assert.equal((await ann.get('/orgs/acme/memberships/cid')).status, 404)
      assert.equal((await put()).body.state, 'pending')
    })
  })
}
