/** A provider that is removed or changed: nothing that it said counts any longer, on whichever server. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { actingFor } from '../../../src/accounts/actor.ts'
import { SiteAdmin } from '../../../src/forge/access/site-admin.ts'
import { engines } from '../../support/engines.ts'
import { makeRest, type RestClient } from '../../support/rest.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type Browser, makeBrowser, type Visit } from './browser.ts'
import { drawKey, makeSamlProvider } from './saml-provider.ts'
import { askAddress, depart, finish, type Stage, setStage } from './stage.ts'

const provider = makeSamlProvider()
const required = { ...provider.settings, required: true }
const otherIssuer = { ...required, issuer: 'https://other.example.org/metadata' }
const openId = { kind: 'oidc', issuer: 'https://login.example.org', client_id: 'a', client_secret: 'b', required: true }

for (const engine of engines)
  suite(`changes of a provider, ${engine}`, () => {
    let stage: Stage
    /** Where people sign on. The admin is on the other server, where the engine lets two have one database. */
    let server: TestServer

    before(async () => {
      stage = await setStage(engine)
      const { database } = stage.server
      server = engine === 'postgres' ? await startServer(engine, { database }) : stage.server
    })
    after(async () => {
      if (server !== stage.server) await server.stop()
      await stage.server.stop()
    })

    async function setProvider(sso: object | null): Promise<void> {
      const { status, text } = await stage.root.patch('/admin/organizations/acme', { sso })
      assert.equal(status, 200, text)
    }

    const join = async (login: string): Promise<RestClient> => makeRest(server.url, (await stage.join(login)).token)

    /** As far as the page that the provider's answer got: it holds the ticket. */
    async function prove(login: string, client: RestClient): Promise<{ browser: Browser; page: Visit }> {
      const browser = makeBrowser()
      const form = { name: login, password: 'a good password' }
      assert.equal((await browser.visit(`${server.url}/orgs/acme/sso/session`, form)).status, 303)
      const away = await depart(browser, await askAddress(client))
      const xml = await provider.respond(away, { subject: `${login}@idp` })
      const response = { SAMLResponse: Buffer.from(xml).toString('base64') }
      const page = await browser.visit(`${server.url}/orgs/acme/saml/consume`, response)
      assert.equal(page.status, 200, page.text)
      return { browser, page }
    }

    const statusOf = async (client: RestClient) => (await client.get('/repos/acme/secret')).status
    const identities = async () => (await stage.root.get('/admin/organizations/acme/identities')).body

    test('a ticket that was kept while its provider was removed authorises nothing, nor after another is set', async () => {
      await setProvider(required)
      const bea = await join('bea')
      const [early, late] = [await prove('bea', bea), await prove('bea', bea)]
      await setProvider(null)
      assert.equal((await finish(early.browser, early.page)).status, 403)
      await setProvider(otherIssuer)
      assert.equal((await finish(late.browser, late.page)).status, 403)
      assert.equal(await statusOf(bea), 403)
      assert.deepEqual(await identities(), [])
    })

    for (const [what, change] of [
      ['another issuer', otherIssuer],
      ['another certificate', { ...required, certificates: [drawKey().certificate] }],
      ['another entry point', { ...required, entry_point: 'https://idp.example.org/new' }],
      ['another protocol', openId],
      ['not required for a while', { required: false }],
    ] as const)
      test(`a ticket of before a change authorises nothing: ${what}`, async () => {
        await setProvider(required)
        const login = `of-${what.replaceAll(' ', '-')}`
        const client = await join(login)
        const { browser, page } = await prove(login, client)
        await setProvider(change)
        await setProvider({ ...required, kind: 'saml' })
        assert.equal((await finish(browser, page)).status, 403)
        assert.equal(await statusOf(client), 403)
      })

    test('a request that was sent to a provider before it was changed is answered by none', async () => {
      await setProvider(required)
      const cid = await join('cid')
      const browser = makeBrowser()
      await browser.visit(`${server.url}/orgs/acme/sso/session`, { name: 'cid', password: 'a good password' })
      const address = await askAddress(cid)
      const away = await depart(browser, await askAddress(cid))
      await setProvider(null)
      await setProvider(required)
      const xml = await provider.respond(away, { subject: 'cid@idp' })
      const response = { SAMLResponse: Buffer.from(xml).toString('base64') }
      assert.equal((await browser.visit(`${server.url}/orgs/acme/saml/consume`, response)).status, 403)
      assert.equal((await browser.visit(address)).status, 404, 'nor is an address of before good')
    })

    for (const [what, changes, isKept] of [
      ['removed and set again', [null, required], false],
      ['of another issuer', [otherIssuer], false],
      ['of another protocol', [openId], false],
      ['of another client', [openId, { ...openId, client_id: 'another' }], false],
      ['of a new certificate', [{ ...required, certificates: [drawKey().certificate] }], true],
      ['the same', [required], true],
    ] as const)
      test(`identities and authorisations ${isKept ? 'stay' : 'end'} with a provider that is ${what}`, async () => {
        await setProvider(null)
        await setProvider(required)
        const login = `with-${what.replaceAll(' ', '-')}`
        const client = await join(login)
        const { browser, page } = await prove(login, client)
        assert.equal((await finish(browser, page)).status, 200)
        assert.equal(await statusOf(client), 200)
        for (const change of changes) await setProvider(change)
        assert.equal(await statusOf(client), isKept ? 200 : 403)
        assert.equal((await identities()).length, isKept ? 1 : 0)
        const { body } = await stage.root.get('/orgs/acme/credential-authorizations')
        assert.equal(body.length, isKept ? 1 : 0)
      })

    if (engine === 'postgres')
      test('who finishes while another server removes the provider has it after or not at all', async () => {
        await setProvider(required)
        const dan = await join('dan')
        const { browser, page } = await prove('dan', dan)
        const { tokens, forge, store } = stage.server.services
        const { account } = (await tokens.find(admin.token))!
        const by = SiteAdmin.demand(actingFor(account), { tokens: [], scopes: [], permissions: [] })
        const removed = Promise.withResolvers<void>()
        const held = Promise.withResolvers<void>()
        const removing = forge.organisations.administer(by, 'acme', {}, async (trx, id) => {
          await forge.singleSignOn.providers.setWithin(trx, by, id, null)
          removed.resolve()
          await held.promise
        })
        await removed.promise
        const finishing = finish(browser, page)
        const waiting = sql<{ n: number }>`select count(*) as n from pg_locks where not granted`
        await Promise.race([finishing, until(async () => (await waiting.execute(store.db)).rows[0]!.n > 0)])
        held.resolve()
        await removing
        assert.equal((await finishing).status, 403)
        assert.deepEqual(await identities(), [])
      })
  })
