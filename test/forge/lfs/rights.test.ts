/** Who may what with large files: by right, by token, by the state of the repository, by quota, and how often. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeLfsClient, makeObject } from './lfs-client.ts'

type By = Pick<RestClient, 'token'> | undefined

describe('LFS', () => {
  const clock = makeManualClock(Date.now())
  let server: TestServer
  let ann: RestClient
  let bob: RestClient
  const kept = makeObject('kept')
  const fresh = makeObject('fresh')
  before(async () => {
    const environment = {
      GUILDHALL_QUOTAS: 'repositoryMib=1',
      GUILDHALL_LIMIT_FIGURES: 'lfs=200,lfs-anonymous=100',
    }
    server = await startServer('sqlite', { clock, environment })
    ann = await makeUser(server, 'ann')
    bob = await makeUser(server, 'bob')
    for (const [name, isPrivate] of [
      ['open', false],
      ['closed', true],
    ] as const) {
      await ann.post('/user/repos', { name, private: isPrivate })
      assert.equal(await lfs(`ann/${name}`, ann).upload(kept), 200)
    }
  })
  after(() => server.stop())

  const lfs = (fullName: string, by?: By) => makeLfsClient(server.url, fullName, by)

  /** The status of each act: batch and fetch, batch and send, verify, list locks, lock, verify locks, unlock. */
  async function tryAll(fullName: string, by?: By): Promise<number[]> {
    clock.advance(60_000)
    const client = lfs(fullName, by)
    const one = ({ oid, size }: typeof kept) => [{ oid, size }]
    const lock = await lfs('ann/open', ann).ask('POST', '/locks', { path: `of-nobody-${clock.now()}` })
    const answers = [
      await client.batch('download', one(kept)),
      await client.ask('GET', `/objects/${kept.oid}`),
      await client.batch('upload', one(fresh)),
      await client.ask('PUT', `/objects/${kept.oid}/${kept.size}`, kept.bytes),
      await client.ask('POST', '/verify', one(kept)[0]),
      await client.ask('GET', '/locks'),
      await client.ask('POST', '/locks', { path: `a/${clock.now()}.bin` }),
      await client.ask('POST', '/locks/verify', {}),
      await client.ask('POST', `/locks/${lock.body?.lock?.id ?? 1}/unlock`, { force: true }),
    ]
    for (const { headers } of answers) assert.equal(headers.get('x-ratelimit-resource'), 'lfs')
    return answers.map(({ status }) => status)
  }

  const all = (status: number) => Array.from({ length: 9 }, () => status)
  const reads = (refusal: number) => [200, 200, refusal, refusal, refusal, 200, refusal, refusal, refusal]

  test('is for those who may read, and its changes for those who may push', async () => {
    assert.deepEqual(await tryAll('ann/open'), reads(401))
    assert.deepEqual(await tryAll('ann/open', bob), reads(403))
    assert.deepEqual(await tryAll('ann/open', ann), [200, 200, 200, 200, 200, 200, 201, 200, 200])
    await ann.put('/repos/ann/open/collaborators/bob', { permission: 'push' })
    const [{ id }] = (await bob.get('/user/repository_invitations')).body
    await bob.patch(`/user/repository_invitations/${id}`)
    assert.deepEqual(await tryAll('ann/open', bob), [200, 200, 200, 200, 200, 200, 201, 200, 403])
    await ann.delete('/repos/ann/open/collaborators/bob')
  })

  test('tells nothing of what is private, nor of what is not there', async () => {
    assert.deepEqual(await tryAll('ann/closed'), all(401))
    assert.deepEqual(await tryAll('ann/none'), all(401))
    assert.deepEqual(await tryAll('ann/closed', bob), all(404))
    assert.deepEqual(await tryAll('ann/none', bob), all(404))
    const { headers, body } = await lfs('ann/closed').batch('download', [kept])
    assert.match(headers.get('lfs-authenticate')!, /^Basic realm="/)
    assert.ok(body.message && body.request_id && body.documentation_url)
    assert.deepEqual(
      (await lfs('ann/closed', bob).batch('download', [kept])).body.message,
      (await lfs('ann/none', bob).batch('download', [kept])).body.message,
    )
  })

  test('takes tokens of every kind, each as far as it goes', async () => {
    const by = async (draft: object) => makeRest(server.url, await makeToken(server, 'ann', draft))
    const full = [200, 200, 200, 200, 200, 200, 201, 200, 404]
    const hidden = all(404)
    for (const kind of ['fine-grained', 'app-user', 'installation', 'workflow']) {
      const repositories = ['ann/closed']
      const writer = await by({ kind, repositories, permissions: { contents: 'write' } })
      assert.deepEqual(await tryAll('ann/closed', writer), full, kind)
      const reader = await by({ kind, repositories, permissions: { contents: 'read' } })
      assert.deepEqual(await tryAll('ann/closed', reader), reads(403), kind)
      const other = await by({ kind, repositories: ['ann/open'], permissions: { contents: 'write' } })
      assert.deepEqual(await tryAll('ann/closed', other), hidden, kind)
      const elsewhere = await by({ kind, repositories, permissions: { issues: 'write' } })
      assert.deepEqual((await tryAll('ann/closed', elsewhere)).slice(0, 4), [403, 403, 403, 403], kind)
    }
    for (const kind of ['classic', 'oauth']) {
      assert.deepEqual(await tryAll('ann/closed', await by({ kind, scopes: ['repo'] })), full, kind)
      assert.deepEqual(await tryAll('ann/closed', await by({ kind, scopes: ['public_repo'] })), hidden, kind)
      assert.deepEqual((await tryAll('ann/open', await by({ kind, scopes: [] }))).slice(0, 4), [200, 200, 403, 403])
    }
    assert.equal((await lfs('ann/open', { token: 'gdp_wrong' }).batch('download', [kept])).status, 401)
  })

  test('reads of an archived repository and of one that a migration holds, and changes neither', async () => {
    const set = (change: object) =>
      server.services.store.write((trx) =>
        trx.updateTable('repository').set(change).where('name_key', '=', 'open').execute(),
      )
    for (const [change, words] of [
      [{ is_archived: 1 }, /archived/],
      [{ is_archived: 0, locked_at: 1 }, /locked for a migration/],
    ] as const) {
      await set(change)
      assert.deepEqual(await tryAll('ann/open', ann), reads(403))
      assert.match((await lfs('ann/open', ann).batch('upload', [fresh])).body.message, words)
    }
    await set({ locked_at: null })
  })

  test('decides again once all of an object has come', async () => {
    clock.advance(60_000)
    await bob.post('/user/repos', { name: 'closing' })
    const slow = makeObject('slow')
    let finish = () => {}
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(slow.bytes.subarray(0, 1))
        await new Promise<void>((resolve) => {
          finish = resolve
        })
        controller.enqueue(slow.bytes.subarray(1))
        controller.close()
      },
    })
    const sent = fetch(`${server.url}/bob/closing.git/info/lfs/objects/${slow.oid}/${slow.size}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${bob.token}` },
      body,
      duplex: 'half',
    } as RequestInit)
    await bob.patch('/repos/bob/closing', { archived: true })
    finish()
    assert.equal((await sent).status, 403)
    assert.equal((await lfs('bob/closing', bob).download(slow)).status, 404)
  })

  test('counts to what the owner’s repositories take, to the byte', async () => {
    clock.advance(60_000)
    const cas = await makeUser(server, 'cas')
    for (const name of ['one', 'two']) await cas.post('/user/repos', { name })
    const [one, two] = [lfs('cas/one', cas), lfs('cas/two', cas)]
    const half = makeObject(Buffer.alloc(512 * 1024, 'a'))
    const rest = makeObject(Buffer.alloc(512 * 1024, 'b'))
    const byte = makeObject('c')
    assert.equal(await one.upload(half), 200)
    const tooMuch = await two.batch('upload', [rest, byte])
    assert.deepEqual([tooMuch.status, /1 MiB of repositories/.test(tooMuch.body.message)], [507, true])
    assert.equal(await two.upload(rest), 200)
    assert.equal(await two.upload(byte), 507)
    assert.equal((await two.put(byte)).status, 507)
    assert.equal(await two.upload(rest), 200, 'what is there takes no more')
    await cas.delete('/repos/cas/one')
    assert.equal(await two.upload(byte), 200)
    const racing = [makeObject(Buffer.alloc(400_000, 'd')), makeObject(Buffer.alloc(400_000, 'e'))]
    const statuses = (await Promise.all(racing.map(two.put))).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [200, 507])
  })

  test('is bounded by the minute, by user and by address, and told as 429', async () => {
    clock.advance(60_000)
    const dan = await makeUser(server, 'dan')
    const rate = ({ headers }: { headers: Headers }) =>
      ['limit', 'used', 'remaining', 'resource'].map((name) => headers.get(`x-ratelimit-${name}`))
    for (const [by, most] of [
      [dan, 200],
      [undefined, 100],
    ] as const) {
      const client = lfs('ann/open', by)
      for (let i = 1; i < most; i++) assert.equal((await client.ask('GET', '/locks')).status, 200)
      const last = await client.ask('GET', `/objects/${kept.oid}`)
      assert.deepEqual([last.status, ...rate(last)], [200, String(most), String(most), '0', 'lfs'])
      const over = await client.ask('GET', `/objects/${kept.oid}`)
      assert.deepEqual([over.status, ...rate(over)], [429, String(most), String(most), '0', 'lfs'])
      assert.match(over.body.message, /^API rate limit exceeded for/)
      assert.ok(Number(over.headers.get('retry-after')) <= 60)
      const { lfs: told, core } = (await makeRest(server.url, by?.token).get('/rate_limit')).body.resources
      assert.deepEqual([told.limit, told.used, told.remaining], [most, most, 0])
      assert.ok(core.remaining > 0, 'REST has a budget of its own')
    }
    clock.advance(60_000)
    assert.equal((await lfs('ann/open', dan).ask('GET', '/locks')).status, 200)
    const root = makeLfsClient(server.url, 'ann/open', asAdmin(server))
    assert.equal((await root.ask('GET', '/locks')).status, 200)
  })
})
