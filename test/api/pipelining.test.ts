import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import { afterAnswers, answerInOrder, mostAhead } from '../../src/http/pipelining.ts'
import { until } from '../support/until.ts'

describe('requests that are sent ahead on a connection', () => {
  let begun: ServerResponse[] = []
  const server = createServer(answerInOrder((_request, response) => begun.push(response)))
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
    let said = ''
    client.on('data', (chunk) => {
      said += chunk
    })
    const many = 100
    client.write(Array.from({ length: many }, (_, i) => ask(`/${i}`)).join(''))
    for (let i = 0; i < many; i++) {
      await until(() => begun.length === i + 1)
      begun[i]!.end(`answer ${i};`)
    }
    await until(() => said.includes(`answer ${many - 1};`))
    assert.deepEqual(
      [...said.matchAll(/answer (\d+);/g)].map((found) => Number(found[1])),
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

  test('are too many at some time: as many as there is room for are answered, and their connection is closed', async () => {
    const client = open()
    const answers = text(client)
    client.write(ask('/').repeat(mostAhead + 20))
    for (let i = 0; i <= mostAhead; i++) {
      await until(() => begun.length === i + 1)
      begun[i]!.end('answer')
    }
    assert.equal((await answers).match(/answer/g)!.length, mostAhead + 1)
    assert.match(await answers, /connection: close\r\n(?:(?!HTTP).)*$/is)
    assert.equal(begun.length, mostAhead + 1)
  })

  test('are not begun behind an answer that closes the connection', async () => {
    const client = open()
    const answers = text(client)
    client.write(ask('/').repeat(3))
    await until(() => begun.length === 1)
    begun[0]!.setHeader('connection', 'close').end('answer')
    assert.equal((await answers).match(/answer/g)!.length, 1)
    assert.equal(begun.length, 1)
  })

  test('that can not be read behind an answer that closes the connection are not spoken of', async () => {
    const client = open()
    const answers = text(client)
    let refusals = 0
    server.once('clientError', (_error, socket) => afterAnswers(socket as Socket, () => refusals++))
    client.write(`${ask('/')}\0\0\r\n\r\n`)
    await until(() => begun.length === 1)
    begun[0]!.setHeader('connection', 'close').end('answer')
    assert.match(await answers, /answer$/)
    assert.equal(refusals, 0)
  })

  test('have their answers before what can not be read behind them is told of', async () => {
    const client = open()
    const answers = text(client)
    server.once('clientError', (_error, socket) => afterAnswers(socket as Socket, () => socket.end('refused')))
    client.write(`${ask('/').repeat(3)}\0\0\r\n\r\n`)
    for (let i = 0; i < 3; i++) {
      await until(() => begun.length === i + 1)
      begun[i]!.end('answer')
    }
    assert.match(await answers, /answer.*answer.*answer.*refused$/s)
  })

  test('whose body can not be read are refused without an answer of their own, behind those before them', async () => {
    const client = open()
    const answers = text(client)
    server.once('clientError', (_error, socket) => afterAnswers(socket as Socket, () => socket.end('refused')))
    client.write(`${ask('/')}POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\nnone\r\n`)
    await until(() => begun.length === 1)
    begun[0]!.end('answer')
    assert.match(await answers, /answer.*refused$/s)
    assert.equal(begun.length, 1)
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
