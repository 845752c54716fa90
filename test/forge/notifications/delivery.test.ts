/** Delivery from what people do: each act reaches whom it should, with the right reason, and is there as soon as it is answered. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

for (const engine of oneEngine) {
  describe(`delivery on ${engine}`, () => {
    let server: TestServer
    let root: RestClient
    /** Owns and watches the repositories. */
    let ann: RestClient
    /** A collaborator who watches. */
    let bob: RestClient
    /** May triage, and watches nothing. */
    let cid: RestClient
    /** Anyone. */
    let dan: RestClient
    let people: Record<string, RestClient>
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      root = asAdmin(server)
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      cid = await makeUser(server, 'cid')
      dan = await makeUser(server, 'dan')
      people = { ann, bob, cid, dan }
    })
    after(() => server.stop())

    let count = 0
    /** A repository of the test's own, with every inbox empty and bob and cid in it. */
    async function makeRepository(isPrivate = false): Promise<string> {
      const name = `r${++count}`
      await ann.post('/user/repos', { name, private: isPrivate })
      for (const [client, login] of [
        [bob, 'bob'],
        [cid, 'cid'],
      ] as const) {
        const { body } = await ann.put(`/repos/ann/${name}/collaborators/${login}`, { permission: 'push' })
        await client.patch(`/user/repository_invitations/${body.id}`)
      }
      await cid.delete(`/repos/ann/${name}/subscription`)
      await clear()
      return `/repos/ann/${name}`
    }

    async function clear(): Promise<void> {
      for (const client of Object.values(people)) {
        const { body } = await client.get('/notifications?all=true')
        for (const { id } of body) await client.delete(`/notifications/threads/${id}`)
      }
    }

    /** Who has what unread, right now; then all is read. */
    async function told(): Promise<Record<string, string>> {
      const found: Record<string, string> = {}
      for (const [login, client] of Object.entries(people)) {
        const { body } = await client.get('/notifications')
        if (body.length > 0) found[login] = body.map(({ reason }: Json) => reason).join(',')
        for (const { id } of body) await client.patch(`/notifications/threads/${id}`)
      }
      return found
    }

    async function threadOf(client: RestClient, repository: string): Promise<Json> {
      const { body } = await client.get(`${repository}/notifications?all=true`)
      assert.equal(body.length, 1)
      return body[0]
    }

    async function open(client: RestClient, repository: string, more: object = {}): Promise<number> {
      const { status, body, text } = await client.post(`${repository}/issues`, { title: 'A question', ...more })
      assert.equal(status, 201, text)
      return body.number
    }

    const comment = (client: RestClient, repository: string, number: number, body = 'Well.') =>
      client.post(`${repository}/issues/${number}/comments`, { body })

    test('an issue and what is written on it: watchers, the author, those named, and never who did it', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository)
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'subscribed' })
      await comment(bob, repository, number)
      assert.deepEqual(await told(), { ann: 'subscribed', dan: 'author' })
      await comment(dan, repository, number, 'What does @cid say?')
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'comment', cid: 'mention' })
      await comment(ann, repository, number)
      assert.deepEqual(await told(), { bob: 'comment', cid: 'mention', dan: 'comment' }, 'it stays a mention')
      await comment(cid, repository, number, '@dan: see there.')
      assert.deepEqual(await told(), { ann: 'comment', bob: 'comment', dan: 'mention' })
      await comment(bob, repository, number)
      assert.deepEqual(await told(), { ann: 'comment', cid: 'comment', dan: 'mention' }, 'and stays so')
    })

    test('a thread shows the issue, its newest comment and the reason of the newest notification', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository)
      const url = `${server.url}${repository}/issues/${number}`
      const first = await threadOf(bob, repository)
      assert.deepEqual(first.subject, { title: 'A question', url, latest_comment_url: url, type: 'Issue' })
      const { body: written } = await comment(dan, repository, number, '@bob?')
      const second = await threadOf(bob, repository)
      assert.equal(second.id, first.id)
      assert.equal(second.reason, 'mention')
      assert.equal(second.subject.latest_comment_url, written.url)
      const before = (await bob.get('/notifications')).headers.get('last-modified')!
      await dan.patch(`${repository}/issues/${number}`, { title: 'A better question' })
      const changed = await bob.get('/notifications', { 'if-modified-since': before })
      assert.equal(changed.status, 200, 'what a thread shows has changed')
      assert.equal((await threadOf(bob, repository)).subject.title, 'A better question')
    })

    test('an edit reaches those alone whom it adds', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository, { body: 'For @cid.' })
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'subscribed', cid: 'mention' })
      await dan.patch(`${repository}/issues/${number}`, { body: 'For @cid and @bob.' })
      assert.deepEqual(await told(), { bob: 'mention' })
      const { body } = await comment(dan, repository, number)
      await told()
      await dan.patch(`${repository}/issues/comments/${body.id}`, { body: 'And @ann.' })
      assert.deepEqual(await told(), { ann: 'mention' })
      await dan.patch(`${repository}/issues/comments/${body.id}`, { body: 'And `@bob`, me@cid.org' })
      assert.deepEqual(await told(), {}, 'code and mail addresses name nobody')
    })

    test('one act that names somebody and assigns them is a mention', async () => {
      const repository = await makeRepository()
      await open(ann, repository, { body: '@cid, please', assignees: ['cid', 'bob'] })
      assert.deepEqual(await told(), { bob: 'assign', cid: 'mention' })
      const number = await open(ann, repository)
      await told()
      await ann.patch(`${repository}/issues/${number}`, { body: '@cid, please', assignees: ['cid', 'bob'] })
      assert.deepEqual(await told(), { bob: 'assign', cid: 'mention' })
    })

    test('an assignment, closing and reopening', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository)
      await told()
      await ann.post(`${repository}/issues/${number}/assignees`, { assignees: ['cid'] })
      assert.deepEqual(await told(), { bob: 'subscribed', cid: 'assign', dan: 'author' })
      await ann.delete(`${repository}/issues/${number}/assignees`)
      await ann.ask('DELETE', `${repository}/issues/${number}/assignees`, { assignees: ['cid'] })
      assert.deepEqual(await told(), {}, 'nobody is told of being relieved')
      await bob.patch(`${repository}/issues/${number}`, { state: 'closed' })
      assert.deepEqual(await told(), { ann: 'subscribed', cid: 'assign', dan: 'author' })
      await dan.patch(`${repository}/issues/${number}`, { state: 'open' })
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'state_change', cid: 'assign' })
    })

    test('a team’s mention reaches those in it and below it, if it wants notifications', async () => {
      await root.post('/admin/organizations', { login: `org${++count}`, admin: 'ann' })
      const org = `org${count}`
      for (const login of ['bob', 'cid']) await root.put(`/orgs/${org}/memberships/${login}`, { role: 'member' })
      for (const client of [bob, cid]) await client.patch(`/user/memberships/orgs/${org}`, { state: 'active' })
      await ann.post(`/orgs/${org}/repos`, { name: 'tool' })
      const { body: crew } = await ann.post(`/orgs/${org}/teams`, { name: 'crew', privacy: 'closed' })
      await ann.post(`/orgs/${org}/teams`, { name: 'night', parent_team_id: crew.id })
      await ann.put(`/orgs/${org}/teams/crew/memberships/bob`, {})
      await ann.put(`/orgs/${org}/teams/night/memberships/cid`, {})
      for (const client of [bob, cid]) await client.delete(`/repos/${org}/tool/subscription`)
      await clear()
      const repository = `/repos/${org}/tool`
      await open(ann, repository, { body: `To @${org}/crew` })
      assert.deepEqual(await told(), { bob: 'team_mention', cid: 'team_mention' })
      await open(ann, repository, { body: `To @${org}/crew and @cid` })
      assert.deepEqual(await told(), { bob: 'team_mention', cid: 'mention' })
      await ann.patch(`/orgs/${org}/teams/crew`, { notification_setting: 'notifications_disabled' })
      await open(ann, repository, { body: `To @${org}/crew` })
      assert.deepEqual(await told(), {})
    })

    test('a muted thread stays quiet until the user is mentioned or comments; watching still brings it', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository, { body: '@cid and @bob' })
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'mention', cid: 'mention' })
      for (const client of [bob, cid])
        await client.delete(`/notifications/threads/${(await threadOf(client, repository)).id}/subscription`)
      await comment(dan, repository, number)
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'subscribed' })
      await ann.post(`${repository}/issues/${number}/assignees`, { assignees: ['cid', 'bob'] })
      assert.deepEqual(await told(), { bob: 'subscribed', dan: 'comment' })
      await comment(cid, repository, number)
      await told()
      await comment(dan, repository, number)
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'subscribed', cid: 'comment' })
      await comment(dan, repository, number, '@bob')
      assert.deepEqual(await told(), { ann: 'subscribed', bob: 'mention', cid: 'comment' })
    })

    test('an ignored thread stays quiet until the user is mentioned by name or comments', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository)
      await told()
      const { id } = await threadOf(bob, repository)
      const subscription = `/notifications/threads/${id}/subscription`
      await bob.put(subscription, { ignored: true })
      await comment(dan, repository, number)
      await ann.post(`${repository}/issues/${number}/assignees`, { assignees: ['bob'] })
      await dan.patch(`${repository}/issues/${number}`, { state: 'closed' })
      assert.deepEqual(await told(), { ann: 'subscribed', dan: 'comment' })
      assert.equal((await bob.get(subscription)).body.ignored, true)
      await comment(dan, repository, number, '@bob!')
      assert.equal((await told()).bob, 'mention')
      assert.deepEqual((await bob.get(subscription)).body.reason, 'mention')
      await bob.put(subscription, { ignored: true })
      await comment(bob, repository, number)
      assert.deepEqual((await bob.get(subscription)).body.reason, 'comment')
      await told()
      await comment(dan, repository, number)
      assert.equal((await told()).bob, 'comment')
    })

    test('an ignored repository brings nothing, mentions included; following a thread by hand is a reason', async () => {
      const repository = await makeRepository()
      await bob.put(`${repository}/subscription`, { ignored: true })
      const number = await open(dan, repository, { body: '@bob' })
      assert.deepEqual(await told(), { ann: 'subscribed' })
      const { id } = await threadOf(ann, repository)
      await ann.put(`/notifications/threads/${id}/subscription`, {})
      await comment(dan, repository, number)
      assert.deepEqual(await told(), { ann: 'manual' })
      await ann.delete(`${repository}/subscription`)
      await comment(dan, repository, number)
      assert.deepEqual(await told(), { ann: 'manual' }, 'whoever follows it need not watch the repository')
    })

    test('a subscription is shown to participants with its reason, and is none to those who merely watch', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository)
      await comment(bob, repository, number, '@cid')
      const shown: Json = {}
      for (const [login, client] of Object.entries(people)) {
        const [thread] = (await client.get(`${repository}/notifications?all=true`)).body
        if (!thread) continue
        const { body } = await client.get(`/notifications/threads/${thread.id}/subscription`)
        shown[login] = [body.subscribed, body.ignored, body.reason, body.created_at !== null]
      }
      assert.deepEqual(shown, {
        ann: [false, false, null, false],
        bob: [true, false, 'comment', true],
        cid: [true, false, 'mention', true],
        dan: [true, false, 'author', true],
      })
    })

    test('of a private repository only those who may read it are told, and who lost that sees nothing of it', async () => {
      const repository = await makeRepository(true)
      const number = await open(bob, repository, { body: '@dan and @cid' })
      assert.deepEqual(await told(), { ann: 'subscribed', cid: 'mention' })
      await ann.delete(`${repository}/collaborators/cid`)
      await comment(bob, repository, number, '@cid')
      assert.deepEqual(await told(), { ann: 'subscribed' })
      assert.deepEqual((await cid.get('/notifications?all=true')).body, [])
    })

    test('a suspended user is told nothing, and what came before the suspension is still there after it', async () => {
      const repository = await makeRepository()
      const number = await open(dan, repository, { body: '@cid' })
      assert.equal((await threadOf(cid, repository)).reason, 'mention')
      await root.put('/users/cid/suspended')
      await comment(dan, repository, number, '@cid')
      await root.delete('/users/cid/suspended')
      const thread = await threadOf(cid, repository)
      assert.equal(thread.subject.latest_comment_url.includes('/comments/'), true)
      assert.equal((await told()).cid, 'mention')
      await comment(dan, repository, number, '@cid')
      assert.equal((await told()).cid, 'mention')
    })

    test('a deleted issue takes its threads along, and a transferred one is where it is now', async () => {
      const repository = await makeRepository()
      const other = await makeRepository()
      const number = await open(dan, repository)
      const { id } = await threadOf(bob, repository)
      const modified = async () => (await bob.get('/notifications')).headers.get('last-modified')!
      let known = await modified()
      const moved = await ann.post(`${repository}/issues/${number}/transfer`, {
        new_repository: other.split('/').at(-1),
      })
      assert.equal(moved.status, 201, moved.text)
      assert.equal((await bob.get('/notifications', { 'if-modified-since': known })).status, 200)
      assert.deepEqual((await bob.get(`${repository}/notifications?all=true`)).body, [])
      const thread = await threadOf(bob, other)
      assert.deepEqual([thread.id, thread.subject.url], [id, moved.body.url])
      await comment(dan, other, moved.body.number)
      assert.equal((await threadOf(bob, other)).id, id, 'and goes on there')
      known = await modified()
      assert.equal((await ann.delete(`${other}/issues/${moved.body.number}`)).status, 204)
      assert.equal((await bob.get('/notifications', { 'if-modified-since': known })).status, 200)
      assert.deepEqual(await told(), {})
      assert.equal((await bob.get(`/notifications/threads/${id}`)).status, 404)
    })

    test('whom an organisation has blocked is told nothing of its repositories', async () => {
      const org = `org${++count}`
      await root.post('/admin/organizations', { login: org, admin: 'ann' })
      await ann.post(`/orgs/${org}/repos`, { name: 'tool' })
      const repository = `/repos/${org}/tool`
      await dan.put(`${repository}/subscription`, {})
      await clear()
      const number = await open(ann, repository)
      assert.deepEqual(await told(), { dan: 'subscribed' })
      assert.equal((await ann.put(`/orgs/${org}/blocks/dan`)).status, 204)
      await comment(ann, repository, number, '@dan')
      assert.deepEqual(await told(), {})
      await ann.delete(`/orgs/${org}/blocks/dan`)
      await comment(ann, repository, number)
      assert.deepEqual(await told(), {}, 'the block has ended the watch')
      await dan.put(`${repository}/subscription`, {})
      await comment(ann, repository, number)
      assert.deepEqual(await told(), { dan: 'subscribed' })
    })
  })
}
