import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { watchConnections } from '../../src/http/silent-connections.ts'
import { closeServer } from '../../src/server.ts'

test('a connection that was opened in advance does not hold up a server that closes', { timeout: 30_000 }, async () => {
  const server = Fastify()
  watchConnections(server.server)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
  const ended = once(socket.resume(), 'close')
  await once(server.server, 'connection')
  await closeServer(server, 600_000)
  await ended
  assert.equal(socket.bytesRead, 0)
})
