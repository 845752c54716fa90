/** A commit that issue events name is shown where it is, and to those who may read that repository. */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { download, exportAll, unpack } from '../migrations/exports.ts'
import { type Receiver, startReceiver } from '../webhooks/receiver.ts'
import { everyPermission } from '../world.ts'

for (const engine of engines)
  suite(`commits of issue events, ${engine}`, () => {
    let server: TestServer
    let receiver: Receiver
    let ann: RestClient
    let bob: RestClient
    /** Ann's, for ann/open alone. */
    let narrow: RestClient

    before(async () => {
      receiver = await startReceiver()
      const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.1' }
      server = await startServer(engine, { environment })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      for (const [name, isPrivate] of [['open', false] as const, ['shown', false] as const, ['hidden', true] as const])
        await ann.post('/user/repos', { name, private: isPrivate, auto_init: true })
      const chosen = { kind: 'fine-grained', permissions: everyPermission, repositories: ['ann/open'] }
      narrow = makeRest(server.url, await makeToken(server, 'ann', chosen))
      const config = { url: receiver.url, content_type: 'json' }
      assert.equal((await ann.post('/repos/ann/open/hooks', { config, events: ['*'] })).status, 201)
      await bob.put('/repos/ann/open/subscription', { subscribed: true })
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    let count = 0
    const openIssue = async (): Promise<number> =>
      (await ann.post('/repos/ann/open/issues', { title: 'An issue' })).body.number

    async function commitTo(repo: string, message: string, branch = 'main'): Promise<string> {
      const path = `/repos/ann/${repo}/contents/f${++count}.txt`
      const { status, body } = await ann.put(path, { message, content: btoa(`${count}`), branch })
      assert.equal(status, 201)
      return body.commit.sha
    }

    async function closed(number: number): Promise<void> {
      await until(async () => (await ann.get(`/repos/ann/open/issues/${number}`)).body.state === 'closed')
    }

    const commitsOf = async (client: RestClient, path: string): Promise<string[]> =>
      (await client.get(path)).body
        .filter(({ event }: Json) => ['referenced', 'closed'].includes(event))
        .map(({ event, commit_id, commit_url }: Json) => `${event} ${commit_id} ${commit_url}`)

    const told = (sha: string, repo: string, events = ['referenced', 'closed']) =>
      events.map((event) => `${event} ${sha} ${server.url}/repos/ann/${repo}/commits/${sha}`)

    test('a commit of another repository has its address there', async () => {
      const number = await openIssue()
      const sha = await commitTo('shown', `Fixes ann/open#${number}`)
      await closed(number)
      for (const list of ['events', 'timeline'])
        assert.deepEqual(await commitsOf(bob, `/repos/ann/open/issues/${number}/${list}`), told(sha, 'shown'))
    })

    test('a commit of a private repository is shown to its readers alone, wherever events are told', async () => {
      const number = await openIssue()
      const sha = await commitTo('hidden', `Fixes ann/open#${number}`)
      await closed(number)
      const at = `/repos/ann/open/issues/${number}`
      const unsaid = ['referenced null null', 'closed null null']
      for (const list of [`${at}/events`, `${at}/timeline`]) {
        assert.deepEqual(await commitsOf(ann, list), told(sha, 'hidden'))
        assert.deepEqual([await commitsOf(bob, list), await commitsOf(narrow, list)], [unsaid, unsaid])
      }
      const { body: events } = await ann.get(`${at}/events`)
      const query = `{ repository(owner: "ann", name: "open") { issue(number: ${number}) { id title state } } }`
      for (const client of [bob, narrow, makeRest(server.url)]) {
        for (const path of [
          ...events.map(({ id }: Json) => `/repos/ann/open/issues/events/${id}`),
          ...['/repos/ann/open/issues/events', '/repos/ann/open/events', '/events', at, '/users/ann/events/public'],
        ]) {
          const { status, text } = await client.get(path)
          assert.equal(status, 200, path)
          assert.equal(text.includes(sha), false, path)
        }
        assert.equal((await client.post('/graphql', { query })).text.includes(sha), false)
      }
      await receiver.heard('issues', 'closed')
      assert.equal(
        receiver.received.some(({ text }) => text.includes(sha)),
        false,
      )
      await until(async () => (await bob.get('/notifications?all=true')).body.length > 0)
      assert.equal((await bob.get('/notifications?all=true')).text.includes(sha), false)
    })

    test('an archive holds no commits of other repositories', async () => {
      const number = await openIssue()
      const sha = await commitTo('hidden', `Fixes ann/open#${number}`)
      const own = await commitTo('open', `About #${number}`)
      await closed(number)
      await until(async () => (await commitsOf(ann, `/repos/ann/open/issues/${number}/events`)).length === 3)
      const { id } = await exportAll(ann, { repositories: ['open'], exclude_git_data: true })
      const unpacked = await unpack(await download(ann, id))
      try {
        const text = JSON.stringify(await unpacked.records('issue_events'))
        assert.deepEqual([text.includes(sha), text.includes(own)], [false, true])
      } finally {
        await unpacked.drop()
      }
    })

    test('the merge of a private pull closes a public issue without telling strangers its commit', async () => {
      const number = await openIssue()
      const { body: main } = await ann.get('/repos/ann/hidden/git/ref/heads/main')
      await ann.post('/repos/ann/hidden/git/refs', { ref: 'refs/heads/side', sha: main.object.sha })
      await commitTo('hidden', 'Aside', 'side')
      const draft = { title: 'A pull', head: 'side', base: 'main', body: `Fixes ann/open#${number}` }
      const { body: pull } = await ann.post('/repos/ann/hidden/pulls', draft)
      const { body: merged } = await ann.put(`/repos/ann/hidden/pulls/${pull.number}/merge`)
      await closed(number)
      const list = `/repos/ann/open/issues/${number}/events`
      assert.deepEqual(await commitsOf(bob, list), ['closed null null'])
      assert.deepEqual(await commitsOf(ann, list), told(merged.sha, 'hidden', ['closed']))
    })

    test('the commits of a transferred issue stay where they are', async () => {
      const number = await openIssue()
      const sha = await commitTo('open', `Fixes #${number}`)
      await closed(number)
      const transfer = { new_repository: 'shown' }
      const { body: moved } = await ann.post(`/repos/ann/open/issues/${number}/transfer`, transfer)
      const list = `/repos/ann/shown/issues/${moved.number}/events`
      assert.deepEqual(await commitsOf(bob, list), told(sha, 'open'))
      await ann.patch('/repos/ann/open', { private: true })
      assert.deepEqual(await commitsOf(bob, list), ['referenced null null', 'closed null null'])
      await ann.delete('/repos/ann/open')
      assert.deepEqual(await commitsOf(ann, list), ['referenced null null', 'closed null null'])
    })
  })
