/** Rights that must not be had by a way around: parents of teams, grants of tokens, addresses of others. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const logins = ({ body }: { body: Json }): string[] => body.map(({ login }: { login: string }) => login)
const names = ({ body }: { body: Json }): string[] => body.map(({ name }: { name: string }) => name)

for (const engine of engines) {
  describe(`rights on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let root: RestClient
    /** Owns the organisation acme, whose members have nothing by themselves. */
    let ann: RestClient
    /** Members of acme. */
    let bob: RestClient
    let cid: RestClient
    let stranger: RestClient

    const tokenOf = async (login: string, draft: object) => makeRest(server.url, await makeToken(server, login, draft))
    const classic = (login: string, ...scopes: string[]) => tokenOf(login, { kind: 'classic', scopes })
    const fine = (login: string, permissions: object, repositories: unknown = 'all', owner = login) =>
      tokenOf(login, { kind: 'fine-grained', permissions, repositories, resource_owner: owner })
    const forAcme = (login: string, permissions: object, repositories: unknown = 'all') =>
      fine(login, permissions, repositories, 'acme')
    const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      cid = await makeUser(server, 'cid')
      stranger = await makeUser(server, 'stranger')
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.patch('/orgs/acme', { default_repository_permission: 'none' })
      for (const login of ['bob', 'cid']) await root.put(`/orgs/acme/memberships/${login}`, {})
      await ann.post('/orgs/acme/repos', { name: 'vault', private: true })
      await ann.post('/user/repos', { name: 'open' })
      await ann.post('/user/repos', { name: 'closed', private: true })
    })
    after(() => server.stop())

    rule('a team goes below another, and away from it, only by who maintains both', async () => {
      const { body: keepers } = await ann.post('/orgs/acme/teams', { name: 'Keepers', privacy: 'closed' })
      await ann.put('/orgs/acme/teams/keepers/repos/acme/vault', { permission: 'admin' })
      const below = { name: 'Below', privacy: 'closed', parent_team_id: keepers.id }
      assert.equal(await statusOf(bob.post('/orgs/acme/teams', below)), 403)
      const { body: own } = await bob.post('/orgs/acme/teams', { name: 'Own', privacy: 'closed' })
      assert.equal(await statusOf(bob.patch('/orgs/acme/teams/own', { parent_team_id: keepers.id })), 403)
      assert.equal(await statusOf(bob.get('/repos/acme/vault')), 404)

      await ann.put('/orgs/acme/teams/keepers/memberships/cid', { role: 'maintainer' })
      assert.equal(await statusOf(cid.patch('/orgs/acme/teams/own', { parent_team_id: keepers.id })), 403)
      await ann.put('/orgs/acme/teams/own/memberships/cid', { role: 'maintainer' })
      assert.equal(await statusOf(cid.patch('/orgs/acme/teams/own', { parent_team_id: keepers.id })), 200)
      assert.equal(await statusOf(bob.get('/repos/acme/vault')), 200)
      assert.equal(await statusOf(bob.patch('/orgs/acme/teams/own', { parent_team_id: null })), 403)
      assert.equal(await statusOf(bob.patch('/orgs/acme/teams/own', { parent_team_id: keepers.id })), 200, 'no move')
      assert.equal(await statusOf(cid.patch('/orgs/acme/teams/own', { parent_team_id: null })), 200)
      assert.equal(await statusOf(ann.patch('/orgs/acme/teams/keepers', { parent_team_id: own.id })), 200)
      for (const slug of ['own']) await ann.delete(`/orgs/acme/teams/${slug}`)
    })

    rule('a secret team that one may not see is no team to put one’s own below', async () => {
      const { body: hidden } = await ann.post('/orgs/acme/teams', { name: 'Hidden', privacy: 'secret' })
      const refused = await bob.post('/orgs/acme/teams', { name: 'Prober', parent_team_id: hidden.id })
      const unknown = await bob.post('/orgs/acme/teams', { name: 'Prober', parent_team_id: 999_999 })
      assert.deepEqual([refused.status, refused.body.errors], [422, unknown.body.errors])
    })

    rule('concealed members are shown by a token that may tell of them, and by no other', async () => {
      const all = ['ann', 'bob', 'cid']
      const seen = async (client: RestClient) => logins(await client.get('/orgs/acme/members'))
      assert.deepEqual(await seen(ann), all)
      assert.deepEqual(await seen(await classic('bob', 'read:org')), all)
      assert.deepEqual(await seen(await forAcme('bob', { members: 'read' })), all)
      const workflow = { kind: 'workflow', permissions: { members: 'read' }, repositories: ['acme/vault'] }
      for (const blind of [
        await classic('ann'),
        await classic('ann', 'repo'),
        await fine('ann', {}),
        await fine('ann', { members: 'write' }),
        await forAcme('ann', {}),
        await forAcme('ann', { contents: 'write' }),
        await tokenOf('ann', workflow),
        await tokenOf('ann', { ...workflow, kind: 'installation' }),
        await classic(admin.name, 'repo', 'user'),
        stranger,
      ]) {
        assert.deepEqual(await seen(blind), [])
        assert.equal(await statusOf(blind.get('/orgs/acme/members/bob')), 404)
      }
      assert.deepEqual(logins(await (await classic('bob')).get('/users/bob/orgs')), [])
      assert.deepEqual(logins(await (await fine('bob', {})).get('/users/bob/orgs')), [])
      assert.equal(await statusOf((await fine('bob', {})).get('/user/orgs')), 403)
      assert.deepEqual(logins(await bob.get('/users/bob/orgs')), ['acme'])
    })

    rule('what an organisation shows its owners needs an owner’s token', async () => {
      const seesMore = async (client: RestClient) => 'billing_email' in (await client.get('/orgs/acme')).body
      assert.equal(await seesMore(ann), true)
      assert.equal(await seesMore(await forAcme('ann', { organization_administration: 'read' })), true)
      for (const less of [
        await classic('ann'),
        await classic('ann', 'read:org', 'repo'),
        await forAcme('ann', { members: 'write' }),
        await fine('ann', { organization_administration: 'write' }),
        await tokenOf('ann', { kind: 'installation', permissions: { organization_administration: 'write' } }),
        await classic(admin.name, 'admin:org'),
        bob,
      ])
        assert.equal(await seesMore(less), false)
    })

    rule('private repositories are listed by tokens that may see a repository, and no others', async () => {
      const seen = async (client: RestClient, path: string) => names(await client.get(path))
      for (const [path, name] of [
        ['/orgs/acme/repos', 'vault'],
        ['/users/ann/repos', 'closed'],
        ['/users/ann/subscriptions', 'closed'],
      ] as const) {
        const owner = path.split('/')[2]!
        assert.ok((await seen(ann, path)).includes(name), path)
        assert.ok((await seen(await fine('ann', { contents: 'read' }, 'all', owner), path)).includes(name), path)
        for (const blind of [
          await classic('ann'),
          await classic('ann', 'public_repo', 'admin:org'),
          await fine('ann', {}, 'all', owner),
          await fine('ann', { contents: 'read' }, 'all', owner === 'ann' ? 'acme' : 'ann'),
          await fine('ann', { members: 'write', profile: 'write', datasets: 'write' }, 'all', owner),
          await fine('ann', { contents: 'read' }, ['ann/open']),
          await tokenOf('ann', { kind: 'workflow', permissions: {}, repositories: [`${path.split('/')[2]}/${name}`] }),
          await classic(admin.name, 'repo'),
        ])
          assert.ok(!(await seen(blind, path)).includes(name), path)
      }
    })

    rule('an admin of the server is one by a token with the scope for it', async () => {
      const plain = await classic(admin.name, 'repo', 'user', 'admin:org')
      assert.equal((await plain.get('/users/ann')).body.email, null)
      assert.equal(await statusOf(plain.get('/repos/ann/closed')), 404)
      assert.equal(await statusOf(plain.get('/orgs/acme/teams')), 403)
      assert.equal(await statusOf(plain.patch('/orgs/acme', { description: 'Taken' })), 403)
      assert.equal((await root.get('/users/ann')).body.email, 'ann@example.org')
      assert.equal(await statusOf(root.get('/repos/ann/closed')), 200)
    })

    rule('one’s own address is told by a token that was given it', async () => {
      const email = async (client: RestClient, path = '/user') => (await client.get(path)).body.email
      assert.equal(await email(await fine('bob', { email_addresses: 'read' })), 'bob@example.org')
      for (const blind of [await fine('bob', {}), await fine('bob', { contents: 'write' })]) {
        assert.equal(await email(blind), null)
        assert.equal(await email(blind, '/users/bob'), null)
      }
      const app = await tokenOf('bob', { kind: 'installation', permissions: { email_addresses: 'read' } })
      assert.equal(await email(app, '/users/bob'), null)
    })

    rule('a repository is given to a team by a token that administers the repository as well', async () => {
      await ann.post('/orgs/acme/teams', { name: 'Given', privacy: 'closed' })
      await ann.post('/orgs/acme/repos', { name: 'spare' })
      const members = await forAcme('ann', { members: 'write' })
      const other = await forAcme('ann', { members: 'write', administration: 'write' }, ['acme/spare'])
      const elsewhere = await fine('ann', { members: 'write', administration: 'write' })
      const path = '/orgs/acme/teams/given/repos/acme/vault'
      for (const client of [members, other, elsewhere]) {
        const status = await statusOf(client.put(path, { permission: 'admin' }))
        assert.ok(status === 403 || status === 404, String(status))
        const begun = await client.post('/orgs/acme/teams', { name: 'Begun', repo_names: ['acme/vault'] })
        assert.ok(begun.status === 403 || begun.status === 404, String(begun.status))
      }
      const both = await forAcme('ann', { members: 'write', administration: 'write' })
      assert.equal(await statusOf(both.put(path, { permission: 'pull' })), 204)
      assert.equal(await statusOf(cid.delete(path)), 404, 'neither an admin of it nor a maintainer')
      await ann.put('/orgs/acme/teams/given/memberships/cid', { role: 'maintainer' })
      assert.equal(await statusOf(cid.delete(path)), 204)
    })

    rule('tokens that only read, or act for nobody, accept nothing and watch nothing', async () => {
      const invite = async () => (await bob.put('/repos/bob/shared/collaborators/ann', {})).body.id
      await bob.post('/user/repos', { name: 'shared', private: true })
      const id = await invite()
      const reading = { metadata: 'read', contents: 'read', administration: 'read', members: 'read', watching: 'read' }
      const everything = { metadata: 'read', administration: 'write', watching: 'write', members: 'write' }
      const app = { permissions: everything, repositories: ['ann/open'] }
      await root.post('/admin/organizations', { login: 'later', admin: 'bob' })
      await bob.put('/orgs/later/memberships/ann', {})
      for (const client of [
        await fine('ann', reading),
        await classic('ann'),
        await tokenOf('ann', { kind: 'installation', ...app }),
        await tokenOf('ann', { kind: 'workflow', ...app }),
      ]) {
        assert.equal(await statusOf(client.patch(`/user/repository_invitations/${id}`)), 403)
        assert.equal(await statusOf(client.delete(`/user/repository_invitations/${id}`)), 403)
        assert.equal(await statusOf(client.patch('/user/memberships/orgs/later', { state: 'active' })), 403)
        assert.equal(await statusOf(client.put('/repos/ann/open/subscription', { ignored: true })), 403)
        assert.equal(await statusOf(client.delete('/repos/ann/open/subscription')), 403)
      }
      assert.equal((await ann.get('/repos/ann/open/subscription')).body.subscribed, true)
      const may = await fine('ann', everything)
      assert.equal(await statusOf(may.put('/repos/ann/open/subscription', {})), 200)
      // What others own is nothing to a token for oneself.
      assert.equal(await statusOf(may.patch(`/user/repository_invitations/${id}`)), 404)
      assert.equal(await statusOf(may.patch('/user/memberships/orgs/later', { state: 'active' })), 404)
      assert.equal(await statusOf(ann.patch(`/user/repository_invitations/${id}`)), 204)
      assert.equal(await statusOf(ann.patch('/user/memberships/orgs/later', { state: 'active' })), 200)
    })

    rule('who may do what is told to those who may push, and teams to those who may see them', async () => {
      for (const [client, status] of [
        [stranger, 403],
        [makeRest(server.url), 401],
        [ann, 200],
      ] as const)
        assert.equal(await statusOf(client.get('/repos/ann/open/collaborators/ann/permission')), status)
      await ann.post('/orgs/acme/repos', { name: 'shop' })
      await ann.post('/orgs/acme/teams', { name: 'Quiet', privacy: 'secret', repo_names: ['acme/shop'] })
      await ann.post('/orgs/acme/teams', { name: 'Loud', privacy: 'closed', repo_names: ['acme/shop'] })
      await ann.put('/repos/acme/shop/collaborators/stranger', { permission: 'admin' })
      const { body: invitations } = await stranger.get('/user/repository_invitations')
      await stranger.patch(`/user/repository_invitations/${invitations[0].id}`)
      await ann.put('/repos/acme/shop/collaborators/bob', { permission: 'admin' })
      const seen = async (client: RestClient) => names(await client.get('/repos/acme/shop/teams'))
      assert.deepEqual(await seen(ann), ['Loud', 'Quiet'])
      assert.deepEqual(await seen(bob), ['Loud'])
      assert.deepEqual(await seen(stranger), [])
    })

    rule('an installation reaches what its account owns, and nothing that its user has elsewhere', async () => {
      const permissions = { contents: 'write', metadata: 'read' }
      const app = await tokenOf('ann', { kind: 'installation', permissions, repositories: 'all' })
      assert.equal(await statusOf(app.get('/repos/ann/closed')), 200)
      assert.equal(await statusOf(app.get('/repos/acme/vault')), 404)
      assert.deepEqual(names(await app.get('/orgs/acme/repos?type=private')), [])
      const theirs = await tokenOf('acme', { kind: 'installation', permissions, repositories: 'all' })
      assert.equal(await statusOf(theirs.get('/repos/acme/vault')), 200)
      const refs = (client: RestClient, name: string) =>
        fetch(`${server.url}/${name}.git/info/refs?service=git-receive-pack`, {
          headers: { authorization: `Basic ${Buffer.from(`x-access-token:${client.token}`).toString('base64')}` },
        })
      assert.equal(await statusOf(refs(app, 'ann/closed')), 200)
      assert.equal(await statusOf(refs(app, 'acme/vault')), 404)
    })

    rule('who is removed from a repository takes along the invitations that they sent', async () => {
      await ann.post('/user/repos', { name: 'guests' })
      const { body: own } = await ann.put('/repos/ann/guests/collaborators/cid', { permission: 'admin' })
      await cid.patch(`/user/repository_invitations/${own.id}`)
      await cid.put('/repos/ann/guests/collaborators/stranger', { permission: 'admin' })
      assert.equal((await ann.get('/repos/ann/guests/invitations')).body.length, 1)
      assert.equal(await statusOf(cid.delete('/repos/ann/guests/collaborators/stranger2')), 404)
      assert.equal(await statusOf(cid.delete('/repos/ann/guests/collaborators/cid')), 204)
      assert.equal((await ann.get('/repos/ann/guests/invitations')).body.length, 0)
      assert.equal(await statusOf(cid.patch('/repos/ann/guests', { description: 'Still mine?' })), 403)
    })

    rule('an owner who is suspended is not the other owner', async () => {
      await root.post('/admin/organizations', { login: 'duo', admin: 'ann' })
      await root.put('/orgs/duo/memberships/cid', { role: 'admin' })
      await root.put('/users/cid/suspended')
      assert.equal(await statusOf(ann.delete('/orgs/duo/members/ann')), 403)
      assert.equal(await statusOf(ann.put('/orgs/duo/memberships/ann', { role: 'member' })), 403)
      await root.delete('/users/cid/suspended')
      assert.equal(await statusOf(ann.delete('/orgs/duo/members/ann')), 204)
    })

    rule('a suspension tells when it began, and begins once', async () => {
      await root.post('/admin/users', { login: 'paused' })
      await root.put('/users/paused/suspended')
      const { suspended_at: since } = (await root.get('/users/paused')).body
      assert.ok(Math.abs(Date.parse(since) - Date.now()) < 60_000)
      const { id } = (await root.get('/users/paused')).body
      const [before] = await server.services.store.db.selectFrom('account').selectAll().where('id', '=', id).execute()
      await root.put('/users/paused/suspended')
      await server.services.store.write((trx) =>
        trx.updateTable('account').set({ updated_at: 0 }).where('id', '=', id).execute(),
      )
      const [later] = await server.services.store.db.selectFrom('account').selectAll().where('id', '=', id).execute()
      assert.equal(later!.suspended_at, before!.suspended_at)
      assert.equal((await root.get('/users/paused')).body.suspended_at, since)
    })

    test('nobody takes the address that stands for another’s commits', async () => {
      for (const email of ['ann@users.noreply', 'ANN@Users.Noreply', 'bob@users.noreply', 'none@users.noreply'])
        assert.equal((await bob.patch('/user', { email })).body.errors?.[0].field, 'email', email)
      assert.equal(await statusOf(ann.patch('/orgs/acme', { email: 'bob@users.noreply' })), 422)
      assert.equal(await statusOf(root.post('/admin/users', { login: 'thief', email: 'ann@users.noreply' })), 422)
      await ann.post('/user/repos', { name: 'made', auto_init: true })
      const [commit] = (await ann.get('/repos/ann/made/commits')).body
      assert.equal(commit.author.login, 'ann')
    })

    test('of many who take one address at once one has it', async () => {
      for (let round = 0; round < 5; round++) {
        const email = `shared-${round}@example.org`
        const answers = await Promise.all([
          ann.patch('/orgs/acme', { email }),
          bob.patch('/user', { email }),
          cid.patch('/user', { email }),
          ...[1, 2, 3].map((n) => root.post('/admin/users', { login: `taker-${round}-${n}`, email })),
        ])
        assert.equal(answers.filter(({ status }) => status < 300).length, 1)
      }
    })

    rule('an archived repository is brought back, and nothing else in the same breath', async () => {
      await ann.post('/user/repos', { name: 'old', description: 'as it was' })
      await ann.patch('/repos/ann/old', { archived: true })
      for (const also of [{ name: 'new' }, { description: 'changed' }, { private: true }, { has_wiki: false }])
        assert.equal(await statusOf(ann.patch('/repos/ann/old', { archived: false, ...also })), 403)
      const { body } = await ann.get('/repos/ann/old')
      assert.deepEqual([body.archived, body.description, body.private, body.has_wiki], [true, 'as it was', false, true])
      assert.equal(await statusOf(ann.patch('/repos/ann/old', { archived: false })), 200)
    })

    rule('an owner who is removed takes along the invitations to repositories that they sent', async () => {
      const dora = await makeUser(server, 'dora')
      const accomplice = await makeUser(server, 'accomplice')
      await root.put('/orgs/acme/memberships/dora', { role: 'admin' })
      await dora.ask('PATCH', '/user/memberships/orgs/acme', { state: 'active' })
      const sent = await dora.put('/repos/acme/vault/collaborators/accomplice', { permission: 'admin' })
      assert.equal(sent.status, 201)
      await ann.delete('/orgs/acme/members/dora')
      assert.equal((await accomplice.patch(`/user/repository_invitations/${sent.body.id}`)).status, 404)
      assert.equal((await accomplice.get('/repos/acme/vault')).status, 404)
    })
  })
}
