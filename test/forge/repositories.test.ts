/** Repositories, collaborators, invitations and watching. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../src/lib/clock.ts'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

for (const engine of oneEngine) {
  describe(`repositories on ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(() => server.stop())

    test('one is made, read, changed, archived and deleted', async () => {
      const made = await ann.post('/user/repos', { name: 'first', description: 'A', has_wiki: false, auto_init: true })
      assert.equal(made.status, 201)
      assert.equal(made.headers.get('location'), `${server.url}/repos/ann/first`)
      assert.deepEqual([made.body.has_wiki, made.body.has_issues, made.body.visibility], [false, true, 'public'])
      const changed = await ann.patch('/repos/ann/first', {
        visibility: 'private',
        homepage: 'https://x.example',
        has_wiki: true,
      })
      assert.deepEqual(
        [changed.body.private, changed.body.homepage, changed.body.has_wiki],
        [true, 'https://x.example', true],
      )
      assert.equal((await ann.patch('/repos/ann/first', { archived: true })).body.archived, true)
      assert.equal((await ann.patch('/repos/ann/first', { description: 'B' })).status, 403)
      assert.equal((await ann.patch('/repos/ann/first', { archived: false })).body.archived, false)
      assert.equal((await ann.delete('/repos/ann/first')).status, 204)
      assert.equal((await ann.get('/repos/ann/first')).status, 404)
    })

    test('a list that was read shows each change of its repositories at once, to each of its readers', async () => {
      await ann.post('/user/repos', { name: 'listed' })
      const find = async (client: RestClient, path: string) =>
        (await client.get(path)).body.find(({ full_name }: { full_name: string }) => full_name.endsWith('/listed'))
      const see = async () => {
        const [own, others] = [await find(ann, '/user/repos'), await find(bob, '/users/ann/repos')]
        return [own.description, own.stargazers_count, own.permissions.admin, others.description, others.permissions]
      }
      const reader = { admin: false, maintain: false, push: false, triage: false, pull: true }
      assert.deepEqual(await see(), [null, 0, true, null, reader])
      await ann.patch('/repos/ann/listed', { description: 'New' })
      assert.deepEqual(await see(), ['New', 0, true, 'New', reader])
      await bob.put('/user/starred/ann/listed')
      assert.deepEqual(await see(), ['New', 1, true, 'New', reader])
      const { body: invitation } = await ann.put('/repos/ann/listed/collaborators/bob', { permission: 'triage' })
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      assert.deepEqual(await see(), ['New', 1, true, 'New', { ...reader, triage: true }])
      await ann.delete('/repos/ann/listed')
    })

    test('the first commit of one made with files is its maker’s', async () => {
      await ann.post('/user/repos', { name: 'begun', auto_init: true })
      const [first] = (await ann.get('/repos/ann/begun/commits')).body
      assert.deepEqual([first.author.login, first.committer.login], ['ann', 'ann'])
      const [most] = (await ann.get('/repos/ann/begun/contributors')).body
      assert.deepEqual([most.login, most.contributions], ['ann', 1])
    })

    test('names that can’t be addressed are refused', async () => {
      for (const name of ['', '.', '..', 'a b', 'x.git', 'a/b', 'ü', 'x'.repeat(101)]) {
        assert.equal((await ann.post('/user/repos', { name })).status, 422, name)
      }
      assert.equal((await ann.post('/user/repos', { name: '.x-y_z.1' })).status, 201)
    })

    test('an invitation becomes a collaborator when it is accepted, who then watches and may do what was offered', async () => {
      await ann.post('/user/repos', { name: 'shared', private: true })
      const invited = await ann.put('/repos/ann/shared/collaborators/bob', { permission: 'triage' })
      assert.equal(invited.status, 201)
      assert.equal(invited.body.permissions, 'triage')
      assert.equal((await bob.get('/repos/ann/shared')).status, 404)
      const [own] = (await bob.get('/user/repository_invitations')).body
      assert.deepEqual([own.id, own.repository.full_name, own.expired], [invited.body.id, 'ann/shared', false])
      const offered = await ann.patch(`/repos/ann/shared/invitations/${own.id}`, { permissions: 'write' })
      assert.equal(offered.body.permissions, 'write')
      assert.equal((await ann.patch(`/user/repository_invitations/${own.id}`)).status, 404)
      assert.equal((await bob.patch(`/user/repository_invitations/${own.id}`)).status, 204)
      const { body } = await bob.get('/repos/ann/shared')
      assert.deepEqual(body.permissions, { admin: false, maintain: false, push: true, triage: true, pull: true })
      assert.equal((await bob.get('/repos/ann/shared/subscription')).body.subscribed, true)
      assert.equal((await ann.get('/repos/ann/shared')).body.subscribers_count, 2)
      assert.equal((await ann.put('/repos/ann/shared/collaborators/bob', { permission: 'pull' })).status, 204)
      assert.equal((await bob.patch('/repos/ann/shared', { description: 'mine' })).status, 403)
      assert.equal((await ann.delete('/repos/ann/shared/collaborators/bob')).status, 204)
      assert.equal((await bob.get('/repos/ann/shared')).status, 404)
      assert.deepEqual((await bob.get('/user/subscriptions')).body, [], 'what one may not see is in no list')
    })

    test('a collaborator leaves by themselves, and removes nobody else', async () => {
      await ann.post('/user/repos', { name: 'left' })
      const { body } = await ann.put('/repos/ann/left/collaborators/bob', { permission: 'pull' })
      await bob.patch(`/user/repository_invitations/${body.id}`)
      assert.equal((await bob.delete('/repos/ann/left/collaborators/ann')).status, 403)
      const plain = makeRest(server.url, await makeToken(server, 'bob', { kind: 'classic', scopes: [] }))
      assert.equal((await plain.delete('/repos/ann/left/collaborators/bob')).status, 403)
      assert.equal((await ann.get('/repos/ann/left/collaborators/bob')).status, 204)
      assert.equal((await bob.delete('/repos/ann/left/collaborators/BOB')).status, 204)
      assert.equal((await ann.get('/repos/ann/left/collaborators/bob')).status, 404)
    })

    test('a token for what is public makes nothing private', async () => {
      const token = await makeToken(server, 'ann', { kind: 'classic', scopes: ['public_repo'] })
      const narrow = makeRest(server.url, token)
      assert.equal((await narrow.post('/user/repos', { name: 'seen' })).status, 201)
      for (const privacy of [{ private: true }, { visibility: 'private' }]) {
        const made = await narrow.post('/user/repos', { name: 'unseen', ...privacy })
        const changed = await narrow.patch('/repos/ann/seen', privacy)
        assert.deepEqual([made.status, changed.status], [403, 403])
        assert.match(made.body.message, /the scope repo;/)
      }
    })

    test('an invitation is good for seven days; who is invited again has a new one', async () => {
      const ids = ({ body }: { body: { id: number }[] }) => body.map(({ id }) => id)
      const { body } = await ann.put('/repos/ann/shared/collaborators/bob', {})
      clock.advance(7 * 24 * 3_600_000)
      assert.deepEqual((await bob.get('/user/repository_invitations')).body, [])
      assert.equal((await bob.patch(`/user/repository_invitations/${body.id}`)).status, 404)
      assert.equal((await ann.get('/repos/ann/shared/invitations')).body[0].expired, true)
      const again = await ann.put('/repos/ann/shared/collaborators/bob', {})
      assert.deepEqual([again.status, again.body.expired, again.body.id === body.id], [201, false, false])
      assert.deepEqual(ids(await bob.get('/user/repository_invitations')), [again.body.id])
      assert.deepEqual(ids(await ann.get('/repos/ann/shared/invitations')), [again.body.id])
      assert.equal((await ann.delete(`/repos/ann/shared/invitations/${again.body.id}`)).status, 204)
    })

    test('watching is made with the repository, and may become ignoring or nothing', async () => {
      await ann.post('/user/repos', { name: 'watched' })
      assert.equal((await ann.get('/repos/ann/watched/subscription')).body.subscribed, true)
      assert.equal((await bob.get('/repos/ann/watched/subscription')).status, 404)
      const ignored = (await bob.put('/repos/ann/watched/subscription', { ignored: true })).body
      assert.deepEqual([ignored.subscribed, ignored.ignored], [false, true])
      assert.equal((await ann.get('/repos/ann/watched')).body.subscribers_count, 1)
      assert.equal((await bob.put('/repos/ann/watched/subscription', { subscribed: true })).body.subscribed, true)
      assert.equal((await ann.get('/repos/ann/watched')).body.subscribers_count, 2)
      const neither = (await bob.put('/repos/ann/watched/subscription', { subscribed: false })).body
      assert.deepEqual([neither.subscribed, neither.ignored], [false, false])
      assert.equal((await ann.get('/repos/ann/watched')).body.subscribers_count, 1)
      assert.equal((await bob.get('/repos/ann/watched/subscription')).status, 404)
      await bob.put('/repos/ann/watched/subscription', {})
      assert.equal((await bob.delete('/repos/ann/watched/subscription')).status, 204)
      assert.equal((await bob.get('/repos/ann/watched/subscription')).status, 404)
    })

    test('lists hold what one may see and nothing else, in the order asked for', async () => {
      const eve = await makeUser(server, 'eve')
      for (const [name, isPrivate] of [
        ['b', false],
        ['a', true],
        ['c', false],
      ] as const) {
        clock.advance(1_000)
        await eve.post('/user/repos', { name, private: isPrivate })
      }
      const names = async (client: RestClient, path: string) =>
        (await client.get(path)).body.map(({ name }: { name: string }) => name)
      assert.deepEqual(await names(eve, '/user/repos'), ['a', 'b', 'c'])
      assert.deepEqual(await names(eve, '/user/repos?sort=created'), ['c', 'a', 'b'])
      assert.deepEqual(await names(eve, '/user/repos?visibility=private'), ['a'])
      assert.deepEqual(await names(eve, '/user/repos?affiliation=collaborator'), [])
      assert.deepEqual(await names(bob, '/users/eve/repos'), ['b', 'c'])
      assert.deepEqual(await names(asAdmin(server), '/users/eve/repos?sort=full_name&direction=desc'), ['c', 'b', 'a'])
    })

    test('a user’s list holds what they own, what they were added to, or both; an organisation has no forks', async () => {
      await ann.post('/user/repos', { name: 'lent' })
      await ann.post('/user/repos', { name: 'lent-hidden', private: true })
      for (const name of ['lent', 'lent-hidden']) {
        const { body } = await ann.put(`/repos/ann/${name}/collaborators/bob`, {})
        await bob.patch(`/user/repository_invitations/${body.id}`)
      }
      const names = async (client: RestClient, query: string) => {
        const { body } = await client.get(`/users/bob/repos${query}`)
        return body.map(({ full_name }: { full_name: string }) => full_name)
      }
      const own = await names(bob, '')
      assert.ok(own.every((name: string) => name.startsWith('bob/')))
      assert.deepEqual(await names(bob, '?type=owner'), own)
      const joined = await names(bob, '?type=member')
      assert.ok(joined.includes('ann/lent') && joined.includes('ann/lent-hidden'))
      assert.ok(!(await names(makeRest(server.url), '?type=member')).includes('ann/lent-hidden'))
      assert.deepEqual((await names(bob, '?type=all')).toSorted(), [...own, ...joined].sort())
      await asAdmin(server).post('/admin/organizations', { login: 'forkless', admin: 'ann' })
      await ann.post('/orgs/forkless/repos', { name: 'r' })
      assert.equal((await ann.get('/orgs/forkless/repos')).body.length, 1)
      assert.deepEqual((await ann.get('/orgs/forkless/repos?type=forks')).body, [])
    })

    test('a list holds what was updated between two times', async () => {
      const list = async (query: string) =>
        (await bob.get(`/user/repos?${query}`)).body.map(({ name }: { name: string }) => name)
      const start = new Date(clock.now()).toISOString()
      clock.advance(2_000)
      await bob.post('/user/repos', { name: 'early' })
      clock.advance(2_000)
      const middle = encodeURIComponent(new Date(clock.now()).toISOString())
      clock.advance(2_000)
      await bob.post('/user/repos', { name: 'late' })
      assert.deepEqual(await list(`since=${start}&affiliation=owner`), ['early', 'late'])
      assert.deepEqual(await list(`since=${start}&before=${middle}`), ['early'])
      assert.deepEqual(await list(`since=${middle}`), ['late'])
      assert.equal((await bob.get('/user/repos?before=soon')).status, 422)
    })

    test('collaborators are listed by how they came to it, and by what they may', async () => {
      const root = asAdmin(server)
      await root.post('/admin/organizations', { login: 'guild', admin: 'ann' })
      for (const [login, role] of [
        ['mel', 'member'],
        ['mia', 'member'],
      ]) {
        await root.post('/admin/users', { login })
        await root.put(`/orgs/guild/memberships/${login}`, { role })
      }
      await ann.post('/orgs/guild/repos', { name: 'hall', private: true })
      assert.equal((await ann.put('/repos/guild/hall/collaborators/mia', { permission: 'push' })).status, 204)
      const { body } = await ann.put('/repos/guild/hall/collaborators/bob', { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${body.id}`)
      const list = async (query: string) =>
        (await ann.get(`/repos/guild/hall/collaborators?${query}`)).body.map(
          ({ login, role_name }: { login: string; role_name: string }) => `${login} ${role_name}`,
        )
      assert.deepEqual(await list(''), ['ann admin', 'bob write', 'mel read', 'mia write'])
      assert.deepEqual(await list('affiliation=direct'), ['bob write', 'mia write'])
      assert.deepEqual(await list('affiliation=outside'), ['bob write'])
      assert.deepEqual(await list('permission=push'), ['bob write', 'mia write'])
      assert.deepEqual(await list('permission=pull&affiliation=all'), ['mel read'])
      assert.deepEqual(await list('per_page=2&page=2'), ['mel read', 'mia write'])
      await ann.patch('/orgs/guild', { default_repository_permission: 'none' })
      assert.deepEqual(await list(''), ['ann admin', 'bob write', 'mia write'])
    })

    test('a list is told its kind in one way', async () => {
      for (const other of ['visibility=public', 'affiliation=owner']) {
        const { status, body } = await ann.get(`/user/repos?type=owner&${other}`)
        assert.deepEqual([status, body.errors[0].field], [422, 'type'])
      }
    })

    test('topics are lower case, each once, and few', async () => {
      const { body } = await ann.put('/repos/ann/watched/topics', { names: ['Go', 'go', 'web-apps'] })
      assert.deepEqual(body.names, ['go', 'web-apps'])
      assert.deepEqual((await ann.get('/repos/ann/watched')).body.topics, ['go', 'web-apps'])
      assert.equal((await ann.put('/repos/ann/watched/topics', { names: ['no good'] })).status, 422)
      const many = Array.from({ length: 21 }, (_, i) => `t${i}`)
      assert.equal((await ann.put('/repos/ann/watched/topics', { names: many })).status, 422)
    })

    test('addresses that can’t be decoded, or hold a NUL, name nothing', async () => {
      for (const path of [
        '/users/%00',
        '/users/%zz',
        '/repos/ann/%E0%A4%A',
        '/repos/ann/watched/contents/%00',
        '/%ff',
      ]) {
        const { status, headers } = await ann.get(path)
        assert.equal(status, 404, path)
        assert.ok(headers.get('x-ratelimit-limit'), path)
      }
      assert.equal((await ann.get('/repos/ann/watched/commits?author=%00')).status, 422)
      const authorization = `Basic ${Buffer.from('a\0b:x').toString('base64')}`
      assert.equal((await ann.get('/user', { authorization })).status, 401)
      assert.equal((await ann.patch('/user', { bio: 'a\0b' })).status, 422)
    })

    test('an empty repository says so', async () => {
      await ann.post('/user/repos', { name: 'empty' })
      for (const path of ['branches', 'tags'])
        assert.deepEqual((await ann.get(`/repos/ann/empty/${path}`)).body, [], path)
      assert.deepEqual((await ann.get('/repos/ann/empty/languages')).body, {})
      assert.equal((await ann.get('/repos/ann/empty/contributors')).status, 204)
      const sha = '1'.repeat(40)
      for (const path of [
        ...['commits', 'commits?sha=main', 'commits/main', `commits/${sha}`, 'git/refs', 'git/refs/heads'],
        ...['git/ref/heads/main', 'git/matching-refs/heads', 'git/trees/main', `git/blobs/${sha}`],
        ...[`git/commits/${sha}`, `git/tags/${sha}`],
      ]) {
        const { status, body } = await ann.get(`/repos/ann/empty/${path}`)
        assert.deepEqual([status, body.message], [409, 'Git Repository is empty.'], path)
      }
      for (const path of ['contents', 'contents/x', 'readme', 'tarball', 'branches/main', 'compare/a...b'])
        assert.equal((await ann.get(`/repos/ann/empty/${path}`)).status, 404, path)
    })
  })
}
