/** Schemas that take as long as their author likes: only the author waits for them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startServer, type TestServer } from '../support/server.ts'
import { makeApi, makeOther } from './api.ts'

describe('slow schemas', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  })
  after(() => server.stop())

  test('of one owner do not make another’s good push fail, and are stopped one after the other', async () => {
    const api = makeApi(server)
    const other = await makeOther(server, 'other')
    const schema = { fields: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } }
    // Threads that are about to start take their time: whoever waits for that may count as one whose schemas take long.
    const early = [await makeOther(server, 'early'), await makeOther(server, 'earlier')]
    await Promise.all(early.map((one) => one.make(undefined, { schema: { fields: { required: ['a'] } } })))
    const slow = await other.make(undefined, { schema })
    const good = await api.make(undefined, { schema: { fields: { required: ['a'] } } })
    let ended = 0
    const pushes = Array.from({ length: 2 }, async () => {
      const answer = await other.ask('POST', `/datasets/${slow}/items`, { a: `${'a'.repeat(60)}!` })
      ended++
      return answer
    })
    for (let i = 0; i < 5; i++) {
      const { status } = await api.ask('POST', `/datasets/${good}/items`, { a: i })
      assert.equal(status, 201)
    }
    assert.ok(ended < 2, 'the slow ones are not waited for')
    for (const { status, body } of await Promise.all(pushes)) {
      assert.deepEqual([status, body.error.type], [400, 'schema-validation-error'])
    }
  })
})
