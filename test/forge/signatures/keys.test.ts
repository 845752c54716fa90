/** Keys that users sign with: shown and removed, each with its entry in the audit log; and hostile ones, which hold nobody up. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { generateKey, type PacketList, readKey, UserIDPacket } from 'openpgp'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type KeyRing, makeKeyRing } from '../../support/ssh.ts'
import { craftKey, dsaNumbers, rsaNumbers } from './crafted-keys.ts'

const userIDs = [{ name: 'Ann', email: 'ann@example.org' }]

for (const engine of engines)
  describe(`keys to sign with on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let ring: KeyRing
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ring = await makeKeyRing()
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(async () => {
      await server.stop()
      await ring.drop()
    })
    const newest = async (action: string) =>
      (await asAdmin(server).get(`/enterprises/guildhall/audit-log?per_page=1&phrase=action:${action}`)).body[0]
    const add = (armored: string, client = ann) => client.post('/user/gpg_keys', { armored_public_key: armored })

    test('by SSH belong to one user, are seen by all, and open nothing', async () => {
      const { line, bare } = await ring.make('ann@laptop')
      const { status, body } = await ann.post('/user/ssh_signing_keys', { key: line })
      assert.deepEqual([status, body.key, body.title], [201, bare, 'ann@laptop'])
      assert.deepEqual((await bob.get('/users/ann/ssh_signing_keys')).body, [body])
      assert.equal((await newest('ssh_signing_key.create')).actor, 'ann')
      assert.equal((await bob.post('/user/ssh_signing_keys', { key: line })).status, 422)
      assert.equal((await bob.delete(`/user/ssh_signing_keys/${body.id}`)).status, 404)
      assert.equal((await ann.post('/user/keys', { key: line })).status, 201, 'the same key may open git')
      assert.equal((await ann.delete(`/user/ssh_signing_keys/${body.id}`)).status, 204)
      assert.equal((await newest('ssh_signing_key.delete')).user, 'ann')
      assert.deepEqual((await ann.get('/user/ssh_signing_keys')).body, [])
    })

    test('by PGP are shown with their users, subkeys and times', async () => {
      const { publicKey } = await generateKey({ userIDs, keyExpirationTime: 86_400, subkeys: [{ sign: true }, {}] })
      const { status, body } = await ann.post('/user/gpg_keys', { name: 'laptop', armored_public_key: publicKey })
      assert.equal(status, 201, JSON.stringify(body))
      const key = await readKey({ armoredKey: publicKey })
      assert.deepEqual([body.name, body.key_id], ['laptop', key.getKeyID().toHex().toUpperCase()])
      assert.deepEqual(
        body.subkeys.map((one: Record<string, unknown>) => [one.key_id, one.can_sign, one.can_encrypt_comms]),
        key.subkeys.map((one, i) => [one.getKeyID().toHex().toUpperCase(), i === 0, i === 1]),
      )
      assert.ok(Date.parse(body.expires_at) > Date.now())
      assert.equal(body.raw_key, publicKey)
      assert.deepEqual((await bob.get('/users/ann/gpg_keys')).body, [body])
      assert.deepEqual((await ann.get(`/user/gpg_keys/${body.id}`)).body, body)
      assert.equal((await newest('gpg_key.create')).actor, 'ann')
      assert.match((await add(publicKey, bob)).text, /already in use/)
      assert.equal((await bob.delete(`/user/gpg_keys/${body.id}`)).status, 404)
      assert.equal((await ann.delete(`/user/gpg_keys/${body.id}`)).status, 204)
      assert.equal((await newest('gpg_key.delete')).actor, 'ann')
    })

    test('by PGP that are none, private, or far too much are refused with the reason, and nobody waits for it', async () => {
      const { privateKey, publicKey } = await generateKey({ userIDs })
      const crowded = await readKey({ armoredKey: publicKey })
      const packets = crowded.toPacketList() as PacketList<UserIDPacket>
      for (let i = 0; i < 1500; i++) packets.push(UserIDPacket.fromObject({ name: `n${i}`, email: `e${i}@x.y` }))
      const crowd = armor(packets.write())
      const refused: [string, RegExp][] = [
        ['hello', /no PGP key/],
        [publicKey.slice(0, 300), /no PGP key/],
        [privateKey, /private key/],
        [armor(Buffer.alloc(30_000, 0xcd)), /no PGP key/],
        [
          crowd.length < 64 * 1024 ? crowd : armor((packets.slice(0, 800) as typeof packets).write()),
          /more than 100 users/,
        ],
        ['A'.repeat(10 * 1024 * 1024), /too large|too long|Bad|body/i],
        ['-----BEGIN PGP PUBLIC KEY BLOCK-----\n'.repeat(1500), /no PGP key/],
      ]
      for (const [armored, reason] of refused) {
        const health = fetch(`${server.url}/healthz`)
        const { status, text } = await add(armored)
        assert.ok(status === 422 || status === 413, `${status} ${armored.slice(0, 60)}`)
        assert.match(text, reason)
        assert.equal((await health).status, 200)
      }
      assert.deepEqual((await ann.get('/user/gpg_keys')).body, [])
    })

    test('by PGP that only slow arithmetic verifies are refused before any of it, with the reason', async () => {
      const refused: [string, RegExp][] = [
        [craftKey(rsaNumbers(16_384, 24)), /RSA with 16384 bits/],
        [craftKey(rsaNumbers(4_096, 72)), /odd exponent/],
        [craftKey(dsaNumbers()), /DSA/],
        [craftKey(rsaNumbers(2_048, 24), 'sha224'), /SHA-256, SHA-384 or SHA-512/],
        [craftKey(rsaNumbers(2_048, 24), 'sha1'), /SHA-256, SHA-384 or SHA-512/],
        [craftKey(rsaNumbers(2_048, 24)), /no valid signature/],
      ]
      for (const [armored, reason] of refused) {
        const { status, text } = await add(armored)
        assert.equal(status, 422)
        assert.match(text, reason)
      }
    })
  })

function armor(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .replace(/.{1,76}/g, '$&\n')
  return `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${lines}-----END PGP PUBLIC KEY BLOCK-----\n`
}
