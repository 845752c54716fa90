/** Octokit's own packages for apps, unmodified: they sign, ask for tokens and renew them by themselves. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAppAuth } from '@octokit/auth-app'
import { createOAuthAppAuth } from '@octokit/auth-oauth-app'
import { createTokenAuth } from '@octokit/auth-token'
import { Octokit } from '@octokit/rest'
import { startServer, type TestServer } from '../../support/server.ts'
import { type AppWorld, installApp, makeAppWorld, registerApp } from './app-world.ts'

describe('Octokit’s packages for apps', () => {
  let server: TestServer
  let world: AppWorld
  before(async () => {
    server = await startServer('sqlite')
    world = await makeAppWorld(server)
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

  test('auth-token sends a token as it is', async () => {
    const { token } = await createTokenAuth(world.ann.token!)()
    const octokit = new Octokit({ baseUrl: server.url, auth: token })
    assert.equal((await octokit.rest.users.getAuthenticated()).data.login, 'ann')
  })
})
