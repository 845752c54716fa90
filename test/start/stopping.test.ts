/** How it ends: when it is told, with what it has begun. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { startProgram } from '../support/program.ts'

describe('the process', () => {
  let place: string
  before(async () => {
    place = await mkdtemp(join(tmpdir(), 'guildhall-stop-'))
  })
  after(() => rm(place, { recursive: true, force: true }))

  it('ends with 0 in time, though a client never sends the rest of its request', async () => {
    const server = await startProgram({ GUILDHALL_DATA: join(place, 'half') })
    const sockets = ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', 'GET /hea'].map((half) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.on('error', () => {}).write(half)
      return socket
    })
    // Both have arrived once a request that was sent later is answered.
    await fetch(`${server.url}/healthz`)
    assert.equal(await server.end('SIGTERM'), 0)
    for (const socket of sockets) socket.destroy()
  })

  it('answers what arrives on open connections while it stops, in each interface’s own words', async () => {
    const server = await startProgram({ GUILDHALL_DATA: join(place, 'late') })
    const ask = (path: string) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n`)
      return socket
    }
    const sockets = [ask('/users/admin'), ask('/v2/datasets/none'), ask('/healthz')]
    await fetch(`${server.url}/healthz`)
    server.child.kill('SIGTERM')
    while (
      await fetch(`${server.url}/healthz`).then(
        () => true,
        () => false,
      )
    );
    const answers = await Promise.all(
      sockets.map((socket) => {
        socket.write('\r\n')
        return text(socket)
      }),
    )
    assert.match(answers[0]!, /^HTTP\/1.1 200 .*"login":"admin"/s)
    assert.match(answers[1]!, /^HTTP\/1.1 40[14] .*"error":\{"type"/s)
    assert.match(answers[2]!, /^HTTP\/1.1 200 /)
    assert.equal(await server.end('SIGTERM'), 0)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`answers what is in flight when ${signal} comes, and ends with 0, though the client keeps its connection`, async () => {
      const server = await startProgram({ GUILDHALL_DATA: join(place, signal) })
      const agent = new Agent({ keepAlive: true })
      const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'get_server_info', params: {} })
      const call = request(server.url, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
      })
      call.flushHeaders()
      // The server has taken the request up: now it is in flight.
      await once(call, 'continue')
      server.child.kill(signal)
      const refusal = /ECONNREFUSED/
      while (
        await fetch(`${server.url}/healthz`).then(
          () => true,
          (error) => !refusal.test(String(error.cause?.code)),
        )
      );
      call.end(body)
      const [response] = await once(call, 'response')
      assert.equal(response.statusCode, 200)
      const answer = JSON.parse(await text(response))
      assert.ok(answer.result, JSON.stringify(answer))
      assert.equal(await server.end(signal), 0)
      agent.destroy()
    })
  }
})
