/** Delivery from pulls: opened, pushed to, reviewed, reviews asked for, commented on by line, merged. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const text = (content: string) => Buffer.from(content).toString('base64')

for (const engine of oneEngine) {
  describe(`delivery from pulls on ${engine}`, () => {
    let server: TestServer
    let people: Record<'ann' | 'bob' | 'cid' | 'dan', RestClient>
    const repository = '/repos/acme/tool'
    let number: number
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      const root = asAdmin(server)
      const [ann, bob] = [await makeUser(server, 'ann'), await makeUser(server, 'bob')]
      people = { ann, bob, cid: await makeUser(server, 'cid'), dan: await makeUser(server, 'dan') }
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      for (const login of ['bob', 'cid', 'dan'] as const) {
        await root.put(`/orgs/acme/memberships/${login}`, { role: 'member' })
        await people[login].patch('/user/memberships/orgs/acme', { state: 'active' })
      }
      await ann.post('/orgs/acme/repos', { name: 'tool', auto_init: true })
      await ann.post('/orgs/acme/teams', { name: 'crew', privacy: 'closed' })
      await ann.put('/orgs/acme/teams/crew/repos/acme/tool', { permission: 'push' })
      for (const login of ['bob', 'cid', 'dan']) await ann.put(`/orgs/acme/teams/crew/memberships/${login}`, {})
      for (const client of Object.values(people)) await client.delete(`${repository}/subscription`)
      await ann.put(`${repository}/subscription`, {})
    })
    after(() => server.stop())

    async function told(): Promise<Record<string, string>> {
      const found: Record<string, string> = {}
      for (const [login, client] of Object.entries(people)) {
        const { body } = await client.get(`${repository}/notifications`)
        if (body.length > 0) found[login] = body.map(({ reason }: Json) => reason).join(',')
        for (const { id } of body) await client.patch(`/notifications/threads/${id}`)
      }
      return found
    }

    const commit = async (client: RestClient, file: string) => {
      const { body: main } = await client.get(`${repository}/git/ref/heads/main`)
      await client.post(`${repository}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha })
      const draft = { message: file, content: text(file), branch: 'topic' }
      const { status, text: said } = await client.put(`${repository}/contents/${file}`, draft)
      assert.equal(status, 201, said)
    }

    test('opening one', async () => {
      await commit(people.bob, 'a.txt')
      const draft = { title: 'A change', head: 'topic', base: 'main', body: 'For @dan' }
      const { status, body, text: said } = await people.bob.post(`${repository}/pulls`, draft)
      assert.equal(status, 201, said)
      number = body.number
      const [thread] = (await people.dan.get(`${repository}/notifications`)).body
      const url = `${server.url}${repository}/pulls/${number}`
      assert.deepEqual(thread.subject, { title: 'A change', url, latest_comment_url: url, type: 'PullRequest' })
      assert.deepEqual(await told(), { ann: 'subscribed', dan: 'mention' })
    })

    test('asking a person and a team for review', async () => {
      const requested = `${repository}/pulls/${number}/requested_reviewers`
      const one = await people.bob.post(requested, { reviewers: ['cid'] })
      assert.equal(one.status, 201, one.text)
      assert.deepEqual(await told(), { ann: 'subscribed', cid: 'review_requested', dan: 'mention' })
      const all = await people.bob.post(requested, { team_reviewers: ['crew'] })
      assert.equal(all.status, 201, all.text)
      // Whoever makes a team is in it.
      assert.deepEqual(await told(), {
        ann: 'review_requested',
        cid: 'review_requested',
        dan: 'review_requested',
      })
    })

    test('a review and a comment on a line', async () => {
      const review = await people.cid.post(`${repository}/pulls/${number}/reviews`, { event: 'COMMENT', body: '@dan?' })
      assert.equal(review.status, 200, review.text)
      assert.deepEqual(await told(), { ann: 'review_requested', bob: 'author', dan: 'mention' })
      const { body: pull } = await people.dan.get(`${repository}/pulls/${number}`)
      const draft = { body: 'Here.', commit_id: pull.head.sha, path: 'a.txt', line: 1, side: 'RIGHT' }
      const written = await people.dan.post(`${repository}/pulls/${number}/comments`, draft)
      assert.equal(written.status, 201, written.text)
      const [thread] = (await people.bob.get(`${repository}/notifications`)).body
      assert.equal(thread.subject.latest_comment_url, written.body.url)
      assert.deepEqual(await told(), { ann: 'review_requested', bob: 'author', cid: 'comment' })
      const later = await people.dan.post(`${repository}/issues/${number}/comments`, { body: 'And here.' })
      const [after] = (await people.bob.get(`${repository}/notifications`)).body
      assert.ok([later.body.url, written.body.url].includes(after.subject.latest_comment_url))
      await told()
    })

    test('a push to it', async () => {
      await commit(people.bob, 'b.txt')
      await until(async () => (await people.dan.get(`${repository}/notifications`)).body.length === 1)
      assert.deepEqual(await told(), { ann: 'review_requested', cid: 'comment', dan: 'comment' })
    })

    test('merging it', async () => {
      const { status, text: said } = await people.ann.put(`${repository}/pulls/${number}/merge`, {})
      assert.equal(status, 200, said)
      assert.deepEqual(await told(), { bob: 'author', cid: 'comment', dan: 'comment' })
      const [thread] = (await people.ann.get(`${repository}/notifications?all=true`)).body
      const { body } = await people.ann.get(`/notifications/threads/${thread.id}/subscription`)
      assert.deepEqual([body.subscribed, body.reason], [true, 'state_change'])
    })
  })
}
