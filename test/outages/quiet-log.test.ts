/** What is no mistake of ours and no outage is not logged as one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { sendPieces } from '../../src/api/dataset-api/sending.ts'
import { makeByteBudget } from '../../src/http/byte-budget.ts'
import { Failure } from '../../src/lib/failure.ts'
import { makeLog } from '../../src/lib/log.ts'
import { logOutage } from '../../src/lib/outages/outage-log.ts'
import { until } from '../support/until.ts'

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

test('an export that fails once its client has left is nobody’s error, and one that fails before is', async (t) => {
  const lines: string[] = []
  const log = makeLog('debug', { write: (line: string) => lines.push(line) })
  const app = Fastify()
  t.after(() => app.close())
  const failed = Promise.withResolvers<void>()
  app.get('/:isGone', async (request, reply) => {
    const { isGone } = request.params as { isGone: string }
    async function* source() {
      yield Buffer.from('b')
      if (isGone === 'true') reply.raw.destroy()
      failed.resolve()
      throw new Error('the items are gone')
    }
    const hold = () => makeByteBudget({ inAll: 100, perCaller: 100 }).hold('a')
    sendPieces({ reply, hold }, { first: Buffer.from('a'), source: source(), log, name: 'it broke off' })
    return reply
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const ask = async (isGone: boolean) => assert.rejects(async () => (await fetch(`${url}/${isGone}`)).text())
  await ask(true)
  await failed.promise
  assert.deepEqual(lines, [])
  await ask(false)
  await until(() => lines.length > 0)
  assert.match(lines.join(''), /the items are gone/)
})
