/** Commits and tags signed by git and by hand, and what is said of them: over REST and GraphQL, in the published reasons. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { enums, generateKey, type PrivateKey, readPrivateKey } from 'openpgp'
import { makePgp } from '../../../src/forge/keys/signing/pgp.ts'
import { makeVerifications } from '../../../src/forge/keys/signing/verifications.ts'
import { engines } from '../../support/engines.ts'
import type { WorkingFolder } from '../../support/git.ts'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { type KeyRing, makeKeyRing } from '../../support/ssh.ts'
import { type GitServer, startGitServer } from '../git-server.ts'
import { commitSigned, drawSigner, frame, signByPacket, signByPgp, signBySsh, tagSigned } from './signing.ts'

const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined

async function drawPgp(email: string, more: object = {}): Promise<{ armored: string; key: PrivateKey }> {
  const made = await generateKey({ userIDs: [{ name: 'Ann', email }], ...more })
  return { armored: made.publicKey, key: await readPrivateKey({ armoredKey: made.privateKey }) }
}

for (const engine of engines)
  describe(`signatures on ${engine}`, () => {
    let hosted: GitServer
    let ann: RestClient
    let bob: RestClient
    let ring: KeyRing
    let folder: WorkingFolder
    let count = 0
    const email = 'ann@example.org'
    before(async () => {
      hosted = await startGitServer(engine)
      ring = await makeKeyRing()
      ;({ ann, bob } = hosted)
      folder = await hosted.start('signed')
    })
    after(async () => {
      await hosted.stop()
      await ring.drop()
    })

    const push = (sha: string, ref = `refs/heads/b${++count}`) =>
      folder.must('push', '--quiet', 'origin', `${sha}:${ref}`)
    const verificationOf = async (sha: string): Promise<Json> =>
      (await ann.get(`/repos/ann/signed/commits/${sha}`)).body.commit.verification
    const reasonOf = async (sha: string): Promise<string> => {
      await push(sha)
      const { verified, reason } = await verificationOf(sha)
      assert.equal(verified, reason === 'valid')
      return reason
    }
    const registerSsh = async (client: RestClient, bare: string): Promise<number> => {
      const { status, body, text } = await client.post('/user/ssh_signing_keys', { key: bare })
      assert.equal(status, 201, text)
      return body.id
    }
    const registerPgp = async (client: RestClient, armored: string): Promise<Json> => {
      const { status, body, text } = await client.post('/user/gpg_keys', { armored_public_key: armored })
      assert.equal(status, 201, text)
      return body
    }

    test('by git itself and an SSH key are verified, in commits and tags', { skip: !hasSshKeygen }, async () => {
      for (const kind of ['ed25519', 'ecdsa', 'rsa'] as const) {
        const pair = await ring.make(kind, kind)
        const config = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${pair.file}`]
        await folder.must(...config, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'ünder\n\nof more lines')
        await folder.must(...config, 'tag', '-s', '-m', 'A release', `by-${kind}`)
        const sha = await folder.must('rev-parse', 'HEAD')
        assert.equal(await reasonOf(sha), 'unknown_key')
        const id = await registerSsh(ann, pair.bare)
        assert.equal((await verificationOf(sha)).reason, 'valid')
        await push(`by-${kind}`, `refs/tags/by-${kind}`)
        const tag = await folder.must('rev-parse', `by-${kind}`)
        const shown = (await ann.get(`/repos/ann/signed/git/tags/${tag}`)).body
        assert.deepEqual([shown.verification.verified, shown.verification.reason], [true, 'valid'])
        assert.ok(shown.verification.signature.startsWith('-----BEGIN SSH SIGNATURE-----'))
        await ann.delete(`/user/ssh_signing_keys/${id}`)
        assert.equal((await verificationOf(sha)).reason, 'unknown_key')
      }
    })

    test('are shown alike wherever a commit is', async () => {
      const signer = drawSigner()
      await registerSsh(ann, signer.bare)
      let payload: Buffer = Buffer.alloc(0)
      const sha = await commitSigned(folder, email, (given) => {
        payload = given
        return signBySsh(signer, given)
      })
      await push(sha, 'refs/heads/shown')
      const expected = await verificationOf(sha)
      assert.deepEqual([expected.verified, expected.payload, expected.verified_at], [true, payload.toString(), null])
      const [listed] = (await ann.get('/repos/ann/signed/commits?sha=shown')).body
      assert.equal(listed.committer.login, 'ann')
      const branch = (await ann.get('/repos/ann/signed/branches/shown')).body
      const object = (await ann.get(`/repos/ann/signed/git/commits/${sha}`)).body
      for (const found of [listed.commit, branch.commit.commit, object]) assert.deepEqual(found.verification, expected)
      const query = `{ repository(owner: "ann", name: "signed") { object(oid: "${sha}") { ... on Commit { signature {
        __typename isValid state email payload signature wasSignedByGitHub signer { login } ... on SshSignature { keyFingerprint }
      } } } } }`
      const { signature } = (await ann.post('/graphql', { query })).body.data.repository.object
      assert.match(signature.keyFingerprint, /^[0-9a-f]{64}$/)
      assert.deepEqual(
        { ...signature, keyFingerprint: undefined },
        {
          ...{ __typename: 'SshSignature', isValid: true, state: 'VALID', email, payload: payload.toString() },
          ...{ signature: expected.signature, wasSignedByGitHub: false, signer: { login: 'ann' } },
          keyFingerprint: undefined,
        },
      )
      const none = await folder.must('rev-parse', 'origin/main')
      assert.deepEqual(await verificationOf(none), {
        ...{ verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null },
      })
    })

    test('by SSH that are not what they say are told apart', async () => {
      const [signer, other] = [drawSigner(), drawSigner()]
      await registerSsh(ann, signer.bare)
      await registerSsh(bob, other.bare)
      const by = (over: object) => (payload: Buffer) => signBySsh(signer, payload, over)
      const table: [string, string, (payload: Buffer) => string, string?][] = [
        ['valid', 'by SHA-256', by({ hash: 'sha256' })],
        ['invalid', 'of another text', by({ payload: Buffer.from('other') })],
        ['invalid', 'for another purpose', by({ namespace: 'file' })],
        ['malformed_signature', 'by a hash that nobody knows', by({ hash: 'md5' })],
        ['malformed_signature', 'of another version', by({ version: 2 })],
        ['malformed_signature', 'of bytes', () => frame('SSH SIGNATURE', Buffer.alloc(100, 7).toString('base64'))],
        ['malformed_signature', 'cut off', (payload) => signBySsh(signer, payload).slice(0, 200)],
        ['malformed_signature', 'of megabytes', () => frame('SSH SIGNATURE', 'A'.repeat(2_000_000))],
        ['unknown_key', 'by the key of another user', (payload) => signBySsh(other, payload)],
        ['unknown_key', 'by a key of nobody', (payload) => signBySsh(drawSigner(), payload)],
        ['no_user', 'for nobody', by({}), 'nobody@example.org'],
        ['unknown_signature_type', 'by a certificate', () => frame('SIGNED MESSAGE', 'AAAA')],
        ['unknown_signature_type', 'by words', () => 'I, Ann'],
      ]
      const shas: string[] = []
      for (const [, what, signIt, address = email] of table)
        shas.push(await commitSigned(folder, address, signIt, what))
      await folder.must('push', '--quiet', 'origin', ...shas.map((sha, i) => `${sha}:refs/heads/odd-${i}`))
      for (const [i, [reason, what]] of table.entries())
        assert.equal((await verificationOf(shas[i]!)).reason, reason, what)
    })

    test('by PGP keys and their subkeys are verified, and those of other addresses, or out of date, are told apart', async () => {
      const kinds = { curve: {}, rsa: { type: 'rsa', rsaBits: 2048 }, subkey: { subkeys: [{ sign: true }] } }
      for (const [kind, options] of Object.entries(kinds)) {
        const { armored, key } = await drawPgp(email, options)
        const sha = await commitSigned(folder, email, (payload) => signByPgp(key, payload), kind)
        assert.equal(await reasonOf(sha), 'unknown_key', kind)
        const { id, emails, can_sign: canSign, key_id: keyId } = await registerPgp(ann, armored)
        assert.deepEqual(
          [emails, canSign, keyId.length],
          [[{ email, verified: true }], kind !== 'subkey' || canSign, 16],
        )
        assert.equal((await verificationOf(sha)).reason, 'valid', kind)
        const tag = await tagSigned(folder, `pgp-${kind}`, email, (payload) => signByPgp(key, payload))
        await push(tag, `refs/tags/pgp-${kind}`)
        assert.equal((await ann.get(`/repos/ann/signed/git/tags/${tag}`)).body.verification.reason, 'valid', kind)
        const forged = await commitSigned(folder, email, () => signByPgp(key, Buffer.from('other')), `${kind} forged`)
        assert.equal(await reasonOf(forged), 'invalid', kind)
        await ann.delete(`/user/gpg_keys/${id}`)
        assert.equal((await verificationOf(sha)).reason, 'unknown_key', kind)
      }
      const elsewhere = await drawPgp('ann@elsewhere.example')
      await registerPgp(ann, elsewhere.armored)
      const odd = await commitSigned(folder, email, (payload) => signByPgp(elsewhere.key, payload))
      assert.equal(await reasonOf(odd), 'bad_email')
      const past = new Date(Date.now() - 10 * 60_000)
      const old = await drawPgp(email, { date: past, keyExpirationTime: 300 })
      await registerPgp(ann, old.armored)
      const early = new Date(past.getTime() + 60_000)
      assert.equal(
        await reasonOf(await commitSigned(folder, email, (text) => signByPgp(old.key, text, early))),
        'expired_key',
      )
      const broken = await commitSigned(folder, email, () => frame('PGP SIGNATURE', '\nAAAA'))
      assert.equal(await reasonOf(broken), 'malformed_signature')
    })

    test('by PGP with a hash that only slow arithmetic verifies are invalid, those by text are verified', async () => {
      const { armored, key } = await drawPgp(email, { type: 'rsa', rsaBits: 2048 })
      await registerPgp(ann, armored)
      const by = (over: object, message: string) =>
        commitSigned(folder, email, (payload) => signByPacket(key, payload, over), message)
      assert.equal(await reasonOf(await by({ hash: enums.hash.sha512 }, 'usual')), 'valid')
      assert.equal(await reasonOf(await by({ hash: enums.hash.sha224 }, 'slow')), 'invalid')
      assert.equal(await reasonOf(await by({ type: enums.signature.text }, 'text\n\nof lines')), 'valid')
    })

    test('by PGP that have expired are verified no more, while the key lives on', async () => {
      const past = new Date(Date.now() - 10 * 60_000)
      const { armored, key } = await drawPgp(email, { date: past })
      await registerPgp(ann, armored)
      const date = new Date(past.getTime() + 60_000)
      const by = (seconds: number) =>
        commitSigned(folder, email, (payload) => signByPacket(key, payload, { date, seconds }), `for ${seconds} s`)
      assert.equal(await reasonOf(await by(86_400)), 'valid')
      assert.equal(await reasonOf(await by(60)), 'expired_key')
    })

    test('by PGP that a request has no time left for are said to be unverified, and the next request verifies them', async () => {
      const { armored, key } = await drawPgp(email)
      await registerPgp(ann, armored)
      const sha = await commitSigned(folder, email, (payload) => signByPgp(key, payload), 'in time')
      await push(sha)
      const { forge } = hosted.server.services
      const [clock, store] = [{ now: Date.now }, await hosted.server.database.open()]
      const pgp = makePgp()
      const { verify } = makeVerifications({ store, clock, people: forge.people, pgp, maxMs: 1 })
      const { body } = await ann.get(`/repos/ann/signed/git/commits/${sha}`)
      const { signature, payload } = body.verification
      const object = { sha, signed: { signature, payload: Buffer.from(payload) }, by: { ...body.committer } }
      for (const _ of [1, 2]) assert.equal((await verify([object])).get(sha)?.reason, 'gpgverify_unavailable')
      await pgp.close()
      await store.close()
      assert.equal(body.verification.reason, 'valid')
    })

    test('are looked for in few places of an object, and in a large one not at all', async () => {
      const signer = drawSigner()
      await registerSsh(ann, signer.bare)
      const tagBy = async (name: string, lines: string, more = '') => {
        const signIt = (payload: Buffer) => `${more}${signBySsh(signer, Buffer.from(payload + more))}${lines}`
        const sha = await tagSigned(folder, name, email, signIt)
        await push(sha, `refs/tags/${name}`)
        return (await ann.get(`/repos/ann/signed/git/tags/${sha}`)).body.verification.reason
      }
      assert.equal(await tagBy('usual', ''), 'valid')
      assert.equal(await tagBy('framed', '', '-----BEGIN TEXT-----\n'.repeat(50)), 'valid')
      assert.equal(await tagBy('hidden', '\n-----BEGIN TEXT-----'.repeat(50)), 'unsigned')
      assert.equal(await tagBy('large', '', 'words\n'.repeat(800_000)), 'gpgverify_error')
    })

    test('a message that begins like a signature is none, nor is a header within another', async () => {
      const text = frame('SSH SIGNATURE', 'AAAA')
      await folder.must('commit', '--quiet', '--allow-empty', '-m', `words\n\ngpgsig ${text}`)
      assert.equal(await reasonOf(await folder.must('rev-parse', 'HEAD')), 'unsigned')
    })
  })
