/** What an organisation that requires single sign-on keeps from classic tokens, and from no others. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { registerApp } from '../apps/app-world.ts'
import { makeLfsClient, makeObject } from '../lfs/lfs-client.ts'
import { everyPermission } from '../world.ts'

const oidc = { kind: 'oidc', issuer: 'https://login.example.org', client_id: 'guildhall', client_secret: 'a secret' }

for (const engine of engines)
  suite(`protection by single sign-on, ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let root: RestClient
    let ann: RestClient
    let bea: RestClient
    let dan: RestClient
    let acme: number

    before(async () => {
      server = await startServer(engine)
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      bea = await makeUser(server, 'bea')
      dan = await makeUser(server, 'dan')
      for (const login of ['acme', 'open']) await root.post('/admin/organizations', { login, admin: 'ann' })
      acme = (await root.get('/orgs/acme')).body.id
      await root.put('/orgs/acme/memberships/bea', { role: 'member' })
      for (const path of ['/orgs/acme/repos', '/orgs/open/repos', '/user/repos'])
        await ann.post(path, { name: 'secret', private: true, auto_init: true })
      await ann.post('/orgs/acme/repos', { name: 'public' })
      await ann.put('/repos/acme/secret/collaborators/dan', { permission: 'push' })
      const [invitation] = (await dan.get('/user/repository_invitations')).body
      await dan.patch(`/user/repository_invitations/${invitation.id}`)
      await ann.post('/orgs/acme/teams', { name: 'Crew', privacy: 'secret' })
      await bea.put('/repos/acme/secret/subscription', { subscribed: true })
      await ann.post('/repos/acme/secret/issues', { title: 'Hidden', body: '@bea', assignees: ['bea'] })
      await bea.get('/notifications')
      await bea.get('/user/repos')
      const { status, body } = await root.patch('/admin/organizations/acme', { sso: { ...oidc, required: true } })
      assert.equal(status, 200)
      const { client_secret: _, ...shown } = oidc
      assert.deepEqual(body.sso, { required: true, ...shown })
    })
    after(() => server.stop())

    const assertRefused = (answer: { status: number; headers: Headers; body: unknown }, what: string) => {
      assert.equal(answer.status, 403, `${what}: ${JSON.stringify(answer.body)}`)
      const value = answer.headers.get('x-platform-sso') ?? ''
      assert.match(
        value,
        /^required; url=http:\/\/127\.0\.0\.1:\d+\/orgs\/acme\/sso\?authorization_request=[\w.-]+$/,
        what,
      )
      assert.equal(answer.headers.get('x-github-sso'), value)
    }

    rule(
      'a classic token that is not authorised is sent to authorise it, whatever private thing it asks for',
      async () => {
        const reads = [
          ...[
            '',
            '/issues',
            '/issues/1',
            '/issues/events',
            '/issues/1/events',
            '/contents/README.md',
            '/subscription',
          ].map((path) => `/repos/acme/secret${path}`),
          ...['members', 'members/ann', 'repos', 'teams', 'issues', 'memberships/bea'].map(
            (path) => `/orgs/acme/${path}`,
          ),
          '/user/memberships/orgs/acme',
        ]
        for (const path of reads) assertRefused(await bea.get(path), path)
        assertRefused(await ann.post('/repos/acme/secret/issues', { title: 'No' }), 'a write')
        assertRefused(await ann.patch('/orgs/acme', { name: 'No' }), 'an owner')
        assertRefused(await ann.get('/orgs/acme/credential-authorizations'), 'the authorisations')
        assertRefused(await ann.post('/user/migrations', { repositories: ['acme/secret'] }), 'a migration')
        const { body: app } = await registerApp({ server }, dan)
        assertRefused(
          await ann.post(`/apps/${app.slug}/installations`, { account: 'acme' }),
          'an app, whose tokens pass',
        )
        assertRefused(await ann.post('/user/migrations', { repositories: [], org_metadata_only: true }), 'its metadata')
      },
    )

    rule('rights that come of the organisation do not count on what is public either', async () => {
      assertRefused(await ann.patch('/repos/acme/public', { description: 'No' }), 'an admin of the repository')
      assertRefused(await ann.post('/repos/acme/public/labels', { name: 'no', color: 'ffffff' }), 'a label')
      const issue = await ann.post('/repos/acme/public/issues', { title: 'Anyone may', labels: ['bug'] })
      assert.equal(issue.status, 201)
      assert.deepEqual(issue.body.labels, [], 'only those with rights there label what they open')
    })

    rule('what is public is there as before', async () => {
      for (const path of ['/repos/acme/public', '/repos/acme/public/issues', '/orgs/acme', '/orgs/acme/public_members'])
        assert.equal((await ann.get(path)).status, 200, path)
      assert.equal('billing_email' in (await ann.get('/orgs/acme')).body, false, 'what owners alone see')
    })

    test('lists over several organisations leave it out and say so', async () => {
      for (const path of [
        ...['/user/repos', '/user/orgs', '/user/memberships/orgs', '/user/teams', '/issues?filter=all'],
        ...['/user/issues?filter=all', '/notifications?all=true', '/user/subscriptions', '/user/starred'],
        ...['/search/issues?q=Hidden', '/user/migrations'],
        ...['/users/ann/events', '/users/ANN/received_events', '/users/ann/subscriptions'],
      ]) {
        const { status, headers, text } = await ann.get(path)
        assert.equal(status, 200, path)
        assert.equal(headers.get('x-platform-sso'), `partial-results; organizations=${acme}`, path)
        assert.equal(headers.get('x-github-sso'), headers.get('x-platform-sso'))
        assert.doesNotMatch(text, /acme\/secret|"login":"acme","id":\d+[^{}]*"state"/, path)
      }
      for (const path of ['/users/ann/events/public', '/users/bea/events', '/users/bea/received_events'])
        assert.equal((await ann.get(path)).headers.get('x-platform-sso'), null, path)
      const names = (await ann.get('/user/repos?per_page=100')).body.map(
        ({ full_name }: { full_name: string }) => full_name,
      )
      assert.deepEqual(names.sort(), ['acme/public', 'ann/secret', 'open/secret'])
      assert.deepEqual(
        (await ann.get('/user/orgs')).body.map(({ login }: { login: string }) => login),
        ['open'],
      )
      assert.deepEqual((await bea.get('/notifications?all=true')).body, [])
      const byPage = await ann.get('/user/repos', { 'if-none-match': '"x"' })
      assert.equal(byPage.headers.get('x-platform-sso'), `partial-results; organizations=${acme}`)
    })

    rule('a notification of the organisation is not to be had by its id', async () => {
      await root.patch('/admin/organizations/acme', { sso: { required: false } })
      const [thread] = (await bea.get('/notifications?all=true')).body
      assert.equal(thread.repository.full_name, 'acme/secret')
      assert.equal((await bea.get('/notifications')).headers.get('x-platform-sso'), null)
      await root.patch('/admin/organizations/acme', { sso: { required: true } })
      assert.equal((await bea.get(`/notifications/threads/${thread.id}`)).status, 404)
      assert.equal((await bea.ask('PATCH', `/notifications/threads/${thread.id}`)).status, 404)
    })

    test('marking all notifications as read leaves those that are hidden as they are', async () => {
      assert.equal((await bea.put('/notifications')).status, 205)
      await root.patch('/admin/organizations/acme', { sso: { required: false } })
      const unread = (await bea.get('/notifications')).body
      assert.deepEqual(
        unread.map(({ repository, unread: isUnread }: Json) => [repository.full_name, isUnread]),
        [['acme/secret', true]],
      )
      await root.patch('/admin/organizations/acme', { sso: { required: true } })
    })

    rule('git over HTTP is refused with the address', async () => {
      const work = await makeWorkingFolder()
      try {
        const { code, output } = await work.git('ls-remote', remoteUrl(server.url, 'acme/secret', 'bea', bea.token!))
        assert.notEqual(code, 0)
        assert.match(output, /403/)
      } finally {
        await work.drop()
      }
      const basic = { authorization: `Basic ${btoa(`bea:${bea.token}`)}` }
      const answer = await makeRest(server.url).get('/acme/secret.git/info/refs?service=git-upload-pack', basic)
      assertRefused(answer, 'git')
      assert.match(answer.text, /Authorize the token within an hour at http/)
    })

    rule('large files are refused with the address, whatever is done to them', async () => {
      const lfs = makeLfsClient(server.url, 'acme/secret', bea)
      const object = makeObject('large')
      const answers = [
        await lfs.batch('download', [object]),
        await lfs.batch('upload', [object]),
        await lfs.put(object),
        await lfs.ask('GET', '/locks'),
        await lfs.ask('POST', '/locks', { path: 'a.bin' }),
      ]
      for (const answer of answers) {
        assertRefused(answer, 'LFS')
        assert.match(answer.body.message, /protected by organization SAML enforcement.* within an hour at http/)
      }
      assert.equal((await makeLfsClient(server.url, 'acme/secret', dan).batch('download', [object])).status, 200)
    })

    rule('tokens of every other kind, and those who are no members, come through', async () => {
      const permissions = everyPermission
      const drafts = [
        ['ann', { kind: 'oauth', scopes: ['repo', 'read:org'] }],
        ['ann', { kind: 'app-user', permissions, repositories: 'all', resource_owner: 'acme' }],
        ['acme', { kind: 'installation', permissions, repositories: 'all' }],
        ['ann', { kind: 'workflow', permissions, repositories: ['acme/secret'] }],
      ] as const
      for (const [login, draft] of drafts) {
        const client = makeRest(server.url, await makeToken(server, login, draft))
        const { status, headers } = await client.get('/repos/acme/secret')
        assert.equal(status, 200, draft.kind)
        assert.equal(headers.get('x-platform-sso'), null)
      }
      // A fine-grained token is for the organisation only if its person has signed on, and else a stranger's there.
      const own = makeRest(server.url, await makeToken(server, 'ann', { kind: 'fine-grained', permissions }))
      assert.equal((await own.get('/repos/acme/secret')).status, 404)
      assert.equal((await own.patch('/orgs/acme', { name: 'No' })).status, 403)
      const draft = { kind: 'fine-grained', permissions, resource_owner: 'acme' }
      assert.equal((await root.post('/admin/users/ann/tokens', draft)).status, 403)
      assert.equal((await dan.get('/repos/acme/secret')).status, 200, 'an outside collaborator')
      assert.equal((await root.get('/repos/acme/secret')).status, 200, 'the operator')
      const stranger = await makeUser(server, 'eve')
      assert.equal((await stranger.get('/repos/acme/secret')).status, 404)
    })

    rule('an organisation that requires it no longer is as before', async () => {
      assert.equal((await root.patch('/admin/organizations/acme', { sso: null })).body.sso, null)
      assert.equal((await ann.get('/repos/acme/secret')).status, 200)
      await root.patch('/admin/organizations/acme', { sso: { ...oidc, required: true } })
      assert.equal((await ann.get('/repos/acme/secret')).status, 403)
    })

    rule('what can’t be a provider is refused', async () => {
      const wrong = [
        { required: true },
        { kind: 'kerberos' },
        { kind: 'oidc', issuer: 'http://login.example.org' },
        { kind: 'oidc', issuer: 'file:///etc/passwd' },
        { kind: 'saml', entry_point: 'javascript:alert(1)' },
        { kind: 'saml', certificates: ['not a certificate'] },
      ]
      for (const sso of wrong) {
        const { status } = await root.patch('/admin/organizations/open', { sso, plan: 'enterprise' })
        assert.equal(status, 422, JSON.stringify(sso))
      }
      assert.equal((await root.get('/orgs/open')).body.plan.name, 'free', 'nothing of such a change is kept')
      assert.equal((await ann.patch('/admin/organizations/open', { sso: null })).status, 403)
    })
  })
