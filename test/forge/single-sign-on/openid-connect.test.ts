/** Authorising tokens by OpenID Connect, with a real provider, and what is refused on the way. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeRest, makeToken, usualScopes } from '../../support/rest.ts'
import { makeRpcClient } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { connectSsh, execSsh, makeKeyRing } from '../../support/ssh.ts'
import { makeBrowser } from './browser.ts'
import { startOpenIdProvider } from './openid-provider.ts'
import { askAddress, depart, finish, type Stage, setStage } from './stage.ts'

for (const engine of engines)
  suite(`single sign-on by OpenID Connect, ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let stage: Stage
    let provider: Awaited<ReturnType<typeof startOpenIdProvider>>
    let url: string

    before(async () => {
      provider = await startOpenIdProvider()
      stage = await setStage(engine, { GUILDHALL_PLAIN_ISSUERS: provider.issuer, GUILDHALL_SSH_PORT: '0' })
      url = stage.server.url
      provider.configure(`${url}/orgs/acme/oidc/callback`)
      const { status, text } = await stage.root.patch('/admin/organizations/acme', {
        sso: { ...provider.settings, required: true },
      })
      assert.equal(status, 200, text)
    })
    after(async () => {
      await stage.server.stop()
      await provider.stop()
    })

    /** All of it, by a person who is known to the provider by this name. */
    const authorise = async (login: string, token: string, subject = login) =>
      authoriseAt(await askAddress(makeRest(url, token)), login, subject)

    async function authoriseAt(address: string, login: string, subject = login) {
      const browser = await stage.open(login)
      const away = await depart(browser, address)
      const back = await provider.signIn(browser, away, subject, url)
      return finish(browser, await browser.visit(back))
    }

    test('a fine-grained token for the organisation is made after signing on, and ends with the identity', async () => {
      const wim = await stage.join('wim')
      const session = await makeRpcClient(url).signIn('wim', 'a good password')
      const draft = {
        Kind: 'fine-grained',
        ResourceOwner: 'acme',
        PermissionList: [
          { Name: 'contents', Level: 'read' },
          { Name: 'members', Level: 'read' },
        ],
      }
      const refused = await session.ask('create_token', draft)
      assert.deepEqual([refused.error.code, /requires single sign-on/.test(refused.error.message)], [8, true])
      assert.equal((await authorise('wim', wim.token!, 'w.example')).status, 200)
      const fine = makeRest(url, (await session.call('create_token', draft)).Text)
      assert.equal((await fine.get('/repos/acme/secret')).status, 200)
      assert.equal((await fine.get('/orgs/acme/teams')).status, 200)
      assert.equal((await stage.root.delete('/admin/organizations/acme/identities/wim')).status, 204)
      for (const path of ['/repos/acme/secret', '/orgs/acme/teams', '/user/memberships/orgs/acme']) {
        const { status, headers } = await fine.get(path)
        assert.deepEqual([status, /^required; url=/.test(headers.get('x-platform-sso') ?? '')], [403, true], path)
      }
      assert.deepEqual((await fine.get('/user/repos')).body, [])
      assert.equal((await session.ask('create_token', draft)).error.code, 8)
      // Its person may sign on by the token itself, which is authorised as a classic one is.
      assert.equal((await authorise('wim', fine.token!, 'w.example')).status, 200)
      assert.equal((await fine.get('/repos/acme/secret')).status, 200)
      assert.equal((await wim.get('/repos/acme/secret')).status, 403, 'the other token ended with the identity, too')
      await stage.root.delete('/orgs/acme/members/wim')
    })

    test('a member signs in with the provider, and the token is authorised: it and no other', async () => {
      const ann = await stage.join('ann')
      const browser = makeBrowser()
      const address = await askAddress(ann)
      const form = await browser.visit(address)
      assert.equal(form.status, 200)
      assert.match(form.text, /name="password"/)
      const session = `${url}/orgs/acme/sso/session${new URL(address).search}`
      assert.equal((await browser.visit(session, { name: 'ann', password: 'wrong' })).status, 401)
      const signedIn = await browser.visit(session, { name: 'ann', password: 'a good password' })
      assert.equal(signedIn.location, address)
      const confirmation = await browser.visit(address)
      assert.match(confirmation.text, /of ann/)
      const back = await provider.signIn(browser, await depart(browser, address), 'a.example', url)
      const done = await finish(browser, await browser.visit(back))
      assert.equal(done.status, 200, done.text)
      assert.equal((await ann.get('/repos/acme/secret')).status, 200)
      assert.equal((await ann.get('/user/repos')).headers.get('x-platform-sso'), null)
      const other = makeRest(url, await makeToken(stage.server, 'ann', { kind: 'classic', scopes: ['repo'] }))
      assert.equal((await other.get('/repos/acme/secret')).status, 403)
      const next = await askAddress(other)
      await stage.join('yul')
      const stranger = await stage.open('yul')
      for (const form of [undefined, {}]) assert.equal((await stranger.visit(next, form)).status, 403)
      const departures = await Promise.all([browser.visit(next, {}), browser.visit(next, {})])
      assert.deepEqual(departures.map(({ status }) => status).toSorted(), [303, 403], 'an address is used once')
      const { body } = await ann.get('/orgs/acme/credential-authorizations')
      assert.equal(body.length, 1)
      assert.equal(body[0].login, 'ann')
      assert.equal(body[0].credential_type, 'personal access token')
      assert.equal(body[0].token_last_eight, ann.token!.slice(-8))
      const identities = await stage.root.get('/admin/organizations/acme/identities')
      assert.deepEqual(
        identities.body.map(({ login, issuer, subject }: Record<string, string>) => ({ login, issuer, subject })),
        [{ login: 'ann', issuer: provider.issuer, subject: 'a.example' }],
      )
      // The address was used: neither its page nor its form is served again, nor what the provider said.
      assert.equal((await browser.visit(address)).status, 403)
      assert.equal((await browser.visit(address, {})).status, 403)
      assert.equal((await browser.visit(back)).status, 403)
    })

    test('an authorisation ends when it is revoked, with the identity, and with the membership', async () => {
      const ann = await stage.join('ann')
      const bea = await stage.join('bea')
      const open = () => bea.get('/repos/acme/secret').then(({ status }) => status)
      assert.equal((await authorise('bea', bea.token!)).status, 200)
      assert.equal(await open(), 200)
      const [first] = (await ann.get('/orgs/acme/credential-authorizations?login=bea')).body
      assert.equal((await ann.delete(`/orgs/acme/credential-authorizations/${first.credential_id}`)).status, 204)
      assert.equal((await ann.delete(`/orgs/acme/credential-authorizations/${first.credential_id}`)).status, 404)
      assert.equal(await open(), 403)
      assert.equal((await authorise('bea', bea.token!)).status, 200)
      assert.equal((await stage.root.delete('/admin/organizations/acme/identities/bea')).status, 204)
      assert.equal(await open(), 403)
      assert.equal((await authorise('bea', bea.token!)).status, 200)
      await ann.delete('/orgs/acme/members/bea')
      await stage.root.put('/orgs/acme/memberships/bea', { role: 'member' })
      assert.equal(await open(), 403)
      assert.equal((await ann.get('/orgs/acme/credential-authorizations?login=bea')).body.length, 0)
      const told = (action: string) =>
        stage.root.get(`/enterprises/guildhall/audit-log?phrase=user:bea+action:${action}`)
      for (const [action, actor] of [
        ['org_credential_authorization.revoke', 'ann'],
        ['external_identity.deprovision', 'admin'],
      ] as const) {
        const [entry] = (await told(action)).body.toReversed()
        assert.deepEqual([entry?.action, entry?.actor, entry?.org, entry?.user], [action, actor, 'acme', 'bea'])
      }
    })

    test('an SSH key is authorised at the address that its refusal names, and shown as what it is', async () => {
      const ring = await makeKeyRing()
      const uma = await stage.join('uma')
      const keeper = makeRest(url, await makeToken(stage.server, 'uma', { kind: 'classic', scopes: usualScopes }))
      const key = await ring.make()
      assert.equal((await keeper.post('/user/keys', { title: 'laptop', key: key.line })).status, 201)
      const connection = await connectSsh(stage.server.services.forge.ssh.port!, { key: key.privateKey })
      const read = () => execSsh(connection, "git-upload-pack 'acme/secret'", { input: '0000' })
      const address = /within an hour at (\S+)/.exec((await read()).err)?.[1] ?? ''
      assert.equal((await authoriseAt(address, 'uma')).status, 200)
      assert.deepEqual([(await read()).err, (await uma.get('/repos/acme/secret')).status], ['', 403], 'it and no other')
      const [shown] = (await (await stage.join('ann')).get('/orgs/acme/credential-authorizations?login=uma')).body
      assert.deepEqual([shown.credential_type, shown.authorized_credential_title], ['SSH key', 'laptop'])
      assert.match(shown.fingerprint, /^SHA256:/)
      await stage.root.delete('/admin/organizations/acme/identities/uma')
      assert.match((await read()).err, /Authorize the key/)
      connection.end()
      await ring.drop()
    })

    rule('one identity is one account’s, and one account has one identity', async () => {
      const cid = await stage.join('cid')
      const taken = await authorise('cid', cid.token!, 'a.example')
      assert.equal(taken.status, 403)
      assert.match(taken.text, /Another account/)
      assert.equal((await authorise('cid', cid.token!, 'c.example')).status, 200)
      const second = await makeToken(stage.server, 'cid', { kind: 'classic', scopes: ['repo'] })
      const differs = await authorise('cid', second, 'd.example')
      assert.equal(differs.status, 403)
      assert.match(differs.text, /another identity/)
      assert.equal((await authorise('cid', second, 'c.example')).status, 200)
    })

    rule('an address is for its own person, who must be signed in and have come from the page', async () => {
      const dan = await stage.join('dan')
      const eve = await stage.open('cid')
      const address = await askAddress(dan)
      assert.equal((await eve.visit(address)).status, 403)
      assert.equal((await eve.visit(address, {})).status, 403)
      const browser = await stage.open('dan')
      assert.equal((await browser.visit(address, {}, { 'sec-fetch-site': 'cross-site' })).status, 403)
      assert.equal((await browser.visit(address, {}, { origin: 'https://evil.example' })).status, 403)
      assert.equal((await makeBrowser().visit(address, {})).status, 401)
      const asToken = await makeBrowser().visit(address, {}, { authorization: `Bearer ${dan.token}` })
      assert.equal(asToken.status, 401)
      const signature = address.at(-1) === 'A' ? 'B' : 'A'
      assert.equal((await browser.visit(address.slice(0, -1) + signature)).status, 404)
      assert.equal((await browser.visit(address.replace(/=(\d+)/, '=1$1'))).status, 404)
    })

    rule('what one began another can’t finish, by whatever browser the answer came', async () => {
      const fay = await stage.join('fay')
      const attacker = await stage.open('fay')
      const victim = await stage.open('ann')
      const away = await depart(attacker, await askAddress(fay))
      const back = await provider.signIn(victim, away, 'f.example', url)
      const page = await victim.visit(back)
      assert.equal((await finish(victim, page)).status, 403)
      assert.equal((await finish(attacker, page)).status, 403, 'the ticket is used up')
      assert.equal((await fay.get('/repos/acme/secret')).status, 403)
    })

    rule('answers that were tampered with are refused, and end the attempt', async () => {
      const gil = await stage.join('gil')
      const browser = await stage.open('gil')
      const tamper: [string, (back: URL) => void][] = [
        ['state', (back) => back.searchParams.set('state', 'A'.repeat(43))],
        ['no state', (back) => back.searchParams.delete('state')],
        ['code', (back) => back.searchParams.set('code', 'A'.repeat(43))],
        ['issuer', (back) => back.searchParams.set('iss', 'https://evil.example')],
        ['no issuer', (back) => back.searchParams.delete('iss')],
      ]
      for (const [what, change] of tamper) {
        const away = await depart(browser, await askAddress(gil))
        const back = new URL(await provider.signIn(browser, away, 'g.example', url))
        const real = back.href
        change(back)
        assert.equal((await browser.visit(back.href)).status, 403, what)
        if (back.searchParams.get('state') === new URL(real).searchParams.get('state'))
          assert.equal((await browser.visit(real)).status, 403, `${what}: one answer counts`)
      }
      const away = await depart(browser, await askAddress(gil))
      const changed = new URL(away)
      changed.searchParams.set('nonce', 'B'.repeat(43))
      assert.equal(
        (await browser.visit(await provider.signIn(browser, changed.href, 'g.example', url))).status,
        403,
        'nonce',
      )
      const second = new URL(await depart(browser, await askAddress(gil)))
      second.searchParams.set('code_challenge', 'C'.repeat(43))
      assert.equal(
        (await browser.visit(await provider.signIn(browser, second.href, 'g.example', url))).status,
        403,
        'PKCE',
      )
    })

    test('another client at the same provider is another provider: identities and authorisations end', async () => {
      const set = async (sso: object) =>
        assert.equal((await stage.root.patch('/admin/organizations/acme', { sso })).status, 200)
      const eli = await stage.join('eli')
      const open = () => eli.get('/repos/acme/secret').then(({ status }) => status)
      const identities = async () =>
        (await stage.root.get('/orgs/acme/credential-authorizations?login=eli')).body.length
      const settings = { ...provider.settings, required: true }
      assert.equal((await authorise('eli', eli.token!)).status, 200)
      await set({ ...settings, client_secret: 'another secret' })
      assert.deepEqual([await open(), await identities()], [200, 1], 'a new secret of the same client changes nothing')
      await set({ ...settings, client_id: 'another' })
      assert.deepEqual([await open(), await identities()], [403, 0])
      await set(settings)
      assert.deepEqual([await open(), await identities()], [403, 0], 'nor do they come back')
    })

    test('so many sign-ons are begun in an hour, and no more', async () => {
      const hal = await stage.join('hal')
      const browser = await stage.open('hal')
      for (let i = 0; i < 20; i++) await depart(browser, await askAddress(hal))
      const refused = await browser.visit(await askAddress(hal), {})
      assert.equal(refused.status, 403)
      assert.match(refused.text, /20 sign-ons/)
    })
  })
