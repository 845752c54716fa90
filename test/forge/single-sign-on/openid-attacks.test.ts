/** A provider that answers with forged tokens: none of them authorises anything, and the true one does. */
import assert from 'node:assert/strict'
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { askAddress, depart, finish, type Stage, setStage } from './stage.ts'

const client = { client_id: 'guildhall', client_secret: 'a-secret-of-the-client' }
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

type Claims = Record<string, unknown>
const signed = (claims: Claims, { privateKey } = keys): string => {
  const text = `${encode({ alg: 'RS256', kid: 'one' })}.${encode(claims)}`
  return `${text}.${createSign('RSA-SHA256').update(text).sign(privateKey, 'base64url')}`
}
const withoutSignature = (claims: Claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`
/** The public key, which everybody has, taken for a shared secret. */
const confused = (claims: Claims): string => {
  const text = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(claims)}`
  const secret = keys.publicKey.export({ type: 'spki', format: 'pem' })
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
const seconds = () => Math.floor(Date.now() / 1000)

const forgeries: Record<string, (claims: Claims) => string> = {
  'no algorithm': withoutSignature,
  'the public key as a secret': confused,
  'another key': (claims) => signed(claims, otherKeys),
  'another issuer': (claims) => signed({ ...claims, iss: 'https://evil.example' }),
  'another audience': (claims) => signed({ ...claims, aud: 'another-client' }),
  'another nonce': (claims) => signed({ ...claims, nonce: 'A'.repeat(43) }),
  'no nonce': ({ nonce: _, ...claims }) => signed(claims),
  'a time that is over': (claims) => signed({ ...claims, iat: seconds() - 900, exp: seconds() - 600 }),
  'nobody’s name': ({ sub: _, ...claims }) => signed(claims),
}

suite('single sign-on by a provider that lies', () => {
  let stage: Stage
  let issuer = ''
  let claims: Claims = {}
  let stoppedAt: number | undefined
  const clock = { now: () => stoppedAt ?? Date.now() }
  let forge: (claims: Claims) => string = signed
  const provider = createServer((request, response) => {
    const answers: Record<string, () => object> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      }),
      '/keys': () => ({
        keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
      }),
      '/token': () => ({ access_token: 'x', token_type: 'Bearer', id_token: forge(claims) }),
    }
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[request.url ?? '']?.() ?? {}))
  })

  before(async () => {
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
    stage = await setStage('sqlite', { GUILDHALL_PLAIN_ISSUERS: issuer }, { clock })
    const sso = { kind: 'oidc', issuer, ...client, required: true }
    const { status, text } = await stage.root.patch('/admin/organizations/acme', { sso })
    assert.equal(status, 200, text)
  })
  after(async () => {
    await stage.server.stop()
    provider.closeAllConnections()
    provider.close()
  })

  test('a forged token authorises nothing, whatever was forged of it; the true one does, once', async () => {
    const ann = await stage.join('ann')
    const browser = await stage.open('ann')
    const signOn = async (forging: (claims: Claims) => string) => {
      const away = new URL(await depart(browser, await askAddress(ann)))
      const { nonce, state, redirect_uri } = Object.fromEntries(away.searchParams)
      claims = { iss: issuer, sub: 'a.example', aud: client.client_id, nonce, iat: seconds(), exp: seconds() + 300 }
      forge = forging
      const back = `${redirect_uri}?code=x&state=${state}`
      return { back, page: await browser.visit(back) }
    }
    for (const [what, forging] of Object.entries(forgeries)) {
      const { page } = await signOn(forging)
      assert.equal(page.status, 403, `${what}: ${page.text}`)
      assert.equal((await ann.get('/repos/acme/secret')).status, 403, what)
    }
    const { back, page } = await signOn(signed)
    assert.equal((await finish(browser, page)).status, 200)
    assert.equal((await ann.get('/repos/acme/secret')).status, 200)
    assert.equal((await browser.visit(back)).status, 403, 'the same answer again')
  })

  test('the address is good for an hour, to the millisecond, on the page and in its form', async () => {
    const bea = await stage.join('bea')
    const browser = await stage.open('bea')
    const before = Math.floor(Date.now() / 1000) * 1000
    const address = await askAddress(bea)
    const expiresAt = Number(new URL(address).searchParams.get('authorization_request')!.split('.')[1]) * 1000
    assert.ok(expiresAt >= before + 3_600_000 && expiresAt <= Date.now() + 3_600_000)
    const visit = async (at: number, fields?: Record<string, string>) => {
      stoppedAt = at
      const { status, text } = await browser.visit(address, fields)
      stoppedAt = undefined
      return [status, /good for an hour/.test(text)]
    }
    assert.deepEqual(await visit(expiresAt - 1), [200, false])
    assert.deepEqual(await visit(expiresAt), [403, true])
    assert.deepEqual(await visit(expiresAt, {}), [403, true])
    assert.deepEqual(await visit(expiresAt - 1, {}), [303, false])
    assert.deepEqual(await visit(expiresAt - 1, {}), [403, false], 'it is used up')
  })

  test('the audit log tells who was linked and which token was authorised', async () => {
    const { body } = await stage.root.get('/enterprises/guildhall/audit-log?phrase=actor:ann&per_page=2')
    assert.deepEqual(
      body.map(({ action, org, user }: Record<string, string>) => [action, org, user]),
      [
        ['org_credential_authorization.grant', 'acme', 'ann'],
        ['external_identity.provision', 'acme', 'ann'],
      ],
    )
  })
})
