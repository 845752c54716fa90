/** Stars and following: who likes what and whom, counted exactly, and nothing told of what is private. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { ruleTestOn } from '../support/rule-test.ts'
import { startServer, type TestServer } from '../support/server.ts'

const names = (items: Json): string[] => items.map(({ full_name, login }: Json) => full_name ?? login)

for (const engine of engines)
  describe(`stars on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      for (const name of ['one', 'two', 'three']) await ann.post('/user/repos', { name })
      await ann.post('/user/repos', { name: 'secret', private: true })
    })
    after(() => server.stop())

    rule('are given once, shown where they are, and taken back', async () => {
      const path = '/user/starred/ann/one'
      assert.equal((await bob.get(path)).status, 404)
      for (let i = 0; i < 2; i++) assert.equal((await bob.put(path)).status, 204)
      await ann.put(path)
      assert.equal((await bob.get(path)).status, 204)
      const { body } = await bob.get('/repos/ann/one')
      assert.deepEqual([body.stargazers_count, body.watchers_count, body.watchers], [2, 2, 2])
      assert.deepEqual(names((await makeRest(server.url).get('/repos/ann/one/stargazers')).body), ['bob', 'ann'])
      for (let i = 0; i < 2; i++) assert.equal((await bob.delete(path)).status, 204)
      assert.equal((await bob.get('/repos/ann/one')).body.stargazers_count, 1)
      assert.deepEqual(names((await bob.get('/repos/ann/one/stargazers')).body), ['ann'])
      await ann.delete(path)
    })

    test('are listed with their times by either media type, in the order that is asked for', async () => {
      const auth = await makeToken(server, 'bob', { kind: 'classic', scopes: ['public_repo'] })
      const octokit = new Octokit({ auth, baseUrl: server.url })
      for (const repo of ['two', 'one', 'three'])
        await octokit.activity.starRepoForAuthenticatedUser({ owner: 'ann', repo })
      await ann.patch('/repos/ann/two', { description: 'changed last' })
      const list = async (query: string) => names((await bob.get(`/user/starred${query}`)).body)
      assert.deepEqual(await list(''), ['ann/three', 'ann/one', 'ann/two'])
      assert.deepEqual(await list('?direction=asc&per_page=2'), ['ann/two', 'ann/one'])
      assert.equal((await list('?sort=updated'))[0], 'ann/two')
      for (const accept of ['application/vnd.github.star+json', 'application/vnd.platform.v3.star+json']) {
        const { body } = await bob.get('/users/bob/starred?per_page=1', { accept })
        assert.equal(body[0].repo.full_name, 'ann/three')
        assert.match(body[0].starred_at, /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/)
        const { body: gazers } = await ann.get('/repos/ann/one/stargazers', { accept })
        assert.deepEqual([gazers[0].user.login, gazers[0].starred_at.length], ['bob', 20])
      }
      const { data } = await octokit.activity.listReposStarredByAuthenticatedUser()
      assert.equal(data.length, 3)
    })

    rule('of what is private are told to nobody who may not read it', async () => {
      assert.equal((await bob.put('/user/starred/ann/secret')).status, 404)
      assert.equal((await ann.put('/user/starred/ann/secret')).status, 204)
      assert.deepEqual(names((await ann.get('/users/ann/starred')).body), ['ann/secret'])
      const narrow = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: ['public_repo'] }))
      for (const client of [bob, makeRest(server.url), narrow]) {
        const { body, headers } = await client.get('/users/ann/starred')
        assert.deepEqual([body, headers.get('link')], [[], null])
      }
      assert.equal((await bob.get('/repos/ann/secret/stargazers')).status, 404)
    })

    test('are counted exactly when many give them at once, and paged in the order they came in', async () => {
      const clients = await Promise.all(Array.from({ length: 6 }, (_, i) => makeUser(server, `fan${i}`)))
      await Promise.all(clients.map((client) => client.put('/user/starred/ann/three')))
      const count = async () => (await ann.get('/repos/ann/three')).body.stargazers_count
      const before = await count()
      assert.equal((await ann.get('/repos/ann/three/stargazers')).body.length, before)
      assert.ok(before >= 6)
      const pages = await Promise.all(
        [1, 2, 3, 4].map(async (page) =>
          names((await ann.get(`/repos/ann/three/stargazers?per_page=2&page=${page}`)).body),
        ),
      )
      assert.deepEqual(pages.flat(), names((await ann.get('/repos/ann/three/stargazers')).body).slice(0, 8))
    })

    rule('stand beside watching, in its older spelling as well', async () => {
      const path = '/user/subscriptions/ann/one'
      assert.equal((await bob.get(path)).status, 404)
      assert.equal((await bob.put(path)).status, 204)
      assert.equal((await bob.get(path)).status, 204)
      assert.equal((await bob.get('/repos/ann/one/subscription')).body.subscribed, true)
      assert.equal((await bob.delete(path)).status, 204)
      assert.equal((await bob.get(path)).status, 404)
    })

    rule('need a token that was given them, and are refused to whom the organisation has blocked', async () => {
      const token = (draft: object) => makeToken(server, 'bob', draft).then((text) => makeRest(server.url, text))
      const path = '/user/starred/ann/two'
      assert.equal((await makeRest(server.url).put(path)).status, 401)
      assert.equal((await (await token({ kind: 'classic', scopes: [] })).put(path)).status, 403)
      const fine = { kind: 'fine-grained', repositories: 'all' }
      assert.equal((await (await token({ ...fine, permissions: { starring: 'read' } })).put(path)).status, 403)
      assert.equal((await (await token({ ...fine, permissions: { starring: 'write' } })).put(path)).status, 204)
      const root = asAdmin(server)
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'tool' })
      await ann.put('/orgs/acme/blocks/bob')
      assert.equal((await bob.put('/user/starred/acme/tool')).status, 403)
    })
  })

for (const engine of engines)
  describe(`following on ${engine}`, () => {
    let server: TestServer
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
    })
    after(() => server.stop())

    test('is begun and ended, listed from both sides, and counted in profiles', async () => {
      const [ann, bob, cid] = await Promise.all(['ann', 'bob', 'cid'].map((login) => makeUser(server, login)))
      const octokit = new Octokit({ auth: ann!.token, baseUrl: server.url })
      await octokit.users.follow({ username: 'bob' })
      await octokit.users.follow({ username: 'bob' })
      await octokit.users.follow({ username: 'cid' })
      await cid!.put('/user/following/bob')
      assert.deepEqual(names((await bob!.get('/user/followers')).body), ['ann', 'cid'])
      assert.deepEqual(names((await bob!.get('/users/ann/following')).body), ['bob', 'cid'])
      assert.deepEqual(names((await ann!.get('/user/following?per_page=1&page=2')).body), ['cid'])
      assert.equal((await bob!.get('/users/ann/following/cid')).status, 204)
      assert.equal((await bob!.get('/users/cid/following/ann')).status, 404)
      const counts = async (login: string) => {
        const { followers, following } = (await bob!.get(`/users/${login}`)).body
        return [followers, following]
      }
      assert.deepEqual(
        [await counts('ann'), await counts('bob')],
        [
          [0, 2],
          [2, 0],
        ],
      )
      await octokit.users.unfollow({ username: 'bob' })
      assert.equal((await ann!.get('/user/following/bob')).status, 404)
      assert.deepEqual(
        [await counts('ann'), await counts('bob')],
        [
          [0, 1],
          [1, 0],
        ],
      )
      assert.equal((await ann!.put('/user/following/ann')).status, 422)
      assert.equal((await ann!.put('/user/following/nobody')).status, 404)
      const narrow = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: ['repo'] }))
      assert.equal((await narrow.put('/user/following/bob')).status, 403)
    })
  })
