/** No credential makes a stronger one: each way to hand rights on, tried by tokens that lack what is handed on. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken, type RestAnswer, type RestClient, usualScopes } from '../../support/rest.ts'
import { makeRpcClient } from '../../support/rpc.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type AppWorld, installApp, makeAppWorld, mintToken, type RegisteredApp, registerApp } from './app-world.ts'

const strong = [...usualScopes, 'dataset', 'admin:repo_hook', 'judge']
const strongPermissions = { contents: 'write', administration: 'write', metadata: 'read' }

describe('rights that are handed on', () => {
  let server: TestServer
  let world: AppWorld
  let ann: RestClient
  /** Asks for much, is installed nowhere. */
  let greedy: RegisteredApp
  /** Asks for much, and is installed on chosen repositories of ann and of acme. */
  let placed: RegisteredApp
  let atHome: number
  let atAcme: number
  let hiddenId: number
  let clientId: string
  const asAnn = async (scopes: readonly string[]) =>
    makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes }))

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeAppWorld(server)
    ann = await asAnn(strong)
    greedy = await registerApp(world, ann, { default_permissions: strongPermissions })
    placed = await registerApp(world, ann, { default_permissions: strongPermissions })
    atHome = await installApp(placed, ann, 'ann', ['open'])
    atAcme = await installApp(placed, ann, 'acme', ['tool'])
    hiddenId = (await ann.get('/repos/ann/hidden')).body.id
    const client = await ann.post('/user/oauth-apps', { name: 'Client', url: 'https://client.example.org' })
    clientId = client.body.client_id
    const { id: userId } = (await world.bob.get('/user')).body
    await server.services.store.write((trx) =>
      trx
        .insertInto('app_grant')
        .values({ app_id: client.body.id, user_id: userId, scopes: '["repo"]', created_at: 1, updated_at: 1 })
        .execute(),
    )
  })
  after(() => server.stop())

  type Act = (client: RestClient) => Promise<RestAnswer>
  const draft = () => ({ name: `Weak ${++count}`, url: 'https://weak.example.org' })
  let count = 0
  const addressOf = (one: RegisteredApp, rest = '') => `/apps/${one.body.slug}${rest}`
  const installOn =
    (account: string, repositories: 'all' | string[]): Act =>
    (by) =>
      by.post(addressOf(greedy, '/installations'), { account, repositories })
  const atHomePath = (rest = '') => `/user/installations/${atHome}${rest}`
  const atAcmePath = (rest = '') => `/user/installations/${atAcme}${rest}`

  /** What is handed on, and the scopes that are just too few for it. */
  const rows: [string, readonly string[][], Act][] = [
    [
      'an app is installed on all one has',
      [['user'], ['repo'], ['user', 'public_repo', 'delete_repo']],
      installOn('ann', 'all'),
    ],
    ['an app that may delete is installed', [['user', 'repo']], installOn('ann', 'all')],
    ['an app is installed on what is public', [['user']], installOn('ann', ['open'])],
    ['an app is installed on an organisation', [['admin:org'], ['repo', 'delete_repo']], installOn('acme', 'all')],
    ['a repository is added', [['user']], (by) => by.put(atHomePath(`/repositories/${hiddenId}`))],
    ['repositories are chosen anew', [['user']], (by) => by.patch(atHomePath(), { repositories: 'all' })],
    [
      'repositories of an organisation are chosen',
      [['admin:org']],
      (by) => by.patch(atAcmePath(), { repositories: 'all' }),
    ],
    ['permissions are accepted', [['user']], (by) => by.patch(atHomePath(), { accept_permissions: strongPermissions })],
    ['an app is let in again', [['user']], (by) => by.delete(atHomePath('/suspended'))],
    ['a key of an app is made', [['user'], ['admin:org', 'user']], (by) => by.post(addressOf(placed, '/keys'))],
    ['a secret of an app is made', [['user']], (by) => by.post(addressOf(placed, '/secrets'))],
    [
      'what happens is told elsewhere',
      [['user']],
      (by) => by.patch(addressOf(placed), { hook_attributes: { url: 'https://thief.example.org' } }),
    ],
    ['a secret of an OAuth app is made', [['user']], (by) => by.post(`/oauth-apps/${clientId}/secrets`)],
    [
      'codes of an OAuth app go elsewhere',
      [['user']],
      (by) => by.patch(`/oauth-apps/${clientId}`, { callback_urls: ['https://thief.example.org/'] }),
    ],
    [
      'a hook on what is private is made',
      [['admin:repo_hook'], ['public_repo', 'admin:repo_hook']],
      (by) => by.post('/repos/ann/hidden/hooks', { config: { url: 'https://thief.example.org' } }),
    ],
    [
      'a run of what is private is started',
      [['workflow', 'user']],
      (by) => by.post('/repos/ann/hidden/workflow-runs', { name: 'x' }),
    ],
    [
      'what is private is exported',
      [['user', 'public_repo']],
      (by) => by.post('/user/migrations', { repositories: ['ann/hidden'] }),
    ],
    ['a collaborator is invited', [['user', 'admin:org']], (by) => by.put('/repos/ann/hidden/collaborators/bob')],
    ['a token is made', [strong], (by) => by.post('/admin/users/ann/authorizations', { scopes: ['repo'] })],
  ]

  for (const [act, weak, attempt] of rows)
    test(`${act} by no token that lacks a scope of it`, async () => {
      for (const scopes of weak) {
        const { status, text } = await attempt(await asAnn(scopes))
        // 422: what may not be seen is not there.
        assert.ok([403, 404, 422].includes(status), `${scopes}: ${status} ${text}`)
      }
    })

  test('tokens of other kinds hand nothing on to apps', async () => {
    const permissions = { ...strongPermissions, profile: 'write', actions: 'write', metadata: 'read' }
    const kinds: object[] = [
      { kind: 'oauth', scopes: strong },
      { kind: 'fine-grained', permissions, repositories: 'all' },
      { kind: 'app-user', permissions },
    ]
    for (const each of kinds) {
      const by = makeRest(server.url, await makeToken(server, 'ann', each))
      const answers = [
        await by.post('/user/apps', draft()),
        await by.post('/user/app-manifests', draft()),
        await installOn('ann', 'all')(by),
        await by.post(addressOf(placed, '/keys')),
        await by.patch(atHomePath(), { repositories: 'all' }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 403, 403, 403, 403],
        JSON.stringify(each),
      )
    }
  })

  test('an app made by a weak token, with a manifest or without, reaches nothing before it is installed', async () => {
    const weak = await asAnn(['user'])
    const settings = { ...draft(), default_permissions: strongPermissions }
    const { code } = (await weak.post('/user/app-manifests', settings)).body
    const made = await makeRest(server.url).post(`/app-manifests/${code}/conversions`)
    assert.equal(made.status, 201, made.text)
    const install = { account: 'ann', repositories: 'all' }
    const refused = await weak.post(`/apps/${made.body.slug}/installations`, install)
    assert.equal(refused.status, 403, refused.text)
    assert.match(refused.body.message, /scope repo/)
  })

  test('what an installation was not given is in no token of it, nor in a run’s that such a token starts', async () => {
    const path = `/app/installations/${atHome}/access_tokens`
    assert.equal((await placed.asItself().post(path, { permissions: { issues: 'write' } })).status, 422)
    assert.equal((await placed.asItself().post(path, { repositories: ['hidden'] })).status, 422)
    const text = await mintToken(placed, atHome)
    const run = await makeRest(server.url, text).post('/repos/ann/open/workflow-runs', { name: 'x' })
    assert.equal(run.status, 403, run.text)
  })

  test('an archive with a private repository that is gone is for tokens that reach private ones', async () => {
    await ann.post('/user/repos', { name: 'gone', private: true, auto_init: true })
    const { id } = (await ann.post('/user/migrations', { repositories: ['ann/gone'] })).body
    await until(async () => (await ann.get(`/user/migrations/${id}`)).body.state === 'exported')
    await ann.delete('/repos/ann/gone')
    const weak = await asAnn(['user', 'public_repo'])
    assert.equal((await weak.get(`/user/migrations/${id}/archive`)).status, 403)
    assert.equal((await ann.get(`/user/migrations/${id}/archive`)).status, 302)
  })

  test('the pages on which a person lets apps and devices act take no token, nor does the making of tokens', async () => {
    const { client_id } = (await ann.get(`/oauth-apps/${clientId}`)).body
    const query = new URLSearchParams({ client_id, scope: 'repo' })
    for (const path of [`/login/oauth/authorize?${query}`, '/login/device', '/login/device/decision']) {
      const { status, text } = await ann.ask('POST', path, 'decision=allow&user_code=ABCD-EFGH', {
        'content-type': 'application/x-www-form-urlencoded',
        origin: server.url,
      })
      assert.ok(status >= 400 && status < 500, `${path}: ${status} ${text}`)
      assert.doesNotMatch(text, /name="decision"/, path)
    }
    const draft = { Kind: 'classic', ScopeList: ['repo'], Note: 'x' }
    assert.equal(await makeRpcClient(server.url, ann.token!).code('create_token', draft), 8)
  })

  test('a token that reads data sets is shown no key to sign addresses with', async () => {
    const made = await ann.post('/v2/datasets?name=signed')
    const { id, urlSigningSecretKey: key } = made.body.data
    assert.equal(typeof key, 'string', made.text)
    const { body } = await (await asAnn(['dataset:read'])).get(`/v2/datasets/${id}`)
    assert.deepEqual([body.data.id, body.data.urlSigningSecretKey], [id, undefined])
  })

  test('a token for the judge sets no password and makes no admin, unless it is one for the site', async () => {
    const rpc = makeRpcClient(server.url)
    const { id } = (await ann.get('/user')).body
    const ofAnn = rpc.as((await asAnn(['judge'])).token)
    assert.equal(await ofAnn.code('update_account', { ID: id, Password: 'taken over by now' }), 8)
    assert.equal(await ofAnn.code('update_account', { ID: id, DisplayName: 'Ann' }), 0)
    const ofAdmin = async (scopes: string[]) => rpc.as(await makeToken(server, admin.name, { kind: 'classic', scopes }))
    const weak = await ofAdmin(['judge'])
    const rich = await ofAdmin(['judge', 'site_admin'])
    const taken = { ID: id, Password: 'given by an admin' }
    const fresh = (name: string) => ({ AccountName: name, DisplayName: name, Password: 'long enough', Role: 'admin' })
    assert.equal(await weak.code('update_account', taken), 8)
    assert.equal(await weak.code('update_account', { ID: id, Role: 'admin' }), 8)
    assert.equal(await weak.code('create_account', fresh('second')), 8)
    assert.equal(await rich.code('update_account', taken), 0)
    assert.equal(await rich.code('create_account', fresh('third')), 0)
  })

  test('a token that reaches it all hands it on', async () => {
    const byStrong: Act[] = rows.slice(0, -1).map(([, , attempt]) => attempt)
    await ann.put(atHomePath('/suspended'))
    for (const [index, attempt] of byStrong.entries()) {
      // The first of several ways to install one app is the one that works.
      if (index === 1 || index === 2) continue
      const { status, text } = await attempt(ann)
      assert.ok(status < 300, `${rows[index]![0]}: ${status} ${text}`)
    }
  })
})
