/** Whom a SAML assertion names: the name with its format and qualifiers, and by which algorithms that may be signed. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { demandStrongAlgorithms } from '../../../src/forge/single-sign-on/signature-algorithms.ts'
import { engines } from '../../support/engines.ts'
import type { RestClient } from '../../support/rest.ts'
import { makeSamlProvider, type NameIdAttributes } from './saml-provider.ts'
import { askAddress, depart, finish, type Stage, setStage } from './stage.ts'

const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'
const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

for (const engine of engines)
  suite(`identities by SAML, ${engine}`, () => {
    const provider = makeSamlProvider()
    let stage: Stage
    let count = 0

    before(async () => {
      stage = await setStage(engine)
      const sso = { ...provider.settings, required: true }
      assert.equal((await stage.root.patch('/admin/organizations/acme', { sso })).status, 200)
    })
    after(() => stage.server.stop())

    type Alter = (xml: string) => string

    async function signOn(
      { login, client }: { login: string; client: RestClient },
      [subject, nameId]: readonly [string, NameIdAttributes],
      options: Parameters<typeof provider.respond>[2] & { alter?: Alter } = {},
    ): Promise<{ status: number; text: string }> {
      const browser = await stage.open(login)
      const away = await depart(browser, await askAddress(client))
      const xml = await provider.respond(away, { subject, nameId }, options)
      const altered = options.alter?.(xml) ?? xml
      const response = { SAMLResponse: Buffer.from(altered).toString('base64') }
      const page = await browser.visit(`${stage.server.url}/orgs/acme/saml/consume`, response)
      return page.status === 200 ? finish(browser, page) : page
    }

    async function join(): Promise<{ login: string; client: RestClient }> {
      const login = `member-${++count}`
      return { login, client: await stage.join(login) }
    }
    const revoke = async ({ login }: { login: string }) => {
      const [found] = (await stage.root.get(`/orgs/acme/credential-authorizations?login=${login}`)).body
      await stage.root.delete(`/orgs/acme/credential-authorizations/${found.credential_id}`)
    }
    const identitiesOf = async (login: string): Promise<string[]> => {
      const { body } = await stage.root.get('/admin/organizations/acme/identities?per_page=100')
      return body
        .filter((each: { login: string }) => each.login === login)
        .map((each: { subject: string }) => each.subject)
    }

    test('names that differ in format or qualifiers alone are different people', async () => {
      const people: (readonly [string, NameIdAttributes])[] = [
        ['x', {}],
        ['x', { Format: persistent }],
        ['x', { Format: persistent, NameQualifier: 'a b' }],
        ['x', { Format: persistent, NameQualifier: 'a', SPNameQualifier: 'b' }],
        ['x', { Format: persistent, SPNameQualifier: 'a b' }],
        ['x', { Format: persistent, SPNameQualifier: 'a', NameQualifier: 'b' }],
        ['x a', { Format: persistent, NameQualifier: 'b' }],
        ['x a', { Format: persistent, SPNameQualifier: 'b' }],
        ['x a b', { Format: persistent }],
        ['x', { NameQualifier: 'a b' }],
        ['x', { SPNameQualifier: 'a b' }],
        [`["x","${persistent}",null,null]`, {}],
      ]
      for (const person of people) {
        const member = await join()
        assert.equal((await signOn(member, person)).status, 200, JSON.stringify(person))
        const other = await signOn(await join(), person)
        assert.deepEqual([other.status, /Another account/.test(other.text)], [403, true], JSON.stringify(person))
      }
    })

    test('no format is the unspecified one', async () => {
      const member = await join()
      assert.equal((await signOn(member, ['y', {}])).status, 200)
      await revoke(member)
      assert.equal((await signOn(member, ['y', { Format: unspecified }])).status, 200)
      await revoke(member)
      assert.equal((await signOn(member, ['y', { Format: persistent }])).status, 403)
    })

    test('an account that was linked before formats counted signs on as before, and is then known by all of it', async () => {
      const cases: (readonly [former: string, string, NameIdAttributes])[] = [
        ['old-1', 'old-1', { Format: persistent }],
        ['old-2 idp sp', 'old-2', { Format: persistent, NameQualifier: 'idp', SPNameQualifier: 'sp' }],
        ['old-3', 'old-3', { NameQualifier: 'idp' }],
        ['old-4 idp', 'old-4', { Format: unspecified, NameQualifier: 'idp' }],
      ]
      for (const [former, name, attributes] of cases) {
        const member = await join()
        assert.equal((await signOn(member, [name, attributes])).status, 200)
        const [now] = await identitiesOf(member.login)
        await stage.server.services.store.write((trx) =>
          trx.updateTable('sign_on_identity').set({ subject: former }).where('subject', '=', now!).execute(),
        )
        await revoke(member)
        const taken = await signOn(await join(), [name, attributes])
        assert.deepEqual([taken.status, /Another account/.test(taken.text)], [403, true], former)
        assert.equal((await signOn(member, [name, attributes])).status, 200, former)
        assert.deepEqual(await identitiesOf(member.login), [now])
        await revoke(member)
        assert.equal((await signOn(member, [name, { ...attributes, SPNameQualifier: 'another' }])).status, 403)
      }
    })

    test('nobody is known by a name that is for one sign-on, nor by none, nor by a very long one', async () => {
      const member = await join()
      const wrong: (readonly [string, NameIdAttributes])[] = [
        ['z', { Format: transient }],
        ['', {}],
        ['z'.repeat(1025), {}],
        ['z', { NameQualifier: 'z'.repeat(1025) }],
      ]
      for (const person of wrong) assert.equal((await signOn(member, person)).status, 403)
    })

    test('SHA-1 is refused, however its name is written', async () => {
      const algorithm = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
      const spellings: Record<string, Alter> = {
        'as it is': (xml) => xml,
        'a decimal reference': (xml) => xml.replaceAll('sha1"', 'sha&#49;"'),
        'a hexadecimal reference': (xml) =>
          xml.replaceAll('#rsa-sha1"', '&#x23;rsa-sha1"').replaceAll('#sha1"', '&#x23;sha1"'),
        'single quotes and references': (xml) => xml.replaceAll(/"([^"]*#(?:rsa-)?sha)1"/g, "'$1&#x31;'"),
      }
      for (const [what, alter] of Object.entries(spellings)) {
        const member = await join()
        const { status } = await signOn(member, ['s', { Format: persistent }], { algorithm, alter })
        assert.equal(status, 403, what)
      }
      const member = await join()
      const alter: Alter = (xml) => xml.replaceAll('rsa-sha256"', 'rsa-sha&#50;56"')
      assert.equal((await signOn(member, ['s', {}], { alter })).status, 200, 'references themselves are no fault')
    })
  })

const dsig = 'http://www.w3.org/2000/09/xmldsig#'
const good: Readonly<Record<string, string>> = {
  CanonicalizationMethod: 'http://www.w3.org/2001/10/xml-exc-c14n#',
  SignatureMethod: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  Transform: 'http://www.w3.org/2000/09/xmldsig#enveloped-signature',
  DigestMethod: 'http://www.w3.org/2001/04/xmlenc#sha256',
}

/** With one algorithm in place of a good one, by the attribute as it is written. */
const signature = (element = '', attribute = ''): string => {
  const write = (name: string) => `<d:${name} ${name === element ? attribute : `Algorithm="${good[name]}"`}/>`
  return `<d:Signature xmlns:d="${dsig}"><d:SignedInfo>${write('CanonicalizationMethod')}${write('SignatureMethod')}<d:Reference><d:Transforms>${write('Transform')}</d:Transforms>${write('DigestMethod')}</d:Reference></d:SignedInfo></d:Signature>`
}

