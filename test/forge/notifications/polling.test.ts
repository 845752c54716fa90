/** Polling with the validators that were given: no change is missed, and nothing is told to be new that is not. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { choosePollSeconds, makePollInterval } from '../../../src/api/forge-rest/pipeline/polling.ts'
import { engines, makeMigratedDatabase, type TestDatabase } from '../../support/engines.ts'
import { asAdmin, makeRest, makeUser, type RestAnswer, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const everyMs = 50
/** Some bursts of changes, and the quiet between them. */
const pollingMs = 1_200

/** What a client sends back of what it was given. */
const manners = {
  'If-Modified-Since': (last: RestAnswer) => ({ 'if-modified-since': last.headers.get('last-modified')! }),
  'If-None-Match': (last: RestAnswer) => ({ 'if-none-match': last.headers.get('etag')! }),
  both: (last: RestAnswer) => ({
    'if-none-match': last.headers.get('etag')!,
    'if-modified-since': last.headers.get('last-modified')!,
  }),
} as const

for (const engine of engines) {
  describe(`polling on ${engine}`, () => {
    let database: TestDatabase
    let servers: TestServer[]
    let root: RestClient
    let count = 0
    // SQLite has one server; PostgreSQL two here, so that what one writes is polled of the other.
    const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_BASE_URL: 'http://guild.example.org' }
    const start = () => startServer(engine, { database, environment })
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

    async function makeReader(): Promise<{ login: string; clients: RestClient[] }> {
      const login = `reader-${++count}`
      const { token } = await makeUser(servers[0]!, login)
      return { login, clients: servers.map(({ url }) => makeRest(url, token)) }
    }

    const deliver = async (login: string, title: string): Promise<string> => {
      const subject = { title, type: 'CheckSuite' }
      const draft = { login, repository: 'ann/open', reason: 'ci_activity', subject }
      return (await root.post('/admin/notifications', draft)).body.id
    }

    describe('every 50 ms during random changes', { concurrency: true }, () => {
      for (const [name, validate] of Object.entries(manners)) {
        test(`with ${name} misses none and gets no 200 without one`, async () => {
          const { login, clients } = await makeReader()
          const path = '/notifications?all=true'
          // How many changes were begun, and how many answered: what lies between may be in an answer or not.
          let [begun, answered] = [0, 0]
          const change = async (act: () => Promise<unknown>) => {
            begun++
            await act()
            answered++
          }
          const wrong: string[] = []
          let isOver = false
          const statuses = new Set<number>()

          async function poll(): Promise<void> {
            let known = { answeredBefore: answered, last: await clients[0]!.get(path), begunAfter: begun }
            for (let i = 0; !isOver; i++) {
              await sleep(everyMs)
              const answeredBefore = answered
              const answer = await clients[i % clients.length]!.get(path, validate(known.last))
              statuses.add(answer.status)
              if (answer.status === 304 && answeredBefore > known.begunAfter) wrong.push(`poll ${i} missed a change`)
              if (answer.status === 200 && begun === known.answeredBefore) wrong.push(`poll ${i} got nothing new`)
              if (answer.status === 200) known = { answeredBefore, last: answer, begunAfter: begun }
            }
          }

          async function changeThings(): Promise<void> {
            const open: string[] = []
            const until = performance.now() + pollingMs
            for (let i = 0; performance.now() < until; i++) {
              const client = clients[(i + 1) % clients.length]!
              // Bursts within one second, and quiet times between them.
              if (i % 10 === 9) await sleep(300)
              if (i % 3 < 2) await change(async () => void open.push(await deliver(login, `n${i}`)))
              else if (i % 2 === 0) await change(() => client.patch(`/notifications/threads/${open.at(-1)}`))
              else await change(() => client.delete(`/notifications/threads/${open.shift()}`))
            }
            isOver = true
          }
          await Promise.all([poll(), changeThings()])
          assert.deepEqual(wrong, [])
          assert.ok(statuses.has(200))
          // At rest, whichever server is asked.
          const last = await clients[0]!.get(path)
          for (const client of clients) assert.equal((await client.get(path, validate(last))).status, 304)
        })
      }
    })

    test('Last-Modified moves with each change, also within one second, and never back', async () => {
      const { login, clients } = await makeReader()
      const client = clients[0]!
      const path = '/notifications?all=true'
      const modified = async () => Date.parse((await client.get(path)).headers.get('last-modified')!)
      let last = await modified()
      const id = await deliver(login, 'one')
      const thread = `/notifications/threads/${id}`
      const changes: [string, () => Promise<unknown>][] = [
        ['new', () => deliver(login, 'two')],
        ['new on a known thread', () => deliver(login, 'one')],
        ['read', () => client.patch(thread)],
        ['subscription', () => client.put(`${thread}/subscription`, {})],
        ['subscription ignored', () => client.put(`${thread}/subscription`, { ignored: true })],
        ['subscription deleted', () => client.delete(`${thread}/subscription`)],
        ['done', () => client.delete(thread)],
        ['all read', () => client.put('/notifications', {})],
      ]
      for (const [what, act] of changes) {
        last = await modified()
        await act()
        const answer = await client.get(path, { 'if-modified-since': new Date(last).toUTCString() })
        assert.equal(answer.status, 200, what)
        const next = await modified()
        assert.ok(next > last, `${what}: ${next} after ${last}`)
      }
      last = await modified()
      for (const act of [() => client.delete(thread), () => client.delete(`${thread}/subscription`)]) {
        await act()
        assert.equal(await modified(), last, 'what was so already is no change')
      }
    })

    test('a 304 has the headers, no body, and costs nothing of the hour', async () => {
      const { login, clients } = await makeReader()
      await deliver(login, 'one')
      for (const path of ['/notifications', '/repos/ann/open/notifications']) {
        const first = await clients[0]!.get(path)
        assert.match(first.headers.get('x-poll-interval')!, /^(?:60|120|300|600)$/)
        const used = Number(first.headers.get('x-ratelimit-used'))
        for (const validate of Object.values(manners)) {
          const again = await clients[0]!.get(path, validate(first))
          assert.deepEqual([again.status, again.text], [304, ''])
          assert.equal(Number(again.headers.get('x-ratelimit-used')), used)
          assert.match(again.headers.get('x-poll-interval')!, /^\d+$/)
        }
        const stale = { 'if-none-match': 'W/"other"', 'if-modified-since': first.headers.get('last-modified')! }
        assert.equal((await clients[0]!.get(path, stale)).status, 200, 'the ETag wins')
        const nonsense = { 'if-none-match': first.headers.get('etag')!, 'if-modified-since': 'nonsense' }
        assert.equal((await clients[0]!.get(path, nonsense)).status, 304)
      }
    })

    test('an act by anybody is in the list of whoever asks right after its answer', async () => {
      const { login, clients } = await makeReader()
      const ann = await makeUser(servers[0]!, `inviter-${count}`)
      for (let i = 0; i < 10; i++) {
        await ann.post('/user/repos', { name: `r${i}` })
        assert.equal((await ann.put(`/repos/inviter-${count}/r${i}/collaborators/${login}`, {})).status, 201)
        const client = clients[i % clients.length]!
        assert.equal((await client.get('/notifications')).body.length, i + 1)
      }
    })

    test('validators hold over a restart', async () => {
      const { login, clients } = await makeReader()
      await deliver(login, 'one')
      const first = await clients[0]!.get('/notifications')
      const token = clients[0]!.token
      await servers.pop()!.stop()
      servers.push(await start())
      const path = '/notifications'
      const client = makeRest(servers.at(-1)!.url, token)
      const since = { 'if-modified-since': first.headers.get('last-modified')! }
      assert.equal((await client.get(path, since)).status, 304)
      root = asAdmin(servers.at(-1)!)
      await deliver(login, 'two')
      assert.equal((await client.get(path, since)).status, 200)
    })
  })
}

test('the poll interval is 60 seconds at rest and grows while the thread is kept busy', async () => {
  const interval = makePollInterval(100)
  assert.equal(interval(), '60')
  await until(() => {
    const end = performance.now() + 150
    while (performance.now() < end);
    return Number(interval()) > 60
  }, 1)
  await until(() => interval() === '60', 120)
})

test('the poll interval by how busy the server is', () => {
  const table = [
    [0, 60],
    [0.69, 60],
    [0.7, 120],
    [0.84, 120],
    [0.85, 300],
    [0.94, 300],
    [0.95, 600],
    [1, 600],
  ] as const
  for (const [utilization, seconds] of table) assert.equal(choosePollSeconds(utilization), seconds, String(utilization))
})
