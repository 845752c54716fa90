/** Sources that answer as no source should: nothing of them is kept, nobody else is called, and the reason is told. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { flushPacket, writePacket } from '../../../src/forge/git/serve/pkt-line.ts'
import { makeLogLines } from '../../support/log-lines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { objectId, repeatBase } from '../crafted-packs.ts'
import { listGits } from '../running-gits.ts'
import {
  endlessPack,
  type HostileSource,
  listRefs,
  makeHistory,
  onBand,
  packType,
  sendPack,
  spellPack,
  startHostileSource,
  treeEntry,
} from './hostile-source.ts'
import { importing, whenFetched } from './two-servers.ts'

describe('a source that is hostile', () => {
  const logged = makeLogLines('trace')
  let server: TestServer
  let ann: RestClient
  let source: HostileSource
  let other: HostileSource
  let count = 0
  const names = new Map<string, string>()
  before(async () => {
    const environment = {
      ...importing,
      GUILDHALL_LIMITS: 'on',
      GUILDHALL_LIMIT_FIGURES: 'user=100000,content-minute=10000,content-hour=10000,points=100000',
      GUILDHALL_PUSH_LIMIT_MIB: '8',
      GUILDHALL_QUOTAS: 'repositoryMib=4',
      GUILDHALL_IMPORT_LIMITS: 'againSeconds=0,silentSeconds=3,listMib=1,refs=100',
    }
    const resolve = async (host: string) => {
      const addresses = (names.get(host) ?? '').split(',').filter(Boolean)
      if (host === 'rebinding.example.org') names.set(host, '10.0.0.1')
      return addresses.map((address) => ({ address, family: 4 }))
    }
    server = await startServer('sqlite', { environment, log: logged.log, resolve })
    ann = await makeUser(server, 'ann')
    other = await startHostileSource()
  })
  beforeEach(async () => {
    source = await startHostileSource()
  })
  afterEach(() => source.close())
  after(async () => {
    await other.close()
    await server.stop()
  })

  /** Imports into a new repository and answers what came of it. */
  async function bring(draft: object = {}, repository: object = {}) {
    const name = `r${++count}`
    await ann.post('/user/repos', { name, ...repository })
    const made = await ann.post(`/repos/ann/${name}/import`, { url: source.url, ...draft })
    assert.equal(made.status, 201, made.text)
    const done = await whenFetched(ann, `ann/${name}`)
    return { name, ...done }
  }

  async function demandNothing(name: string) {
    assert.deepEqual((await ann.get(`/repos/ann/${name}/branches`)).body, [])
    const { id } = (await ann.get(`/repos/ann/${name}`)).body
    const folder = server.services.forge.git.folderOf({ id })
    await until(async () => {
      const left = await readdir(join(folder, 'objects'))
      return !left.some((entry) => entry.startsWith('tmp_objdir'))
    })
    assert.deepEqual(await readdir(join(folder, 'objects', 'pack')), [])
  }

  const failures: Record<string, [arrange: () => void, failure: RegExp]> = {
    'redirects elsewhere': [
      () => {
        source.list = (response) =>
          response.writeHead(301, { location: `${other.url}/info/refs?service=git-upload-pack` }).end()
      },
      /redirects to http:\/\/127\.0\.0\.1:\d+\/ann\/tool\.git: import from that address/,
    ],
    'redirects the pack elsewhere': [
      () => {
        source.pack = (response) => response.writeHead(307, { location: 'file:///etc/passwd' }).end()
      },
      /redirects elsewhere, which is not followed/,
    ],
    'asks for credentials': [
      () => {
        source.list = (response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end()
      },
      /asks for credentials: give a username/,
    ],
    'is a page': [
      () => {
        source.list = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')
      },
      /no git server at this address/,
    ],
    'lists refs without end': [
      () => {
        source.list = (response) => {
          response.setHeader('content-type', 'application/x-git-upload-pack-advertisement')
          const line = writePacket(`${'1'.repeat(40)} refs/heads/${'x'.repeat(900)}\0side-band-64k\n`)
          const go = () => {
            while (!response.destroyed && response.write(line));
          }
          response.on('drain', go)
          go()
        }
      },
      /more than 1 MiB of refs/,
    ],
    'lists too many refs': [
      () => {
        const refs = Array.from({ length: 101 }, (_, i) => [`refs/heads/b${i}`, '1'.repeat(40)])
        source.list = listRefs(Object.fromEntries(refs))
      },
      /has 101 branches and tags; this server takes 100/,
    ],
    'is a shallow copy': [
      () => {
        const { sha } = makeHistory()
        source.list = listRefs({ 'refs/heads/main': sha }, undefined, [writePacket(`shallow ${sha}`)])
      },
      /shallow copy/,
    ],
    'names objects by SHA-256': [
      () => {
        source.list = listRefs({ 'refs/heads/main': '1'.repeat(40) }, 'side-band-64k object-format=sha256')
      },
      /SHA-256/,
    ],
    'says nothing': [
      () => {
        source.list = () => {}
      },
      /does not answer/,
    ],
    'falls silent in its pack': [
      () => {
        source.pack = (response) => {
          response.writeHead(200, packType).write(writePacket('NAK\n'))
        }
      },
      /stopped sending/,
    ],
    'sends one byte a moment': [
      () => {
        source.pack = (response) => {
          response.writeHead(200, packType)
          const bytes = spellPack(makeHistory().pack)
          let at = 0
          const timer = setInterval(() => response.write(bytes.subarray(at, ++at)), 200)
          response.on('close', () => clearInterval(timer))
        }
      },
      /less than 1 KiB a second/,
    ],
    'breaks off in its pack': [
      () => {
        source.pack = (response) => {
          const bytes = spellPack(makeHistory().pack)
          response.writeHead(200, { ...packType, 'content-length': bytes.length })
          response.write(bytes.subarray(0, bytes.length - 30), () => response.destroy())
        }
      },
      /broke off/,
    ],
    'ends its answer in its pack': [
      () => {
        const bytes = spellPack(makeHistory().pack)
        source.pack = (response) => response.writeHead(200, packType).end(bytes.subarray(0, bytes.length - 30))
      },
      /broke off/,
    ],
    'reports an error': [
      () => {
        const said = onBand(3, Buffer.from('no room\u001b[31m here\n'))
        source.pack = (response) => response.writeHead(200, packType).end(Buffer.concat([said, flushPacket]))
      },
      /The source says: no room \[31m here/,
    ],
    'sends a pack without end': [
      () => {
        source.pack = (response) => {
          response.writeHead(200, packType).write(writePacket('NAK\n'))
          const pack = endlessPack()
          const go = () => {
            const parts = Array.from({ length: 50 }, () => pack.next().value as Buffer)
            if (!response.destroyed && response.write(onBand(1, Buffer.concat(parts)))) setImmediate(go)
          }
          response.on('drain', go)
          go()
        }
      },
      /limit for one account: 4 MiB|can’t be taken/,
    ],
    'sends a pack that stands for much more': [
      () => {
        const base = Buffer.alloc(0x10000, 'x')
        const bomb = Array.from({ length: 200 }, (_, i) => ({
          type: 'delta' as const,
          back: i + 1,
          bytes: repeatBase(base.length, 1000, `n${i}`),
        }))
        const { pack, sha } = makeHistory([{ type: 'blob', bytes: base }, ...bomb])
        source.list = listRefs({ 'refs/heads/main': sha })
        source.pack = sendPack(pack)
      },
      /unfolds to far more than was sent/,
    ],
    'sends a tree with a folder named .git': [
      () => {
        const blob = { type: 'blob', bytes: Buffer.from('x') } as const
        const tree = treeEntry('100644', '.git', objectId('blob', 'x'))
        const { pack, sha } = makeHistory([blob], tree)
        source.list = listRefs({ 'refs/heads/main': sha })
        source.pack = sendPack(pack)
      },
      /hasDotgit|contains '\.git'/,
    ],
    'sends .gitmodules as a symbolic link': [
      () => {
        const blob = { type: 'blob', bytes: Buffer.from('/etc/passwd') } as const
        const tree = treeEntry('120000', '.gitmodules', objectId('blob', '/etc/passwd'))
        const { pack, sha } = makeHistory([blob], tree)
        source.list = listRefs({ 'refs/heads/main': sha })
        source.pack = sendPack(pack)
      },
      /gitmodulesSymlink|symbolic link/,
    ],
    'sends submodules whose address is an option': [
      () => {
        const text = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/x\n'
        const tree = treeEntry('100644', '.gitmodules', objectId('blob', text))
        const { pack, sha } = makeHistory([{ type: 'blob', bytes: Buffer.from(text) }], tree)
        source.list = listRefs({ 'refs/heads/main': sha })
        source.pack = sendPack(pack)
      },
      /gitmodulesUrl|disallowed submodule url/,
    ],
    'sends less than its refs need': [
      () => {
        source.list = listRefs({ 'refs/heads/main': '2'.repeat(40) })
      },
      /can’t be taken|missing necessary objects/,
    ],
    'sends something that is not a pack': [
      () => {
        source.pack = sendPack(Buffer.from('this is not a pack at all'))
      },
      /malformed|can’t be taken/,
    ],
    'has a branch that is also a folder': [
      () => {
        const { sha } = makeHistory()
        source.list = listRefs({ 'refs/heads/a': sha, 'refs/heads/a/b': sha })
      },
      /has both refs\/heads\/a and refs\/heads\/a\/b/,
    ],
  }

  for (const [what, [arrange, failure]] of Object.entries(failures))
    test(`that ${what} is refused with the reason, and nothing is kept`, async () => {
      arrange()
      const { name, ...done } = await bring()
      assert.equal(done.status, 'failed')
      assert.match(done.failure, failure)
      await demandNothing(name)
      assert.deepEqual(other.requests, [])
      assert.equal(listGits(server.database.folder).length, 0)
    })

  test('gets its refs of other names left out, and they are listed', async () => {
    const { sha } = makeHistory()
    source.list = listRefs({
      HEAD: sha,
      'refs/heads/main': sha,
      'refs/heads/-option': sha,
      [`refs/heads/${'a'.repeat(40)}`]: sha,
      'refs/heads/refs/heads/x': sha,
      'refs/heads/../../../etc/x': sha,
      'refs/heads/x.lock': sha,
      'refs/pull/1/head': sha,
      'refs/merge-requests/1/head': sha,
      'refs/tags/v1': sha,
      'refs/tags/v1^{}': sha,
    })
    const { name, ...done } = await bring()
    assert.equal(done.failure, null)
    assert.equal(done.skipped_refs.count, 5)
    const refs = (await ann.get(`/repos/ann/${name}/git/matching-refs/`)).body
    assert.deepEqual(
      refs.map(({ ref }: { ref: string }) => ref),
      ['refs/heads/main', 'refs/tags/v1'],
    )
  })

  test('is asked for the two things alone, whatever else it offers, by no other names and without proxies', async (t) => {
    process.env.http_proxy = other.url
    process.env.HTTP_PROXY = other.url
    process.env.ALL_PROXY = other.url
    t.after(() => {
      for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY']) delete process.env[name]
    })
    const { sha } = makeHistory()
    const words = 'side-band-64k packfile-uris=https bundle-uri symref=HEAD:refs/heads/main object-info'
    source.list = listRefs({ 'refs/heads/main': sha }, words)
    const done = await bring()
    assert.equal(done.failure, null)
    assert.deepEqual(
      source.requests.map(({ method, url }) => `${method} ${url}`),
      ['GET /ann/tool.git/info/refs?service=git-upload-pack', 'POST /ann/tool.git/git-upload-pack'],
    )
    assert.equal(source.requests[0]!.headers['git-protocol'], undefined)
    assert.deepEqual(other.requests, [])
  })

  test('is sent its credentials and nobody else: no log, answer, error or row that lasts has them', async () => {
    const password = 'a-secret-of-the-source'
    const basic = Buffer.from(`me:${password}`).toString('base64')
    source.list = (response) => response.writeHead(401).end(basic)
    const failed = await bring({ username: 'me', password })
    assert.match(failed.failure, /refuses these credentials/)
    source.list = (response) =>
      response.writeHead(302, { location: `http://me:${password}@127.0.0.1:${other.port}/` }).end()
    await ann.patch(`/repos/ann/${failed.name}/import`)
    const redirected = await whenFetched(ann, `ann/${failed.name}`)
    assert.match(redirected.failure, /redirects elsewhere/)
    source.list = listRefs({ 'refs/heads/main': makeHistory().sha })
    await ann.patch(`/repos/ann/${failed.name}/import`)
    const done = await whenFetched(ann, `ann/${failed.name}`)
    assert.equal(done.failure, null)
    assert.equal(source.requests.at(-1)!.headers.authorization, `Basic ${basic}`)
    const { db } = server.services.store
    const rows = await Promise.all([
      db.selectFrom('repository_source').selectAll().execute(),
      db.selectFrom('job').selectAll().execute(),
      db.selectFrom('audit_entry').selectAll().execute(),
      db.selectFrom('push').selectAll().execute(),
    ])
    for (const text of [JSON.stringify(rows), JSON.stringify(logged.lines), JSON.stringify([failed, redirected, done])])
      for (const secret of [password, basic]) assert.equal(text.includes(secret), false)
    assert.deepEqual(other.requests, [])
  })

  test('is not reached by a name that resolves to an address inside, now or the second time', async () => {
    names.set('inside.example.org', '10.0.0.1')
    names.set('mixed.example.org', '1.1.1.1,169.254.169.254')
    names.set('loop.example.org', '127.0.0.2')
    for (const host of ['inside', 'mixed', 'loop', 'unknown']) {
      const done = await bring({ url: `http://${host}.example.org:${source.port}/ann/tool.git` })
      assert.match(done.failure, /does not import from there/, host)
    }
    const done = await bring({ url: `https://inside.example.org:${source.port}/ann/tool.git` })
    assert.match(done.failure, /does not import from there/)
    assert.deepEqual(source.requests, [])
    // Fine as the refs are asked for, and inside as the pack is.
    names.set('rebinding.example.org', '127.0.0.1')
    const rebound = await bring({ url: `http://rebinding.example.org:${source.port}/ann/tool.git` })
    assert.match(rebound.failure, /does not import from there/)
    assert.equal(source.requests.length, 1)
  })

  test('has an address of one form alone', async () => {
    await ann.post('/user/repos', { name: 'forms' })
    const wrong = [
      'https://127.0.0.2/x.git',
      'https://2130706434/x.git',
      'https://0x7f000002/x.git',
      'https://0177.0.0.2/x.git',
      'https://127.2/x.git',
      'https://0.0.0.0/x.git',
      'https://0/x.git',
      'https://[::]/x.git',
      'https://[::1]/x.git',
      'https://[::ffff:127.0.0.2]/x.git',
      'https://[::ffff:7f00:2]/x.git',
      'https://[64:ff9b::7f00:2]/x.git',
      'https://[fe80::1]/x.git',
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/x.git',
      'https://①②⑦.⓪.⓪.②/x.git',
      'http://8.8.8.8/x.git',
      'https://8.8.8.8:22/x.git',
      'https://me:secret@8.8.8.8/x.git',
      'https://me@8.8.8.8/x.git',
      'https://8.8.8.8/x.git?service=git-receive-pack',
      'https://8.8.8.8/x.git#x',
      'https://8.8.8.8/x\n.git',
      'https:\\\\8.8.8.8\\x',
      'file:///etc',
      'ssh://8.8.8.8/x.git',
      'git://8.8.8.8/x.git',
      'ext::sh -c id',
      'git@8.8.8.8:x.git',
      '--upload-pack=id',
      '/etc',
      '',
    ]
    for (const url of wrong) {
      const { status } = await ann.post('/repos/ann/forms/import', { url })
      assert.equal(status, 422, url)
    }
    const other = [
      { url: 'https://8.8.8.8/x.git', username: 'a:b', password: 'c' },
      { url: 'https://8.8.8.8/x.git', password: 'a\r\nx-evil: 1' },
      { url: 'https://8.8.8.8/x.git', username: 'a' },
      { url: 'https://8.8.8.8/x.git', mirror: true, interval_minutes: 1 },
      { url: 'https://8.8.8.8/x.git', interval_minutes: 60 },
    ]
    for (const draft of other)
      assert.equal((await ann.post('/repos/ann/forms/import', draft)).status, 422, JSON.stringify(draft))
    assert.equal((await ann.get('/repos/ann/forms/import')).status, 404)
  })

  test('has commits that close no issue and refer to none, here or elsewhere', async () => {
    const bob = await makeUser(server, 'bob')
    await bob.post('/user/repos', { name: 'public' })
    await bob.put('/repos/bob/public/collaborators/ann', { permission: 'push' })
    const [invitation] = (await ann.get('/user/repository_invitations')).body
    await ann.patch(`/user/repository_invitations/${invitation.id}`)
    await bob.post('/repos/bob/public/issues', { title: 'Stay open' })
    await ann.post('/user/repos', { name: 'closing' })
    await ann.post('/repos/ann/closing/issues', { title: 'Stay open too' })
    const { pack, sha } = makeHistory([], undefined, 'fixes #1, fixes bob/public#1\n')
    source.list = listRefs({ 'refs/heads/main': sha })
    source.pack = sendPack(pack)
    await ann.post('/repos/ann/closing/import', { url: source.url })
    assert.equal((await whenFetched(ann, 'ann/closing')).failure, null)
    // A push of ann's own is read after it.
    const content = Buffer.from('x').toString('base64')
    await ann.put('/repos/ann/closing/contents/x', { message: 'see #1', content })
    await until(async () => (await ann.get('/repos/ann/closing/issues/1/timeline')).body.length > 0)
    assert.equal((await ann.get('/repos/ann/closing/issues/1')).body.state, 'open')
    assert.equal((await ann.get('/repos/ann/closing/issues/1/timeline')).body.length, 1)
    assert.equal((await ann.get('/repos/bob/public/issues/1')).body.state, 'open')
    assert.deepEqual((await ann.get('/repos/bob/public/issues/1/timeline')).body, [])
  })
})
