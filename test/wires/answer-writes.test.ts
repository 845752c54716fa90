/** Answers that go out together, and one by one where they must. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeAnswers, writeTogether } from '../../src/wires/answer-writes.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

describe('answers of one moment', () => {
  const written: number[] = []
  const answer = (number: number, response: object = {}) =>
    writeTogether(response as ServerResponse, () => void written.push(number))

  test('are written once it is over, in their order', async () => {
    written.length = 0
    answer(1)
    await Promise.resolve()
    answer(2)
    assert.deepEqual(written, [])
    await nextTurn()
    assert.deepEqual(written, [1, 2])
  })

  test('are written before it is over where they are many, or where something else is to be done', () => {
    written.length = 0
    for (let i = 0; i < 40; i++) answer(i)
    assert.equal(written.length, 32)
    writeAnswers()
    assert.equal(written.length, 40)
  })

  test('are written though one of them has nobody left to read it', () => {
    written.length = 0
    answer(1, { destroyed: true })
    answer(2)
    writeAnswers()
    assert.deepEqual(written, [2])
  })
})

describe('a connection', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())

  const exchange = (bytes: string): Promise<string> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(bytes)
    return text(socket)
  }

  test('that goes on with what is not HTTP, in the same packet, has its answer first', async () => {
    const answers = await exchange('GET /versions HTTP/1.1\r\nHost: localhost\r\n\r\n\0\0\r\n\r\n')
    assert.match(answers, /^HTTP\/1\.1 200 /)
    assert.match(answers, /\["\d{4}-\d\d-\d\d"/)
  })

  test('that the client half closes after its request has its answer', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.end('GET /versions HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.match(await text(socket), /^HTTP\/1\.1 200 /)
  })

  const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))
  const head = `Host: localhost\r\nAuthorization: Bearer ${admin.token}\r\n`
  const garbage = '\0\x01garbage\r\n\r\n'
  const make = (name: string, more = '') => {
    const body = JSON.stringify({ name })
    const length = `Content-Length: ${body.length}\r\n`
    return `POST /user/repos HTTP/1.1\r\n${head}Content-Type: application/json\r\n${length}${more}\r\n${body}`
  }

  test('whose request takes its time has that one’s answer before it is told that what follows is not HTTP', async () => {
    assert.deepEqual(statuses(await exchange(make('one') + garbage)), [201, 400])
    assert.deepEqual(statuses(await exchange(make('two') + make('three') + garbage)), [201, 201, 400])
  })

  test('whose request says `close` has its answer, and what follows is not looked at', async () => {
    for (const behind of [garbage, make('never')]) {
      const name = `closing-${behind.length}`
      assert.deepEqual(statuses(await exchange(make(name, 'Connection: close\r\n') + behind)), [201])
    }
    assert.deepEqual(statuses(await exchange(`GET /repos/${admin.name}/never HTTP/1.0\r\n${head}\r\n`)), [404])
  })

  test('that would change to another protocol is answered and closed, and nothing behind it waits for good', async () => {
    const ask = (protocol: string) =>
      `GET /versions HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`
    const answers = await exchange(ask('websocket') + make('behind'))
    assert.deepEqual(statuses(answers), [200])
    assert.match(answers, /connection: close/i)
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    for (let times = 0; times < 2; times++) {
      socket.write(ask('h2c'))
      const [answer] = await once(socket, 'data')
      assert.match(String(answer), /^HTTP\/1\.1 200 .*connection: keep-alive/is)
    }
    socket.destroy()
  })
})
