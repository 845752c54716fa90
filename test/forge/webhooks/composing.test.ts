/** What a webhook is sent that can't be made: it is dropped, and keeps nobody else waiting. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../src/lib/failure.ts'
import { makeUser } from '../../support/rest.ts'
import { startServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { startReceiver } from './receiver.ts'

test('a push that takes git too long is not told, and what came after it is', async (t) => {
  const receiver = await startReceiver()
  const server = await startServer('sqlite', {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    environment: { GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
    async composePayload(_event, hook) {
      if (hook.url.endsWith('/slow')) throw new Failure('unavailable', 'too-slow', 'This takes git too long.')
      return { zen: 'Others go on.' }
    },
  })
  t.after(async () => {
    await server.stop()
    await receiver.close()
  })
  const ann = await makeUser(server, 'ann')
  await ann.post('/user/repos', { name: 'tool' })
  for (const path of ['/slow', '/fine']) {
    const config = { url: `${receiver.url}${path}`, content_type: 'json' }
    const { status, text } = await ann.post('/repos/ann/tool/hooks', { config })
    assert.equal(status, 201, text)
  }
  await until(() => receiver.received.some(({ path }) => path.endsWith('/fine')))
  assert.equal(
    receiver.received.some(({ path }) => path.endsWith('/slow')),
    false,
  )
})
