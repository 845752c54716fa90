/** The stream of inbox changes: each is told, on whichever server it was made, for as long as the token lives. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { mostStreams } from '../../../src/forge/notifications/inbox/streams.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../../support/engines.ts'
import { asAdmin, makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

type Event = { readonly id: string; readonly data: Json }

/** Reads a stream in the background, as a browser's EventSource does, on a connection of its own. */
async function listen(url: string, token: string, lastEventId?: string) {
  const request = get(`${url}/notifications/stream`, {
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const events: Event[] = []
  let isOver = false
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const [, id] = /^id: (.*)$/m.exec(block) ?? []
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (id !== undefined) events.push({ id, data: JSON.parse(data!) })
    }
  })
  response
    .on('error', () => {})
    .on('close', () => {
      isOver = true
    })
  return {
    status: response.statusCode!,
    type: response.headers['content-type'],
    events,
    isOver: () => isOver,
    async leave() {
      request.destroy()
      await until(() => isOver)
    },
  }
}

for (const engine of engines) {
  describe(`the stream of an inbox on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let database: TestDatabase
    let servers: TestServer[]
    let root: RestClient
    let count = 0
    const start = () => startServer(engine, { database, environment: { GUILDHALL_LIMITS: 'off' } })
    before(async () => {
      database = await makeMigratedDatabase(engine)
      servers = engine === 'sqlite' ? [await start()] : [await start(), await start()]
      root = asAdmin(servers[0]!)
      const ann = await makeUser(servers[0]!, 'ann')
      await ann.post('/user/repos', { name: 'open' })
    })
    after(async () => {
      for (const server of servers) await server.stop()
      await database.drop()
    })

    const last = () => servers.at(-1)!

    async function makeReader(): Promise<RestClient & { login: string }> {
      const login = `reader-${++count}`
      const { token } = await makeUser(servers[0]!, login)
      return { ...makeRest(last().url, token), login }
    }

    const deliver = (login: string, title: string) =>
      root.post('/admin/notifications', {
        login,
        repository: 'ann/open',
        reason: 'ci_activity',
        subject: { title, type: 'CheckSuite' },
      })

    test('begins with the state as it is, and tells each change with the number of the unread', async () => {
      const bob = await makeReader()
      const stream = await listen(last().url, bob.token!)
      assert.equal(stream.type, 'text/event-stream; charset=utf-8')
      await until(() => stream.events.length === 1)
      assert.equal(stream.events[0]!.data.unread, 0)
      await deliver(bob.login, 'one')
      await until(() => stream.events.at(-1)!.data.unread === 1)
      await deliver(bob.login, 'two')
      await until(() => stream.events.at(-1)!.data.unread === 2)
      await bob.put('/notifications', {})
      await until(() => stream.events.at(-1)!.data.unread === 0)
      const { change, last_modified } = stream.events.at(-1)!.data
      const listed = await bob.get('/notifications')
      assert.equal(Date.parse(last_modified), Date.parse(listed.headers.get('last-modified')!))
      assert.equal(stream.events.at(-1)!.id, String(change))
      await stream.leave()
    })

    test('who comes back with Last-Event-ID is told what was missed, and nothing where nothing was', async () => {
      const bob = await makeReader()
      await deliver(bob.login, 'one')
      const first = await listen(last().url, bob.token!)
      await until(() => first.events.length === 1)
      const { id } = first.events[0]!
      await first.leave()
      const second = await listen(last().url, bob.token!, id)
      await deliver(bob.login, 'two')
      await until(() => second.events.length === 1)
      assert.equal(second.events[0]!.data.unread, 2, 'the first event is the change that was new')
      await second.leave()
      const third = await listen(last().url, bob.token!, id)
      await until(() => third.events.length === 1)
      assert.equal(third.events[0]!.data.unread, 2)
      await third.leave()
    })

    test('nothing is told after the token was revoked, and the stream ends', async () => {
      const bob = await makeReader()
      const made = await root.post(`/admin/users/${bob.login}/tokens`, { kind: 'classic', scopes: ['notifications'] })
      const stream = await listen(last().url, made.body.token)
      await until(() => stream.events.length === 1)
      assert.equal((await root.delete(`/admin/tokens/${made.body.id}`)).status, 204)
      await deliver(bob.login, 'one')
      await until(stream.isOver)
      assert.equal(stream.events.length, 1)
    })

    rule(`an account has ${mostStreams} at a time, and one that is left makes room`, async () => {
      const bob = await makeReader()
      const streams = []
      for (let i = 0; i < mostStreams; i++) streams.push(await listen(last().url, bob.token!))
      assert.deepEqual([...new Set(streams.map(({ status }) => status))], [200])
      const refused = await listen(last().url, bob.token!)
      assert.equal(refused.status, 403)
      await refused.leave()
      await streams.pop()!.leave()
      await until(async () => {
        const next = await listen(last().url, bob.token!)
        streams.push(next)
        return next.status === 200
      })
      for (const stream of streams) await stream.leave()
    })

    rule('without the type of a stream it is the state as JSON, and other tokens are refused', async () => {
      const bob = await makeReader()
      await deliver(bob.login, 'one')
      const { status, body } = await bob.get('/notifications/stream')
      assert.deepEqual([status, Object.keys(body), body.unread], [200, ['change', 'last_modified', 'unread'], 1])
      const stranger = await listen(last().url, 'gdp_000000000000000000000000000000000000')
      assert.equal(stranger.status, 401)
      await stranger.leave()
    })

    rule('a server that stops ends its streams', async () => {
      const bob = await makeReader()
      const stream = await listen(last().url, bob.token!)
      await until(() => stream.events.length === 1)
      await servers.pop()!.stop()
      await until(stream.isOver)
      servers.push(await start())
      root = asAdmin(servers[0]!)
    })
  })
}
