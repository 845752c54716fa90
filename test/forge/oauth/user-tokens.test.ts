/** Tokens without a browser and tokens that are renewed: the device flow, and apps that act for a user. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeRest, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { installApp, type RegisteredApp, registerApp } from '../apps/app-world.ts'
import type { Browser } from '../single-sign-on/browser.ts'
import {
  asClient,
  askToken,
  authorizeUrl,
  callback,
  credentialsOf,
  fieldsOf,
  obtain,
  openBrowser,
  register,
  registerOAuthApp,
} from './oauth-world.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const secondMs = 1_000
const hourMs = 3_600_000

for (const engine of engines)
  describe(`tokens of apps for users on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let clock: ReturnType<typeof makeManualClock>
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let eve: RestClient
    let bobs: Browser
    let tool: Json
    let robot: RegisteredApp
    let installation: number
    before(async () => {
      clock = makeManualClock(Date.now())
      server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await register(server, 'ann')
      bob = await register(server, 'bob')
      eve = await register(server, 'eve')
      bobs = await openBrowser(server, 'bob')
      for (const name of ['hidden', 'other']) await bob.post('/user/repos', { name, private: true })
      tool = await registerOAuthApp(ann, { confidential: false, device_flow: true, callback_urls: [] })
      robot = await registerApp({ server }, ann, { callback_urls: [callback], device_flow: true })
      installation = await installApp(robot, bob, 'bob', ['hidden'])
    })
    after(() => server.stop())

    const withToken = (token: string) => makeRest(server.url, token)
    const statusBy = async (token: string, path = '/repos/bob/hidden') => (await withToken(token).get(path)).status
    const begin = (client = tool, scope = 'repo') =>
      askToken(server, { client_id: client.client_id, scope }, {}, '/login/device/code')
    const poll = (device_code: string, client = tool) =>
      askToken(server, { client_id: client.client_id, device_code, grant_type: deviceGrant })
    const renew = (refresh_token: string, client: Json = robot.body) =>
      askToken(server, { ...credentialsOf(client), refresh_token, grant_type: 'refresh_token' })
    const type = (user_code: string, browser = bobs, headers = {}) =>
      browser.visit(`${server.url}/login/device`, { user_code }, headers)
    const decide = (fields: Record<string, string>, decision: string, headers = {}) =>
      bobs.visit(`${server.url}/login/device/decision`, { ...fields, decision }, headers)
    const forgetLockouts = () => server.services.store.write((trx) => trx.deleteFrom('lockout').execute())

    test('a device asks, its user types the code and says yes, and it has a token once', async () => {
      const begun = await begin()
      assert.deepEqual(
        [begun.verification_uri, begun.expires_in, begun.interval],
        [`${server.url}/login/device`, 900, 5],
      )
      assert.match(begun.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
      assert.equal((await poll(begun.device_code)).error, 'authorization_pending')
      const early = await poll(begun.device_code)
      assert.deepEqual([early.error, early.interval], ['slow_down', 10])
      clock.advance(10 * secondMs)
      assert.equal((await poll(begun.device_code)).error, 'authorization_pending')
      const page = await type(begun.user_code.toLowerCase().replace('-', ' '))
      assert.match(page.text, /Read and change all your repositories/)
      assert.equal((await decide(fieldsOf(page), 'allow')).status, 200)
      assert.equal((await poll(begun.device_code)).error, 'slow_down')
      clock.advance(15 * secondMs)
      const other = await registerOAuthApp(ann, { device_flow: true })
      assert.equal((await poll(begun.device_code, other)).error, 'incorrect_device_code')
      const given = await poll(begun.device_code)
      assert.deepEqual([given.scope, await statusBy(given.access_token)], ['repo', 200])
      assert.equal((await poll(begun.device_code)).error, 'incorrect_device_code')
      assert.equal((await type(begun.user_code)).status, 404)
    })

    rule('no token comes of a no, of a code whose time is over, or of an app without the flow', async () => {
      const denied = await begin()
      await decide(fieldsOf(await type(denied.user_code)), 'deny')
      assert.equal((await poll(denied.device_code)).error, 'access_denied')
      const late = await begin()
      const page = await type(late.user_code)
      clock.advance(15 * 60 * secondMs)
      assert.equal((await poll(late.device_code)).error, 'expired_token')
      assert.equal((await decide(fieldsOf(page), 'allow')).status, 404)
      const without = await registerOAuthApp(ann)
      assert.equal((await begin(without)).error, 'device_flow_disabled')
      assert.equal((await begin(tool, 'site_admin')).error, 'invalid_scope')
      assert.equal((await begin({ client_id: 'Gd1.0000000000000000' })).error, 'incorrect_client_credentials')
      await forgetLockouts()
    })

    rule(
      'only this page says yes to a device, only to the one that was shown, and wrong codes are counted for who types them',
      async () => {
        const [mine, theirs] = [await begin(), await begin()]
        const form = fieldsOf(await type(mine.user_code))
        const elsewhere = { origin: 'https://evil.example' }
        assert.equal((await decide(form, 'allow', elsewhere)).status, 403)
        assert.equal((await type(mine.user_code, bobs, elsewhere)).status, 403)
        assert.equal((await decide({ user_code: form.user_code! }, 'allow')).status, 403)
        const mixed = await decide({ ...form, user_code: theirs.user_code.replace('-', '') }, 'allow')
        assert.equal(mixed.status, 403)
        clock.advance(6 * secondMs)
        assert.equal((await poll(theirs.device_code)).error, 'authorization_pending')
        const prefilled = await bobs.visit(`${server.url}/login/device?user_code=%22%3E%3Cscript%3E`)
        assert.ok(prefilled.text.includes('value="&quot;&gt;&lt;script&gt;"'))
        const eves = await openBrowser(server, 'eve')
        for (let i = 0; i < 10; i++) assert.equal((await type('BBBB-BBBB', eves)).status, 404)
        assert.equal((await type(mine.user_code, eves)).status, 403)
        assert.equal((await type(mine.user_code)).status, 200)
        await forgetLockouts()
      },
    )

    rule('an app acts for a user where it is installed, with what both may, and what it does says so', async () => {
      const given = await obtain(server, bobs, robot.body)
      assert.match(given.access_token, /^gdu_/)
      assert.match(given.refresh_token, /^gdr_/)
      assert.deepEqual([given.expires_in, given.refresh_token_expires_in, given.scope], [28_800, 15_897_600, ''])
      const acting = withToken(given.access_token)
      assert.equal((await acting.get('/user')).body.login, 'bob')
      const { body: found } = await acting.get('/user/installations')
      assert.deepEqual([found.total_count, found.installations[0].id], [1, installation])
      const { body: reached } = await acting.get(`/user/installations/${installation}/repositories`)
      assert.deepEqual(
        reached.repositories.map(({ name }: Json) => name),
        ['hidden'],
      )
      const { body: issue } = await acting.post('/repos/bob/hidden/issues', { title: 'By an app' })
      assert.deepEqual([issue.user.login, issue.performed_via_github_app.id], ['bob', robot.body.id])
      assert.equal(issue.performed_via_platform_app.id, robot.body.id)
      assert.equal(await statusBy(given.access_token, '/repos/bob/other'), 404)
      assert.equal((await acting.patch('/repos/bob/hidden', { description: 'x' })).status, 403)
      assert.equal(await statusBy(given.refresh_token), 401)
      assert.equal(await statusBy(given.access_token, '/notifications'), 403)
      await forgetLockouts()
    })

    test('a refresh token is good once, a second use ends all that came of it, and another app’s is nothing', async () => {
      const first = await obtain(server, bobs, robot.body)
      const bare = await askToken(server, {
        client_id: robot.body.client_id,
        refresh_token: first.refresh_token,
        grant_type: 'refresh_token',
      })
      assert.equal(bare.error, 'incorrect_client_credentials')
      const other = await registerOAuthApp(ann)
      assert.equal((await renew(first.refresh_token, other)).error, 'bad_refresh_token')
      clock.advance(8 * hourMs)
      assert.equal(await statusBy(first.access_token), 401)
      const second = await renew(first.refresh_token)
      assert.equal(await statusBy(second.access_token), 200)
      const third = await renew(second.refresh_token)
      assert.deepEqual([await statusBy(second.access_token), await statusBy(third.access_token)], [401, 200])
      assert.equal((await renew(first.refresh_token)).error, 'bad_refresh_token')
      assert.equal(await statusBy(third.access_token), 401)
      assert.equal((await renew(third.refresh_token)).error, 'bad_refresh_token')
      const shared = await obtain(server, bobs, robot.body)
      const answers = await Promise.all([1, 2, 3].map(() => renew(shared.refresh_token)))
      assert.equal(answers.filter(({ access_token }) => access_token).length, 1)
      const old = await obtain(server, bobs, robot.body)
      clock.advance(184 * 24 * hourMs)
      assert.equal((await renew(old.refresh_token)).error, 'bad_refresh_token')
      bobs = await openBrowser(server, 'bob')
      await forgetLockouts()
    })

    rule('what a device got for an app it renews without a secret', async () => {
      const begun = await begin(robot.body)
      await decide(fieldsOf(await type(begun.user_code)), 'allow')
      const given = await poll(begun.device_code, robot.body)
      const again = await renew(given.refresh_token, { client_id: robot.body.client_id })
      assert.equal(await statusBy(again.access_token), 200)
    })

    rule('a token is narrowed to one account, repositories and permissions, and gets no wider again', async () => {
      await bob.put(`/user/installations/${installation}/repositories/${(await bob.get('/repos/bob/other')).body.id}`)
      const atEve = await installApp(robot, eve, 'eve')
      const { access_token } = await obtain(server, bobs, robot.body)
      const client = asClient(server, robot.body)
      const path = `/applications/${robot.body.client_id}/token/scoped`
      const narrow = (fields: object, token = access_token) =>
        client.post(path, { access_token: token, target: 'bob', ...fields })
      const { body } = await narrow({ repositories: ['hidden'], permissions: { contents: 'read' } })
      assert.deepEqual(body.installation.permissions, { contents: 'read', metadata: 'read' })
      assert.deepEqual([await statusBy(body.token), await statusBy(body.token, '/repos/bob/other')], [200, 404])
      assert.equal((await withToken(body.token).post('/repos/bob/hidden/issues', { title: 'x' })).status, 403)
      const again = await narrow({}, body.token)
      assert.equal(await statusBy(again.body.token, '/repos/bob/other'), 404)
      assert.equal((await narrow({ target: 'eve' }, body.token)).status, 404)
      assert.equal((await narrow({ target: 'ann' })).status, 404)
      assert.equal((await narrow({ permissions: { administration: 'write' } })).status, 422)
      assert.equal((await client.post(path, { access_token })).status, 422)
      await eve.delete(`/user/installations/${atEve}`)
      await forgetLockouts()
    })

    rule(
      'where the holder or the installation is suspended, or the app is gone, a user’s token reaches nothing at once',
      async () => {
        await eve.post('/user/repos', { name: 'shared', private: true })
        const { body: invitation } = await eve.put('/repos/eve/shared/collaborators/bob', { permission: 'push' })
        await bob.patch(`/user/repository_invitations/${invitation.id}`)
        const id = await installApp(robot, eve, 'eve')
        const { access_token } = await obtain(server, bobs, robot.body)
        const reach = () => statusBy(access_token, '/repos/eve/shared')
        assert.equal(await reach(), 200)
        const root = asAdmin(server)
        for (const [shut, open] of [
          [() => root.put('/users/eve/suspended'), () => root.delete('/users/eve/suspended')],
          [
            () => eve.put(`/user/installations/${id}/suspended`),
            () => eve.delete(`/user/installations/${id}/suspended`),
          ],
        ] as const) {
          assert.equal((await shut()).status, 204)
          assert.equal(await reach(), 404)
          assert.equal((await open()).status, 204)
          assert.equal(await reach(), 200)
        }
        await root.put('/users/ann/suspended')
        assert.equal(await reach(), 401)
        await root.delete('/users/ann/suspended')
        await eve.delete(`/user/installations/${id}`)
        assert.equal(await reach(), 404)
        await forgetLockouts()
      },
    )

    rule(
      'an app that asks for more of the account itself asks its user again, and a private one is for its owners',
      async () => {
        const url = authorizeUrl(server, { client_id: robot.body.client_id })
        assert.equal((await bobs.visit(url)).status, 302)
        const default_permissions = { issues: 'write', contents: 'read', email_addresses: 'read' }
        await ann.patch(`/apps/${robot.body.slug}`, { default_permissions })
        const page = await bobs.visit(url)
        assert.deepEqual([page.status, page.text.includes('email addresses')], [200, true])
        await ann.patch(`/apps/${robot.body.slug}`, { public: false })
        assert.equal((await bobs.visit(url)).status, 404)
        assert.equal((await (await openBrowser(server, 'ann')).visit(url)).status, 200)
      },
    )

    rule('each act on an app, its secrets, its installations and its grants is in the audit log', async () => {
      const { body } = await asAdmin(server).get('/enterprises/guildhall/audit-log?per_page=100')
      const entries = [
        ...body,
        ...(await asAdmin(server).get('/enterprises/guildhall/audit-log?per_page=100&order=asc')).body,
      ]
      const seen = new Set(entries.map(({ action }: Json) => action))
      const expected = [
        ...[
          'oauth_application.create',
          'oauth_application.generate_client_secret',
          'integration.create',
          'integration.update',
        ],
        ...[
          'integration.generate_private_key',
          'integration.generate_client_secret',
          'integration_installation.create',
        ],
        ...[
          'integration_installation.suspend',
          'integration_installation.unsuspend',
          'integration_installation.destroy',
        ],
        ...['integration_installation.repositories_added', 'oauth_authorization.create', 'oauth_access.create'],
        ...['oauth_access.revoke'],
      ]
      assert.deepEqual(
        expected.filter((action) => !seen.has(action)),
        [],
      )
      const text = JSON.stringify(entries)
      assert.ok(!text.includes(robot.body.client_secret) && !text.includes('[bot]'))
    })
  })
