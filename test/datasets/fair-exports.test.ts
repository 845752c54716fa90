/** Exports and pushes of many accounts: the threads work for each in turn, however much one of them takes out or in. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeWorkerPool } from '../../src/datasets/workers/worker-pool.ts'
import { makeLoopShare } from '../../src/wires/dataset-api/loop-share.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makeApi, makeOther } from './api.ts'

describe('exports', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  })
  after(() => server.stop())

  const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ i, text: `row ${i} `.repeat(20) }))

  test('of one account, however many, leave another’s its turn', async () => {
    const api = makeApi(server)
    const other = await makeOther(server, 'other')
    const large = await other.make()
    for (let i = 0; i < 4; i++) await other.push(large, rows(5_000))
    const small = await api.make()
    await api.push(small, rows(2_000))
    const one = await other.send('GET', `/datasets/${large}/items?format=csv`)
    const whole = (await one.arrayBuffer()).byteLength
    const count = 25
    let received = 0
    let ended = 0
    const floods = Array.from({ length: count }, async () => {
      const answer = await fetch(`${server.url}/v2/datasets/${large}/items?format=csv`, {
        headers: { authorization: `Bearer ${other.token}` },
      })
      for await (const chunk of answer.body!) received += chunk.length
      ended++
    })
    await until(() => received > 0)
    const before = received
    const lines = (await api.text(small, 'format=csv')).trim().split('\r\n')
    const meanwhile = received - before
    assert.equal(lines.length, 2_001)
    await Promise.all(floods)
    assert.deepEqual([ended, received], [count, count * whole])
    assert.ok(meanwhile < received / 4, `after ${meanwhile} of ${received} bytes`)
  })
})

test('pushes of one account, however many, leave another’s its turn, and who has left is not read', async (t) => {
  const workers = makeWorkerPool()
  t.after(() => workers.close())
  const body = () => Buffer.from(JSON.stringify(Array.from({ length: 30_000 }, (_, i) => ({ i, text: 'some text' }))))
  const ended: number[] = []
  const scan = async (owner: number) => {
    await workers.scan(owner, body(), null)
    ended.push(owner)
  }
  const all = [...Array.from({ length: 20 }, () => scan(1)), scan(2)]
  const leave = () => {
    throw new Error('left')
  }
  await assert.rejects(workers.scan(1, body(), null, leave), /left/)
  await Promise.all(all)
  // It begins next; a busy machine may let others end before it.
  assert.ok(ended.indexOf(2) <= 10, `after ${ended.indexOf(2)} of the other’s`)
})

test('an export that keeps the event loop busy rests after a piece while others ask, and only then', async () => {
  let requests = 1
  const rest = makeLoopShare(() => requests)()
  const restsAfterPiece = async () => {
    // The utilization is known once the loop has turned.
    await new Promise(setImmediate)
    for (const end = performance.now() + 20; performance.now() < end; );
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    await rest()
    return hasTurned
  }
  assert.equal(await restsAfterPiece(), false)
  requests++
  assert.equal(await restsAfterPiece(), true)
})