test('each algorithm of each signature must be one that is taken', async () => {
  const wrap = (...signatures: string[]) => `<r><a>${signatures.join('</a><a>')}</a></r>`
  await demandStrongAlgorithms(wrap(signature(), signature()))
  const taken: [string, string][] = [
    ['SignatureMethod', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512'],
    ['DigestMethod', 'http://www.w3.org/2001/04/xmlenc#sha512'],
    ['CanonicalizationMethod', 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'],
    ['Transform', 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'],
  ]
  for (const [element, name] of taken) await demandStrongAlgorithms(wrap(signature(element, `Algorithm="${name}"`)))
  const refused: [string, string][] = [
    ['SignatureMethod', `Algorithm="${dsig}rsa-sha1"`],
    ['SignatureMethod', `Algorithm="${dsig}dsa-sha1"`],
    ['SignatureMethod', `Algorithm="${dsig}hmac-sha1"`],
    ['SignatureMethod', 'Algorithm="http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"'],
    ['SignatureMethod', `Algorithm="${dsig}rsa-sha&#49;"`],
    ['SignatureMethod', ''],
    ['DigestMethod', `Algorithm="${dsig}sha1"`],
    ['DigestMethod', `Algorithm='${dsig}sh&#x61;1'`],
    ['DigestMethod', 'Algorithm="http://www.w3.org/2001/04/xmldsig-more#md5"'],
    ['DigestMethod', `Algorithm="${good.DigestMethod}" d:Algorithm="${dsig}sha1"`],
    ['CanonicalizationMethod', 'Algorithm="urn:none"'],
    ['Transform', 'Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"'],
    ['Transform', 'Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"'],
  ]
  for (const [element, attribute] of refused) {
    const wrong = signature(element, attribute)
    for (const xml of [wrap(wrong), wrap(signature(), wrong), wrap(wrong, signature())])
      await assert.rejects(demandStrongAlgorithms(xml), new RegExp(`the ${element} of a signature`), attribute)
  }
})
