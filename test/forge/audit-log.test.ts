/** The audit log: each act that touches access writes its entry with it, none without it, and nothing changes one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

for (const engine of oneEngine) {
  describe(`the audit log on ${engine}`, () => {
    let server: TestServer
    let root: RestClient
    let ann: RestClient
    let bob: RestClient
    const place = '/enterprises/guildhall/audit-log'
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
    })
    after(() => server.stop())

    const newest = async (): Promise<Json> => (await root.get(`${place}?per_page=1`)).body[0]
    /** What an act adds, oldest first, as action, actor, and what it was done to. */
    async function added(act: () => Promise<unknown>): Promise<unknown[]> {
      const { body: known } = await root.get(`${place}?per_page=1`)
      await act()
      const { body } = await root.get(`${place}?per_page=100`)
      const fresh = body.slice(
        0,
        body.findIndex(({ _document_id }: Json) => _document_id === known[0]._document_id),
      )
      return fresh.reverse().map(({ action, actor, org, repo, user }: Json) => [action, actor, repo ?? org, user])
    }

    test('each act writes what was done, by whom, to what, in the public platform’s words', async () => {
      const acts: [() => Promise<unknown>, unknown[]][] = [
        [() => root.post('/admin/users', { login: 'cid' }), [['user.create', 'admin', undefined, 'cid']]],
        [
          () => root.post('/admin/users/cid/tokens', { kind: 'classic', scopes: ['repo'] }),
          [['personal_access_token.create', 'admin', undefined, 'cid']],
        ],
        [() => root.put('/users/cid/suspended'), [['user.suspend', 'admin', undefined, 'cid']]],
        [() => root.put('/users/cid/suspended'), []],
        [() => root.delete('/users/cid/suspended'), [['user.unsuspend', 'admin', undefined, 'cid']]],
        [() => ann.put('/orgs/acme/memberships/bob', {}), [['org.invite_member', 'ann', 'acme', 'bob']]],
        [
          () => bob.patch('/user/memberships/orgs/acme', { state: 'active' }),
          [['org.add_member', 'bob', 'acme', 'bob']],
        ],
        [() => ann.put('/orgs/acme/memberships/bob', { role: 'admin' }), [['org.update_member', 'ann', 'acme', 'bob']]],
        [() => ann.post('/orgs/acme/teams', { name: 'Crew' }), [['team.create', 'ann', 'acme', undefined]]],
        [() => ann.put('/orgs/acme/teams/crew/memberships/bob', {}), [['team.add_member', 'ann', 'acme', 'bob']]],
        [() => ann.delete('/orgs/acme/teams/crew/memberships/bob'), [['team.remove_member', 'ann', 'acme', 'bob']]],
        [() => ann.delete('/orgs/acme/teams/crew'), [['team.destroy', 'ann', 'acme', undefined]]],
        [() => ann.delete('/orgs/acme/members/bob'), [['org.remove_member', 'ann', 'acme', 'bob']]],
        [
          () => ann.post('/orgs/acme/repos', { name: 'tool', private: true }),
          [['repo.create', 'ann', 'acme/tool', undefined]],
        ],
        [
          () => ann.put('/repos/acme/tool/collaborators/bob', { permission: 'push' }),
          [['repository_invitation.create', 'ann', 'acme/tool', 'bob']],
        ],
        [
          async () => {
            const [invitation] = (await bob.get('/user/repository_invitations')).body
            await bob.patch(`/user/repository_invitations/${invitation.id}`)
          },
          [['repo.add_member', 'bob', 'acme/tool', 'bob']],
        ],
        [() => ann.delete('/repos/acme/tool/collaborators/bob'), [['repo.remove_member', 'ann', 'acme/tool', 'bob']]],
        [() => ann.patch('/repos/acme/tool', { private: false }), [['repo.access', 'ann', 'acme/tool', undefined]]],
        [() => ann.patch('/repos/acme/tool', { name: 'kit' }), [['repo.rename', 'ann', 'acme/kit', undefined]]],
        [
          () =>
            ann.post('/repos/acme/kit/hooks', {
              config: { url: 'http://127.0.0.1:9999/a-path-that-is-secret', secret: 'never-told' },
              active: false,
            }),
          [['hook.create', 'ann', 'acme/kit', undefined]],
        ],
        [() => ann.delete('/repos/acme/kit'), [['repo.destroy', 'ann', 'acme/kit', undefined]]],
      ]
      for (const [act, expected] of acts) assert.deepEqual(await added(act), expected)
    })

    test('single sign-on, teams’ repositories, migrations and switches are told', async () => {
      const sso = { kind: 'oidc', issuer: 'https://login.example.org', client_id: 'x', client_secret: 'never-told' }
      const settings = (change: object | null) => root.patch('/admin/organizations/acme', { sso: change })
      await ann.post('/orgs/acme/repos', { name: 'rig', private: true })
      await ann.post('/orgs/acme/teams', { name: 'Deck' })
      const team = (permission: string) => ann.put('/orgs/acme/teams/deck/repos/acme/rig', { permission })
      const services = server.services
      const admins = (await services.accounts.findByName(admin.name))!
      const actor = { account: admins, credential: { kind: 'none' }, address: '192.0.2.7' } as const
      const acts: [() => Promise<unknown>, unknown[]][] = [
        [() => settings(sso), [['org.enable_oidc', 'admin', 'acme', undefined]]],
        [() => settings({ required: false }), [['org.update_oidc_provider_settings', 'admin', 'acme', undefined]]],
        [() => settings(null), [['org.disable_oidc', 'admin', 'acme', undefined]]],
        [() => team('push'), [['team.add_repository', 'ann', 'acme/rig', undefined]]],
        [() => team('push'), []],
        [() => team('admin'), [['team.update_repository_permission', 'ann', 'acme/rig', undefined]]],
        [
          () => ann.delete('/orgs/acme/teams/deck/repos/acme/rig'),
          [['team.remove_repository', 'ann', 'acme/rig', undefined]],
        ],
        [
          () => ann.patch('/orgs/acme/teams/deck', { privacy: 'closed' }),
          [['team.change_privacy', 'ann', 'acme', undefined]],
        ],
        [
          () => ann.post('/user/migrations', { repositories: ['acme/rig'], lock_repositories: false }),
          [['migration.create', 'ann', undefined, undefined]],
        ],
        [
          () => services.switches.update(actor, { submission: { disableCreation: false } }),
          [['site.update_switches', 'admin', undefined, undefined]],
        ],
      ]
      for (const [act, expected] of acts) assert.deepEqual(await added(act), expected)
    })

    test('archives, locks, imports, approvals and lifted lock-outs are told, once each', async () => {
      await ann.post('/user/repos', { name: 'kept' })
      const draft = { repositories: ['ann/kept'], lock_repositories: true }
      const migration = `/user/migrations/${(await ann.post('/user/migrations', draft)).body.id}`
      await until(async () => (await ann.get(migration)).body.state === 'exported')
      const { body: app } = await bob.post('/user/oauth-apps', { name: 'Helper', url: 'https://helper.example.org' })
      const approval = `/orgs/acme/approved-oauth-apps/${app.client_id}`
      const lockout = { key: 'password:zoe', failures: '[]', blocked_until: Date.now() + 60_000 }
      await server.services.store.write((trx) => trx.insertInto('lockout').values(lockout).execute())
      const lift = () => root.delete('/admin/lockouts/password%3Azoe')
      const unlock = () => ann.delete(`${migration}/repos/kept/lock`)
      const acts: [() => Promise<unknown>, unknown[]][] = [
        [() => ann.get(`${migration}/archive`), [['migration.download', 'ann', undefined, undefined]]],
        [unlock, [['migration.unlock_repository', 'ann', 'ann/kept', undefined]]],
        [unlock, []],
        [() => ann.delete(`${migration}/archive`), [['migration.destroy_file', 'ann', undefined, undefined]]],
        [() => ann.delete(`${migration}/archive`), []],
        [() => root.post('/admin/imports', {}), [['migration.import', 'admin', undefined, undefined]]],
        [() => ann.put(approval), [['org.oauth_app_access_approved', 'ann', 'acme', undefined]]],
        [() => ann.put(approval), []],
        [() => ann.delete(approval), [['org.oauth_app_access_denied', 'ann', 'acme', undefined]]],
        [() => ann.delete(approval), []],
        [lift, [['user.lockout_lift', 'admin', undefined, undefined]]],
        [lift, []],
      ]
      for (const [act, expected] of acts) assert.deepEqual(await added(act), expected)
    })

    test('signing in, in vain and with success, and a new password are told', async () => {
      const from = { account: undefined, credential: { kind: 'none' }, address: '192.0.2.7' } as const
      const signIn = (name: string, password: string) => server.services.sessions.create(from, name, password)
      const entries = await added(async () => {
        await assert.rejects(signIn(admin.name, 'wrong-password'))
        // Names that nobody has could be made up without end.
        await assert.rejects(signIn('nobody-at-all', 'wrong-password'))
        await signIn(admin.name, admin.password)
      })
      assert.deepEqual(entries, [
        ['user.failed_login', undefined, undefined, 'admin'],
        ['user.login', 'admin', undefined, 'admin'],
      ])
      const { actor_ip } = await newest()
      assert.equal(actor_ip, '192.0.2.7')
      const account = (await server.services.accounts.findByName('bob'))!
      const changed = await added(() => server.services.accounts.amend(account, { password: 'another-password' }))
      assert.deepEqual(changed, [['user.change_password', undefined, undefined, 'bob']])
    })

    test('an act that is refused or rolled back leaves none', async () => {
      assert.deepEqual(
        await added(async () => {
          await bob.put('/orgs/acme/memberships/bob', { role: 'admin' })
          await ann.delete('/orgs/acme/members/ann')
          await ann.put('/repos/ann/nothing/collaborators/bob')
          await root.post('/admin/users', { login: 'ann' })
          await root.delete('/admin/tokens/999999')
        }),
        [],
      )
      const { store } = server.services
      const count = async () => (await store.db.selectFrom('audit_entry').select('id').execute()).length
      const before = await count()
      const { recordAudit } = await import('../../src/accounts/audit/audit-log.ts')
      const { theServer } = await import('../../src/accounts/actor.ts')
      await assert.rejects(
        store.write(async (trx) => {
          await recordAudit(trx, Date.now(), theServer, { action: 'user.create' })
          throw new Error('The act comes to nothing.')
        }),
      )
      assert.equal(await count(), before)
    })

    test('the database refuses to change an entry, or to delete one that is young', async () => {
      const { store } = server.services
      await assert.rejects(
        store.write((trx) => trx.updateTable('audit_entry').set({ action: 'nothing' }).execute()),
        /append-only/,
      )
      await assert.rejects(
        store.write((trx) => trx.deleteFrom('audit_entry').execute()),
        /append-only/,
      )
      const text = JSON.stringify(await store.db.selectFrom('audit_entry').selectAll().execute())
      for (const secret of [admin.token, admin.password, ann.token!, 'never-told', 'a-path-that-is-secret'])
        assert.ok(!text.includes(secret))
    })

    test('pages go by cursor, both ways and in both orders, and a phrase narrows them', async () => {
      const all: Json[] = (await root.get(`${place}?per_page=100`)).body
      const walk = async (path: string, rel: string): Promise<string[]> => {
        const seen: string[] = []
        for (let next: string | undefined = path; next !== undefined; ) {
          const { body, headers, status } = await root.get(next)
          assert.equal(status, 200)
          seen.push(...body.map(({ _document_id }: Json) => _document_id))
          const found = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1]
          next = found?.slice(server.url.length)
        }
        return seen
      }
      const ids = all.map(({ _document_id }) => _document_id)
      assert.deepEqual(await walk(`${place}?per_page=7`, 'next'), ids)
      assert.deepEqual(await walk(`${place}?per_page=7&order=asc`, 'next'), ids.toReversed())
      const members: Json[] = (await root.get(`${place}?phrase=action:org.add_member+actor:bob`)).body
      assert.deepEqual(
        members.map(({ action, actor }) => [action, actor]),
        [['org.add_member', 'bob']],
      )
      const teams: Json[] = (await root.get(`${place}?phrase=team`)).body
      assert.ok(teams.length > 0 && teams.every(({ action }) => action.startsWith('team.')))
      assert.deepEqual((await root.get(`${place}?include=git`)).body, [])
      assert.equal((await root.get(`${place}?phrase=colour:red`)).status, 422)
      assert.equal((await root.get(`${place}?after=nonsense`)).status, 422)
    })

    test('owners see their organisation’s part, others none, with a limit of its own', async () => {
      const { body, headers, status } = await ann.get('/orgs/acme/audit-log?per_page=100')
      assert.equal(status, 200)
      assert.ok(body.length > 5 && body.every(({ org }: Json) => org === 'acme'))
      assert.deepEqual([headers.get('x-ratelimit-resource'), headers.get('x-ratelimit-limit')], ['audit_log', '1750'])
      assert.equal((await bob.get('/orgs/acme/audit-log')).status, 403)
      assert.equal((await ann.get(place)).status, 403)
      assert.equal((await root.get('/enterprises/another/audit-log')).status, 404)
      const bare = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: ['repo'] }))
      assert.equal((await bare.get('/orgs/acme/audit-log')).status, 403)
    })

    test('the whole log is for tokens of admins with `read:audit_log`, which open nothing else of theirs', async () => {
      const ask = async (login: string, scope: string, path: string) => {
        const token = await makeToken(server, login, { kind: 'classic', scopes: [scope] })
        return (await makeRest(server.url, token).get(path)).status
      }
      const table: [login: string, scope: string, whole: number, organisation: number, lockouts: number][] = [
        ['admin', 'read:audit_log', 200, 403, 403],
        ['admin', 'audit_log', 200, 403, 403],
        ['admin', 'site_admin', 200, 403, 200],
        ['admin', 'admin:org', 403, 403, 403],
        ['ann', 'read:audit_log', 403, 200, 403],
        ['bob', 'read:audit_log', 403, 403, 403],
      ]
      for (const [login, scope, ...expected] of table) {
        const paths = [place, '/orgs/acme/audit-log', '/admin/lockouts']
        const statuses = []
        for (const path of paths) statuses.push(await ask(login, scope, path))
        assert.deepEqual(statuses, expected, `${login} with ${scope}`)
      }
    })
  })
}
