/** OAuth: what a browser, a person and a program see on the way to a token, and every way round it that is shut. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { makeRest, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import type { Browser } from '../single-sign-on/browser.ts'
import {
  asClient,
  askToken,
  authorizeUrl,
  callback,
  consent,
  credentialsOf,
  fieldsOf,
  goOnOf,
  obtain,
  openBrowser,
  pkce,
  register,
  registerOAuthApp,
  verifier,
} from './oauth-world.ts'

const minuteMs = 60_000

for (const engine of engines)
  describe(`OAuth on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let clock: ReturnType<typeof makeManualClock>
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let bobs: Browser
    let app: Json
    let open: Json
    before(async () => {
      clock = makeManualClock(Date.now())
      server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await register(server, 'ann')
      bob = await register(server, 'bob')
      await bob.post('/user/repos', { name: 'hidden', private: true })
      bobs = await openBrowser(server, 'bob')
      app = await registerOAuthApp(ann, { name: 'Shelf <b>&"\'', device_flow: true })
      open = await registerOAuthApp(ann, { confidential: false, device_flow: true })
    })
    after(() => server.stop())

    const withToken = (token: string) => makeRest(server.url, token)
    const statusBy = async (token: string, path = '/user') => (await withToken(token).get(path)).status
    const url = (query: Record<string, string> = {}, client = app) =>
      authorizeUrl(server, { client_id: client.client_id, ...query })
    const codeOf = async (query: Record<string, string> = {}, client = app) =>
      (await consent(bobs, url(query, client))).searchParams.get('code') ?? ''
    const exchange = (form: Record<string, string>, client = app) =>
      askToken(server, { ...credentialsOf(client), ...form })
    const forgetLockouts = () => server.services.store.write((trx) => trx.deleteFrom('lockout').execute())

    rule('an OAuth app is its owners’ own: its secret is shown once, changed and deleted by them alone', async () => {
      const made = await registerOAuthApp(ann)
      assert.match(made.client_secret, /^[0-9A-Za-z]{40}$/)
      const path = `/oauth-apps/${made.client_id}`
      assert.ok(!('client_secret' in (await ann.get(path)).body))
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal((await bob.ask(method, path, method === 'PATCH' ? {} : undefined)).status, 404, method)
      assert.equal((await ann.patch(path, { name: 'Renamed' })).body.name, 'Renamed')
      for (const wrong of [
        'https://x.example.org/#f',
        'https://u:p@x.example.org/',
        'javascript:alert(1)',
        'data:,x',
        'https://x.example.org/€',
      ])
        assert.equal((await ann.patch(path, { callback_urls: [wrong] })).status, 422, wrong)
      const { body: second } = await ann.post(`${path}/secrets`)
      const [first] = (await ann.get(`${path}/secrets`)).body
      assert.equal((await ann.delete(`${path}/secrets/${first.id}`)).status, 204)
      const meta = (client_secret: string) => asClient(server, { ...made, client_secret }).get('/meta')
      assert.equal((await meta(made.client_secret)).status, 401)
      assert.equal((await meta(second.client_secret)).status, 200)
      assert.equal((await ann.post(`/oauth-apps/${open.client_id}/secrets`)).status, 422)
      assert.equal((await ann.delete(path)).status, 204)
      assert.equal((await meta(second.client_secret)).status, 401)
      await forgetLockouts()
    })

    test('a user says yes on a page that names the app and its scopes, and the code becomes a token', async () => {
      const state = 'x&y=<script>\r\nSet-Cookie: a=b'
      const page = await bobs.visit(url({ scope: 'repo,read:user', state, ...pkce }))
      assert.match(page.text, /Shelf &lt;b&gt;&amp;&quot;&#39;/)
      assert.ok(!page.text.includes('<b>') && !page.text.includes('<script'))
      assert.match(page.text, /Read and change all your repositories/)
      const back = await consent(bobs, url({ scope: 'repo,read:user', state, ...pkce }))
      assert.equal(`${back.origin}${back.pathname}`, 'https://client.example.org/back')
      assert.deepEqual([back.searchParams.get('kept'), back.searchParams.get('state')], ['a b', state])
      const code = back.searchParams.get('code')!
      const given = await exchange({ code, code_verifier: verifier, redirect_uri: callback })
      assert.match(given.access_token, /^gdo_/)
      assert.deepEqual([given.token_type, given.scope], ['bearer', 'read:user,repo'])
      assert.equal(given.headers.get('cache-control'), 'no-store')
      const answer = await withToken(given.access_token).get('/repos/bob/hidden')
      assert.deepEqual([answer.status, answer.headers.get('x-oauth-scopes')], [200, 'read:user, repo'])
      // What was allowed once is not asked again, and more is.
      const again = await bobs.visit(url({ scope: 'repo', ...pkce }))
      assert.equal(again.status, 302)
      assert.equal((await bobs.visit(url({ scope: 'repo notifications', ...pkce }))).status, 200)
      assert.equal((await bobs.visit(url({ scope: 'repo', prompt: 'consent', ...pkce }))).status, 200)
      assert.equal((await bobs.visit(url({ scope: 'repo', ...pkce }, open))).status, 200)
    })

    rule(
      'tokens come as pairs, JSON or XML, for a form or a JSON object, with the secret in the body or in Basic',
      async () => {
        const ask = async (accept: string, body: string, type: string, headers: Record<string, string> = {}) => {
          const response = await fetch(`${server.url}/login/oauth/access_token`, {
            method: 'POST',
            headers: { accept, 'content-type': type, ...headers },
            body,
          })
          return [response.status, response.headers.get('content-type')?.split(';')[0], await response.text()] as const
        }
        const form = 'application/x-www-form-urlencoded'
        const body = async () => ({ ...credentialsOf(app), code: await codeOf() })
        const pairs = await ask('*/*', String(new URLSearchParams(await body())), form)
        assert.deepEqual(pairs.slice(0, 2), [200, form])
        assert.match(new URLSearchParams(pairs[2]).get('access_token')!, /^gdo_/)
        const json = await ask('application/json', JSON.stringify(await body()), 'application/json')
        assert.match(JSON.parse(json[2]).access_token, /^gdo_/)
        const xml = await ask('application/xml', String(new URLSearchParams(await body())), form)
        assert.match(xml[2], /^<\?xml version="1.0" encoding="UTF-8"\?>\n<OAuth><access_token>gdo_\w+<\/access_token>/)
        const authorization = `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`
        const { code } = await body()
        const basic = await ask('application/json', String(new URLSearchParams({ code })), form, { authorization })
        assert.match(JSON.parse(basic[2]).access_token, /^gdo_/)
        assert.deepEqual(await ask('application/json', '{', 'application/json').then(([status]) => status), 400)
        const twice = await ask('application/json', `${new URLSearchParams(await body())}&code=other`, form)
        assert.equal(JSON.parse(twice[2]).error, 'invalid_request')
        for (const [fields, error] of [
          [{ ...(await body()), client_secret: 'x'.repeat(40) }, 'incorrect_client_credentials'],
          [{ client_id: app.client_id, code: await codeOf() }, 'incorrect_client_credentials'],
          [{ client_id: 'Gd1.0000000000000000', code: 'x' }, 'incorrect_client_credentials'],
          [{ ...(await body()), grant_type: 'password' }, 'unsupported_grant_type'],
          [{ ...(await body()), code: 'x' }, 'bad_verification_code'],
        ] as const) {
          const answer = await askToken(server, fields)
          assert.deepEqual([answer.status, answer.error], [200, error])
        }
        await forgetLockouts()
        // What pages of other sites have a browser send is counted apart.
        const elsewhere = { 'sec-fetch-site': 'cross-site' }
        const wrong = { client_id: app.client_id, client_secret: 'x'.repeat(40), code: 'x' }
        for (let i = 0; i < 10; i++)
          assert.equal((await askToken(server, wrong, elsewhere)).error, 'incorrect_client_credentials')
        assert.equal((await askToken(server, await body(), elsewhere)).status, 403)
        assert.equal((await askToken(server, wrong)).error, 'incorrect_client_credentials')
        await forgetLockouts()
        // Ten wrong secrets, and the address waits, with the right one, too.
        const last = await body()
        for (let i = 0; i < 10; i++) assert.equal((await askToken(server, wrong)).error, 'incorrect_client_credentials')
        const locked = await askToken(server, last)
        assert.equal(locked.status, 403)
        assert.match(locked.message, /^Maximum number of login attempts exceeded/)
        await forgetLockouts()
      },
    )

    test('a code is good once, for ten minutes, for its own app, and a second use ends what it gave', async () => {
      const code = await codeOf()
      const { access_token } = await exchange({ code })
      assert.equal(await statusBy(access_token), 200)
      assert.equal((await exchange({ code })).error, 'bad_verification_code')
      assert.equal(await statusBy(access_token), 401)
      const late = await codeOf()
      clock.advance(10 * minuteMs)
      assert.equal((await exchange({ code: late })).error, 'bad_verification_code')
      const other = await registerOAuthApp(ann)
      const own = await codeOf()
      assert.equal((await exchange({ code: own }, other)).error, 'bad_verification_code')
      assert.match((await exchange({ code: own })).access_token, /^gdo_/)
      // Side by side, one of them gets a token at most, and the second use ends it.
      const shared = await codeOf()
      const answers = await Promise.all([1, 2, 3, 4].map(() => exchange({ code: shared })))
      const given = answers.flatMap(({ access_token: token }) => (token ? [token] : []))
      assert.equal(given.length, 1)
      assert.equal(await statusBy(given[0]), 401)
      await forgetLockouts()
    })

    rule('a browser is sent to registered addresses alone, letter by letter', async () => {
      const tampered = [
        ...['https://client.example.org/back', 'https://client.example.org/back?kept=a b', `${callback}&more=1`],
        ...[`${callback}/../x`, callback.replace('kept', 'KEPT'), callback.replace('https', 'http'), `${callback}#f`],
        ...['https://client.example.org.evil.example/back?kept=a%20b', callback.replace('a%20b', 'a+b'), ' '],
        ...['https://client.example.org@evil.example/back?kept=a%20b', callback.replace('.org/', '.org:8443/')],
        ...['https://client.example.org:443/back?kept=a%20b', '//client.example.org/back?kept=a%20b', `${callback} `],
        ...['https://client.example.org/%62ack?kept=a%20b', 'javascript:alert(1)', 'https://evil.example/'],
      ]
      for (const redirect_uri of tampered) {
        const { status, location, text } = await bobs.visit(url({ redirect_uri }))
        assert.deepEqual([status, location], [400, ''], redirect_uri)
        assert.match(text, /not one of the callback addresses/)
      }
      assert.equal((await bobs.visit(url({ client_id: 'Gd1.nobody' }))).status, 404)
      const twice = `${url({ redirect_uri: callback })}&redirect_uri=https://evil.example/`
      assert.deepEqual(await bobs.visit(twice).then(({ status, location }) => [status, location]), [400, ''])
      const code = await codeOf({ redirect_uri: callback })
      const mismatch = await exchange({ code, redirect_uri: 'https://client.example.org/back' })
      assert.equal(mismatch.error, 'redirect_uri_mismatch')
      // Loopback is no exception: an app registers the port that it listens on.
      const native = await registerOAuthApp(ann, { callback_urls: ['http://127.0.0.1:7777/cb', 'org.example.app:/cb'] })
      const redirects = (redirect_uri: string) => bobs.visit(url({ redirect_uri }, native)).then(({ status }) => status)
      assert.deepEqual(
        await Promise.all(['http://127.0.0.1:7777/cb', 'org.example.app:/cb'].map(redirects)),
        [200, 200],
      )
      assert.equal(await redirects('http://127.0.0.1:7778/cb'), 400)
    })

    rule('what is wrong with a request beside its client and address is told to the app', async () => {
      for (const [query, error] of [
        [{ response_type: 'token' }, 'unsupported_response_type'],
        [{ scope: 'repo nonsense' }, 'invalid_scope'],
        [{ scope: 'site_admin' }, 'invalid_scope'],
        [{ code_challenge: pkce.code_challenge }, 'invalid_request'],
        [{ ...pkce, code_challenge_method: 'plain' }, 'invalid_request'],
        [{ ...pkce, code_challenge: 'short' }, 'invalid_request'],
        [{ code_challenge_method: 'S256' }, 'invalid_request'],
      ] as const) {
        const { status, location } = await bobs.visit(url({ ...query, state: 's' }))
        const back = new URL(location)
        const told = [status, back.searchParams.get('error'), back.searchParams.get('state'), back.host]
        assert.deepEqual(told, [302, error, 's', 'client.example.org'], JSON.stringify(query))
      }
      const twice = await bobs.visit(`${url({ scope: 'repo' })}&scope=user`)
      assert.equal(new URL(twice.location).searchParams.get('error'), 'invalid_request')
      const denied = await consent(bobs, url({ scope: 'audit_log', state: 's' }), 'deny')
      assert.deepEqual([...denied.searchParams.keys()], ['kept', 'error', 'error_description', 'state'])
      assert.equal(denied.searchParams.get('error'), 'access_denied')
    })

    rule('PKCE is demanded of apps without a secret, and can’t be taken away on the road', async () => {
      const bare = await bobs.visit(url({}, open))
      assert.equal(new URL(bare.location).searchParams.get('error'), 'invalid_request')
      const refused = async (code: string, form: object, client: Json) =>
        assert.equal((await exchange({ code, ...form }, client)).error, 'bad_verification_code')
      const code = await codeOf(pkce, open)
      await refused(code, {}, open)
      await refused(code, { code_verifier: pkce.code_challenge }, open)
      await refused(code, { code_verifier: `${verifier}x` }, open)
      assert.match((await exchange({ code, code_verifier: verifier }, open)).access_token, /^gdo_/)
      // Of an app with a secret: the verifier belongs to the challenge, each without the other is refused.
      await refused(await codeOf(pkce), {}, app)
      await refused(await codeOf(), { code_verifier: verifier }, app)
    })

    rule('only the page that was shown to this session says yes, and only to what was on it', async () => {
      const address = url({ scope: 'gist' })
      const page = await bobs.visit(address)
      const form = { ...fieldsOf(page), decision: 'allow' }
      const post = (to: string, fields: Record<string, string>, headers = {}) => bobs.visit(to, fields, headers)
      assert.equal((await post(address, form, { origin: 'https://evil.example' })).status, 403)
      assert.equal((await post(address, form, { 'sec-fetch-site': 'cross-site' })).status, 403)
      assert.equal((await post(address, { decision: 'allow' })).status, 409)
      assert.equal((await post(address, { ...form, scopes: 'gist repo delete_repo' })).status, 409)
      assert.equal((await post(url({ scope: 'gist' }, open), form)).status, 302)
      assert.equal((await post(url({ scope: 'gist', state: 'other' }), form)).status, 409)
      assert.equal((await post(url({ scope: 'gist', ...pkce }), form)).status, 409)
      const anns = await openBrowser(server, 'ann')
      assert.equal((await anns.visit(address, form)).status, 409)
      clock.advance(1_000)
      await ann.patch(`/oauth-apps/${app.client_id}`, { description: 'Now something else' })
      assert.equal((await post(address, form)).status, 409)
      const fresh = { ...fieldsOf(await bobs.visit(address)), decision: 'allow' }
      assert.ok(goOnOf(await post(address, fresh)).searchParams.has('code'))
      // A browser keeps the cookie from what another site causes: the page brings it to ask again by itself.
      const bounced = await bobs.visit(address, undefined, { 'sec-fetch-site': 'cross-site' })
      assert.match(bounced.text, /http-equiv="refresh" content="0; url=\/login\/oauth\/authorize\?/)
      const { headers } = await fetch(address)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(
        policy,
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
      const others = ['x-frame-options', 'cache-control', 'referrer-policy'].map((name) => headers.get(name))
      assert.deepEqual(others, ['DENY', 'no-store', 'same-origin'])
    })

    rule(
      'a wrong password is told on the page, and a token or a stranger’s browser gets the sign-in page',
      async () => {
        const wrong = await bobs.visit(`${server.url}/login/oauth/session?x=1`, { name: 'bob', password: 'wrong' })
        assert.deepEqual([wrong.status, wrong.text.includes('role="alert"')], [401, true])
        const byToken = await fetch(url(), { headers: { authorization: `Bearer ${bob.token}` } })
        assert.match(await byToken.text(), /type="password"/)
        const strange = await fetch(url(), { method: 'POST', body: new URLSearchParams({ decision: 'allow' }) })
        assert.equal(strange.status, 401)
      },
    )

    rule('an app checks, resets and gives back its own tokens, by its own secret', async () => {
      const client = asClient(server, app)
      const other = await registerOAuthApp(ann)
      const { access_token } = await obtain(server, bobs, app, { scope: 'repo' })
      const path = `/applications/${app.client_id}`
      const checked = await client.post(`${path}/token`, { access_token })
      assert.deepEqual([checked.status, checked.body.user.login, checked.body.scopes], [200, 'bob', ['repo']])
      assert.equal(checked.body.app.client_id, app.client_id)
      assert.equal((await client.post(`${path}/token`, { access_token: bob.token })).status, 404)
      assert.equal((await asClient(server, other).post(`${path}/token`, { access_token })).status, 404)
      const foreign = `/applications/${other.client_id}/token`
      assert.equal((await asClient(server, other).post(foreign, { access_token })).status, 404)
      assert.equal((await bob.post(`${path}/token`, { access_token })).status, 401)
      const reset = await client.patch(`${path}/token`, { access_token })
      assert.equal(await statusBy(access_token), 401)
      assert.equal(await statusBy(reset.body.token), 200)
      assert.equal((await client.ask('DELETE', `${path}/token`, { access_token: reset.body.token })).status, 204)
      assert.equal(await statusBy(reset.body.token), 401)
      assert.equal((await client.ask('DELETE', `${path}/token`, { access_token: reset.body.token })).status, 404)
      const [one, two] = [await obtain(server, bobs, app), await obtain(server, bobs, app)]
      assert.equal((await client.ask('DELETE', `${path}/grant`, { access_token: one.access_token })).status, 204)
      assert.deepEqual([await statusBy(one.access_token), await statusBy(two.access_token)], [401, 401])
      await forgetLockouts()
    })

    rule('people see what they authorised and take it back, over REST and on a page', async () => {
      const { access_token } = await obtain(server, bobs, app, { scope: 'repo' })
      const other = await obtain(server, bobs, open, { scope: 'user:email' })
      const { body: grants } = await bob.get('/applications/grants')
      const ours = grants.find(({ app: { client_id } }: Json) => client_id === app.client_id)
      assert.deepEqual([ours.scopes, ours.tokens >= 1], [['repo'], true])
      assert.equal((await ann.get(`/applications/grants/${ours.id}`)).status, 404)
      assert.equal((await ann.delete(`/applications/grants/${ours.id}`)).status, 404)
      assert.equal((await withToken(access_token).delete(`/applications/grants/${ours.id}`)).status, 403)
      assert.equal((await bob.delete(`/applications/grants/${ours.id}`)).status, 204)
      const phrase = 'phrase=action:oauth_authorization.destroy&per_page=1'
      const [entry] = (await withToken(admin.token).get(`/enterprises/guildhall/audit-log?${phrase}`)).body
      assert.deepEqual([entry.actor, entry.user, entry.data.scopes], ['bob', 'bob', ['repo']])
      assert.equal(await statusBy(access_token), 401)
      const page = await bobs.visit(`${server.url}/settings/applications`)
      const form = fieldsOf(page)
      const revoke = (fields: Record<string, string>, headers = {}) =>
        bobs.visit(`${server.url}/settings/applications`, fields, headers)
      assert.equal((await revoke(form, { origin: 'https://evil.example' })).status, 403)
      await revoke({ ...form, proof: 'x' })
      assert.equal(await statusBy(other.access_token), 200)
      for (const [, grant = '', proof = ''] of page.text.matchAll(
        /name="grant" value="(\d+)">\s*<input type="hidden" name="proof" value="([^"]+)"/g,
      ))
        assert.equal((await revoke({ grant, proof })).status, 303)
      assert.equal(await statusBy(other.access_token), 401)
      assert.match((await bobs.visit(`${server.url}/settings/applications`)).text, /not authorized any apps/)
      await forgetLockouts()
    })

    rule('who is suspended, user or owner of the app, has no tokens at once; a deleted app neither', async () => {
      const root = makeRest(server.url, admin.token)
      const eve = await register(server, 'eve')
      const eves = await openBrowser(server, 'eve')
      const hers = await registerOAuthApp(eve)
      const { access_token } = await obtain(server, bobs, hers)
      const own = await obtain(server, eves, app)
      const code = (await consent(bobs, url({}, hers))).searchParams.get('code')!
      await root.put('/users/eve/suspended')
      assert.deepEqual([await statusBy(access_token), await statusBy(own.access_token)], [401, 403])
      assert.equal((await bobs.visit(url({}, hers))).status, 404)
      assert.equal((await eves.visit(url())).status, 403)
      assert.equal((await exchange({ code }, hers)).error, 'incorrect_client_credentials')
      assert.equal(
        (await asClient(server, app).post(`/applications/${app.client_id}/token`, { access_token: own.access_token }))
          .status,
        404,
      )
      await root.delete('/users/eve/suspended')
      assert.equal(await statusBy(access_token), 200)
      const leaked = await obtain(server, bobs, hers)
      assert.equal((await bob.delete(`/oauth-apps/${hers.client_id}/grants`)).status, 404)
      assert.equal((await eve.delete(`/oauth-apps/${hers.client_id}/grants`)).status, 204)
      assert.deepEqual([await statusBy(access_token), await statusBy(leaked.access_token)], [401, 401])
      const { access_token: again } = await obtain(server, bobs, hers)
      await eve.delete(`/oauth-apps/${hers.client_id}`)
      assert.equal(await statusBy(again), 401)
      await forgetLockouts()
    })

    test('one user has ten authorizations of an app at most, and ten codes of it', async () => {
      const given: string[] = []
      for (let i = 0; i < 11; i++) given.push((await obtain(server, bobs, app)).access_token)
      assert.deepEqual(
        [await statusBy(given[0]!), await statusBy(given[1]!), await statusBy(given[10]!)],
        [401, 200, 200],
      )
      for (let i = 0; i < 12; i++) {
        clock.advance(1)
        await codeOf()
      }
      const codes = await server.services.store.db.selectFrom('app_code').selectAll().execute()
      const ofGrant = Object.values(Object.groupBy(codes, ({ grant_id }) => grant_id))
      assert.ok(ofGrant.every((rows) => rows!.length <= 10))
      await server.services.forge.oauth.prune()
      clock.advance(2 * 24 * 60 * minuteMs)
      await server.services.forge.oauth.prune()
      assert.deepEqual(await server.services.store.db.selectFrom('app_code').selectAll().execute(), [])
      await forgetLockouts()
    })
  })
