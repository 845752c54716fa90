import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { paceRequests } from '../../src/http/request-pacing.ts'
import { until } from '../support/until.ts'

/** Takes the loop for so long, as work does. */
function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('health is answered while hundreds of requests wait for their turn, and each of them is answered, in order', async () => {
  const begun: string[] = []
  const many = 200
  const server = createServer()
  const paced = paceRequests(server, (request, response) => {
    begun.push(request.url!)
    if (request.url !== '/healthz') work(4)
    response.end('done')
  })
  server.on('request', paced)
  let accepted = 0
  const allAccepted = new Promise<void>((resolve) => {
    server.on('connection', () => ++accepted === many + 2 && resolve())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (path: string) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n`)
      socket.resume()
      return once(socket, 'close')
    }
  }
  const others = await Promise.all(Array.from({ length: many }, (_, i) => ask(`/work/${i}`)))
  const metrics = await ask('/metrics')
  const health = await ask('/healthz')
  await allAccepted
  try {
    // All of them are there when the loop looks at its sockets, and health comes last.
    const answers = [...others.map((send) => send()), metrics(), health()]
    work(20)
    await Promise.all(answers)
    assert.equal(begun.length, many + 2)
    assert.ok(begun.indexOf('/healthz') < many / 2, `health was begun as number ${begun.indexOf('/healthz')}`)
    // Metrics are dearer than health, and wait for their turn.
    assert.ok(begun.indexOf('/metrics') > many / 2, `metrics were begun as number ${begun.indexOf('/metrics')}`)
    const order = begun.filter((path) => path.startsWith('/work/')).map((path) => Number(path.slice('/work/'.length)))
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    )
  } finally {
    server.close()
  }
})

test('connections that come in a burst are accepted while requests wait, one or two requests for each', async () => {
  let begun = 0
  const begunAt: number[] = []
  const server = createServer()
  const paced = paceRequests(server, (_request, response) => {
    begun++
    work(4)
    response.end('done')
  })
  server.on('request', paced)
  server.on('connection', () => begunAt.push(begun))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const [busy, burst] = [150, 60]
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const sockets = await Promise.all(Array.from({ length: busy }, open))
  await until(() => begunAt.length === busy)
  try {
    const answers = sockets.map((socket) => {
      socket.write('GET /work HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n')
      socket.resume()
      return once(socket, 'close')
    })
    await until(() => begun > 0)
    const before = begun
    sockets.push(...(await Promise.all(Array.from({ length: burst }, open))))
    await until(() => begunAt.length === busy + burst)
    // With turns of 10 ms there would be three for each.
    assert.ok(begunAt.at(-1)! - before < burst * 2, `${begunAt.at(-1)! - before} requests were begun meanwhile`)
    await Promise.all(answers)
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})
