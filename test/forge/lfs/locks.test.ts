/** Locks of Git LFS: one holder a path, listed by pages, ended by their holder or by force. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type LfsClient, makeLfsClient } from './lfs-client.ts'

for (const engine of oneEngine)
  describe(`LFS locks on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(() => server.stop())

    /** A repository of ann's that bob may push to, as each of them sees it. */
    async function make(name: string): Promise<[LfsClient, LfsClient]> {
      const { body } = await ann.post('/user/repos', { name })
      const { body: user } = await bob.get('/user')
      const given = { repository_id: body.id, user_id: user.id, rank: 3, created_at: 0 }
      await server.services.store.write((trx) => trx.insertInto('collaborator').values(given).execute())
      return [makeLfsClient(server.url, `ann/${name}`, ann), makeLfsClient(server.url, `ann/${name}`, bob)]
    }
    const lock = (client: LfsClient, path: string) =>
      client.ask('POST', '/locks', { path, ref: { name: 'refs/heads/main' } })
    const paths = (locks: { path: string }[]) => locks.map(({ path }) => path)

    test('are held by one, told to all, and held against the pushes of others', async () => {
      const [mine, yours] = await make('held')
      const made = await lock(mine, 'foo/bar.zip')
      assert.equal(made.status, 201)
      assert.deepEqual(Object.keys(made.body.lock), ['id', 'path', 'locked_at', 'owner'])
      assert.deepEqual([made.body.lock.path, made.body.lock.owner], ['foo/bar.zip', { name: 'ann' }])
      assert.match(made.body.lock.locked_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      assert.equal(typeof made.body.lock.id, 'string')
      for (const client of [yours, mine]) {
        const again = await lock(client, 'foo/bar.zip')
        assert.deepEqual([again.status, again.body.lock], [409, made.body.lock])
      }
      assert.equal((await lock(yours, 'other.zip')).status, 201)
      const { body } = await yours.ask('POST', '/locks/verify', { ref: { name: 'refs/heads/main' } })
      assert.deepEqual([paths(body.ours), paths(body.theirs)], [['other.zip'], ['foo/bar.zip']])
      const nobody = makeLfsClient(server.url, 'ann/held')
      assert.deepEqual(paths((await nobody.ask('GET', '/locks')).body.locks), ['foo/bar.zip', 'other.zip'])
    })

    test('that two want at once go to one', async () => {
      const [mine, yours] = await make('contested')
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all([mine, yours, mine, yours].map((client) => lock(client, `file-${round}`)))
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
        const holder = answers.find(({ status }) => status === 201)!.body.lock
        for (const { body } of answers) assert.deepEqual(body.lock, holder)
      }
    })

    test('end by their holder, and by an admin’s force, once', async () => {
      const [mine, yours] = await make('ended')
      const id = async (client: LfsClient, path: string): Promise<string> => (await lock(client, path)).body.lock.id
      const unlock = (client: LfsClient, of: string, body: object = {}) =>
        client.ask('POST', `/locks/${of}/unlock`, body)
      const [ours, theirs] = [await id(mine, 'a'), await id(yours, 'b')]
      const refused = await unlock(yours, ours)
      assert.deepEqual([refused.status, /ann holds this lock/.test(refused.body.message)], [403, true])
      assert.equal((await unlock(yours, ours, { force: true })).status, 403)
      assert.equal((await unlock(mine, theirs)).status, 403, 'an admin says so')
      const forced = await unlock(mine, theirs, { force: true })
      assert.deepEqual([forced.status, forced.body.lock.path, forced.body.lock.owner.name], [200, 'b', 'bob'])
      const answers = await Promise.all([unlock(mine, ours), unlock(mine, ours)])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
      assert.equal((await unlock(yours, await id(yours, 'c'), { force: true })).status, 200, 'one’s own, too')
      const [elsewhere] = await make('elsewhere')
      assert.equal((await unlock(elsewhere, await id(mine, 'd'), { force: true })).status, 404)
      assert.equal((await unlock(mine, 'x')).status, 404)
      assert.equal((await lock(yours, 'a')).status, 201, 'what is free is locked anew')
    })

    test('are listed by path, by id and by pages', async () => {
      const [mine, yours] = await make('listed')
      const ids: string[] = []
      for (let i = 0; i < 5; i++) ids.push((await lock(i % 2 ? yours : mine, `f${i}`)).body.lock.id)
      const list = (query: string) => mine.ask('GET', `/locks?${query}`)
      assert.deepEqual(paths((await list('path=f3&id=&cursor=&limit=&refspec=')).body.locks), ['f3'])
      assert.deepEqual(paths((await list(`id=${ids[2]}`)).body.locks), ['f2'])
      assert.deepEqual((await list('id=none')).body, { locks: [] })
      const first = (await list('limit=2')).body
      assert.deepEqual([paths(first.locks), first.next_cursor], [['f0', 'f1'], ids[2]])
      const second = (await list(`limit=2&cursor=${first.next_cursor}`)).body
      const third = (await list(`limit=2&cursor=${second.next_cursor}`)).body
      assert.deepEqual([paths(second.locks), paths(third.locks), third.next_cursor], [['f2', 'f3'], ['f4'], undefined])
      const page = (await mine.ask('POST', '/locks/verify', { limit: 3 })).body
      assert.deepEqual([paths(page.ours), paths(page.theirs), page.next_cursor], [['f0', 'f2'], ['f1'], ids[3]])
      const rest = (await mine.ask('POST', '/locks/verify', { cursor: page.next_cursor })).body
      assert.deepEqual([paths(rest.ours), paths(rest.theirs), rest.next_cursor], [['f4'], ['f3'], undefined])
      for (const limit of ['0', '-1', 'x', '999999']) assert.equal((await list(`limit=${limit}`)).body.locks.length, 5)
      assert.equal((await list('cursor=x')).status, 422)
    })

    test('are of paths that git could have', async () => {
      const [mine] = await make('paths')
      for (const path of ['', '/a', 'a/', 'a//b', '../a', 'a/../b', './a', 'a\0b', 'x'.repeat(1025), '\ud800'])
        assert.equal((await lock(mine, path)).status, 422, JSON.stringify(path))
      for (const path of ['a b', 'ü/ß.bin', 'A', 'a', 'x'.repeat(1024), 'it\'s "odd" %41'])
        assert.equal((await lock(mine, path)).status, 201, path)
      assert.equal((await mine.ask('POST', '/locks', {})).status, 422)
      const { body } = await mine.ask('GET', `/locks?path=${encodeURIComponent('ü/ß.bin')}`)
      assert.deepEqual(paths(body.locks), ['ü/ß.bin'])
    })

    test('go with their repository', async () => {
      const [mine] = await make('gone')
      await lock(mine, 'a')
      assert.equal((await asAdmin(server).delete('/repos/ann/gone')).status, 204)
      const [again] = await make('gone')
      assert.deepEqual((await again.ask('GET', '/locks')).body, { locks: [] })
    })
  })
