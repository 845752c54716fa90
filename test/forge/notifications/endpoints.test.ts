/** The notification endpoints, each line of the contract: what is listed, fetched, marked, followed and ignored, and by whom. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const second = 1_000

for (const engine of engines) {
  describe(`notifications on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock(Date.UTC(2026, 2, 10, 12))
    let server: TestServer
    let root: RestClient
    let ann: RestClient
    let count = 0
    before(async () => {
      server = await startServer(engine, {
        clock,
        environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_MARKED_AT_ONCE: '3' },
      })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      await ann.post('/user/repos', { name: 'open' })
      await ann.post('/user/repos', { name: 'other' })
      await ann.post('/user/repos', { name: 'hidden', private: true })
    })
    after(() => server.stop())

    /** A user of the test's own, whose inbox nobody else fills. */
    async function makeReader(): Promise<RestClient & { login: string }> {
      const login = `reader-${++count}`
      return { ...(await makeUser(server, login)), login }
    }

    async function deliver(login: string, title: string, more: Json = {}): Promise<string> {
      const { subject, ...rest } = more
      const draft = {
        login,
        repository: 'ann/open',
        reason: 'ci_activity',
        subject: { title, type: 'CheckSuite', ...subject },
        ...rest,
      }
      const answer = await root.post('/admin/notifications', draft)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    }

    const titles = (answer: { body: Json }): string[] => answer.body.map(({ subject }: Json) => subject.title)
    const list = async (client: RestClient, query = ''): Promise<string[]> =>
      titles(await client.get(`/notifications${query}`))

    rule('a thread has every member of the contract', async () => {
      const bob = await makeReader()
      const id = await deliver(bob.login, 'Build 7', { subject: { url: 'https://ci.example.org/7' } })
      const { body, status } = await bob.get('/notifications')
      assert.equal(status, 200)
      const { repository, ...thread } = body[0]
      assert.deepEqual(thread, {
        id,
        subject: {
          title: 'Build 7',
          url: 'https://ci.example.org/7',
          latest_comment_url: 'https://ci.example.org/7',
          type: 'CheckSuite',
        },
        reason: 'ci_activity',
        unread: true,
        updated_at: '2026-03-10T12:00:00Z',
        last_read_at: null,
        url: `${server.url}/notifications/threads/${id}`,
        subscription_url: `${server.url}/notifications/threads/${id}/subscription`,
      })
      assert.match(id, /^[1-9]\d*$/)
      assert.equal(repository.full_name, 'ann/open')
      assert.equal(Object.keys(repository).length, 48)
      assert.deepEqual((await bob.get(`/notifications/threads/${id}`)).body, body[0])
    })

    test('unread by default, read ones with all, done ones in neither but with done', async () => {
      const bob = await makeReader()
      const ids = []
      for (const title of ['a', 'b', 'c']) ids.push(await deliver(bob.login, title))
      const read = await bob.patch(`/notifications/threads/${ids[0]}`)
      assert.deepEqual([read.status, read.text], [205, ''])
      const done = await bob.delete(`/notifications/threads/${ids[1]}`)
      assert.deepEqual([done.status, done.text], [204, ''])
      assert.deepEqual(await list(bob), ['c'])
      assert.deepEqual(await list(bob, '?all=True'), ['c', 'a'])
      assert.deepEqual(await list(bob, '?done=true'), ['b'])
      assert.equal((await bob.patch(`/notifications/threads/${ids[0]}`)).status, 205, 'a read one again')
      assert.equal((await bob.get(`/notifications/threads/${ids[1]}`)).body.unread, false, 'a done one is still there')
      assert.equal((await bob.patch(`/notifications/threads/${ids[1]}`)).status, 205, 'and can be read')
      assert.equal((await bob.put(`/notifications/threads/${ids[1]}/subscription`)).status, 200, 'and followed')
      assert.deepEqual(await list(bob, '?done=true'), ['b'])
      for (const title of ['a', 'b']) await deliver(bob.login, title)
      assert.deepEqual(await list(bob), ['c', 'b', 'a'], 'news make both unread again, under their own ids')
    })

    rule('PATCH and PUT say when it was read', async () => {
      const bob = await makeReader()
      const id = await deliver(bob.login, 'one')
      await deliver(bob.login, 'two')
      clock.advance(5 * second)
      await bob.patch(`/notifications/threads/${id}`)
      const read = (await bob.get(`/notifications/threads/${id}`)).body
      assert.equal(Date.parse(read.last_read_at) - Date.parse(read.updated_at), 5 * second)
      await bob.put('/notifications', { last_read_at: read.last_read_at })
      const all = (await bob.get('/notifications?all=true')).body
      assert.deepEqual(
        all.map((thread: Json) => [thread.unread, thread.last_read_at]),
        [
          [false, read.last_read_at],
          [false, read.last_read_at],
        ],
      )
    })

    test('newest first by the second, then by id; since and before leave their own second out', async () => {
      const bob = await makeReader()
      const start = clock.now()
      for (const title of ['a', 'b']) await deliver(bob.login, title)
      clock.advance(second)
      await deliver(bob.login, 'c')
      clock.advance(second)
      await deliver(bob.login, 'a')
      clock.advance(999)
      await deliver(bob.login, 'd')
      assert.deepEqual(await list(bob), ['d', 'a', 'c', 'b'])
      const at = (ms: number) => new Date(start + ms).toISOString().replace('.000', '')
      assert.deepEqual(await list(bob, `?since=${at(second)}`), ['d', 'a'])
      assert.deepEqual(await list(bob, `?since=${at(0)}`), ['d', 'a', 'c'])
      assert.deepEqual(await list(bob, `?before=${at(second)}`), ['b'])
      assert.deepEqual(await list(bob, `?since=${at(0)}&before=${at(2 * second)}`), ['c'])
      const zoned = new Date(start + second + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
      assert.deepEqual(await list(bob, `?since=${encodeURIComponent(zoned)}`), ['d', 'a'])
      clock.advance(1)
    })

    test('participating is every reason but the four that concern nobody in person', async () => {
      const bob = await makeReader()
      const all = [
        ['approval_requested', true],
        ['assign', true],
        ['author', true],
        ['ci_activity', false],
        ['comment', true],
        ['invitation', true],
        ['manual', true],
        ['member_feature_requested', false],
        ['mention', true],
        ['review_requested', true],
        ['security_advisory_credit', true],
        ['security_alert', false],
        ['state_change', true],
        ['subscribed', false],
        ['team_mention', true],
      ] as const
      for (const [reason] of all) await deliver(bob.login, reason, { reason })
      const wanted = all.filter(([, isParticipating]) => isParticipating).map(([reason]) => reason)
      assert.deepEqual((await list(bob, '?participating=true')).sort(), [...wanted].sort())
      await bob.put('/notifications', {})
      await until(async () => (await list(bob)).length === 0)
      assert.deepEqual(await list(bob, '?participating=true'), [])
      assert.equal((await list(bob, '?participating=true&all=true')).length, wanted.length)
      assert.equal((await list(bob, '?all=true')).length, all.length)
    })

    test('a page is 50 at most, of a repository 30 and at most 100, and Link leads to the others', async () => {
      const bob = await makeReader()
      for (let i = 0; i < 53; i++) await deliver(bob.login, `n${i}`)
      const first = await bob.get('/notifications?per_page=100')
      assert.equal(first.body.length, 50)
      const page = (number: number, rel: string) =>
        `<${server.url}/notifications?per_page=100&page=${number}>; rel="${rel}"`
      assert.equal(first.headers.get('link'), `${page(2, 'next')}, ${page(2, 'last')}`)
      const next = await bob.get('/notifications?page=2')
      assert.deepEqual(titles(next), ['n2', 'n1', 'n0'])
      const ofOpen = await bob.get('/repos/ann/open/notifications')
      assert.equal(ofOpen.body.length, 30)
      assert.equal((await bob.get('/repos/ann/open/notifications?per_page=200')).body.length, 53)
      assert.equal((await bob.get('/repos/ann/other/notifications')).body.length, 0)
      assert.equal((await bob.get('/notifications?per_page=0')).body.length, 50)
    })

    test('marking all leaves what was updated after last_read_at, and a repository’s mark the other repositories', async () => {
      const bob = await makeReader()
      await deliver(bob.login, 'old')
      const at = new Date(clock.now()).toISOString()
      clock.advance(second)
      await deliver(bob.login, 'new')
      const nothing = await bob.put('/notifications', { read: false })
      assert.deepEqual([nothing.status, (await list(bob)).length], [205, 2])
      assert.equal((await bob.put('/notifications', { last_read_at: at, read: true })).status, 205)
      assert.deepEqual(await list(bob), ['new'])
      await deliver(bob.login, 'elsewhere', { repository: 'ann/other' })
      const marked = await bob.put('/repos/ann/open/notifications', {})
      assert.deepEqual([marked.status, marked.text], [205, ''])
      assert.deepEqual(await list(bob), ['elsewhere'])
      assert.equal((await bob.ask('PUT', '/notifications')).status, 205, 'without a body: all of them')
      assert.deepEqual(await list(bob), [])
    })

    test('more than may be marked at once are marked in the background, and an address says how far', async () => {
      const bob = await makeReader()
      for (let i = 0; i < 5; i++) await deliver(bob.login, `n${i}`)
      const answer = await bob.put('/notifications', {})
      assert.equal(answer.status, 202)
      assert.equal(typeof answer.body.message, 'string')
      const path = answer.body.url.slice(server.url.length)
      await until(async () => (await bob.get(path)).body.state === 'finished')
      const { total, marked } = (await bob.get(path)).body
      assert.deepEqual([total, marked, await list(bob)], [5, 5, []])
      assert.equal((await ann.get(path)).status, 404, 'nobody else’s')
      const [repo] = [await makeReader()]
      for (let i = 0; i < 4; i++) await deliver(repo.login, `n${i}`)
      await deliver(repo.login, 'elsewhere', { repository: 'ann/other' })
      assert.equal((await repo.put('/repos/ann/open/notifications', {})).status, 202)
      await until(async () => (await list(repo)).length === 1)
      assert.deepEqual(await list(repo), ['elsewhere'])
    })

    rule('a subscription is none, then manual, ignored, and none again', async () => {
      const bob = await makeReader()
      const id = await deliver(bob.login, 'one')
      const path = `/notifications/threads/${id}/subscription`
      const addresses = { url: server.url + path, thread_url: `${server.url}/notifications/threads/${id}` }
      const none = { subscribed: false, ignored: false, reason: null, created_at: null, ...addresses }
      assert.deepEqual((await bob.get(path)).body, none)
      clock.advance(second)
      const created_at = new Date(clock.now()).toISOString().replace(/\.\d+/, '')
      const followed = { subscribed: true, ignored: false, reason: 'manual', created_at, ...addresses }
      assert.deepEqual((await bob.put(path, {})).body, followed)
      clock.advance(second)
      assert.deepEqual((await bob.put(path, { ignored: false })).body, followed, 'since when it was followed')
      const ignored = (await bob.put(path, { ignored: true })).body
      assert.deepEqual([ignored.subscribed, ignored.ignored], [false, true])
      assert.deepEqual((await bob.get(path)).body, ignored)
      assert.equal((await bob.put(path, { ignored: false })).body.subscribed, true)
      const gone = await bob.delete(path)
      assert.deepEqual([gone.status, gone.text], [204, ''])
      assert.deepEqual((await bob.get(path)).body, none)
    })

    rule(
      'an ignored thread and an ignored repository get nothing; a mention ends the one and not the other',
      async () => {
        const bob = await makeReader()
        const again = (reason: string) =>
          root.post('/admin/notifications', {
            login: bob.login,
            repository: 'ann/open',
            reason,
            subject: { title: 'one', type: 'CheckSuite' },
          })
        const { id } = (await again('ci_activity')).body
        await bob.put(`/notifications/threads/${id}/subscription`, { ignored: true })
        await bob.patch(`/notifications/threads/${id}`)
        assert.equal((await again('assign')).status, 204)
        assert.equal((await again('team_mention')).status, 204)
        assert.deepEqual(await list(bob), [])
        assert.equal((await again('mention')).status, 201)
        assert.deepEqual(await list(bob), ['one'])
        assert.equal((await bob.get(`/notifications/threads/${id}/subscription`)).body.subscribed, true)
        await bob.put('/repos/ann/open/subscription', { ignored: true })
        await bob.patch(`/notifications/threads/${id}`)
        assert.equal((await again('mention')).status, 204)
        assert.deepEqual(await list(bob), [])
      },
    )

    rule('nobody sees a thread of somebody else, nor of a repository that they can no longer read', async () => {
      const bob = await makeReader()
      const invitation = await ann.put(`/repos/ann/hidden/collaborators/${bob.login}`, {})
      await bob.patch(`/user/repository_invitations/${invitation.body.id}`)
      await bob.put('/notifications', {})
      const id = await deliver(bob.login, 'secret', { repository: 'ann/hidden' })
      await deliver(bob.login, 'public')
      for (const path of [`/notifications/threads/${id}`, `/notifications/threads/${id}/subscription`])
        assert.deepEqual([(await bob.get(path)).status, (await ann.get(path)).status], [200, 404])
      assert.equal((await ann.patch(`/notifications/threads/${id}`)).status, 404)
      assert.equal((await ann.delete(`/notifications/threads/${id}`)).status, 404)
      assert.deepEqual(await list(bob), ['public', 'secret'])
      await ann.delete(`/repos/ann/hidden/collaborators/${bob.login}`)
      assert.deepEqual(await list(bob), ['public'])
      assert.equal((await bob.get('/notifications?per_page=1')).headers.get('link'), null, 'nor is it counted')
      for (const method of ['GET', 'PATCH', 'DELETE'])
        assert.equal((await bob.ask(method, `/notifications/threads/${id}`)).status, 404, method)
      assert.equal((await bob.put(`/notifications/threads/${id}/subscription`, {})).status, 404)
      assert.equal((await bob.get('/repos/ann/hidden/notifications')).status, 404)
      await ann.put(`/repos/ann/hidden/collaborators/${bob.login}`, {})
      assert.ok(!(await list(bob)).includes('secret'), 'an invitation shows itself alone')
    })

    rule('an invitation to a private repository is a thread of the one invited, until it is answered', async () => {
      const bob = await makeReader()
      const invitation = (await ann.put(`/repos/ann/hidden/collaborators/${bob.login}`, {})).body
      const [thread] = (await bob.get('/notifications')).body
      assert.equal(thread.reason, 'invitation')
      assert.deepEqual(thread.subject, {
        title: 'Invitation to join ann/hidden from ann',
        url: `${server.url}/user/repository_invitations/${invitation.id}`,
        latest_comment_url: `${server.url}/user/repository_invitations/${invitation.id}`,
        type: 'RepositoryInvitation',
      })
      assert.equal((await bob.get(`/notifications/threads/${thread.id}`)).status, 200)
      await bob.delete(`/user/repository_invitations/${invitation.id}`)
      assert.deepEqual(await list(bob), [])
      assert.equal((await bob.get(`/notifications/threads/${thread.id}`)).status, 404)
      const second = (await ann.put(`/repos/ann/hidden/collaborators/${bob.login}`, {})).body
      await bob.patch(`/user/repository_invitations/${second.id}`)
      assert.deepEqual(await list(bob), [])
      assert.equal((await bob.get('/notifications?all=true')).body.length, 0)
      assert.equal((await bob.get('/notifications?done=true')).body.length, 2, 'who joined sees both')
    })

    test('however an invitation ends, its thread leaves the inbox, and the list says that it changed', async () => {
      await root.post('/admin/organizations', { login: 'hosts', admin: 'ann' })
      await ann.post('/orgs/hosts/repos', { name: 'shown' })
      const endings: Record<string, (one: { id: number; login: string; by: RestClient }) => Promise<unknown>> = {
        accepted: ({ id, by }) => by.patch(`/user/repository_invitations/${id}`),
        declined: ({ id, by }) => by.delete(`/user/repository_invitations/${id}`),
        withdrawn: ({ id }) => ann.delete(`/repos/hosts/shown/invitations/${id}`),
        'taken back with the access': ({ login }) => ann.delete(`/repos/hosts/shown/collaborators/${login}`),
        blocked: ({ login }) => ann.put(`/orgs/hosts/blocks/${login}`),
      }
      for (const [ending, end] of Object.entries(endings)) {
        const by = await makeReader()
        await deliver(by.login, 'stays')
        const { body } = await ann.put(`/repos/hosts/shown/collaborators/${by.login}`, {})
        assert.equal((await list(by)).length, 2, ending)
        const before = (await by.get('/notifications')).headers.get('last-modified')!
        await end({ id: body.id, login: by.login, by })
        const after = await by.get('/notifications', { 'if-modified-since': before })
        assert.equal(after.status, 200, ending)
        assert.deepEqual(await list(by), ['stays'], ending)
      }
    })

    test('a repository that is deleted takes its threads along', async () => {
      const bob = await makeReader()
      await ann.post('/user/repos', { name: 'gone' })
      const id = await deliver(bob.login, 'one', { repository: 'ann/gone' })
      const before = (await bob.get('/notifications')).headers.get('last-modified')!
      await ann.delete('/repos/ann/gone')
      const answer = await bob.get('/notifications', { 'if-modified-since': before })
      assert.deepEqual([answer.status, answer.body], [200, []])
      assert.equal((await bob.get(`/notifications/threads/${id}`)).status, 404)
    })

    rule('bad times and an unparsable If-Modified-Since are 422', async () => {
      for (const path of ['/notifications', '/repos/ann/open/notifications']) {
        for (const query of [
          'since=yesterday',
          'before=2026-13-40T00:00:00Z',
          'since=12',
          'since=2026-02-30',
          'since=2026-02-30T10:00:00Z',
        ])
          assert.equal((await ann.get(`${path}?${query}`)).status, 422, query)
        for (const value of ['yesterday', '2026-03-10T12:00:00Z', 'Sun, 99 Nov 1994 08:49:37 GMT', '0'])
          assert.equal((await ann.get(path, { 'if-modified-since': value })).status, 422, value)
        for (const last_read_at of ['soon', 7, '', '2026-11-31T00:00:00Z'])
          assert.equal((await ann.put(path, { last_read_at })).status, 422, String(last_read_at))
        for (const value of ['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])
          assert.equal((await ann.get(path, { 'if-modified-since': value })).status, 200, value)
      }
    })

    rule('only a classic token with notifications or repo, and the page’s own session, come in', async () => {
      const rest = async (draft: object) => makeRest(server.url, await makeToken(server, 'ann', draft))
      const fine = { permissions: { metadata: 'read', contents: 'read', issues: 'write' }, repositories: 'all' }
      const refused = {
        'no scope': { kind: 'classic', scopes: [] },
        'another scope': { kind: 'classic', scopes: ['user', 'public_repo'] },
        'fine-grained': { kind: 'fine-grained', ...fine },
        'app user': { kind: 'app-user', ...fine },
        installation: { kind: 'installation', ...fine },
        workflow: { kind: 'workflow', ...fine, repositories: ['ann/open'] },
      }
      const asked = [
        ['GET', '/notifications'],
        ['PUT', '/notifications'],
        ['GET', '/notifications/threads/1'],
        ['PATCH', '/notifications/threads/1'],
        ['DELETE', '/notifications/threads/1'],
        ['GET', '/notifications/threads/1/subscription'],
        ['PUT', '/notifications/threads/1/subscription'],
        ['DELETE', '/notifications/threads/1/subscription'],
        ['GET', '/repos/ann/open/notifications'],
        ['PUT', '/repos/ann/open/notifications'],
      ] as const
      for (const [name, draft] of Object.entries(refused)) {
        const client = await rest(draft)
        for (const [method, path] of asked) {
          const answer = await client.ask(method, path, method === 'PUT' ? {} : undefined)
          assert.equal(answer.status, 403, `${name}: ${method} ${path} ${answer.text}`)
        }
      }
      const nobody = makeRest(server.url)
      for (const [method, path] of asked) assert.equal((await nobody.ask(method, path)).status, 401, path)
      for (const scope of ['notifications', 'repo']) {
        const client = await rest({ kind: 'classic', scopes: [scope] })
        assert.equal((await client.get('/notifications')).status, 200)
        assert.equal((await client.get('/repos/ann/open/notifications')).status, 200)
      }
    })

    rule('what is delivered for another system names a user who may read the repository', async () => {
      const bob = await makeReader()
      const draft = {
        login: bob.login,
        repository: 'ann/open',
        reason: 'security_alert',
        subject: { title: 'A weakness', type: 'RepositoryVulnerabilityAlert' },
      }
      assert.equal((await root.post('/admin/notifications', { ...draft, login: 'nobody' })).status, 422)
      assert.equal((await root.post('/admin/notifications', { ...draft, repository: 'ann/none' })).status, 422)
      assert.equal((await root.post('/admin/notifications', { ...draft, reason: 'boredom' })).status, 422)
      assert.equal((await root.post('/admin/notifications', { ...draft, subject: {} })).status, 422)
      assert.equal((await root.post('/admin/notifications', { ...draft, repository: 'ann/hidden' })).status, 204)
      assert.equal((await ann.post('/admin/notifications', draft)).status, 403)
      assert.deepEqual(await list(bob), [])
      assert.equal((await root.post('/admin/notifications', draft)).status, 201)
      const [thread] = (await bob.get('/notifications')).body
      assert.deepEqual([thread.reason, thread.subject.type], ['security_alert', 'RepositoryVulnerabilityAlert'])
    })
  })
}
