/** How a request is let in: which credentials count, which are refused and how, and the lock-out. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient, usualScopes } from '../support/rest.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
})

/** `port` is ours: the same as long as the connection is. */
async function askOn(agent: Agent, url: string, token: string | undefined) {
  const sending = request(url, { agent, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
  const [response] = (await once(sending.end(), 'response')) as [IncomingMessage]
  const { localPort: port } = response.socket
  const { login } = JSON.parse(await text(response)) as { login?: string }
  return { status: response.statusCode, login, port }
}

for (const engine of oneEngine) {
  describe(`authentication on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let ann: RestClient
    let nobody: RestClient
    before(async () => {
      server = await startServer(engine, { clock })
      ann = await makeUser(server, 'ann')
      nobody = makeRest(server.url)
    })
    after(() => server.stop())

    const statusWith = async (authorization: string) => (await nobody.get('/user', { authorization })).status

    test('Bearer and token are taken without regard to case', async () => {
      for (const word of ['Bearer', 'bearer', 'BEARER', 'token', 'Token', 'TOKEN']) {
        assert.equal(await statusWith(`${word} ${ann.token}`), 200, word)
      }
    })

    test('a login and its token are taken as Basic, the token of another is not', async () => {
      const token = ann.token!
      assert.equal((await nobody.get('/user', basic('ann', token))).body.login, 'ann')
      assert.equal((await nobody.get('/user', basic('ANN', token))).status, 200)
      assert.equal((await nobody.get('/user', basic('x-access-token', token))).status, 200)
      assert.equal((await nobody.get('/user', basic(token, 'x-oauth-basic'))).status, 200)
      assert.equal((await nobody.get('/user', basic('admin', token))).status, 401)
    })

    test('a password is refused with 401, and the message says to use a token', async () => {
      const { status, body } = await nobody.get('/user', basic('ann2', 'a right password'))
      assert.equal(status, 401)
      assert.match(body.message, /token/)
      assert.equal((await nobody.get('/user', basic(admin.name, admin.password))).status, 401)
    })

    test('no credential on one’s own things is 401 Requires authentication', async () => {
      const { status, body } = await nobody.get('/user')
      assert.equal(status, 401)
      assert.equal(body.message, 'Requires authentication')
      assert.equal(body.status, '401')
    })

    test('a token that nobody has is 401 Bad credentials, on public things too', async () => {
      const { status, body } = await nobody.get('/meta', { authorization: 'Bearer gdp_unknown' })
      assert.equal(status, 401)
      assert.equal(body.message, 'Bad credentials')
    })

    test('an expired token is 401; one that will expire says when', async () => {
      const draft = { kind: 'classic', scopes: [], expires_at: new Date(clock.now() + 60_000).toISOString() }
      const shortLived = makeRest(server.url, await makeToken(server, 'ann', draft))
      const fresh = await shortLived.get('/user')
      assert.equal(fresh.status, 200)
      assert.match(
        fresh.headers.get('github-authentication-token-expiration') ?? '',
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
      )
      clock.advance(61_000)
      assert.equal((await shortLived.get('/user')).status, 401)
    })

    test('each kind of token has its prefix, each made is a new one, and programs’ own live an hour', async () => {
      const root = asAdmin(server)
      await ann.post('/user/repos', { name: 'run' })
      for (const [kind, prefix] of [
        ['classic', 'gdp_'],
        ['fine-grained', 'guildhall_pat_'],
        ['oauth', 'gdo_'],
        ['app-user', 'gdu_'],
        ['installation', 'gds_'],
        ['workflow', 'gds_'],
      ] as const) {
        const token = await makeToken(server, 'ann', {
          kind,
          repositories: ['ann/run'],
          permissions: { contents: 'read' },
        })
        assert.ok(new RegExp(`^${prefix}[0-9A-Za-z]{36}$`).test(token), `${kind}: ${token}`)
        const { status, headers } = await makeRest(server.url, token).get('/meta')
        const ending = headers.get('platform-authentication-token-expiration')
        assert.deepEqual([status, ending !== null], [200, prefix === 'gds_'], kind)
      }
      const short = await makeToken(server, 'ann', { kind: 'installation', permissions: { contents: 'read' } })
      clock.advance(60 * 60_000)
      assert.equal((await makeRest(server.url, short).get('/meta')).status, 401)
      assert.equal((await root.post('/admin/users/ann/tokens', { kind: 'workflow' })).status, 422)
      assert.equal((await root.post('/admin/users/ann/tokens', { kind: 'classic', scopes: ['nonsense'] })).status, 422)
      const expires_at = new Date(clock.now()).toISOString()
      const { status, body } = await root.post('/admin/users/ann/tokens', { kind: 'classic', expires_at })
      assert.deepEqual([status, body.errors?.[0].field, body.errors?.[0].code], [422, 'expires_at', 'invalid'])

      const make = async () => (await root.post('/admin/users/ann/authorizations', { scopes: ['repo'] })).body
      const [first, second] = [await make(), await make()]
      assert.notEqual(first.token, second.token)
      assert.equal((await root.delete(`/admin/tokens/${first.id}`)).status, 204)
      assert.equal((await makeRest(server.url, first.token).get('/user')).status, 401)
      assert.equal((await makeRest(server.url, second.token).get('/user')).status, 200)
      assert.equal((await root.delete(`/admin/tokens/${first.id}`)).status, 404)
    })

    test('on one connection each request counts for itself: another’s token, a suspended one’s, one whose time is over', async (t) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      t.after(() => agent.destroy())
      const ask = (token: string | undefined) => askOn(agent, `${server.url}/user`, token)
      const bea = await makeUser(server, 'bea')
      const expires_at = new Date(clock.now() + 500).toISOString()
      const shortLived = await makeToken(server, 'bea', { kind: 'classic', scopes: [], expires_at })
      const first = await ask(ann.token)
      assert.equal(first.login, 'ann')
      assert.equal((await ask(bea.token)).login, 'bea')
      assert.deepEqual(await ask(undefined), { status: 401, login: undefined, port: first.port })
      assert.equal((await ask(shortLived)).login, 'bea')
      clock.advance(500)
      assert.equal((await ask(shortLived)).status, 401)
      assert.equal((await ask(bea.token)).login, 'bea')
      await asAdmin(server).put('/users/bea/suspended')
      assert.deepEqual(await ask(bea.token), { status: 403, login: undefined, port: first.port })
      await asAdmin(server).delete('/users/bea/suspended')
      assert.equal((await ask(bea.token)).login, 'bea')
    })

    test('a suspended user is refused with 403 until the suspension ends', async () => {
      const eve = await makeUser(server, 'eve')
      const root = asAdmin(server)
      assert.equal((await root.put('/users/eve/suspended')).status, 204)
      const { status, body } = await eve.get('/user')
      assert.equal(status, 403)
      assert.match(body.message, /suspended/)
      assert.equal((await root.delete('/users/eve/suspended')).status, 204)
      assert.equal((await eve.get('/user')).status, 200)
    })

    test('a classic token shows its scopes and those the route takes, a fine-grained one the permissions', async () => {
      const classic = await ann.get('/user/emails')
      assert.equal(classic.headers.get('x-oauth-scopes'), usualScopes.join(', '))
      assert.equal(classic.headers.get('x-accepted-oauth-scopes'), 'user:email')
      const fine = makeRest(
        server.url,
        await makeToken(server, 'ann', { kind: 'fine-grained', permissions: { email_addresses: 'read' } }),
      )
      const answer = await fine.get('/user/emails')
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('x-accepted-platform-permissions'), 'email_addresses=read')
      assert.equal(answer.headers.get('x-accepted-github-permissions'), 'email_addresses=read')
      assert.equal(answer.headers.get('x-oauth-scopes'), null)
    })

    test('a missing scope, permission or token kind is named in the 403', async () => {
      const none = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: [] }))
      assert.match((await none.get('/user/emails')).body.message, /scope user:email/)
      const fine = makeRest(server.url, await makeToken(server, 'ann', { kind: 'fine-grained', permissions: {} }))
      assert.match((await fine.get('/user/emails')).body.message, /permission email_addresses=read/)
      const root = makeRest(server.url, await makeToken(server, 'admin', { kind: 'fine-grained', permissions: {} }))
      assert.match((await root.post('/admin/users', { login: 'x' })).body.message, /classic personal access token/)
    })

    test('the page’s session counts for same-origin requests and no others', async () => {
      const { account } = await server.services.sessions.create(
        { account: undefined, credential: { kind: 'none' }, address: 'x' },
        admin.name,
        admin.password,
      )
      assert.equal(account.name, 'admin')
      const { token } = await server.services.sessions.create(
        { account: undefined, credential: { kind: 'none' }, address: 'x' },
        admin.name,
        admin.password,
      )
      const cookie = `guildhall_session=${token}`
      assert.equal((await nobody.get('/user', { cookie })).status, 200)
      assert.equal((await nobody.get('/user', { cookie, 'sec-fetch-site': 'cross-site' })).status, 401)
    })

    test('the eleventh wrong credential for a user within five minutes is 403, and so are right ones, for ten minutes', async () => {
      const bob = await makeUser(server, 'bob')
      const wrong = () => nobody.get('/user', basic('bob', 'gdp_wrong'))
      for (let i = 0; i < 10; i++) assert.equal((await wrong()).status, 401)
      const eleventh = await wrong()
      assert.equal(eleventh.status, 403)
      assert.equal(eleventh.body.message, 'Maximum number of login attempts exceeded. Please try again later.')
      assert.equal((await bob.get('/user')).status, 403, 'a right token, too')
      assert.equal((await ann.get('/user')).status, 200, 'others are not touched')
      clock.advance(10 * 60_000 + 1)
      assert.equal((await bob.get('/user')).status, 200)
    })

    test('under a name that stands for anyone a token is taken, and a wrong one is on its address', async () => {
      const cid = await makeUser(server, 'cid')
      for (const name of ['', 'x-access-token', 'oauth2', 'git', 'token'])
        assert.equal((await nobody.get('/user', basic(name, cid.token!))).body.login, 'cid', name)
      clock.advance(60 * 60_000)
      for (let i = 0; i < 10; i++) assert.equal((await nobody.get('/user', basic('git', 'wrong'))).status, 401)
      assert.equal((await cid.get('/user')).status, 403, 'the address is locked')
      clock.advance(10 * 60_000 + 1)
      assert.equal((await cid.get('/user')).status, 200)
    })

    test('a name too long to be anyone’s is on its address, and no token is taken under it', async () => {
      clock.advance(60 * 60_000)
      const long = 'n'.repeat(4_000)
      assert.equal((await nobody.get('/user', basic(long, ann.token!))).status, 401)
      for (let i = 0; i < 9; i++) assert.equal((await nobody.get('/user', basic(`${long}${i}`, 'wrong'))).status, 401)
      assert.equal((await ann.get('/user')).status, 403, 'the address is locked')
      clock.advance(10 * 60_000 + 1)
      assert.equal((await ann.get('/user')).status, 200)
    })

    test('odd credentials are wrong ones, and break nothing', async () => {
      const odd = [
        'Bearer',
        'Bearer a b',
        'Basic',
        'Basic !!!',
        'Digest x',
        'token',
        `Bearer ${'x'.repeat(8_000)}`,
        ann.token!,
      ]
      for (const authorization of odd) {
        clock.advance(60_000)
        const { status, body } = await nobody.get('/meta', { authorization })
        assert.deepEqual([status, body.message], [401, 'Bad credentials'], authorization.slice(0, 20))
      }
    })

    test('tokens that nobody has are counted by address', async () => {
      clock.advance(60 * 60_000)
      for (let i = 0; i < 10; i++) assert.equal(await statusWith(`Bearer gdp_none${i}`), 401)
      assert.equal(await statusWith('Bearer gdp_none'), 403)
      assert.equal(await statusWith(`Bearer ${ann.token}`), 403)
      assert.equal((await nobody.get('/meta')).status, 200, 'no credential, no attempt')
      clock.advance(10 * 60_000 + 1)
      assert.equal(await statusWith(`Bearer ${ann.token}`), 200)
    })
  })
}
