/** Threads that callers share: what is asked of one group takes one of them, whoever asks. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeIdlePool } from '../../src/lib/scheduling/idle-pool.ts'
import { until } from '../support/until.ts'

const makeCell = () => new Int32Array(new SharedArrayBuffer(4))

const pool = makeIdlePool<{ began: Int32Array; gate: Int32Array }, void>({
  filename: join(import.meta.dirname, 'gated-worker.ts'),
  maxMs: 60_000,
  what: 'gates',
})
after(() => pool.close())

test('a group that many callers ask for leaves a thread to others', async () => {
  const [ofGroup, ofOthers, gate] = [makeCell(), makeCell(), makeCell()]
  const slow = ['ann', 'bob', 'cid'].map((caller) => pool.run(caller, { began: ofGroup, gate }, undefined, 'eve'))
  const other = pool.run('dan', { began: ofOthers, gate }, undefined, 'fay')
  await until(() => Atomics.load(ofOthers, 0) === 1)
  assert.equal(Atomics.load(ofGroup, 0) <= 1, true)
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  await Promise.all([...slow, other])
  assert.equal(Atomics.load(ofGroup, 0), 3)
})
