/** Exports and pushes of many accounts: the threads work for each in turn, however much one of them takes out or in. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeLoopShare } from '../../src/api/dataset-api/loop-share.ts'
import { makeWorkerPool, workerCount } from '../../src/datasets/workers/worker-pool.ts'
import { Failure } from '../../src/lib/failure.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { makeApi, makeOther } from './api.ts'
import { queryOf } from './slices.ts'

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

/** Compares each element of a long array so often that a thread is busy with it for minutes. */
const endlessFilter = Array.from({ length: 200 }, (_, i) => `s contains ${i + 2}`).join(' or ')
const endlessItem = `{"s":[${'1,'.repeat(4_000_000)}1]}`

test('exports that take for ever leave a thread to others, and end with their clients', async (t) => {
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  t.after(() => server.stop())
  const api = makeApi(server)
  const other = await makeOther(server, 'other')
  const endless = await other.make()
  await other.push(endless, endlessItem)
  const [own, others] = [await api.make(), await other.make()]
  const items = Array.from({ length: 3_000 }, (_, i) => ({ i, text: 'some text '.repeat(5) }))
  await api.push(own, items)
  await other.push(others, items)
  const leave = new AbortController()
  let ended = 0
  const floods = Array.from({ length: workerCount + 4 }, async (_, i) => {
    const query = `filter=${encodeURIComponent(endlessFilter)}&limit=${i + 1}`
    await fetch(`${server.url}/v2/datasets/${endless}/items?${query}`, {
      headers: { authorization: `Bearer ${other.token}` },
      signal: leave.signal,
    }).catch(() => {})
    ended++
  })
  assert.equal((await api.text(own, 'format=csv')).trim().split('\r\n').length, items.length + 1)
  assert.equal(ended, 0)
  leave.abort()
  await Promise.all(floods)
  // All that one caller may have was taken by those who left.
  assert.equal((await other.text(others, 'format=csv')).trim().split('\r\n').length, items.length + 1)
})

test('a piece that nobody wants any more, or that takes too long, is ended with its thread, and the next has another', async (t) => {
  const lines = () => Buffer.from(`${endlessItem}\n`)
  const input = { query: queryOf(`filter=${encodeURIComponent(endlessFilter)}`), mostBytes: 0 }
  const hurried = makeWorkerPool({ pieceMs: 10 })
  const workers = makeWorkerPool()
  t.after(() => Promise.all([workers.close(), hurried.close()]))
  const slow = (error: unknown) => error instanceof Failure && error.code === 'busy' && /in time/.test(error.message)
  await assert.rejects(hurried.runWanted('select', lines(), input), slow)
  let asked = 0
  const leave = () => {
    asked++
    throw new Error('left')
  }
  const all = Array.from({ length: workerCount + 2 }, () => workers.runWanted('select', lines(), input, leave))
  for (const outcome of await Promise.allSettled(all)) assert.equal(outcome.status, 'rejected')
  await assert.rejects(all[0]!, /left/)
  assert.equal(asked, 2 * all.length)
  // What ends soon is let end, whoever has left; a thread that is yet to start may take longer than that.
  const few = () => Buffer.from('{"s":[1,5]}\n')
  const letEnd = () => workers.runWanted('select', few(), input, leave).catch(() => undefined)
  await until(async () => (await letEnd()) !== undefined)
  assert.deepEqual(await letEnd(), { count: 1, lines: null })
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
  // Threads take longer to start than to scan.
  await Promise.all(Array.from({ length: 3 * workerCount }, (_, owner) => scan(owner + 3)))
  ended.length = 0
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
    // Runs once no promise is left to settle, and so before any timer, however late the loop comes to look at its timers.
    let hasWaited = false
    process.nextTick(() => {
      hasWaited = true
    })
    await rest()
    return hasWaited
  }
  assert.equal(await restsAfterPiece(), false)
  requests++
  assert.equal(await restsAfterPiece(), true)
})
