/** Authorising tokens by SAML, with another library's provider, and forged responses that are refused. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import type { Browser } from './browser.ts'
import { type Claims, drawKey, makeSamlProvider } from './saml-provider.ts'
import { askAddress, depart, finish, type Stage, setStage } from './stage.ts'

const encode = (xml: string): string => Buffer.from(xml).toString('base64')

for (const engine of engines)
  suite(`single sign-on by SAML, ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const provider = makeSamlProvider()
    let stage: Stage
    let consumer: string

    before(async () => {
      stage = await setStage(engine)
      consumer = `${stage.server.url}/orgs/acme/saml/consume`
      const { status, text } = await stage.root.patch('/admin/organizations/acme', {
        sso: { ...provider.settings, required: true },
      })
      assert.equal(status, 200, text)
    })
    after(() => stage.server.stop())

    const send = (browser: Browser, response: string) =>
      browser.visit(consumer, { SAMLResponse: response }, { origin: 'https://idp.example.org' })

    async function begin(login: string): Promise<{ client: RestClient; browser: Browser; away: string }> {
      const client = await stage.join(login)
      const browser = await stage.open(login)
      return { client, browser, away: await depart(browser, await askAddress(client)) }
    }

    test('a member signs in with the provider, and the token is authorised', async () => {
      const { client, browser, away } = await begin('ann')
      assert.ok(away.startsWith('https://idp.example.org/sso?'))
      const metadata = await browser.visit(`${stage.server.url}/orgs/acme/saml/metadata`)
      assert.match(metadata.text, /WantAssertionsSigned="true"/)
      const response = await provider.answer(away, metadata.text, 'ann@idp')
      const page = await send(browser, response)
      const done = await finish(browser, page)
      assert.equal(done.status, 200, done.text)
      assert.equal((await client.get('/repos/acme/secret')).status, 200)
      assert.equal((await send(browser, response)).status, 403, 'a response counts once')
    })

    rule('a response that is signed as a whole besides is taken, too', async () => {
      const { client, browser, away } = await begin('bea')
      const page = await send(browser, encode(await provider.respond(away, { subject: 'bea@idp' }, { message: true })))
      assert.equal((await finish(browser, page)).status, 200)
      assert.equal((await client.get('/repos/acme/secret')).status, 200)
    })

    rule('responses that are not for this, not from there, or not now are refused', async () => {
      const { client, browser } = await begin('cid')
      const wrong: [string, Partial<Claims>][] = [
        ['audience', { audience: 'https://other.example/orgs/acme' }],
        ['recipient', { recipient: 'https://other.example/orgs/acme/saml/consume' }],
        ['destination', { destination: 'https://other.example/orgs/acme/saml/consume' }],
        ['request', { inResponseTo: '_0123456789abcdef0123456789abcdef01234567' }],
        ['unsolicited', { inResponseTo: null }],
        ['an empty request', { inResponseTo: '' }],
        ['issuer', { issuer: 'https://other.example/metadata' }],
        ['expired', { notOnOrAfter: new Date(Date.now() - 120_000) }],
      ]
      for (const [what, claims] of wrong) {
        const away = await depart(browser, await askAddress(client))
        const xml = await provider.respond(away, { subject: 'cid@idp', ...claims })
        assert.equal((await send(browser, encode(xml))).status, 403, what)
      }
      const away = await depart(browser, await askAddress(client))
      const other = makeSamlProvider(drawKey())
      assert.equal((await send(browser, encode(await other.respond(away, { subject: 'cid@idp' })))).status, 403, 'key')
      const sha1 = { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }
      assert.equal(
        (await send(browser, encode(await provider.respond(away, { subject: 'cid@idp' }, sha1)))).status,
        403,
        'SHA-1',
      )
      assert.equal((await client.get('/repos/acme/secret')).status, 403)
    })

    rule('signatures that are stripped, or that cover something else, are refused', async () => {
      const { client, browser, away } = await begin('dan')
      const good = await provider.respond(away, { subject: 'dan@idp' })
      const signature = /<ds:Signature[\s\S]*?<\/ds:Signature>/.exec(good)![0]
      const assertion = /<saml:Assertion[\s\S]*?<\/saml:Assertion>/.exec(good)![0]
      const evil = assertion.replace(signature, '').replace('dan@idp', 'ann@idp')
      const renamed = evil.replace(/ ID="[^"]+"/, ' ID="_evil"')
      const unsigned = await provider.respond(away, { subject: 'dan@idp' }, { assertion: false })
      const forged: Record<string, string> = {
        'no signature': unsigned,
        stripped: good.replace(signature, ''),
        'changed subject': good.replace('dan@idp', 'ann@idp'),
        'an unsigned assertion in a signed response': await provider.respond(
          away,
          { subject: 'dan@idp' },
          { assertion: false, message: true },
        ),
        'a forged assertion before the signed one': good.replace(assertion, renamed + assertion),
        'a forged assertion after the signed one': good.replace(assertion, assertion + renamed),
        'with the same id': good.replace(assertion, evil + assertion),
        'the signed one inside the forged one': good.replace(
          assertion,
          renamed.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`),
        ),
        'the signature moved to the forged one': good.replace(
          assertion,
          renamed.replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
        ),
        'the signed one in the object of its signature': good.replace(
          assertion,
          renamed.replace(
            '</saml:Issuer>',
            `</saml:Issuer>${signature.replace('</ds:Signature>', `<ds:Object>${assertion.replace(signature, '')}</ds:Object></ds:Signature>`)}`,
          ),
        ),
        'the signed one in extensions of the response': good
          .replace(assertion, renamed)
          .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`),
        'the signed response inside a forged one': good
          .replace(assertion, renamed)
          .replace('</samlp:Response>', `<samlp:Extensions>${good}</samlp:Extensions></samlp:Response>`),
        'a comment in the name': good.replace('dan@idp', 'dan@idp<!-- -->.evil'),
        'a document type': `<!DOCTYPE r [<!ENTITY a "ann@idp">]>${good.replace('dan@idp', '&a;')}`,
        // Without bounds a parser takes minutes for each of these.
        'sixty thousand levels': good.replace('<samlp:Status>', `${'<a>'.repeat(60_000)}<samlp:Status>`),
        'tags that never end': '<samlp:Response '.repeat(15_000),
        'ten thousand attributes': good.replace(
          ' ID=',
          `${Array.from({ length: 10_000 }, (_, i) => ` a${i}=""`).join('')} ID=`,
        ),
        'another root': `<a>${good}</a>`,
        'what is no XML': 'x'.repeat(1000),
        nothing: '',
      }
      for (const [what, xml] of Object.entries(forged))
        assert.equal((await send(browser, encode(xml))).status, 403, what)
      assert.equal((await send(browser, encode(' '.repeat(600_000)))).status, 413, 'a long body')
      assert.equal((await client.get('/repos/acme/secret')).status, 403)
      const page = await send(browser, encode(good))
      assert.equal((await finish(browser, page)).status, 200, 'what was forged used nothing up')
    })

    test('an assertion counts once, for whatever request it comes', async () => {
      const { browser, away, client } = await begin('eve')
      const assertionId = '_an-assertion-that-comes-twice'
      const first = await send(browser, encode(await provider.respond(away, { subject: 'eve@idp', assertionId })))
      assert.equal((await finish(browser, first)).status, 200)
      const [authorised] = (await stage.root.get('/orgs/acme/credential-authorizations?login=eve')).body
      await stage.root.delete(`/orgs/acme/credential-authorizations/${authorised.credential_id}`)
      const again = await depart(browser, await askAddress(client))
      const second = await send(browser, encode(await provider.respond(again, { subject: 'eve@idp', assertionId })))
      assert.equal(second.status, 403)
    })
  })
