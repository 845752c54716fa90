/** SSH keys of users and of repositories: added, shown, removed, each with its entry in the audit log; and those that are refused. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { generateKey } from 'openpgp'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type KeyRing, makeKeyRing } from '../../support/ssh.ts'

/** A key in the form of SSH: strings, each after its length. */
const spell = (algorithm: string, ...fields: Buffer[]): string => {
  const parts = [Buffer.from(algorithm), ...fields].flatMap((field) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(field.length)
    return [length, field]
  })
  return `${algorithm} ${Buffer.concat(parts).toString('base64')}`
}

function spellRsa(bits: number): string {
  const jwk = generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' })
  const modulus = Buffer.concat([Buffer.alloc(1), Buffer.from(jwk.n!, 'base64url')])
  return spell('ssh-rsa', Buffer.from(jwk.e!, 'base64url'), modulus)
}

for (const engine of engines)
  describe(`SSH keys on ${engine}`, () => {
    let server: TestServer
    let ring: KeyRing
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ring = await makeKeyRing()
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await ann.post('/user/repos', { name: 'tool' })
    })
    after(async () => {
      await server.stop()
      await ring.drop()
    })

    const newest = async (action: string): Promise<Json> =>
      (await asAdmin(server).get(`/enterprises/guildhall/audit-log?per_page=1&phrase=action:${action}`)).body[0]

    test('of a user are added, shown to all without their titles, and removed', async () => {
      const { line, bare } = await ring.make('ann@laptop')
      const made = await ann.post('/user/keys', { key: `  ${line}\n` })
      assert.equal(made.status, 201)
      assert.deepEqual([made.body.key, made.body.title, made.body.read_only], [bare, 'ann@laptop', false])
      assert.equal(made.headers.get('location'), made.body.url)
      const created = await newest('public_key.create')
      assert.deepEqual([created.actor, created.user], ['ann', 'ann'])
      assert.deepEqual((await ann.get(`/user/keys/${made.body.id}`)).body, made.body)
      assert.deepEqual((await ann.get('/user/keys')).body, [made.body])
      const shown = (await bob.get('/users/ann/keys')).body
      assert.deepEqual(shown, [{ id: made.body.id, key: bare, created_at: made.body.created_at }])
      for (const path of [`/user/keys/${made.body.id}`, '/user/keys/999999'])
        assert.deepEqual([(await bob.get(path)).status, (await bob.delete(path)).status], [404, 404], path)
      assert.equal((await ann.delete(`/user/keys/${made.body.id}`)).status, 204)
      assert.equal((await newest('public_key.delete')).actor, 'ann')
      assert.deepEqual((await ann.get('/user/keys')).body, [])
    })

    test('of a repository are its admins’ alone, and say whether they write', async () => {
      const { line } = await ring.make()
      const path = '/repos/ann/tool/keys'
      const made = await ann.post(path, { title: 'machine', key: line, read_only: true })
      assert.equal(made.status, 201)
      assert.deepEqual([made.body.title, made.body.read_only, made.body.added_by], ['machine', true, 'ann'])
      const noted = await newest('public_key.create')
      assert.deepEqual([noted.repo, noted.data.read_only], ['ann/tool', true])
      const writing = await ann.post(path, { title: 'writer', key: (await ring.make()).line })
      assert.equal(writing.body.read_only, false)
      assert.equal((await newest('public_key.create')).data.read_only, false)
      assert.deepEqual((await ann.get(path)).body, [made.body, writing.body])
      assert.deepEqual((await ann.get(`${path}/${made.body.id}`)).body, made.body)
      assert.deepEqual((await ann.get('/user/keys')).body, [], 'it is no key of hers')
      assert.equal((await ann.delete(`/user/keys/${made.body.id}`)).status, 404)
      await ann.put('/repos/ann/tool/collaborators/bob', { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${(await bob.get('/user/repository_invitations')).body[0].id}`)
      for (const method of ['GET', 'DELETE'])
        assert.equal((await bob.ask(method, `${path}/${made.body.id}`)).status, 403, method)
      for (const { body } of [made, writing]) assert.equal((await ann.delete(`${path}/${body.id}`)).status, 204)
      assert.equal((await newest('public_key.delete')).repo, 'ann/tool')
      assert.deepEqual((await ann.get(path)).body, [])
    })

    test('belong to one user or one repository', async () => {
      const { line } = await ring.make()
      assert.equal((await ann.post('/user/keys', { key: line })).status, 201)
      for (const [client, path] of [
        [ann, '/user/keys'],
        [bob, '/user/keys'],
        [ann, '/repos/ann/tool/keys'],
      ] as const) {
        const { status, body } = await client.post(path, { title: 'again', key: `${line} otherwise` })
        assert.deepEqual([status, body.errors[0].message], [422, 'key is already in use'], path)
      }
    })

    test('that another has registered are found and deleted by a site admin, and then belong to whom they belong', async () => {
      const root = asAdmin(server)
      const { line, bare } = await ring.make()
      const taken = (await bob.post('/user/keys', { key: line })).body
      assert.equal((await ann.post('/user/keys', { key: line })).status, 422)
      const { body: all } = await root.get('/admin/keys?per_page=100')
      const found = all.find(({ key }: Json) => key === bare)
      const { body: of } = await bob.get('/user')
      assert.deepEqual([found.id, found.user_id, found.repository_id, found.added_by], [taken.id, of.id, null, 'bob'])
      assert.equal((await ann.delete(`/admin/keys/${found.id}`)).status, 403)
      assert.equal((await root.delete(`/admin/keys/${found.id}`)).status, 204)
      assert.equal((await root.delete(`/admin/keys/${found.id}`)).status, 404)
      const noted = await newest('public_key.delete')
      assert.deepEqual([noted.actor, noted.user], ['admin', 'bob'])
      assert.equal((await ann.post('/repos/ann/tool/keys', { title: 'm', key: line })).status, 201)
      const { id } = (await ann.get('/repos/ann/tool/keys')).body[0]
      assert.equal((await root.delete(`/admin/keys/${id}`)).status, 204)
      assert.equal((await newest('public_key.delete')).repo, 'ann/tool')
      const signing = (await bob.post('/user/ssh_signing_keys', { key: line })).body
      assert.equal((await root.delete(`/admin/ssh_signing_keys/${signing.id}`)).status, 204)
      const lost = await newest('ssh_signing_key.delete')
      assert.deepEqual([lost.actor, lost.user], ['admin', 'bob'])
      assert.equal((await ann.post('/user/ssh_signing_keys', { key: line })).status, 201)
      const { publicKey } = await generateKey({ userIDs: [{ name: 'Ann', email: 'ann@example.org' }] })
      const gpg = (await bob.post('/user/gpg_keys', { armored_public_key: publicKey })).body
      assert.equal((await ann.delete(`/admin/gpg_keys/${gpg.id}`)).status, 403)
      assert.equal((await root.delete(`/admin/gpg_keys/${gpg.id}`)).status, 204)
      assert.equal((await newest('gpg_key.delete')).user, 'bob')
      assert.equal((await ann.post('/user/gpg_keys', { armored_public_key: publicKey })).status, 201)
    })

    test('of every usual kind are taken, and others are refused with the reason', async () => {
      for (const kind of ['ed25519', 'ecdsa', 'rsa'] as const) {
        const { status, text } = await bob.post('/user/keys', { key: (await ring.make('k', kind)).line })
        assert.equal(status, 201, `${kind}: ${text}`)
      }
      const { bare, privateKey } = await ring.make()
      const [, base64 = ''] = bare.split(' ')
      const point = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)])
      const refused: [string, RegExp][] = [
        ['', /./],
        ['hello', /OpenSSH’s form/],
        [privateKey, /one public key|private key/],
        [`${bare}\n${bare}`, /one public key/],
        [`ssh-rsa ${base64}`, /one algorithm and is of another/],
        [`ssh-ed25519 ${base64.slice(0, -8)}`, /damaged/],
        [spell('ssh-ed25519', Buffer.alloc(33)), /damaged/],
        [spell('ssh-ed25519', Buffer.alloc(32), Buffer.alloc(1)), /damaged/],
        [spell('ssh-dss', Buffer.alloc(4)), /of the kind ssh-dss, which is not taken: use ssh-ed25519/],
        [spell('sk-ssh-ed25519@openssh.com', Buffer.alloc(32), Buffer.from('ssh:')), /not taken/],
        [spell('ecdsa-sha2-nistp256', Buffer.from('nistp256'), point), /damaged/],
        [spell('ecdsa-sha2-nistp256', Buffer.from('nistp384'), point), /damaged/],
        [spellRsa(1024), /1024 bits, which is too few/],
        [spell('ssh-rsa', Buffer.from([3]), Buffer.alloc(2049, 0xff)), /8192 bits are taken at most/],
        [spell('ssh-rsa', Buffer.alloc(256, 1), Buffer.alloc(256, 0xff)), /odd exponent/],
        [`ssh-ed25519 ${'A'.repeat(20_000)}`, /./],
      ]
      for (const [key, reason] of refused) {
        const { status, text } = await ann.post('/user/keys', { key })
        assert.equal(status, 422, key.slice(0, 60))
        assert.match(text, reason)
      }
    })

    test('are a hundred at most of a user, exactly, however many are added at once', async () => {
      const cid = await makeUser(server, 'cid')
      const lines = await Promise.all(Array.from({ length: 104 }, () => ring.make()))
      const statuses = await Promise.all(
        lines.map(async ({ line }) => (await cid.post('/user/keys', { key: line })).status),
      )
      assert.equal(statuses.filter((status) => status === 201).length, 100)
      assert.equal((await cid.get('/user/keys?per_page=100')).body.length, 100)
      assert.equal((await cid.get('/user/keys?per_page=60&page=2')).body.length, 40)
    })
  })
