/** Feeds: every act becomes its event, newest first, and nothing of what is private is told to who may not read it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const kinds = (events: Json): string[] =>
  events.map(({ type, payload }: Json) => [type, payload.action ?? payload.ref_type].filter(Boolean).join(' '))

for (const engine of oneEngine)
  describe(`feeds on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
    })
    after(() => server.stop())

    test('tell of every kind of act with what it was done to', async () => {
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
      const place = { owner: 'ann', repo: 'tool' }
      await octokit.repos.createForAuthenticatedUser({ name: 'tool', auto_init: true })
      const { data: main } = await octokit.git.getRef({ ...place, ref: 'heads/main' })
      await octokit.git.createRef({ ...place, ref: 'refs/heads/topic', sha: main.object.sha })
      const content = Buffer.from('one\n').toString('base64')
      await octokit.repos.createOrUpdateFileContents({ ...place, path: 'a', message: 'A', content, branch: 'topic' })
      const { data: issue } = await octokit.issues.create({ ...place, title: 'Broken' })
      await octokit.issues.createComment({ ...place, issue_number: issue.number, body: 'Really' })
      await octokit.issues.update({ ...place, issue_number: issue.number, state: 'closed' })
      const { data: pull } = await octokit.pulls.create({ ...place, title: 'A', head: 'topic', base: 'main' })
      const comments = [{ path: 'a', line: 1, body: 'One?' }]
      await bob.post(`/repos/ann/tool/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'Well', comments })
      await octokit.pulls.merge({ ...place, pull_number: pull.number })
      await octokit.git.deleteRef({ ...place, ref: 'heads/topic' })
      await octokit.repos.createRelease({ ...place, tag_name: 'v1' })
      await octokit.repos.createCommitComment({ ...place, commit_sha: main.object.sha, body: 'Nice' })
      await bob.put('/user/starred/ann/tool')
      await bob.post('/repos/ann/tool/forks')
      const { data: events } = await octokit.activity.listRepoEvents({ ...place, per_page: 100 })
      assert.deepEqual(kinds(events).reverse(), [
        'CreateEvent repository',
        'CreateEvent branch',
        'CreateEvent branch',
        'PushEvent',
        'IssuesEvent opened',
        'IssueCommentEvent created',
        'IssuesEvent closed',
        'PullRequestEvent opened',
        'PullRequestReviewEvent created',
        'PushEvent',
        'PullRequestEvent merged',
        'DeleteEvent branch',
        'CreateEvent tag',
        'ReleaseEvent published',
        'CommitCommentEvent created',
        'WatchEvent started',
        'ForkEvent forked',
      ])
      const of = (type: string): Json => events.find((event) => event.type === type)
      assert.equal(of('IssueCommentEvent').payload.comment.body, 'Really')
      assert.equal(of('PullRequestReviewEvent').payload.review.state, 'COMMENTED')
      assert.equal(of('ForkEvent').payload.forkee.full_name, 'bob/tool')
      assert.equal(of('PullRequestEvent').payload.pull_request.head.ref, 'topic')
      const push = events.findLast((event) => event.type === 'PushEvent') as Json
      assert.deepEqual([push.payload.ref, push.payload.before], ['refs/heads/topic', main.object.sha])
      assert.ok(events.every((event) => event.public && event.repo.name === 'ann/tool'))
    })

    test('say when nothing is new, and when to ask again', async () => {
      const first = await bob.get('/repos/ann/tool/events?per_page=2')
      assert.equal(first.headers.get('x-poll-interval'), '60')
      assert.match(first.headers.get('link') ?? '', /page=2>; rel="next"/)
      const same = await bob.get('/repos/ann/tool/events?per_page=2', { 'if-none-match': first.headers.get('etag')! })
      assert.equal(same.status, 304)
      await ann.put('/user/starred/ann/tool')
      const next = await bob.get('/repos/ann/tool/events?per_page=2', { 'if-none-match': first.headers.get('etag')! })
      assert.deepEqual([next.status, kinds(next.body)[0]], [200, 'WatchEvent started'])
    })

    test('and inboxes wait for what they will show, and not for what hooks alone hear of', async () => {
      const { store } = server.services
      const { body: repository } = await ann.get('/repos/ann/tool')
      const row = { actor_id: repository.owner.id, repository_id: repository.id, organisation_id: null }
      const insert = (kind: string, data: object) =>
        store.write((trx) =>
          trx
            .insertInto('activity')
            .values({ ...row, kind, subject_id: null, data: JSON.stringify(data), created_at: 1, told_at: null })
            .returning('id')
            .executeTakeFirstOrThrow(),
        )
      const isTold = async ({ id }: { id: number }) =>
        (await store.db.selectFrom('activity').select('told_at').where('id', '=', id).executeTakeFirstOrThrow())
          .told_at !== null
      // The job that tells of what was done before would tell of this, too.
      const jobs = store.db.selectFrom('job').select('id').where('kind', '=', 'forge.activity')
      await until(async () => (await jobs.where('state', 'in', ['queued', 'running']).execute()).length === 0)
      const edited = await insert('repository-changed', { action: 'edited' })
      for (const path of ['/events', '/repos/ann/tool/events', '/notifications']) await ann.get(path)
      assert.equal(await isTold(edited), false)
      const starred = await insert('repository-starred', {})
      await ann.get('/events')
      assert.deepEqual([await isTold(edited), await isTold(starred)], [true, true])
    })

    test('show what is private to those alone who may read it', async () => {
      await ann.post('/user/repos', { name: 'secret', private: true, auto_init: true })
      await ann.post('/repos/ann/secret/issues', { title: 'Hush' })
      const nobody = makeRest(server.url)
      const hasSecret = async (client: RestClient, path: string) =>
        (await client.get(`${path}?per_page=100`)).text.includes('ecret')
      const narrow = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: ['public_repo'] }))
      for (const path of ['/users/ann/events', '/users/ann/events/public', '/events'])
        for (const client of [bob, nobody, narrow]) assert.equal(await hasSecret(client, path), false, path)
      assert.equal(await hasSecret(ann, '/users/ann/events'), true)
      assert.equal(await hasSecret(ann, '/users/ann/events/public'), false)
      assert.equal((await bob.get('/repos/ann/secret/events')).status, 404)
      const fine = makeRest(
        server.url,
        await makeToken(server, 'ann', {
          kind: 'fine-grained',
          repositories: 'all',
          permissions: { contents: 'read' },
        }),
      )
      assert.deepEqual(kinds((await fine.get('/repos/ann/secret/events')).body), [
        'CreateEvent branch',
        'CreateEvent repository',
      ])
      // What happened while it was private stays out of what everyone is told.
      await ann.patch('/repos/ann/secret', { private: false })
      assert.deepEqual(
        kinds((await bob.get('/users/ann/events')).body.filter(({ repo }: Json) => repo.name === 'ann/secret')),
        ['PublicEvent'],
      )
      await ann.patch('/repos/ann/secret', { private: true })
      assert.equal(await hasSecret(bob, '/users/ann/events'), false)
    })

    test('leave out what was deleted or went elsewhere', async () => {
      await ann.post('/user/repos', { name: 'here' })
      await ann.post('/user/repos', { name: 'hidden', private: true })
      const { body: gone } = await ann.post('/repos/ann/here/issues', { title: 'Gone' })
      const { body: moved } = await ann.post('/repos/ann/here/issues', { title: 'Moved' })
      const list = async () => (await bob.get('/repos/ann/here/events')).body
      assert.deepEqual(kinds(await list()), ['IssuesEvent opened', 'IssuesEvent opened', 'CreateEvent repository'])
      await ann.delete(`/repos/ann/here/issues/${gone.number}`)
      await ann.post(`/repos/ann/here/issues/${moved.number}/transfer`, { new_repository: 'hidden' })
      assert.deepEqual(kinds(await list()), ['CreateEvent repository'])
    })

    test('leave out comments that were deleted', async () => {
      const at = '/repos/ann/remarks'
      await ann.post('/user/repos', { name: 'remarks', auto_init: true })
      const { body: main } = await ann.get(`${at}/git/ref/heads/main`)
      const { sha } = main.object
      await ann.post(`${at}/git/refs`, { ref: 'refs/heads/topic', sha })
      const file = { message: 'A', content: btoa('one\n'), branch: 'topic' }
      const { body: written } = await ann.put(`${at}/contents/a`, file)
      const { body: pull } = await ann.post(`${at}/pulls`, { title: 'A', head: 'topic', base: 'main' })
      const line = { body: 'Hm', path: 'a', line: 1, commit_id: written.commit.sha }
      const { body: onLine } = await bob.post(`${at}/pulls/${pull.number}/comments`, line)
      const { body: onIssue } = await bob.post(`${at}/issues/${pull.number}/comments`, { body: 'Hm' })
      const { body: onCommit } = await bob.post(`${at}/commits/${sha}/comments`, { body: 'Hm' })
      const ofBob = async () => {
        const { status, body } = await ann.get(`${at}/events`)
        assert.equal(status, 200)
        return kinds(body.filter(({ actor }: Json) => actor.login === 'bob'))
      }
      const told = ['CommitCommentEvent created', 'IssueCommentEvent created', 'PullRequestReviewCommentEvent created']
      assert.deepEqual((await ofBob()).toSorted(), told)
      await bob.delete(`${at}/pulls/comments/${onLine.id}`)
      assert.deepEqual((await ofBob()).toSorted(), told.slice(0, 2))
      await bob.delete(`${at}/issues/comments/${onIssue.id}`)
      assert.deepEqual(await ofBob(), told.slice(0, 1))
      await bob.delete(`${at}/comments/${onCommit.id}`)
      assert.deepEqual(await ofBob(), [])
    })

    test('are received by those who watch and follow, and told of organisations and lines of forks', async () => {
      const cid = await makeUser(server, 'cid')
      await cid.put('/user/following/bob')
      await cid.put('/repos/ann/tool/subscription', { subscribed: true })
      await bob.post('/user/repos', { name: 'own' })
      await ann.post('/repos/ann/tool/issues', { title: 'For watchers' })
      const { body: received } = await cid.get('/users/cid/received_events')
      assert.deepEqual([received[0].payload.issue.title, received[1].repo.name], ['For watchers', 'bob/own'])
      assert.ok(received.every(({ actor }: Json) => actor.login !== 'cid'))
      assert.deepEqual((await bob.get('/users/cid/received_events')).body.length, received.length)
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'kit' })
      await ann.post('/orgs/acme/repos', { name: 'vault', private: true })
      const { body: ofOrg } = await bob.get('/orgs/acme/events')
      assert.deepEqual([ofOrg.length, ofOrg[0].repo.name, ofOrg[0].org.login], [1, 'acme/kit', 'acme'])
      const within = async (client: RestClient, login: string) => client.get(`/users/${login}/events/orgs/acme`)
      const { body: withinOrg } = await within(ann, 'ann')
      assert.deepEqual(
        withinOrg.map(({ repo }: Json) => repo.name),
        ['acme/vault', 'acme/kit'],
      )
      const narrow = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: ['read:org'] }))
      assert.deepEqual(
        (await within(narrow, 'ann')).body.map(({ repo }: Json) => repo.name),
        ['acme/kit'],
      )
      assert.equal((await within(bob, 'bob')).status, 403)
      assert.equal((await within(ann, 'bob')).status, 404)
      await bob.patch('/repos/bob/tool', { has_issues: true })
      await bob.post('/repos/bob/tool/issues', { title: 'In the fork' })
      const { body: network } = await bob.get('/networks/ann/tool/events')
      assert.deepEqual([network[0].repo.name, network[1].repo.name], ['bob/tool', 'ann/tool'])
      await bob.patch('/repos/bob/tool', { has_issues: false })
      const { body: left } = await bob.get('/networks/ann/tool/events')
      assert.deepEqual(
        left.map(({ id }: Json) => id),
        network.slice(1).map(({ id }: Json) => id),
        'issues that are off are in no feed',
      )
    })
  })
