import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { mostAhead, serveInTurn } from '../../src/wires/pipelining.ts'
import { until } from '../support/until.ts'

describe('requests that are sent ahead on a connection', () => {
  let begun: ServerResponse[] = []
  const server = createServer((_request, response) => begun.push(response))
  serveInTurn(server)
  let accepted: Socket
  server.on('connection', (socket) => {
    accepted = socket
  })
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'))
  beforeEach(() => {
    begun = []
  })
  after(() => server.close())

  const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1')
  const ask = (path: string) => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`

  test('are begun one by one, each once the answer before it is out, and answered in order', async () => {
    const client = open()
    let text = ''
    client.on('data', (chunk) => {
      text += chunk
    })
    const many = 100
    client.write(Array.from({ length: many }, (_, i) => ask(`/${i}`)).join(''))
    for (let i = 0; i < many; i++) {
      await until(() => begun.length === i + 1)
      begun[i]!.end(`answer ${i};`)
    }
    await until(() => text.includes(`answer ${many - 1};`))
    assert.deepEqual(
      [...text.matchAll(/answer (\d+);/g)].map((found) => Number(found[1])),
      Array.from({ length: many }, (_, i) => i),
    )
    client.destroy()
  })

  test('are read no further while the first is answered, and are gone with their client', async () => {
    const client = open()
    client.write(ask('/').repeat(10))
    await until(() => begun.length === 1)
    await until(() => accepted.isPaused())
    const { bytesRead } = accepted
    client.write(ask('/').repeat(10))
    begun[0]!.end('answer')
    await until(() => begun.length === 2)
    await until(() => accepted.isPaused())
    assert.ok(accepted.bytesRead <= 2 * bytesRead)
    client.destroy()
    begun[1]!.end('answer')
    for (let i = 2; !accepted.destroyed; ) {
      begun[i]?.end('answer')
      if (begun.length > i) i++
      await until(() => begun.length > i || accepted.destroyed)
    }
    assert.ok(begun.length <= 20)
  })

  test('are too many at some time: their connection is closed, and nobody else’s', async () => {
    const [client, other] = [open().resume(), open().resume()]
    client.write(ask('/').repeat(mostAhead + 2))
    await once(client, 'close')
    assert.equal(begun.length, 1)
    other.write(ask('/'))
    await until(() => begun.length === 2)
    begun[1]!.end('answer')
    other.destroy()
  })

  test('with a body are given all of it', async () => {
    const client = open().resume()
    const body = 'x'.repeat(300_000)
    client.write(ask('/'))
    client.write(`POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    await until(() => begun.length === 1)
    begun[0]!.end('answer')
    await until(() => begun.length === 2)
    let length = 0
    for await (const chunk of begun[1]!.req) length += chunk.length
    assert.equal(length, body.length)
    client.destroy()
  })
})
