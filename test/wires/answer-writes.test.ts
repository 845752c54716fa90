/** Answers that go out together, and one by one where they must. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeAnswers, writeTogether } from '../../src/wires/answer-writes.ts'
import { startServer, type TestServer } from '../support/server.ts'

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
})
