/** Mirrors over time: when they are fetched, in whose name, and by which server. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines, makeMigratedDatabase } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import {
  type HostileSource,
  listRefs,
  makeHistory,
  packType,
  sendPack,
  spellPack,
  startHostileSource,
} from './hostile-source.ts'
import { importing, whenFetched } from './two-servers.ts'

const minuteMs = 60_000

for (const engine of engines)
  describe(`a mirror on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let source: HostileSource
    let root: RestClient
    let ann: RestClient
    let bob: RestClient
    let count = 0
    before(async () => {
      server = await startServer(engine, {
        clock,
        environment: { ...importing, GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.1' },
      })
      source = await startHostileSource()
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(async () => {
      await server.stop()
      await source.close()
    })

    /** Each has an own commit, so that it is known which one is where. */
    const offer = (message: string) => {
      const { pack, sha } = makeHistory([], undefined, `${message}\n`)
      source.list = listRefs({ 'refs/heads/main': sha })
      source.pack = sendPack(pack)
      return sha
    }
    async function mirror(draft: object = {}) {
      const name = `m${++count}`
      await ann.post('/user/repos', { name })
      offer(name)
      const made = await ann.post(`/repos/ann/${name}/import`, { url: source.url, mirror: true, ...draft })
      assert.equal(made.status, 201, made.text)
      const first = await whenFetched(ann, `ann/${name}`)
      assert.equal(first.failure, null)
      return `ann/${name}`
    }
    const shaOf = async (name: string) => (await ann.get(`/repos/${name}/git/ref/heads/main`)).body.object?.sha
    const stop = (name: string) => ann.delete(`/repos/${name}/import`)

    test('is fetched when its interval is over, and tells hooks and events of it as of a push', async () => {
      const receiver = await startReceiver()
      const name = await mirror({ interval_minutes: 30 })
      await ann.post(`/repos/${name}/hooks`, { config: { url: receiver.url, content_type: 'json' }, events: ['push'] })
      const sha = offer('the second')
      clock.advance(29 * minuteMs)
      assert.notEqual(await shaOf(name), sha)
      clock.advance(2 * minuteMs)
      await until(async () => (await shaOf(name)) === sha)
      // The hook may have been made before the push of the first fetch was told.
      const heard = await receiver.heard('push', ({ after }) => after === sha)
      assert.deepEqual([heard.pusher.name, heard.forced], ['ann', true])
      await receiver.close()
      await stop(name)
    })

    test('that fails waits longer each time, keeps what it has, and says why', async () => {
      const name = await mirror({ interval_minutes: 10 })
      const sha = await shaOf(name)
      source.list = (response) => response.writeHead(503).end()
      const pauses: number[] = []
      for (let tries = 1; tries <= 4; tries++) {
        await ann.patch(`/repos/${name}/import`)
        const failed = await whenFetched(ann, name)
        assert.deepEqual([failed.status, failed.failure_count], ['failed', tries])
        assert.match(failed.failure, /The source answers 503: try again later/)
        pauses.push(Date.parse(failed.next_fetch_at) - clock.now())
      }
      assert.ok(pauses[0]! >= 9 * minuteMs && pauses[3]! > 30 * minuteMs, String(pauses))
      assert.equal(await shaOf(name), sha)
      const next = offer('after the failures')
      clock.advance(24 * 60 * minuteMs)
      await until(async () => (await shaOf(name)) === next)
      await stop(name)
    })

    rule('whose source has lost its branches keeps its own', async () => {
      const name = await mirror()
      const sha = await shaOf(name)
      source.list = listRefs({})
      await ann.patch(`/repos/${name}/import`)
      assert.match((await whenFetched(ann, name)).failure, /Nothing was deleted here/)
      assert.equal(await shaOf(name), sha)
      await stop(name)
    })

    rule('is fetched in the name of whoever set it up, while they are an admin of it and not suspended', async () => {
      const name = await mirror({ username: 'ann', password: 'the-password-of-ann' })
      const failure = async () => {
        await bob.patch(`/repos/${name}/import`)
        return (await whenFetched(bob, name)).failure
      }
      await ann.post(`/repos/${name}/transfer`, { new_owner: 'ann' })
      const invitation = await ann.put(`/repos/${name}/collaborators/bob`, { permission: 'admin' })
      await bob.patch(`/user/repository_invitations/${invitation.body.id}`)
      assert.equal(await failure(), null)
      await root.put('/users/ann/suspended')
      assert.match(await failure(), /^ann, who set this up, is suspended/)
      await root.delete('/users/ann/suspended')
      await ann.patch(`/repos/${name}`, { archived: true })
      clock.advance(48 * 60 * minuteMs)
      await until(async () => (await ann.get(`/repos/${name}/import`)).body.failure?.includes('archived'))
      assert.equal((await ann.patch(`/repos/${name}/import`)).status, 403)
      await ann.patch(`/repos/${name}`, { archived: false })
      assert.equal(await failure(), null)
      assert.equal(
        source.requests.at(-1)!.headers.authorization,
        `Basic ${Buffer.from('ann:the-password-of-ann').toString('base64')}`,
      )
      // Another admin takes over, and does not get the credentials of the first.
      const { body: taken } = await bob.patch(`/repos/${name}/import`, { interval_minutes: 60 })
      assert.deepEqual([taken.requested_by.login, taken.has_password, taken.username], ['bob', false, null])
      await whenFetched(bob, name)
      assert.equal(source.requests.at(-1)!.headers.authorization, undefined)
      await ann.delete(`/repos/${name}/collaborators/bob`)
      await ann.patch(`/repos/${name}/import`)
      assert.match(
        (await whenFetched(ann, name)).failure,
        /^bob, who set this up, is no admin of the repository any more/,
      )
      await ann.patch(`/repos/${name}/import`, { interval_minutes: 30 })
      assert.equal((await whenFetched(ann, name)).failure, null)
      await stop(name)
    })

    rule('that is transferred, renamed or deleted goes on there, or ends', async () => {
      const name = await mirror({ interval_minutes: 10 })
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.patch(`/repos/${name}`, { name: 'renamed' })
      const moved = await ann.post('/repos/ann/renamed/transfer', { new_owner: 'acme' })
      assert.equal(moved.status, 202)
      const sha = offer('after the transfer')
      clock.advance(11 * minuteMs)
      await until(async () => (await shaOf('acme/renamed')) === sha)
      assert.equal((await ann.get('/repos/acme/renamed')).body.mirror_url, source.url)
      await ann.delete('/repos/acme/renamed')
      const before = source.requests.length
      clock.advance(60 * minuteMs)
      const other = await mirror()
      assert.equal(source.requests.length, before + 2)
      await stop(other)
    })

    rule('is set up by an admin of the repository whose token may write its contents as well', async () => {
      await ann.post('/user/repos', { name: 'guarded', private: true })
      const path = '/repos/ann/guarded/import'
      const draft = { url: source.url, mirror: true }
      const by = async (permissions: object) =>
        makeRest(server.url, await makeToken(server, 'ann', { kind: 'fine-grained', permissions, repositories: 'all' }))
      assert.equal((await bob.post(path, draft)).status, 404)
      assert.equal((await makeRest(server.url).post(path, draft)).status, 404)
      const administering = await by({ administration: 'write' })
      const refused = await administering.post(path, draft)
      assert.equal(refused.status, 403)
      assert.equal((await (await by({ contents: 'write' })).post(path, draft)).status, 403)
      offer('guarded')
      assert.equal((await (await by({ administration: 'write', contents: 'write' })).post(path, draft)).status, 201)
      await whenFetched(ann, 'ann/guarded')
      assert.equal((await (await by({ contents: 'write' })).get(path)).status, 403)
      const invitation = await ann.put('/repos/ann/guarded/collaborators/bob', { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${invitation.body.id}`)
      for (const ask of [bob.get(path), bob.patch(path), bob.delete(path)]) assert.equal((await ask).status, 403)
      assert.equal((await ann.post(path, draft)).status, 409)
      await stop('ann/guarded')
      assert.equal((await ann.post(path, draft)).status, 409)
    })

    rule('that is stopped while its source has yet to send, or has sent a part, takes nothing more of it', async () => {
      for (const sent of [0, 60]) {
        const name = await mirror()
        const sha = await shaOf(name)
        offer('too late')
        const { pack } = makeHistory([], undefined, 'too late\n')
        const asked = Promise.withResolvers<() => void>()
        source.pack = (response) => {
          const bytes = spellPack(pack)
          if (sent > 0) response.writeHead(200, packType).write(bytes.subarray(0, sent))
          asked.resolve(() => void response.end(bytes.subarray(sent)))
        }
        await ann.patch(`/repos/${name}/import`)
        const goOn = await asked.promise
        assert.equal((await stop(name)).status, 204)
        await until(async () => (await root.get(`/repos/${name}`)).body.mirror_url === null)
        // Its end is noticed at the next look, which comes before another of the same person may begin.
        const other = await mirror()
        goOn()
        assert.equal(await shaOf(name), sha)
        await stop(other)
      }
    })
  })

test('of two servers one at a time fetches a mirror', async (t) => {
  const database = await makeMigratedDatabase('postgres')
  const source = await startHostileSource()
  const environment = { ...importing, GUILDHALL_IMPORT_LIMITS: 'againSeconds=0,atOncePerPerson=9' }
  const one = await startServer('postgres', { database, environment })
  const other = await startServer('postgres', { database, environment })
  t.after(async () => {
    for (const server of [one, other]) await server.stop()
    await database.drop()
    await source.close()
  })
  const ann = await makeUser(one, 'ann')
  const elsewhere = makeRest(other.url, ann.token)
  await ann.post('/user/repos', { name: 'tool' })
  await ann.post('/repos/ann/tool/import', { url: source.url, mirror: true })
  for (let round = 0; round < 10; round++)
    await Promise.all([ann.patch('/repos/ann/tool/import'), elsewhere.patch('/repos/ann/tool/import')])
  assert.equal((await whenFetched(ann, 'ann/tool')).failure, null)
  assert.equal(source.most(), 1)
})

test('an import whose server is killed goes on after it is started again, and nothing half fetched is to be seen', async (t) => {
  const database = await makeMigratedDatabase('sqlite')
  t.after(database.drop)
  const environment = {
    ...importing,
    GUILDHALL_ADMIN_PASSWORD: admin.password,
    GUILDHALL_ADMIN_TOKEN: admin.token,
  }
  await (await startServer('sqlite', { database, environment })).stop()
  const source = await startHostileSource()
  t.after(() => source.close())
  const blobs = Array.from({ length: 40 }, (_, i) => ({ type: 'blob', bytes: Buffer.alloc(60_000, `${i} `) }) as const)
  const { pack, sha } = makeHistory(blobs)
  source.list = listRefs({ 'refs/heads/main': sha, 'refs/tags/v1': sha })
  const bytes = spellPack(pack)
  // All but the end, and then nothing: until it is killed.
  source.pack = (response) => void response.writeHead(200, packType).write(bytes.subarray(0, bytes.length - 100))
  let server = await startServerProcess(database, environment)
  t.after(() => server.end())
  const before = makeRest(server.url, admin.token)
  await before.post('/user/repos', { name: 'tool' })
  await before.post('/repos/admin/tool/import', { url: source.url })
  await until(() => source.requests.some(({ method }) => method === 'POST'))
  assert.deepEqual((await before.get('/repos/admin/tool/branches')).body, [])
  await server.end()
  source.pack = sendPack(pack)
  server = await startServerProcess(database, environment)
  const root = makeRest(server.url, admin.token)
  const done = await whenFetched(root, 'admin/tool')
  assert.deepEqual([done.status, done.failure, done.branches, done.tags], ['complete', null, 1, 1])
  assert.equal((await root.get('/repos/admin/tool/git/ref/heads/main')).body.object.sha, sha)
})
