/** Octokit's own packages for apps, unmodified: they sign, ask for tokens and renew them by themselves. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAppAuth } from '@octokit/auth-app'
import { createOAuthAppAuth, createOAuthUserAuth } from '@octokit/auth-oauth-app'
import { createTokenAuth } from '@octokit/auth-token'
import { Octokit } from '@octokit/rest'
import { startServer, type TestServer } from '../../support/server.ts'
import {
  authorizeUrl,
  callback,
  consent,
  fieldsOf,
  openBrowser,
  register,
  registerOAuthApp,
} from '../oauth/oauth-world.ts'
import type { Browser } from '../single-sign-on/browser.ts'
import { type AppWorld, installApp, makeAppWorld, registerApp } from './app-world.ts'

describe('Octokit’s packages for apps', () => {
  let server: TestServer
  let world: AppWorld
  let browser: Browser
  let ours: Octokit['request']
  before(async () => {
    server = await startServer('sqlite')
    world = await makeAppWorld(server)
    await register(server, 'cat')
    browser = await openBrowser(server, 'cat')
    ours = new Octokit({ baseUrl: server.url }).request
  })
  after(() => server.stop())

  test('auth-app signs as the app and acts as its installation', async () => {
    const app = await registerApp(world, world.ann)
    const installationId = await installApp(app, world.ann, 'ann', ['hidden'])
    const auth = { appId: app.body.id, privateKey: app.body.pem }
    const asApp = new Octokit({ baseUrl: server.url, authStrategy: createAppAuth, auth })
    assert.equal((await asApp.rest.apps.getAuthenticated()).data?.slug, app.body.slug)
    const { data: found } = await asApp.rest.apps.getRepoInstallation({ owner: 'ann', repo: 'hidden' })
    assert.equal(found.id, installationId)
    const asInstallation = new Octokit({
      baseUrl: server.url,
      authStrategy: createAppAuth,
      auth: { ...auth, installationId },
    })
    const { data: issue } = await asInstallation.rest.issues.create({ owner: 'ann', repo: 'hidden', title: 'Octokit' })
    assert.equal(issue.user?.login, `${app.body.slug}[bot]`)
    assert.equal(issue.performed_via_github_app?.id, app.body.id)
    const { data: reached } = await asInstallation.rest.apps.listReposAccessibleToInstallation()
    assert.deepEqual(
      reached.repositories.map(({ name }) => name),
      ['hidden'],
    )
    const { token } = (await asInstallation.auth({ type: 'installation' })) as { token: string }
    assert.match(token, /^gds_/)
  })

  test('auth-oauth-app sends client id and secret, which have an hour of their own', async () => {
    const { body } = await registerApp(world, world.ann)
    const auth = { clientType: 'oauth-app', clientId: body.client_id, clientSecret: body.client_secret } as const
    const octokit = new Octokit({ baseUrl: server.url, authStrategy: createOAuthAppAuth, auth })
    const { headers } = await octokit.request('GET /repos/{owner}/{repo}', { owner: 'ann', repo: 'open' })
    assert.deepEqual([headers['x-ratelimit-limit'], headers['x-ratelimit-used']], ['5000', '1'])
    const wrong = new Octokit({
      baseUrl: server.url,
      authStrategy: createOAuthAppAuth,
      auth: { ...auth, clientSecret: 'x' },
    })
    await assert.rejects(wrong.request('GET /repos/{owner}/{repo}', { owner: 'ann', repo: 'open' }), { status: 401 })
  })

  test('auth-oauth-app exchanges a code, and its user checks, resets and gives back the token', async () => {
    const app = await registerOAuthApp(world.ann, { device_flow: true })
    const options = { clientId: app.client_id, clientSecret: app.client_secret, request: ours }
    const auth = createOAuthAppAuth({ clientType: 'oauth-app', ...options })
    const back = await consent(browser, authorizeUrl(server, { client_id: app.client_id, scope: 'repo' }))
    const code = back.searchParams.get('code')!
    const { token: given } = await auth({ type: 'oauth-user', code })
    const user = createOAuthUserAuth({ clientType: 'oauth-app', ...options, token: given, scopes: ['repo'] })
    const { token } = await user({ type: 'get' })
    assert.deepEqual((await user({ type: 'check' })).scopes, ['repo'])
    const { token: reset } = await user({ type: 'reset' })
    assert.notEqual(reset, token)
    const octokit = new Octokit({ baseUrl: server.url, auth: reset })
    assert.equal((await octokit.rest.users.getAuthenticated()).data.login, 'cat')
    await user({ type: 'deleteAuthorization' })
    await assert.rejects(octokit.rest.users.getAuthenticated(), { status: 401 })
    await assert.rejects(auth({ type: 'oauth-user', code }), /bad_verification_code/)
  })

  test('auth-oauth-app asks by the device flow until its user has said yes', async () => {
    const app = await registerOAuthApp(world.ann, { device_flow: true })
    const options = { clientId: app.client_id, clientSecret: app.client_secret, request: ours }
    const auth = createOAuthAppAuth({ clientType: 'oauth-app', ...options })
    const { token } = await auth({
      type: 'oauth-user',
      scopes: ['read:user'],
      async onVerification({ verification_uri, user_code }) {
        const page = await browser.visit(verification_uri, { user_code })
        await browser.visit(`${verification_uri}/decision`, { ...fieldsOf(page), decision: 'allow' })
      },
    })
    assert.match(token, /^gdo_/)
  })

  test('auth-app acts for a user, and renews the token', async () => {
    const app = await registerApp(world, world.ann, { callback_urls: [callback] })
    const { id: appId, pem: privateKey, client_id: clientId, client_secret: clientSecret } = app.body
    const auth = createAppAuth({ appId, privateKey, clientId, clientSecret, request: ours })
    const back = await consent(browser, authorizeUrl(server, { client_id: clientId }))
    const code = back.searchParams.get('code')!
    const user = await auth({ type: 'oauth-user', code, factory: createOAuthUserAuth })
    const first = await user({ type: 'get' })
    assert.match(first.token, /^gdu_/)
    const renewed = await user({ type: 'refresh' })
    const octokit = new Octokit({ baseUrl: server.url, auth: renewed.token })
    assert.equal((await octokit.rest.apps.listInstallationsForAuthenticatedUser()).data.total_count, 0)
    const old = new Octokit({ baseUrl: server.url, auth: first.token })
    await assert.rejects(old.rest.users.getAuthenticated(), { status: 401 })
  })

  test('auth-token sends a token as it is', async () => {
    const { token } = await createTokenAuth(world.ann.token!)()
    const octokit = new Octokit({ baseUrl: server.url, auth: token })
    assert.equal((await octokit.rest.users.getAuthenticated()).data.login, 'ann')
  })
})
