/** Subscriptions to issues by their own address: for people with and without a thread, and what is delivered then. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of engines) {
  describe(`subscriptions to issues on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await ann.post('/user/repos', { name: 'tool' })
    })
    after(() => server.stop())

    const open = async () => {
      const { body } = await ann.post('/repos/ann/tool/issues', { title: 'One' })
      return {
        issue: `/repos/ann/tool/issues/${body.number}`,
        own: `/repos/ann/tool/issues/${body.number}/subscription`,
      }
    }
    const none = { subscribed: false, ignored: false, reason: null }
    const manual = { subscribed: true, ignored: false, reason: 'manual' }
    const ignored = { subscribed: false, ignored: true, reason: null }
    const unread = async () => {
      const { body } = await bob.get('/notifications')
      for (const { id } of body) await bob.delete(`/notifications/threads/${id}`)
      return body.map(({ reason }: { reason: string }) => reason)
    }

    test('somebody with no part in an issue follows it, hears of it, and leaves it', async () => {
      const { issue, own } = await open()
      assert.deepEqual((await bob.get(own)).body, none)
      assert.deepEqual((await bob.put(own, {})).body, manual)
      assert.deepEqual(await unread(), [], 'following is no news')
      await ann.post(`${issue}/comments`, { body: 'Hear' })
      assert.deepEqual(await unread(), ['manual'])
      assert.deepEqual((await bob.delete(own)).body, none)
      await ann.post(`${issue}/comments`, { body: 'Hear not' })
      assert.deepEqual(await unread(), [])
      await ann.post(`${issue}/comments`, { body: '@bob' })
      assert.deepEqual(await unread(), ['mention'])
      assert.deepEqual((await bob.get(own)).body, { ...manual, reason: 'mention' })
    })

    test('a watcher ignores one issue and hears of the others', async () => {
      await bob.put('/repos/ann/tool/subscription', { subscribed: true })
      const [{ issue, own }, other] = [await open(), await open()]
      await unread()
      assert.deepEqual((await bob.get(own)).body, { ...manual, reason: 'subscribed' })
      assert.deepEqual((await bob.put(own, { ignored: true })).body, ignored)
      await ann.post(`${issue}/comments`, { body: 'Hear not' })
      await ann.post(`${other.issue}/comments`, { body: 'Hear' })
      assert.deepEqual(await unread(), ['subscribed'])
      assert.deepEqual((await bob.delete(own)).body, { ...manual, reason: 'subscribed' })
      await ann.post(`${issue}/comments`, { body: 'Hear' })
      assert.deepEqual(await unread(), ['subscribed'])
      await bob.put('/repos/ann/tool/subscription', { ignored: true })
      assert.deepEqual((await bob.get(own)).body, ignored)
      await bob.delete('/repos/ann/tool/subscription')
    })

    test('the subscription is that of the thread', async () => {
      const { issue, own } = await open()
      await bob.post(`${issue}/comments`, { body: 'I am here' })
      await ann.post(`${issue}/comments`, { body: 'So you are' })
      const { body: threads } = await bob.get('/notifications')
      const thread = `/notifications/threads/${threads[0].id}`
      assert.equal((await bob.get(own)).body.reason, 'comment')
      await bob.put(own, { ignored: true })
      assert.equal((await bob.get(`${thread}/subscription`)).body.ignored, true)
      await bob.put(`${thread}/subscription`, {})
      assert.deepEqual((await bob.get(own)).body, manual)
      assert.match((await bob.get(thread)).body.subject.latest_comment_url, /issues\/comments\//)
    })

    test('it is for people who may read the issue', async () => {
      const { own } = await open()
      assert.equal((await makeRest(server.url).get(own)).status, 401)
      assert.equal((await bob.get('/repos/ann/tool/issues/999/subscription')).status, 404)
      await ann.patch('/repos/ann/tool', { private: true })
      for (const answer of [await bob.get(own), await bob.put(own, {}), await bob.delete(own)])
        assert.equal(answer.status, 404)
      await ann.patch('/repos/ann/tool', { private: false })
    })
  })
}
