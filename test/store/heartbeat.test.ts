/** How long an answer of the database is waited for. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../src/store/postgres/heartbeat.ts'

test('an answer that does not come is given up', async () => {
  await assert.rejects(within(new Promise(() => {}), 20), { code: 'ETIMEDOUT' })
})

test('a process that stood still gives the database its time anew', async () => {
  const answer = Promise.withResolvers<string>()
  const asked = within(answer.promise, 400)
  asked.catch(() => {})
  // No timer of this process is told meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  await sleep(200)
  answer.resolve('alive')
  assert.equal(await asked, 'alive')
})
