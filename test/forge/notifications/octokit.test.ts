/** Octokit's own calls for notifications, unmodified, with its pagination. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

describe('Octokit and notifications', () => {
  let server: TestServer
  let ann: RestClient
  let octokit: Octokit
  const place = { owner: 'ann', repo: 'tool' }
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    ann = await makeUser(server, 'ann')
    const bob = await makeUser(server, 'bob')
    await ann.post('/user/repos', { name: 'tool' })
    await bob.put('/repos/ann/tool/subscription', {})
    octokit = new Octokit({ baseUrl: server.url, auth: bob.token })
    for (let i = 0; i < 4; i++) await ann.post('/repos/ann/tool/issues', { title: `Issue ${i}` })
  })
  after(() => server.stop())

  test('lists, reads, marks and follows threads', async () => {
    const { activity } = octokit.rest
    const { data: all } = await activity.listNotificationsForAuthenticatedUser()
    assert.deepEqual(
      all.map(({ subject }) => subject.title),
      ['Issue 3', 'Issue 2', 'Issue 1', 'Issue 0'],
    )
    const pages = await octokit.paginate(activity.listRepoNotificationsForAuthenticatedUser, { ...place, per_page: 2 })
    assert.deepEqual(
      pages.map(({ id }) => id),
      all.map(({ id }) => id),
    )
    const [first, second, third] = all.map(({ id }) => ({ thread_id: Number(id) }))
    assert.equal((await activity.getThread(first!)).data.reason, 'subscribed')
    assert.equal((await activity.markThreadAsRead(first!)).status, 205)
    assert.equal((await activity.markThreadAsDone(second!)).status, 204)
    assert.equal((await activity.getThreadSubscriptionForAuthenticatedUser(third!)).data.subscribed, false)
    const { data: ignored } = await activity.setThreadSubscription({ ...third!, ignored: true })
    assert.deepEqual([ignored.subscribed, ignored.ignored], [false, true])
    assert.equal((await activity.deleteThreadSubscription(third!)).status, 204)
    assert.equal((await activity.listNotificationsForAuthenticatedUser()).data.length, 2)
    const last_read_at = '2020-01-01T00:00:00Z'
    assert.equal((await activity.markRepoNotificationsAsRead({ ...place, last_read_at })).status, 205)
    assert.equal((await activity.listNotificationsForAuthenticatedUser()).data.length, 2)
    assert.equal((await activity.markNotificationsAsRead()).status, 205)
    assert.equal((await activity.listNotificationsForAuthenticatedUser()).data.length, 0)
    assert.equal((await activity.listNotificationsForAuthenticatedUser({ all: true })).data.length, 3)
  })

  test('polls with If-Modified-Since, which it takes for an error as it does of the public platform', async () => {
    const { headers } = await octokit.request('GET /notifications')
    const since = headers['last-modified']!
    const again = octokit.request('GET /notifications', { headers: { 'if-modified-since': since } })
    await assert.rejects(again, { status: 304 })
  })
})
