/** Receivers that answer in ways no receiver should: each attempt ends in time, is written down, and keeps no slot. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type Receiver, startReceiver } from './receiver.ts'

type Answer = (socket: Socket) => void

const say =
  (text: string): Answer =>
  (socket) =>
    void socket.write(text)

/** The same again and again, as fast as it is taken. */
const repeat =
  (first: string, then: string): Answer =>
  (socket) => {
    socket.write(first)
    const lot = then.repeat(1_000)
    const go = () => {
      while (!socket.destroyed && socket.write(lot));
    }
    socket.on('drain', go)
    go()
  }

/** A piece now and then, without an end. */
const drip =
  (first: string, piece: string): Answer =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(piece), 20)
    socket.on('close', () => clearInterval(timer))
  }

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'
const none = 'failed to connect to host'
const late = 'timed out'

/** How a receiver answers, and what its delivery says of that. */
const receivers: Record<string, [Answer, status: readonly string[], code: number]> = {
  'changes the protocol': [say(upgrade), ['Invalid HTTP Response: 101'], 101],
  'changes the protocol and goes': [(socket) => socket.end(upgrade), ['Invalid HTTP Response: 101'], 101],
  'changes the protocol and talks on': [repeat(upgrade, 'x'.repeat(4096)), ['Invalid HTTP Response: 101'], 101],
  'says 101 and no protocol': [
    say('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    [late, 'Invalid HTTP Response: 101'],
    0,
  ],
  'answers 200 with an upgrade': [
    say('HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 0\r\n\r\n'),
    ['OK'],
    200,
  ],
  'says to go on without end': [repeat('', 'HTTP/1.1 100 Continue\r\n\r\n'), [none], 0],
  'hints without end': [repeat('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), [none], 0],
  'sends a body without end': [repeat(chunked, `1000\r\n${'a'.repeat(4096)}\r\n`), ['OK'], 200],
  'drips a body': [drip('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', 'a'), [late], 0],
  'drips trailers': [drip(`${chunked}0\r\n`, 'x-a: b\r\n'), [late, none], 0],
  'drips headers': [drip('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'), [late, none], 0],
  'sends headers without end': [repeat('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'), [none], 0],
  'sends an extension of a chunk without end': [repeat(`${chunked}1;`, 'a'.repeat(4096)), [none], 0],
  'sends what is no HTTP': [say('\0\x01\x02'.repeat(1_000)), [none], 0],
  'sends elsewhere': [
    say('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'),
    ['Invalid HTTP Response: 302'],
    302,
  ],
  'says nothing': [() => undefined, [late], 0],
  'goes at once': [(socket) => socket.destroy(), [none], 0],
}

describe('a receiver that', () => {
  let server: TestServer
  let good: Receiver
  let ann: RestClient
  let bob: RestClient
  const listening: Server[] = []

  before(async () => {
    good = await startReceiver()
    server = await startServer('sqlite', {
      environment: {
        GUILDHALL_LIMITS: 'off',
        GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8',
        // One slot that is not given back is one too many.
        GUILDHALL_WEBHOOK_LIMITS: 'answerSeconds=1,tries=1,sentAtOnce=2',
      },
    })
    ann = await makeUser(server, 'ann')
    bob = await makeUser(server, 'bob')
    for (const name of ['one', 'two']) await ann.post('/user/repos', { name })
    await bob.post('/user/repos', { name: 'one' })
  })
  after(async () => {
    await server.stop()
    await good.close()
    for (const each of listening) each.close()
  })

  async function listen(answer: Answer): Promise<number> {
    const hostile = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    })
    listening.push(hostile)
    await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
    return (hostile.address() as AddressInfo).port
  }

  async function hook(client: RestClient, repo: string, url: string): Promise<number> {
    const { status, body, text } = await client.post(`${repo}/hooks`, { config: { url, content_type: 'json' } })
    assert.equal(status, 201, text)
    return body.id
  }

  async function delivered(client: RestClient, repo: string, id: number): Promise<Json> {
    const path = `${repo}/hooks/${id}/deliveries`
    await until(async () => (await client.get(path)).body.length > 0)
    return (await client.get(path)).body[0]
  }

  for (const [name, [answer, statuses, code]] of Object.entries(receivers))
    test(`${name} has a delivery that says so`, async () => {
      const id = await hook(ann, '/repos/ann/one', `http://127.0.0.1:${await listen(answer)}/`)
      const { status, status_code: given } = await delivered(ann, '/repos/ann/one', id)
      assert.ok(statuses.includes(status), status)
      if (statuses.length === 1) assert.equal(given, code)
      await ann.delete(`/repos/ann/one/hooks/${id}`)
    })

  test('answers as it should is called after all of those, for their owner and for others', async () => {
    for (const [client, repo] of [
      [ann, '/repos/ann/two'],
      [bob, '/repos/bob/one'],
    ] as const) {
      const { status } = await delivered(client, repo, await hook(client, repo, `${good.url}${repo}`))
      assert.equal(status, 'OK')
    }
  })
})
