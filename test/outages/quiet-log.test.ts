/** What is no mistake of ours and no outage is not logged as one. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { Failure } from '../../src/base/failure.ts'
import { makeLog } from '../../src/base/log.ts'
import { logOutage } from '../../src/base/outage-log.ts'
import { makeByteBudget } from '../../src/wires/byte-budget.ts'
import { pump } from '../../src/wires/dataset-api/pump.ts'

test('a bound that turns somebody away is told at level debug, an outage as an error', () => {
  const lines: string[] = []
  const log = makeLog('debug', { write: (line: string) => lines.push(line) })
  for (const code of ['busy', 'bytes-held', 'client-too-slow', 'away']) {
    logOutage(log, 'error', { err: new Failure('unavailable', code, 'Try again.') }, `it was ${code}`)
  }
  const told = lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg])
  assert.deepEqual(told, [
    [20, 'it was busy'],
    [20, 'it was bytes-held'],
    [20, 'it was client-too-slow'],
    [50, 'it was away'],
  ])
})

test('an export that fails once its client has left is nobody’s error, and one that fails before is', async () => {
  const failing = async (isGone: boolean) => {
    const response = new PassThrough().resume() as unknown as ServerResponse
    async function* source() {
      yield Buffer.from('a')
      if (isGone) response.destroy()
      throw new Error('the items are gone')
    }
    const items = source()
    const hold = makeByteBudget({ inAll: 100, perCaller: 100 }).hold('a')
    return pump((await items.next()).value as Buffer, items, response, hold)
  }
  assert.equal(await failing(true), undefined)
  assert.match(String(await failing(false)), /the items are gone/)
})
