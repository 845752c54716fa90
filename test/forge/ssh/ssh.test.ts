/** git itself over SSH: clone, fetch, push and large files, by the same rights as over HTTP. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import type ssh2 from 'ssh2'
import { flushPacket, writePacket } from '../../../src/forge/git/serve/pkt-line.ts'
import { engines } from '../../support/engines.ts'
import { runGit } from '../../support/git.ts'
import { asAdmin, makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import { bySsh, execSsh, type KeyPair } from '../../support/ssh.ts'
import { until } from '../../support/until.ts'
import { commit } from '../git-server.ts'
import { makeLfsClient, makeObject } from '../lfs/lfs-client.ts'
import { outcomeOf, pushOver, readOver, type SshTestServer, startSshServer } from './ssh-server.ts'

/** The start of a pack of one file. */
function halfPack(): Buffer {
  const size = 600_000
  const head = Buffer.from([
    (3 << 4) | (size & 15) | 128,
    ((size >> 4) & 127) | 128,
    ((size >> 11) & 127) | 128,
    size >> 18,
  ])
  const count = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1])
  const whole = Buffer.concat([Buffer.from('PACK'), count, head, deflateSync(randomBytes(size), { level: 0 })])
  return whole.subarray(0, 400_000)
}

describe('git over SSH', () => {
  let hosted: SshTestServer
  let { server, ann, work, start, remote, connect, keyOf, deployKey, fsck } = {} as SshTestServer
  let key: KeyPair
  before(async () => {
    hosted = await startSshServer()
    ;({ server, ann, work, start, remote, connect, keyOf, deployKey, fsck } = hosted)
    key = await keyOf(ann)
  })
  after(() => hosted.stop())

  test('clone, full, shallow, partial and by the oldest protocol, brings what was pushed', async () => {
    const first = await start('fetched', true)
    for (let i = 0; i < 40; i++) await writeFile(join(first.path, `b${i}.bin`), randomBytes(50_000))
    await first.must('add', '.')
    await commit(first, 'two')
    await first.must(...bySsh(key), 'push', '--quiet', remote('ann/fetched'), 'main', 'main:side')
    const head = await first.must('rev-parse', 'HEAD')
    const other = await work()
    const ways = [[], ['--depth=1'], ['--filter=blob:none'], ['-c', 'protocol.version=0'], ['-c', 'protocol.version=1']]
    for (const words of ways) {
      const name = `copy${words.join('')}`
      await other.must(...bySsh(key), 'clone', '--quiet', ...words, remote('ann/fetched'), name)
      const at = join(other.path, name)
      assert.equal((await runGit(at, ['rev-parse', 'HEAD'])).output.trim(), head)
    }
    const shallow = join(other.path, 'copy--depth=1')
    assert.equal((await runGit(shallow, ['rev-list', '--count', 'HEAD'])).output.trim(), '1')
    const deepened = await runGit(shallow, [...bySsh(key), 'fetch', '--quiet', '--unshallow'])
    assert.equal(deepened.code, 0, deepened.output)
    await commit(first, 'three')
    await first.must(...bySsh(key, true), 'push', '--quiet', remote('ann/fetched'), 'main')
    const fetched = await runGit(join(other.path, 'copy'), [...bySsh(key, true), 'pull', '--quiet'])
    assert.equal(fetched.code, 0, fetched.output)
    assert.equal((await fsck('ann/fetched')).code, 0)
  })

  test('a push is told, refused and recorded as over HTTP', async () => {
    const folder = await start('told')
    await commit(folder, 'two')
    const pushed = await folder.git(...bySsh(key), 'push', remote('ann/told'), 'main', 'main:refs/pull/1/head')
    assert.match(pushed.output, /main -> main/)
    assert.match(pushed.output, /remote rejected.*refs\/pull|deny updating a hidden ref/)
    const { body } = await ann.get('/repos/ann/told/events')
    const [event] = body.filter(({ type }: { type: string }) => type === 'PushEvent')
    assert.deepEqual([event.actor.login, event.payload.head], ['ann', await folder.must('rev-parse', 'HEAD')])
    assert.match((await folder.git(...bySsh(key), 'push', remote('ann/told'), ':main')).output, /default branch/)
    await folder.must(...bySsh(key), 'push', '--quiet', '--atomic', remote('ann/told'), 'main:a', 'main:b')
    await folder.must(...bySsh(key), 'push', '--quiet', remote('ann/told'), ':a', ':b')
    assert.match((await folder.git(...bySsh(key), 'push', remote('ann/told'), 'main')).output, /up-to-date/)
  })

  test('every link of a repository to SSH leads to the port that is served', async () => {
    await start('linked')
    const { body } = await ann.get('/repos/ann/linked')
    assert.equal(body.ssh_url, remote('ann/linked'))
    const query = { query: '{ repository(owner: "ann", name: "linked") { sshUrl } }' }
    assert.equal((await ann.post('/graphql', query)).body.data.repository.sshUrl, body.ssh_url)
    const other = await work()
    await other.must(...bySsh(key), 'clone', '--quiet', body.ssh_url, 'copy')
  })

  test('a renamed repository and a wiki are served', async () => {
    const folder = await start('before')
    await ann.patch('/repos/ann/before', { name: 'after' })
    for (const name of ['ann/before', 'ann/after', 'Ann/After'])
      await folder.must(...bySsh(key), 'ls-remote', '--quiet', remote(name))
    await commit(folder, 'page')
    await folder.must(...bySsh(key), 'push', '--quiet', remote('ann/after.wiki'), 'main')
    assert.match(await folder.must(...bySsh(key), 'ls-remote', remote('ann/after.wiki')), /refs\/heads\/main/)
  })

  test('Git LFS is told where to go and with what, for one repository and as far as the key goes', async () => {
    await start('large', true)
    await start('other', true)
    await start('public')
    const reading = await deployKey(ann, 'ann/large', true)
    const ask = async (by: KeyPair, operation: string, name = 'ann/large') => {
      const connection = await connect(by)
      const answer = await execSsh(connection, `git-lfs-authenticate '/${name}.git' ${operation}`)
      connection.end()
      return answer
    }
    const granted = await ask(key, 'upload')
    assert.equal(granted.code, 0, granted.err)
    const { href, header, expires_in: expiresIn } = JSON.parse(granted.out.toString())
    assert.equal(href, `${server.url}/ann/large.git/info/lfs`)
    assert.equal(expiresIn, 3600)
    const token = header.Authorization.replace('Bearer ', '')
    const object = makeObject(randomBytes(1000))
    assert.equal(await makeLfsClient(server.url, 'ann/large', { token }).upload(object), 200)
    assert.equal((await makeLfsClient(server.url, 'ann/other', { token }).batch('download', [object])).status, 404)
    assert.match((await ask(reading, 'download', 'ann/public')).err, /not found/)
    assert.equal((await makeRest(server.url, token).get('/repos/ann/large')).status, 403, 'for Git LFS alone')
    assert.equal((await makeRest(server.url, token).get('/user/keys')).status, 403)
    const read = JSON.parse((await ask(reading, 'download')).out.toString())
    const reader = { token: read.header.Authorization.replace('Bearer ', '') }
    const found = await makeLfsClient(server.url, 'ann/large', reader).batch('download', [object])
    assert.ok(found.body.objects[0].actions.download)
    assert.equal((await makeLfsClient(server.url, 'ann/large', reader).batch('upload', [object])).status, 403)
    assert.match((await ask(reading, 'upload')).err, /^ERROR: /)
    assert.match((await ask(reading, 'download', 'ann/other')).err, /not found/)
    assert.match((await ask(key, 'delete')).err, /Only git-upload-pack/)
    const keys = (await ann.get('/repos/ann/large/keys')).body
    await ann.delete(`/repos/ann/large/keys/${keys[0].id}`)
    const ended = await makeLfsClient(server.url, 'ann/large', reader).batch('download', [object])
    assert.equal(ended.status, 401, 'it ends with its key')
    const { store } = server.services
    const lfsTokens = store.db.selectFrom('token').selectAll().where('kind', '=', 'lfs').orderBy('id', 'desc')
    const { id: _, ...one } = await lfsTokens.limit(1).executeTakeFirstOrThrow()
    const many = Array.from({ length: 49 }, (__, i) => ({ ...one, token_hash: `one more: ${i}` }))
    await store.write((trx) => trx.insertInto('token').values(many).execute())
    assert.equal((await ask(key, 'download')).code, 0)
    const oldest = await makeLfsClient(server.url, 'ann/large', { token }).batch('download', [object])
    assert.equal(oldest.status, 401, 'of a key’s tokens the newest fifty are kept')
    assert.equal((await ask(key, 'download')).code, 0, 'and the key itself')
  })

  test('a large push arrives whole, and one that breaks off leaves nothing', async () => {
    const folder = await start('big')
    await writeFile(join(folder.path, 'big.bin'), randomBytes(4 * 1024 * 1024))
    await folder.must('add', '.')
    await commit(folder, 'big')
    await folder.must(...bySsh(key), 'push', '--quiet', remote('ann/big'), 'main')
    const other = await work()
    await other.must(...bySsh(key), 'clone', '--quiet', remote('ann/big'), 'copy')
    const same = await readFile(join(other.path, 'copy', 'big.bin'))
    assert.ok(same.equals(await readFile(join(folder.path, 'big.bin'))))
    const connection = await connect(key)
    const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
      connection.exec("git-receive-pack 'ann/big'", (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    channel.resume()
    const command = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/half\0report-status`
    channel.write(Buffer.concat([writePacket(command), flushPacket, halfPack()]))
    const objects = join(await hosted.folderOf('ann/big'), 'objects')
    await until(async () => (await readdir(objects)).some((name) => name.startsWith('tmp_objdir')))
    connection.end()
    await until(async () => !(await readdir(objects)).some((name) => name.startsWith('tmp_objdir')))
    const open = server.services.store.db.selectFrom('push').select('id').where('state', '=', 'receiving')
    await until(async () => (await open.execute()).length === 0)
    assert.equal((await fsck('ann/big')).code, 0)
  })
})

for (const engine of engines)
  describe(`rights over SSH on ${engine}`, () => {
    let hosted: SshTestServer
    let ann: RestClient
    const connections: ssh2.Client[] = []
    before(async () => {
      hosted = await startSshServer(engine)
      ;({ ann } = hosted)
      for (const name of ['open', 'closed', 'other']) await hosted.start(name, name !== 'open')
    })
    after(async () => {
      for (const connection of connections) connection.end()
      await hosted.stop()
    })

    const connect = async (key: KeyPair) => {
      const connection = await hosted.connect(key)
      connections.push(connection)
      return connection
    }
    const all = ['ann/open', 'ann/closed', 'ann/other', 'ann/nowhere']
    /** What each repository answers to one who reads, and to one who pushes. */
    async function tryAll(connection: ssh2.Client, names = all) {
      const outcomes: string[] = []
      for (const name of names)
        for (const ask of [readOver, pushOver]) outcomes.push(shorten(outcomeOf(await ask(connection, name))))
      return outcomes
    }
    const shorten = (said: string) =>
      /not found/.test(said)
        ? 'hidden'
        : /must have|forbidden|needs|denied|not accessible/i.test(said)
          ? 'refused'
          : said

    test('are those of whose key it is', async () => {
      const { bob } = hosted
      const cid = await makeUser(hosted.server, 'cid')
      await ann.put('/repos/ann/closed/collaborators/bob', { permission: 'pull' })
      await bob.patch(`/user/repository_invitations/${(await bob.get('/user/repository_invitations')).body[0].id}`)
      const table: [KeyPair, string[]][] = [
        [await hosted.keyOf(ann), ['open', 'open', 'open', 'open', 'open', 'open', 'hidden', 'hidden']],
        [await hosted.keyOf(bob), ['open', 'refused', 'open', 'refused', 'hidden', 'hidden', 'hidden', 'hidden']],
        [await hosted.keyOf(cid), ['open', 'refused', 'hidden', 'hidden', 'hidden', 'hidden', 'hidden', 'hidden']],
        [
          await hosted.deployKey(ann, 'ann/closed', true),
          ['hidden', 'refused', 'open', 'refused', 'hidden', 'hidden', 'hidden', 'hidden'],
        ],
        [
          await hosted.deployKey(ann, 'ann/closed', false),
          ['hidden', 'refused', 'open', 'open', 'hidden', 'hidden', 'hidden', 'hidden'],
        ],
      ]
      for (const [key, expected] of table) assert.deepEqual(await tryAll(await connect(key)), expected)
    })

    test('are asked for anew by each command: what is taken away meanwhile is gone', async () => {
      const dee = await makeUser(hosted.server, 'dee')
      await ann.put('/repos/ann/closed/collaborators/dee', { permission: 'push' })
      await dee.patch(`/user/repository_invitations/${(await dee.get('/user/repository_invitations')).body[0].id}`)
      const connection = await connect(await hosted.keyOf(dee))
      assert.deepEqual(await tryAll(connection, ['ann/closed']), ['open', 'open'])
      await ann.patch('/repos/ann/closed', { archived: true })
      assert.match(outcomeOf(await pushOver(connection, 'ann/closed')), /archived/)
      await ann.patch('/repos/ann/closed', { archived: false })
      await ann.delete('/repos/ann/closed/collaborators/dee')
      assert.deepEqual(await tryAll(connection, ['ann/closed']), ['hidden', 'hidden'])
      await asAdmin(hosted.server).put('/users/dee/suspended')
      assert.match(outcomeOf(await readOver(connection, 'ann/open')), /suspended/)
      await asAdmin(hosted.server).delete('/users/dee/suspended')
      assert.deepEqual(await tryAll(connection, ['ann/open']), ['open', 'refused'])
      const [{ id }] = (await dee.get('/user/keys')).body
      await dee.delete(`/user/keys/${id}`)
      assert.match(outcomeOf(await readOver(connection, 'ann/open')), /key was removed/)
    })

    test('of those whom an organisation blocked or who have yet to sign on are as over HTTP', async () => {
      const { server } = hosted
      const eve = await makeUser(server, 'eve')
      const key = await hosted.keyOf(eve)
      const root = asAdmin(server)
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'public', auto_init: true })
      await ann.post('/orgs/acme/repos', { name: 'secret', private: true, auto_init: true })
      await ann.put('/repos/acme/public/collaborators/eve', { permission: 'push' })
      await eve.patch(`/user/repository_invitations/${(await eve.get('/user/repository_invitations')).body[0].id}`)
      const connection = await connect(key)
      assert.deepEqual(await tryAll(connection, ['acme/public']), ['open', 'open'])
      assert.equal((await ann.put('/orgs/acme/blocks/eve')).status, 204)
      const [read, push] = await tryAll(connection, ['acme/public'])
      assert.equal(read, 'open')
      assert.notEqual(push, 'open')
      await ann.delete('/orgs/acme/blocks/eve')
      await root.put('/orgs/acme/memberships/eve', { role: 'member' })
      await ann.put('/repos/acme/secret/collaborators/eve', { permission: 'push' })
      assert.deepEqual(await tryAll(connection, ['acme/secret']), ['open', 'open'])
      const oidc = {
        kind: 'oidc',
        issuer: 'https://login.example.org',
        client_id: 'guildhall',
        client_secret: 'a secret',
      }
      assert.equal((await root.patch('/admin/organizations/acme', { sso: { ...oidc, required: true } })).status, 200)
      for (const ask of [readOver, pushOver]) {
        const { err } = await ask(connection, 'acme/secret')
        const address = /Authorize the key within an hour at (http\S+)/.exec(err)?.[1] ?? ''
        assert.ok(address.startsWith(`${server.url}/orgs/acme/sso?authorization_request=`), err)
      }
      assert.equal(outcomeOf(await readOver(connection, 'acme/public')), 'open')
      const { body } = await ann.post('/repos/acme/secret/keys', { title: 'm', key: (await hosted.ring.make()).line })
      assert.equal(body.message !== undefined, true, 'ann has not signed on either')
    })

    test('of a deploy key are those of its repository, whoever owns it, in the name of who added it', async () => {
      const key = await hosted.deployKey(ann, 'ann/other', false)
      const folder = await hosted.work()
      await folder.must(...bySsh(key), 'clone', '--quiet', hosted.remote('ann/other'), 'copy')
      const at = join(folder.path, 'copy')
      await runGit(at, [
        '-c',
        'user.name=m',
        '-c',
        'user.email=m@m',
        'commit',
        '--allow-empty',
        '--quiet',
        '-m',
        'by machine',
      ])
      const pushed = await runGit(at, [...bySsh(key), 'push', '--quiet', 'origin', 'main'])
      assert.equal(pushed.code, 0, pushed.output)
      const { body } = await ann.get('/repos/ann/other/events')
      assert.equal(body[0].actor.login, 'ann')
      const [listed] = (await ann.get('/repos/ann/other/keys')).body
      assert.ok(listed.last_used)
      await asAdmin(hosted.server).put('/users/ann/suspended')
      const refused = await hosted.connect(key).then(
        (connection) => connection.end() && 'signed in',
        () => 'refused',
      )
      assert.equal(refused, 'refused')
      await asAdmin(hosted.server).delete('/users/ann/suspended')
    })

    test('of a deploy key outlive that who added it leaves, and end with a block', async () => {
      const { bob } = hosted
      const root = asAdmin(hosted.server)
      const signsIn = (key: KeyPair) =>
        hosted.connect(key).then(
          (connection) => connection.end() !== undefined,
          () => false,
        )
      await root.post('/admin/organizations', { login: 'guild', admin: 'ann' })
      await ann.post('/orgs/guild/repos', { name: 'kit', private: true, auto_init: true })
      await ann.put('/orgs/guild/memberships/bob', { role: 'admin' })
      await bob.patch('/user/memberships/orgs/guild', { state: 'active' })
      const key = await hosted.deployKey(bob, 'guild/kit', false)
      assert.equal((await ann.delete('/orgs/guild/memberships/bob')).status, 204)
      const connection = await hosted.connect(key)
      assert.equal(outcomeOf(await pushOver(connection, 'guild/kit')), 'open')
      await ann.post('/user/repos', { name: 'lent', auto_init: true })
      await ann.put('/repos/ann/lent/collaborators/bob', { permission: 'admin' })
      await bob.patch(`/user/repository_invitations/${(await bob.get('/user/repository_invitations')).body[0].id}`)
      const lent = await hosted.deployKey(bob, 'ann/lent', false)
      assert.equal((await ann.put('/orgs/guild/blocks/bob')).status, 204)
      assert.notEqual(outcomeOf(await pushOver(connection, 'guild/kit')), 'open')
      connection.end()
      assert.equal(await signsIn(key), false)
      assert.deepEqual((await ann.get('/repos/guild/kit/keys')).body, [])
      const log = await root.get('/enterprises/guildhall/audit-log?per_page=1&phrase=action:public_key.delete')
      assert.deepEqual([log.body[0].actor, log.body[0].repo, log.body[0].org], ['ann', 'guild/kit', 'guild'])
      assert.equal(await signsIn(lent), true)
      assert.equal((await ann.post('/repos/ann/lent/transfer', { new_owner: 'guild' })).status, 202)
      assert.equal(await signsIn(lent), false)
    })
  })
