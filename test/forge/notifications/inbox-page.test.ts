/** What the page's inbox asks for beyond the contract: filters, shares of repositories, many changes at once and their undoing, and live hints. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { engines, makeMigratedDatabase, type TestDatabase } from '../../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

for (const engine of engines) {
  describe(`the page's inbox on ${engine}`, () => {
    let database: TestDatabase
    let servers: TestServer[]
    let root: RestClient
    let ann: RestClient
    let count = 0
    const start = () => startServer(engine, { database, environment: { GUILDHALL_LIMITS: 'off' } })
    const last = () => servers.at(-1)!
    before(async () => {
      database = await makeMigratedDatabase(engine)
      servers = engine === 'sqlite' ? [await start()] : [await start(), await start()]
      root = asAdmin(servers[0]!)
      ann = await makeUser(servers[0]!, 'ann')
      for (const name of ['open', 'other']) await ann.post('/user/repos', { name })
      await ann.post('/user/repos', { name: 'hidden', private: true })
    })
    after(async () => {
      for (const server of servers) await server.stop()
      await database.drop()
    })

    async function makeReader(): Promise<RestClient & { login: string }> {
      const login = `reader-${++count}`
      const { token } = await makeUser(servers[0]!, login)
      return { ...makeRest(last().url, token), login }
    }

    async function deliver(login: string, title: string, more: Json = {}): Promise<string> {
      const { type = 'CheckSuite', ...rest } = more
      const draft = { login, repository: 'ann/open', reason: 'ci_activity', subject: { title, type }, ...rest }
      const answer = await root.post('/admin/notifications', draft)
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    }

    const titles = async (client: RestClient, query = ''): Promise<string[]> =>
      (await client.get(`/notifications${query}`)).body.map(({ subject }: Json) => subject.title).sort()

    test('a list is narrowed by reason, type and words of the title, and what is no reason is refused', async () => {
      const bob = await makeReader()
      await deliver(bob.login, 'Build 100% done')
      await deliver(bob.login, 'Build of main', { reason: 'security_alert' })
      const issue = await ann.post('/repos/ann/other/issues', { title: 'A Build fails', body: `@${bob.login}` })
      const pulls = [
        ['?reason=mention', ['A Build fails']],
        ['?reason=mention,ci_activity', ['A Build fails', 'Build 100% done']],
        ['?type=issue', ['A Build fails']],
        ['?type=pull', []],
        ['?type=external&reason=security_alert', ['Build of main']],
        ['?q=build', ['A Build fails', 'Build 100% done', 'Build of main']],
        ['?q=BUILD+fails', ['A Build fails']],
        ['?q=100%25', ['Build 100% done']],
        ['?q=_', []],
        ['?q=build&participating=true', ['A Build fails']],
        ['?q=none', []],
      ] as const
      for (const [query, expected] of pulls) assert.deepEqual(await titles(bob, query), expected, query)
      assert.equal((await bob.get('/notifications?reason=fun')).status, 422)
      assert.equal((await bob.get('/notifications?type=fun')).status, 422)
      const { body } = await bob.get('/notifications?type=issue&html_url=true')
      assert.equal(new URL(body[0].html_url).pathname, new URL(issue.body.html_url).pathname)
      const [plain] = (await bob.get('/notifications?type=issue')).body
      assert.equal(plain.html_url, undefined)
    })

    test('repositories tell how many threads each has, by the same filters, and none that its reader lost', async () => {
      const bob = await makeReader()
      await ann.put(`/repos/ann/hidden/collaborators/${bob.login}`, { permission: 'push' })
      const [invitation] = (await bob.get('/user/repository_invitations')).body
      await bob.patch(`/user/repository_invitations/${invitation.id}`, {})
      await bob.put('/notifications', {})
      for (const title of ['one', 'two', 'three']) await deliver(bob.login, title)
      await deliver(bob.login, 'two', { repository: 'ann/other' })
      await deliver(bob.login, 'secret', { repository: 'ann/hidden' })
      const shares = async (query = ''): Promise<Json[]> =>
        (await bob.get(`/notifications/repositories${query}`)).body.map(({ repository, count: many }: Json) => [
          repository.full_name,
          many,
        ])
      const open = ['ann/open', 3]
      assert.deepEqual((await shares())[0], open)
      assert.equal((await shares()).length, 3)
      assert.deepEqual(await shares('?q=two'), [
        ['ann/open', 1],
        ['ann/other', 1],
      ])
      await ann.delete(`/repos/ann/hidden/collaborators/${bob.login}`)
      assert.deepEqual(await shares(), [open, ['ann/other', 1]])
    })

    test('many change at once, each says what it was, and what was can be set again', async () => {
      const bob = await makeReader()
      const [first, second] = [await deliver(bob.login, 'one'), await deliver(bob.login, 'two')]
      const foreign = await deliver((await makeReader()).login, 'other')
      await bob.patch(`/notifications/threads/${first}`)
      const change = (draft: object) => bob.patch('/notifications/threads', draft)
      const marked = await change({ threads: [first, second, foreign, '999999'], state: 'done', subscription: 'muted' })
      assert.equal(marked.status, 200)
      const done = { state: 'done', subscription: 'muted' }
      const [one, two]: Json[] = marked.body
      assert.deepEqual(marked.body, [
        { id: first, ...done, before: { state: 'read', subscription: 'none' } },
        { id: second, ...done, before: { state: 'unread', subscription: 'none' } },
      ])
      assert.deepEqual([await titles(bob, '?all=true'), await titles(bob, '?done=true')], [[], ['one', 'two']])
      await change({ threads: [Number(first)], ...one!.before })
      await change({ threads: [second], ...two!.before })
      assert.deepEqual([await titles(bob), await titles(bob, '?all=true')], [['two'], ['one', 'two']])
      const { body: subscription } = await bob.get(`/notifications/threads/${second}/subscription`)
      assert.deepEqual([subscription.subscribed, subscription.ignored, subscription.created_at], [false, false, null])
      await change({ threads: [first], state: 'unread' })
      assert.deepEqual(await titles(bob), ['one', 'two'])
    })

    test('a change of nothing, of too many, or by another kind of token is refused', async () => {
      const bob = await makeReader()
      const tooMany = Array.from({ length: 101 }, (_, at) => String(at + 1))
      for (const draft of [
        { threads: ['1'] },
        { threads: [], state: 'read' },
        { threads: tooMany, state: 'read' },
        { threads: ['x'], state: 'read' },
        { threads: ['1'], state: 'none' },
        { threads: ['1'], subscription: 'loud' },
      ])
        assert.equal((await bob.patch('/notifications/threads', draft)).status, 422, JSON.stringify(draft))
      const app = makeRest(last().url, await makeToken(servers[0]!, bob.login, { kind: 'fine-grained' }))
      assert.equal((await app.patch('/notifications/threads', { threads: ['1'], state: 'read' })).status, 403)
    })

    test('filters are kept for their user, as a whole, and not without end', async () => {
      const [bob, cid] = [await makeReader(), await makeReader()]
      assert.deepEqual((await bob.get('/notifications/filters')).body, [])
      const filters = [
        { name: 'Mentions <b>', query: 'reason=mention' },
        { name: 'Mine', query: 'type=pull&reason=author' },
      ]
      assert.deepEqual((await bob.put('/notifications/filters', { filters })).body, filters)
      assert.deepEqual((await bob.get('/notifications/filters')).body, filters)
      await bob.put('/notifications/filters', { filters: filters.slice(1) })
      assert.deepEqual((await bob.get('/notifications/filters')).body, filters.slice(1))
      assert.deepEqual((await cid.get('/notifications/filters')).body, [])
      const many = Array.from({ length: 51 }, () => filters[0])
      for (const wrong of [many, [{ name: '', query: '' }], [{ name: 'x'.repeat(101), query: '' }]])
        assert.equal((await bob.put('/notifications/filters', { filters: wrong })).status, 422)
    })

    test('a stream tells of one’s own inbox on whichever server it changed, and of nobody else’s', async () => {
      const [bob, cid] = [await makeReader(), await makeReader()]
      const [own, others] = [await follow(last().url, bob.token!), await follow(last().url, cid.token!)]
      await until(() => [own, others].every((stream) => stream.text().includes('retry:')))
      const id = await deliver(bob.login, 'one')
      await until(() => own.text().includes('event: inbox\ndata: {}'))
      // Many at once are told of as few.
      for (let at = 0; at < 10; at++)
        await bob.patch('/notifications/threads', { threads: [id], state: at % 2 === 0 ? 'read' : 'unread' })
      await until(() => own.text().split('event: inbox').length > 2)
      assert.doesNotMatch(others.text(), /event:/)
      own.close()
      others.close()
    })

    test('a stream of the inbox is for tokens that may read it', async () => {
      const { login } = await makeReader()
      const statuses = [
        [{ kind: 'classic', scopes: ['notifications'] }, 200],
        [{ kind: 'classic', scopes: ['judge'] }, 403],
        [{ kind: 'fine-grained' }, 403],
      ] as const
      for (const [draft, expected] of statuses) {
        const { status, close } = await follow(last().url, await makeToken(servers[0]!, login, draft))
        assert.equal(status, expected, JSON.stringify(draft))
        close()
      }
    })
  })
}

async function follow(url: string, token: string) {
  const request = http.get(`${url}/-/live?inbox`, { headers: { authorization: `Bearer ${token}` }, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  response.on('error', () => {})
  return { status: response.statusCode, text: () => text, close: () => void request.destroy() }
}
