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
  standStill(1_000)
  await sleep(200)
  answer.resolve('alive')
  assert.equal(await asked, 'alive')
})

test('a process that stands still again and again gives a dead database up all the same', async () => {
  const asked = within(new Promise(() => {}), 20)
  const standing = setInterval(() => standStill(600), 1)
  try {
    await assert.rejects(asked, { code: 'ETIMEDOUT' })
  } finally {
    clearInterval(standing)
  }
})

/** No timer of this process is told meanwhile. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
