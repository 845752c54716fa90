/** Whom single sign-on is asked of, credential by credential, at each door: every cell is written by hand. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { theServer } from '../../../src/accounts/actor.ts'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { makeRpcClient } from '../../support/rpc.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import { everyPermission } from '../world.ts'

const oidc = { kind: 'oidc', issuer: 'https://login.example.org', client_id: 'guildhall', client_secret: 'a secret' }
const scopes = ['repo', 'admin:org']

/** What is asked, of a private repository, a public one, the organisation, and over all of them. */
const doors: Readonly<Record<string, (client: RestClient) => Promise<number | boolean>>> = {
  'read private': async (client) => (await client.get('/repos/acme/secret')).status,
  'write public': async (client) =>
    (await client.post('/repos/acme/open/labels', { name: `n${Math.random()}`, color: 'ffffff' })).status,
  'push public': async (client) => {
    const basic = { authorization: `Basic ${btoa(`x-access-token:${client.token}`)}` }
    return (await makeRest(client.url).get('/acme/open.git/info/refs?service=git-receive-pack', basic)).status
  },
  'list members': async (client) => (await client.get('/orgs/acme/teams')).status,
  'change it': async (client) => (await client.patch('/orgs/acme', { description: 'Changed' })).status,
  'be listed': async (client) => (await client.get('/user/repos?per_page=100')).text.includes('acme/secret'),
}

const all = { 'read private': 200, 'write public': 201, 'push public': 200, 'list members': 200, 'change it': 200 }
const passes = { ...all, 'be listed': true }
const refused = {
  ...{ 'read private': 403, 'write public': 403, 'push public': 403, 'list members': 403, 'change it': 403 },
  'be listed': false,
}

for (const engine of engines)
  suite(`whom single sign-on is asked of, ${engine}`, () => {
    let server: TestServer
    let root: RestClient
    const clients: Record<string, RestClient> = {}

    /** As if the provider had vouched for the token's person. */
    async function authorise(token: string, organisation: string): Promise<void> {
      const { store, tokens, forge } = server.services
      const found = (await tokens.find(token))!
      const organisationId: number = (await root.get(`/orgs/${organisation}`)).body.id
      const member = { organisationId, userId: found.account.id }
      const { identities, authorizations } = forge.singleSignOn
      await store.write(async (trx) => {
        await identities.linkWithin(trx, theServer, member, { issuer: oidc.issuer, subject: `${found.account.id}` })
        await authorizations.addWithin(trx, theServer, { ...member, tokenId: found.token.id })
      })
    }

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      root = asAdmin(server)
      const ann = await makeUser(server, 'ann')
      for (const login of ['acme', 'other']) await root.post('/admin/organizations', { login, admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'secret', private: true, auto_init: true })
      await ann.post('/orgs/acme/repos', { name: 'open', auto_init: true })
      const dan = await makeUser(server, 'dan')
      for (const name of ['secret', 'open'])
        await ann.put(`/repos/acme/${name}/collaborators/dan`, { permission: 'push' })
      for (const { id } of (await dan.get('/user/repository_invitations')).body)
        await dan.patch(`/user/repository_invitations/${id}`)
      for (const login of ['acme', 'other']) await root.put(`/orgs/${login}/memberships/admin`, { role: 'admin' })
      const pam = await makeUser(server, 'pam')
      assert.equal((await ann.put('/orgs/acme/memberships/pam')).body.state, 'pending')
      const fine = { kind: 'fine-grained', permissions: everyPermission, repositories: 'all' }
      const make = async (login: string, draft: Parameters<typeof makeToken>[2]) =>
        makeRest(server.url, await makeToken(server, login, draft))
      const session = (await makeRpcClient(server.url).signIn(admin.name, admin.password)).token
      Object.assign(clients, {
        'a classic token': await make('ann', { kind: 'classic', scopes }),
        'an authorised classic token': await make('ann', { kind: 'classic', scopes }),
        'a classic token authorised for another organisation': await make('ann', { kind: 'classic', scopes }),
        'a classic token with the scope of admins, of somebody else': await make('ann', {
          kind: 'classic',
          scopes: [...scopes, 'site_admin'],
        }),
        'an OAuth token': await make('ann', { kind: 'oauth', scopes }),
        'an admin’s classic token with the scope of admins': await make('admin', {
          kind: 'classic',
          scopes: [...scopes, 'site_admin'],
        }),
        'an admin’s classic token without it': await make('admin', { kind: 'classic', scopes }),
        'an admin’s session': makeRest(server.url, session),
        'a collaborator’s classic token': dan,
        'a pending member’s classic token': pam,
        'a fine-grained token for it': await make('ann', { ...fine, resource_owner: 'acme' }),
        'an authorised fine-grained token for it': await make('ann', { ...fine, resource_owner: 'acme' }),
        'a fine-grained token for another organisation': await make('ann', { ...fine, resource_owner: 'other' }),
        'a fine-grained token for oneself': await make('ann', fine),
        'an app’s user token for it': await make('ann', { ...fine, kind: 'app-user', resource_owner: 'acme' }),
      })
      for (const login of ['acme', 'other'])
        assert.equal(
          (await root.patch(`/admin/organizations/${login}`, { sso: { ...oidc, required: true } })).status,
          200,
        )
      await authorise(clients['an authorised classic token']!.token!, 'acme')
      await authorise(clients['an authorised fine-grained token for it']!.token!, 'acme')
      await authorise(clients['a classic token authorised for another organisation']!.token!, 'other')
    })
    after(() => server.stop())

    const expected: Readonly<Record<string, Readonly<Record<string, number | boolean>>>> = {
      'a classic token': refused,
      'an authorised classic token': passes,
      'a classic token authorised for another organisation': refused,
      'a classic token with the scope of admins, of somebody else': refused,
      'an OAuth token': passes,
      'an admin’s classic token with the scope of admins': passes,
      'an admin’s classic token without it': refused,
      'an admin’s session': { ...all, 'push public': 401, 'be listed': true },
      // No member: the organisation has nothing to ask of them.
      'a collaborator’s classic token': { ...passes, 'list members': 403, 'change it': 403 },
      // Strangers still, as is whoever comes with a token that is for others.
      'a pending member’s classic token': { ...refused, 'read private': 404 },
      'a fine-grained token for it': refused,
      'an authorised fine-grained token for it': passes,
      'a fine-grained token for another organisation': { ...refused, 'read private': 404 },
      'a fine-grained token for oneself': { ...refused, 'read private': 404 },
      // Tokens of apps pass single sign-on.
      'an app’s user token for it': passes,
    }

    for (const [who, cells] of Object.entries(expected))
      test(`${who} at every door`, async () => {
        const found: Record<string, number | boolean> = {}
        for (const [door, ask] of Object.entries(doors)) found[door] = await ask(clients[who]!)
        assert.deepEqual(found, cells)
      })

    test('where it is not required nobody is asked', async () => {
      await root.patch('/admin/organizations/acme', { sso: { required: false } })
      for (const who of ['a classic token', 'an admin’s classic token without it']) {
        const found: Record<string, number | boolean> = {}
        for (const [door, ask] of Object.entries(doors)) found[door] = await ask(clients[who]!)
        assert.deepEqual(found, passes, who)
      }
    })
  })
