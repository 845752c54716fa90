/** Limits of callers that apps bring: whose budget a request is on, how large it is, and its edge. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken, type RestAnswer, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import {
  type AppWorld,
  asInstallation,
  installApp,
  makeAppWorld,
  type RegisteredApp,
  registerApp,
} from './app-world.ts'

/** Small figures, each its own, so that a wrong row shows. */
const figures = {
  anonymous: 3,
  user: 40,
  'user-enterprise': 60,
  installation: 5,
  'installation-enterprise': 9,
  'installation-most': 12,
  'oauth-app': 6,
  'oauth-app-enterprise': 8,
  workflow: 4,
  'workflow-enterprise': 7,
  'oauth-tokens': 3,
}

describe('limits of apps', () => {
  let server: TestServer
  let world: AppWorld
  let app: RegisteredApp
  let ofEnterprise: RegisteredApp
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeAppWorld(server)
    await world.root.post('/admin/organizations', { login: 'corp', admin: 'ann' })
    await world.root.patch('/admin/organizations/corp', { plan: 'enterprise' })
    await world.ann.post('/orgs/corp/repos', { name: 'engine', private: true })
    app = await registerApp(world, world.ann)
    ofEnterprise = await registerApp(world, world.ann, {}, '/orgs/corp/apps')
    // The same database and people, now with limits.
    const environment = {
      GUILDHALL_LIMIT_FIGURES: Object.entries(figures)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
    }
    installations = {
      free: await installApp(app, world.ann, 'acme', ['tool']),
      enterprise: await installApp(app, world.ann, 'corp'),
    }
    tokens = {
      free: (await asInstallation(world, app, installations.free)).token!,
      narrow: (await asInstallation(world, app, installations.free, { permissions: { issues: 'read' } })).token!,
      enterprise: (await asInstallation(world, app, installations.enterprise)).token!,
      workflow: await makeToken(server, 'ann', { kind: 'workflow', repositories: ['acme/tool'] }),
      workflowEnterprise: await makeToken(server, 'ann', { kind: 'workflow', repositories: ['corp/engine'] }),
    }
    limited = await startServer('sqlite', { environment, database: server.database })
  })
  after(async () => {
    await limited?.stop()
    await server.stop()
  })

  let limited: TestServer
  let installations: Record<'free' | 'enterprise', number>
  let tokens: Record<string, string>
  const ask = (client: RestClient): Promise<RestAnswer> => client.get('/meta')
  const basic = ({ body }: RegisteredApp) =>
    makeRest(limited.url, undefined, {
      authorization: `Basic ${Buffer.from(`${body.client_id}:${body.client_secret}`).toString('base64')}`,
    })
  const itself = (one: RegisteredApp) => makeRest(limited.url, one.asItself().token)

  const rows: [string, () => RestClient, number, () => string][] = [
    ['nobody, by address', () => makeRest(limited.url), figures.anonymous, () => '127.0.0.1'],
    [
      'an installation',
      () => makeRest(limited.url, tokens.free),
      figures.installation,
      () => `installation ID ${installations.free}`,
    ],
    [
      'one on an enterprise',
      () => makeRest(limited.url, tokens.enterprise),
      figures['installation-enterprise'],
      () => `installation ID ${installations.enterprise}`,
    ],
    ['an app by client id and secret', () => basic(app), figures['oauth-app'], () => `app ID ${app.body.id}`],
    [
      'an app of an enterprise',
      () => basic(ofEnterprise),
      figures['oauth-app-enterprise'],
      () => `app ID ${ofEnterprise.body.id}`,
    ],
    ['a workflow', () => makeRest(limited.url, tokens.workflow), figures.workflow, () => 'repository ID'],
    [
      'a workflow of an enterprise',
      () => makeRest(limited.url, tokens.workflowEnterprise),
      figures['workflow-enterprise'],
      () => 'repository ID',
    ],
  ]

  for (const [who, client, limit, label] of rows)
    test(`${who}: ${limit} requests and not one more`, async () => {
      for (let used = 1; used <= limit; used++) {
        const { status, headers } = await ask(client())
        const told = ['limit', 'used', 'remaining', 'resource'].map((name) => headers.get(`x-ratelimit-${name}`))
        assert.deepEqual([status, ...told], [200, String(limit), String(used), String(limit - used), 'core'])
      }
      const over = await ask(client())
      assert.deepEqual([over.status, over.headers.get('x-ratelimit-remaining')], [403, '0'])
      assert.ok(over.body.message.startsWith(`API rate limit exceeded for ${label()}`), over.body.message)
    })

  test('tokens are asked for so often in an hour, by the app where its secret came and else by the address', async () => {
    const made = await world.ann.post('/user/oauth-apps', { name: 'Asking', url: 'https://asking.example.org' })
    const { body: device } = await world.ann.post('/user/oauth-apps', {
      name: 'Device',
      url: 'https://asking.example.org',
      confidential: false,
      device_flow: true,
    })
    for (const { client_id, client_secret } of [made.body, device]) {
      const askOnce = () =>
        fetch(`${limited.url}/login/oauth/access_token`, {
          method: 'POST',
          headers: { accept: 'application/json' },
          body: new URLSearchParams({ client_id, ...(client_secret && { client_secret }), code: 'x' }),
        })
      for (let i = 0; i < figures['oauth-tokens']; i++) assert.equal((await askOnce()).status, 200)
      const over = await askOnce()
      assert.equal(over.status, 403)
      assert.ok(Number(over.headers.get('retry-after')) > 3_000)
      const { message, documentation_url } = (await over.json()) as { message: string; documentation_url: string }
      assert.match(
        message,
        /^You have exceeded a secondary rate limit\. Please wait a few minutes before you try again\./,
      )
      assert.match(documentation_url, /#about-secondary-rate-limits$/)
    }
  })

  test('who has no more than an app’s id uses up nothing of the app’s hour', async () => {
    const draft = { name: 'Spared', url: 'https://spared.example.org' }
    const { client_id, client_secret } = (await world.ann.post('/user/oauth-apps', draft)).body
    const askWith = async (more: object) => {
      const body = new URLSearchParams({ client_id, code: 'x', ...more })
      const headers = { accept: 'application/json' }
      return (await fetch(`${limited.url}/login/oauth/access_token`, { method: 'POST', headers, body })).status
    }
    for (let i = 0; i < figures['oauth-tokens']; i++) assert.notEqual(await askWith({}), 403)
    assert.equal(await askWith({}), 403, 'the address has used up its own')
    assert.equal(await askWith({ client_secret }), 200)
  })

  test('an OAuth app that an enterprise’s organisation approves of has the higher hour for its members', async () => {
    const draft = { name: 'Approved', url: 'https://approved.example.org' }
    const { body: made } = await world.bob.post('/user/oauth-apps', draft)
    const account = (await server.services.accounts.findByName('ann'))!
    const { text } = await server.services.tokens.make(account, { kind: 'oauth', app: { id: made.id } })
    const limit = async () => (await makeRest(server.url, text).get('/meta')).headers.get('x-ratelimit-limit')
    assert.equal(await limit(), '5000')
    const path = `/orgs/corp/approved-oauth-apps/${made.client_id}`
    assert.equal((await world.bob.put(path)).status, 403)
    assert.equal((await world.ann.put(path)).status, 204)
    assert.equal(await limit(), '15000')
    assert.equal((await world.ann.delete(path)).status, 204)
    assert.equal(await limit(), '5000')
  })

  test('all tokens of an installation, and both credentials of an app, are one caller', async () => {
    assert.equal((await ask(makeRest(limited.url, tokens.narrow))).status, 403)
    assert.equal((await itself(app).get('/app')).status, 403)
  })
})
