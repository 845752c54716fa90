/** Delivery from code: releases reach watchers, comments on commits their author. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of oneEngine) {
  describe(`delivery from code on ${engine}`, () => {
    let server: TestServer
    let people: Record<'ann' | 'bob' | 'cid', RestClient>
    const repository = '/repos/ann/tool'
    let sha: string
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      const [ann, bob] = [await makeUser(server, 'ann'), await makeUser(server, 'bob')]
      people = { ann, bob, cid: await makeUser(server, 'cid') }
      await ann.post('/user/repos', { name: 'tool', auto_init: true })
      await bob.put(`${repository}/subscription`, {})
      const draft = { message: 'Greet\n\nAt last.', content: Buffer.from('Hello').toString('base64') }
      sha = (await ann.put(`${repository}/contents/hello.txt`, draft)).body.commit.sha
    })
    after(() => server.stop())

    async function told(): Promise<Record<string, Json>> {
      const found: Record<string, Json> = {}
      for (const [login, client] of Object.entries(people)) {
        const { body } = await client.get('/notifications')
        for (const { id, reason, subject } of body) {
          found[login] = [reason, subject]
          await client.patch(`/notifications/threads/${id}`)
        }
      }
      return found
    }

    test('a comment on a commit reaches its author, watchers and those it names, in one thread for the commit', async () => {
      const url = `${server.url}${repository}/commits/${sha}`
      const first = await people.cid.post(`${repository}/commits/${sha}/comments`, { body: 'Nice.' })
      assert.equal(first.status, 201, first.text)
      const subject = { title: 'Greet', url, latest_comment_url: first.body.url, type: 'Commit' }
      assert.deepEqual(await told(), { ann: ['author', subject], bob: ['subscribed', subject] })
      const second = await people.bob.post(`${repository}/commits/${sha}/comments`, { body: 'Is it, @cid?' })
      const later = { ...subject, latest_comment_url: second.body.url }
      assert.deepEqual(await told(), { ann: ['author', later], cid: ['mention', later] })
    })

    test('a release reaches watchers and those whom its text names, and a draft nobody', async () => {
      const draft = { tag_name: 'v1', name: 'The first', body: 'Thanks to @cid', draft: true }
      const made = await people.ann.post(`${repository}/releases`, draft)
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(await told(), {})
      await people.ann.patch(`${repository}/releases/${made.body.id}`, { draft: false })
      const url = `${server.url}${repository}/releases/${made.body.id}`
      const subject = { title: 'The first', url, latest_comment_url: url, type: 'Release' }
      assert.deepEqual(await told(), { bob: ['subscribed', subject], cid: ['mention', subject] })
    })
  })
}
