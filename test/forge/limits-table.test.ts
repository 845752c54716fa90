/** Every caller of the table of primary limits on the endpoint that it is about: the limit, its headers, and the refusal exactly at the edge. Apps themselves and installations have theirs in apps/app-limits.test.ts. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { asAdmin, makeRest, type RestAnswer, type RestClient } from '../support/rest.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { registerApp } from './apps/app-world.ts'
import { callback, obtain, openBrowser, register, registerOAuthApp } from './oauth/oauth-world.ts'

/** Small figures, each its own, so that a wrong row shows. */
const figures = {
  anonymous: 6,
  user: 9,
  'user-enterprise': 13,
  'audit-log': 4,
  search: 5,
  'search-anonymous': 3,
  lfs: 7,
  'lfs-anonymous': 2,
  graphql: 8,
  'graphql-points': 16,
}

const people = [
  'plain',
  'user',
  'member',
  'stranger',
  'approved',
  'shared',
  'searcher',
  'files',
  'graph',
  'mutating',
] as const
type Name = (typeof people)[number]

describe('every caller of the table', () => {
  let server: TestServer
  let limited: TestServer
  let clients: Record<Name, RestClient>
  let app: Record<string, string>

  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    const root = asAdmin(server)
    const made = await Promise.all(people.map(async (name) => [name, await register(server, name)] as const))
    clients = Object.fromEntries(made) as typeof clients
    await root.post('/admin/organizations', { login: 'corp', admin: 'plain' })
    await root.patch('/admin/organizations/corp', { plan: 'enterprise' })
    for (const name of ['member', 'approved']) await root.put(`/orgs/corp/memberships/${name}`, { role: 'member' })
    await clients.files.post('/user/repos', { name: 'large' })
    const owner = clients.plain
    const settings = { callback_urls: [callback] }
    const ofEnterprise = (await registerApp({ server }, owner, settings, '/orgs/corp/apps')).body
    const oauthOfEnterprise = await registerOAuthApp(owner, {}, '/orgs/corp/oauth-apps')
    const approved = await registerOAuthApp(clients.stranger)
    const { status } = await owner.put(`/orgs/corp/approved-oauth-apps/${approved.client_id}`)
    assert.ok(status < 300)
    const tokenOf = async (login: Name, client: typeof approved) =>
      (await obtain(server, await openBrowser(server, login), client)).access_token
    app = {
      'an app of an enterprise': await tokenOf('user', ofEnterprise),
      'an app of an enterprise, shared': await tokenOf('shared', ofEnterprise),
      'its OAuth app, for a member': await tokenOf('member', oauthOfEnterprise),
      'its OAuth app, for a stranger': await tokenOf('stranger', oauthOfEnterprise),
      'an approved OAuth app, for a member': await tokenOf('approved', approved),
    }
    const environment = {
      GUILDHALL_TRUST_PROXY: 'on',
      GUILDHALL_LIMIT_FIGURES: Object.entries(figures)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
    }
    // The same database and people, now with limits.
    limited = await startServer('sqlite', { environment, database: server.database })
  })
  after(async () => {
    await limited?.stop()
    await server.stop()
  })

  const as = (token: string | undefined, address = '192.0.2.1') =>
    makeRest(limited.url, token, { 'x-forwarded-for': address })
  const rateOf = ({ headers }: RestAnswer) =>
    ['resource', 'limit', 'used', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))

  /** As many as the limit says, each with its headers, and not one more. */
  async function spend(ask: () => Promise<RestAnswer>, resource: string, limit: number, label: RegExp): Promise<void> {
    for (let used = 1; used <= limit; used++) {
      const answer = await ask()
      assert.ok(answer.status < 300, `${used}: ${answer.status} ${answer.text}`)
      assert.deepEqual(rateOf(answer), [resource, String(limit), String(used), String(limit - used)])
      assert.match(answer.headers.get('x-ratelimit-reset')!, /^\d{10}$/)
    }
    const over = await ask()
    assert.equal(over.status, 403)
    assert.match(over.body.message, label)
    assert.deepEqual(rateOf(over), [resource, String(limit), String(limit), '0'])
  }
  const ofUser = /^API rate limit exceeded for user ID \d+\./
  const meta = (client: RestClient) => () => client.get('/meta')

  test('nobody, by address: another address has its own', async () => {
    await spend(meta(as(undefined)), 'core', figures.anonymous, /^API rate limit exceeded for 192\.0\.2\.1\./)
    assert.equal((await as(undefined, '192.0.2.2').get('/meta')).status, 200)
  })

  test('a user', () => spend(meta(as(clients.plain.token)), 'core', figures.user, ofUser))

  const byApps: [string, number][] = [
    ['an app of an enterprise', figures['user-enterprise']],
    ['its OAuth app, for a member', figures['user-enterprise']],
    ['its OAuth app, for a stranger', figures.user],
    ['an approved OAuth app, for a member', figures['user-enterprise']],
  ]
  for (const [which, limit] of byApps)
    test(`a user by ${which}`, () => spend(meta(as(app[which])), 'core', limit, ofUser))

  test('what an app with the higher limit uses is gone for what has the lower one', async () => {
    const [high, low] = [as(app['an app of an enterprise, shared']), as(clients.shared.token)]
    for (let i = 1; i <= figures.user - 1; i++) assert.equal((await high.get('/meta')).status, 200)
    const last = await low.get('/meta')
    assert.deepEqual(rateOf(last), ['core', String(figures.user), String(figures.user), '0'])
    assert.equal((await low.get('/meta')).status, 403)
    const more = await high.get('/meta')
    const used = figures.user + 1
    assert.deepEqual(rateOf(more), ['core', '13', String(used), String(13 - used)], 'the refused one is not counted')
    const { body } = await low.get('/rate_limit')
    assert.deepEqual([body.resources.core.limit, body.resources.core.remaining], [figures.user, 0])
  })

  test('the audit log, by user and address', async () => {
    const log = (address: string) => () => as(admin.token, address).get('/enterprises/guildhall/audit-log')
    await spend(log('192.0.2.7'), 'audit_log', figures['audit-log'], ofUser)
    await spend(log('192.0.2.8'), 'audit_log', figures['audit-log'], ofUser)
    const owner = as(clients.plain.token, '192.0.2.7')
    assert.deepEqual(rateOf(await owner.get('/orgs/corp/audit-log')).slice(0, 3), ['audit_log', '4', '1'])
  })

  test('searches, signed in and not', async () => {
    const find = (client: RestClient) => () => client.get('/search/users?q=plain')
    await spend(find(as(clients.searcher.token)), 'search', figures.search, ofUser)
    await spend(find(as(undefined, '192.0.2.9')), 'search', figures['search-anonymous'], /for 192\.0\.2\.9\./)
    assert.equal((await as(clients.searcher.token).get('/meta')).status, 200, 'other endpoints have their own')
  })

  test('large files, signed in and not', async () => {
    const batch = (client: RestClient) => () =>
      client.ask(
        'POST',
        '/files/large.git/info/lfs/objects/batch',
        { operation: 'download', objects: [] },
        { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json' },
      )
    for (const [client, limit] of [
      [as(clients.files.token), figures.lfs],
      [as(undefined, '192.0.2.10'), figures['lfs-anonymous']],
    ] as const) {
      const ask = batch(client)
      for (let i = 1; i <= limit; i++) {
        const answer = await ask()
        assert.deepEqual([answer.status, ...rateOf(answer)], [200, 'lfs', String(limit), String(i), String(limit - i)])
      }
      const over = await ask()
      assert.ok([403, 429].includes(over.status), over.text)
      assert.deepEqual(rateOf(over), ['lfs', String(limit), String(limit), '0'])
    }
  })

  const cheap = '{ viewer { login } rateLimit { cost limit used remaining } }'
  /** 201 requests for lists: two points. */
  const dear =
    '{ viewer { repositories(first: 100) { nodes { issues(first: 1) { totalCount nodes { id } } labels(first: 1) { nodes { id } } } } } rateLimit { cost } }'

  test('GraphQL, by points that the query comes to, at both addresses together', async () => {
    const graph = as(clients.graph.token)
    const ask = (query: string, path = '/graphql') => graph.post(path, { query })
    const first = await ask(cheap)
    assert.deepEqual(first.body.data.rateLimit, { cost: 1, limit: 8, used: 1, remaining: 7 })
    assert.deepEqual(rateOf(first), ['graphql', '8', '1', '7'])
    const second = await ask(dear, '/api/graphql')
    assert.deepEqual([second.body.data.rateLimit.cost, ...rateOf(second)], [2, 'graphql', '8', '3', '5'])
    for (let i = 4; i <= 7; i++) assert.deepEqual(rateOf(await ask(cheap))[2], String(i))
    const tooDear = await ask(dear)
    assert.deepEqual(
      [tooDear.status, ...rateOf(tooDear)],
      [403, 'graphql', '8', '7', '1'],
      'two points of one that is left',
    )
    assert.match(tooDear.body.message, ofUser)
    assert.deepEqual(rateOf(await ask(cheap)), ['graphql', '8', '8', '0'])
    assert.equal((await ask(cheap)).status, 403)
    assert.equal((await graph.get('/meta')).status, 200, 'REST has its own hour')
    assert.equal((await as(undefined, '192.0.2.11').post('/graphql', { query: cheap })).status, 401)
  })

  test('GraphQL by the minute: a point for a query, five for a mutation', async () => {
    const client = as(clients.mutating.token)
    const mutation = { query: 'mutation { addStar(input: {}) { clientMutationId } }' }
    for (let i = 1; i <= 3; i++) assert.equal((await client.post('/graphql', mutation)).status, 200)
    assert.equal((await client.post('/api/graphql', { query: cheap })).status, 200)
    const over = await client.post('/graphql', { query: cheap })
    assert.equal(over.status, 403)
    assert.match(over.body.message, /^You have exceeded a secondary rate limit\./)
    assert.ok(Number(over.headers.get('retry-after')) > 0)
    assert.deepEqual(rateOf(over), ['graphql', '8', '1', '7'])
  })
})

test('GraphQL has so much processor time of its own; REST goes on when it is used up', async (t) => {
  const environment = { GUILDHALL_LIMIT_FIGURES: 'graphql-cpu-seconds=0, graphql-points=100000, graphql=100000' }
  const server = await startServer('sqlite', { environment })
  t.after(() => server.stop())
  const root = asAdmin(server)
  const { getIntrospectionQuery } = await import('graphql')
  const query = getIntrospectionQuery()
  let last = await root.post('/graphql', { query })
  await until(async () => {
    last = await root.post('/graphql', { query })
    return last.status === 403
  })
  assert.match(last.body.message, /secondary rate limit/)
  assert.equal((await root.get('/meta')).status, 200)
})
