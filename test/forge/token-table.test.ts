/** Tokens of every kind, as they are really got, on the endpoints of notifications, migrations and issue events: taken or refused as the contract says. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { installApp, mintToken, type RegisteredApp, registerApp } from './apps/app-world.ts'
import { callback, obtain, openBrowser, register, registerOAuthApp } from './oauth/oauth-world.ts'

const endpoints = {
  notifications: [
    ['GET', '/notifications'],
    ['PUT', '/notifications'],
    ['GET', '/notifications/threads/1'],
    ['PATCH', '/notifications/threads/1'],
    ['DELETE', '/notifications/threads/1'],
    ['GET', '/notifications/threads/1/subscription'],
    ['PUT', '/notifications/threads/1/subscription'],
    ['DELETE', '/notifications/threads/1/subscription'],
    ['GET', '/repos/ann/open/notifications'],
    ['PUT', '/repos/ann/open/notifications'],
  ],
  migrations: [
    ['GET', '/user/migrations'],
    ['POST', '/user/migrations'],
    ['GET', '/user/migrations/999'],
    ['GET', '/user/migrations/999/archive'],
    ['DELETE', '/user/migrations/999/archive'],
    ['DELETE', '/user/migrations/999/repos/open/lock'],
    ['GET', '/user/migrations/999/repositories'],
  ],
  'events of what is public': [
    ['GET', '/repos/ann/open/issues/events'],
    ['GET', '/repos/ann/open/issues/1/events'],
    ['GET', '/repos/ann/open/issues/events/EVENT-open'],
  ],
  'events of what is private': [
    ['GET', '/repos/ann/hidden/issues/events'],
    ['GET', '/repos/ann/hidden/issues/1/events'],
    ['GET', '/repos/ann/hidden/issues/events/EVENT-hidden'],
  ],
} as const

/** It came in: whether there is what it asked for is another question. */
const taken = 'taken'
type Cell = number | typeof taken

/** In the order of the endpoints above: points 7, 8 and 9 of the contract's authentication. */
const table: readonly (readonly [string, Cell, Cell, Cell, Cell])[] = [
  ['no token', 401, 401, taken, 404],
  ['a classic token without scopes', 403, taken, taken, 404],
  ['a classic token with notifications', taken, taken, taken, 404],
  ['a classic token with repo', taken, taken, taken, taken],
  ['a fine-grained token with every permission', 403, 403, taken, taken],
  ['a fine-grained token for contents alone', 403, 403, taken, 403],
  ['a fine-grained token for another repository', 403, 403, taken, 404],
  ['a token of an OAuth app', 403, 403, taken, taken],
  ['an app user token', 403, 403, taken, taken],
  ['an installation token', 403, 403, taken, taken],
  ['a token of a workflow run', 403, 403, taken, taken],
  ['an app by its own JSON web token', 401, 401, taken, 404],
  ['an app by its client id and secret', 401, 401, taken, 404],
]

describe('tokens of every kind', () => {
  let server: TestServer
  let clients: Record<string, RestClient>
  let refresh: string
  const events: Record<string, number> = {}
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    const ann = await register(server, 'ann')
    for (const [name, isPrivate] of [
      ['open', false],
      ['hidden', true],
    ] as const) {
      await ann.post('/user/repos', { name, private: isPrivate })
      await ann.post(`/repos/ann/${name}/issues`, { title: 'One' })
      await ann.patch(`/repos/ann/${name}/issues/1`, { state: 'closed' })
      events[name] = (await ann.get(`/repos/ann/${name}/issues/events`)).body[0].id
    }
    const default_permissions = { issues: 'read', pull_requests: 'read', actions: 'write' }
    const app: RegisteredApp = await registerApp({ server }, ann, { default_permissions, callback_urls: [callback] })
    const installation = await installApp(app, ann, 'ann')
    const browser = await openBrowser(server, 'ann')
    const ofUser = await obtain(server, browser, app.body)
    refresh = ofUser.refresh_token
    const ofOAuth = await obtain(server, browser, await registerOAuthApp(ann), { scope: 'repo notifications' })
    const run = await ann.post('/repos/ann/hidden/workflow-runs', { name: 'build' })
    const { body: ofRun } = await ann.post(`/repos/ann/hidden/workflow-runs/${run.body.id}/tokens`)
    const as = (token: string) => makeRest(server.url, token)
    const made = async (draft: object) => as(await makeToken(server, 'ann', draft))
    const fine = { kind: 'fine-grained', repositories: 'all' }
    const every = { issues: 'write', pull_requests: 'write', administration: 'write', contents: 'write' }
    clients = {
      'no token': makeRest(server.url),
      'a classic token without scopes': await made({ kind: 'classic', scopes: [] }),
      'a classic token with notifications': await made({ kind: 'classic', scopes: ['notifications'] }),
      'a classic token with repo': await made({ kind: 'classic', scopes: ['repo'] }),
      'a fine-grained token with every permission': await made({ ...fine, permissions: every }),
      'a fine-grained token for contents alone': await made({ ...fine, permissions: { contents: 'read' } }),
      'a fine-grained token for another repository': await made({
        ...fine,
        permissions: every,
        repositories: ['ann/open'],
      }),
      'a token of an OAuth app': as(ofOAuth.access_token),
      'an app user token': as(ofUser.access_token),
      'an installation token': as(await mintToken(app, installation)),
      'a token of a workflow run': as(ofRun.token),
      'an app by its own JSON web token': app.asItself(),
      'an app by its client id and secret': makeRest(server.url, undefined, {
        authorization: `Basic ${Buffer.from(`${app.body.client_id}:${app.body.client_secret}`).toString('base64')}`,
      }),
    }
  })
  after(() => server.stop())

  test('a refusal for the kind of token names the kinds that the route takes', async () => {
    const messageOf = async (who: string, path: string) => (await clients[who]!.get(path)).body.message
    assert.equal(
      await messageOf('a classic token with repo', '/installation/repositories'),
      'Resource not accessible by classic personal access token: use an installation token.',
    )
    assert.equal(
      await messageOf('a token of a workflow run', '/user/installations'),
      'Resource not accessible by workflow token: use a classic personal access token or an app user token.',
    )
  })

  const groups = Object.entries(endpoints)
  for (const [who, ...cells] of table)
    test(who, async () => {
      const wrong: string[] = []
      for (const [i, [group, asked]] of groups.entries())
        for (const [method, template] of asked) {
          const path = template.replace(/EVENT-(\w+)/, (_, name) => String(events[name]))
          const { status, text } = await clients[who]!.ask(
            method,
            path,
            method === 'GET' || method === 'DELETE' ? undefined : {},
          )
          const expected = cells[i]!
          const isFine =
            expected === taken
              ? group.startsWith('events')
                ? status === 200
                : ![401, 403].includes(status) && status < 500
              : status === expected
          if (!isFine) wrong.push(`${method} ${path}: ${status}, not ${expected} ${text.slice(0, 80)}`)
        }
      assert.deepEqual(wrong, [])
    })

  test('a refresh token, and one that nobody has, open nothing, not even what is public', async () => {
    for (const token of [refresh, 'gdu_000000000000000000000000000000000000'])
      for (const path of ['/notifications', '/user/migrations', '/repos/ann/open/issues/events'])
        assert.equal((await makeRest(server.url, token).get(path)).status, 401, path)
  })
})
