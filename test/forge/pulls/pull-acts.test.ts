/** What an act does to pulls is there when it is answered: refs made and deleted, forks deleted, approvals ended, issues turned into pulls. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { commitFiles, type PullServer, startPullServer } from './pull-server.ts'

for (const engine of oneEngine)
  describe(`acts on pulls on ${engine}`, () => {
    let hosted: PullServer
    let ann: RestClient
    let bob: RestClient
    let cid: RestClient
    before(async () => {
      hosted = await startPullServer(engine)
      ;({ ann, bob } = hosted)
      cid = await makeUser(hosted.server, 'cid')
    })
    after(() => hosted.stop())
    const onSqlite: typeof test | (() => void) = engine === 'sqlite' ? test : () => {}

    const told = async (path: string) =>
      (await ann.get(`${path.replace('/pulls/', '/issues/')}/events`)).body.map(
        ({ event, actor }: Json) => `${event} by ${actor.login}`,
      )

    test('a branch that is deleted or made again over REST has closed its pull, with events, when that is answered', async () => {
      const folder = await hosted.start('refs')
      const sha = await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic', 'main:base')
      const { number } = await hosted.open('refs', { head: 'topic' })
      const path = `/repos/ann/refs/pulls/${number}`
      assert.equal((await ann.delete('/repos/ann/refs/git/refs/heads/topic')).status, 204)
      assert.equal((await ann.get(path)).body.state, 'closed')
      assert.deepEqual(await told(path), ['closed by ann', 'head_ref_deleted by ann'])
      assert.equal((await ann.post('/repos/ann/refs/git/refs', { ref: 'refs/heads/topic', sha })).status, 201)
      assert.deepEqual((await told(path)).slice(2), ['head_ref_restored by ann'])
      const other = await hosted.open('refs', { head: 'topic', base: 'base' })
      await hosted.push(folder, ':base')
      assert.equal((await ann.get(`/repos/ann/refs/pulls/${other.number}`)).body.state, 'closed')
    })

    test('a push ends approvals where the base’s rules say so, by whoever pushed', async () => {
      const folder = await hosted.start('stale')
      for (const [login, client] of [
        ['bob', bob],
        ['cid', cid],
      ] as const) {
        const { body } = await ann.put(`/repos/ann/stale/collaborators/${login}`, { permission: 'push' })
        await client.patch(`/user/repository_invitations/${body.id}`)
      }
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic', 'main:free')
      const { number } = await hosted.open('stale', { head: 'topic' })
      const free = await hosted.open('stale', { head: 'topic', base: 'free' })
      await ann.put('/repos/ann/stale/branches/main/protection', {
        required_status_checks: null,
        enforce_admins: true,
        required_pull_request_reviews: { dismiss_stale_reviews: true },
        restrictions: null,
      })
      const path = `/repos/ann/stale/pulls/${number}`
      const approve = async (at: string) => (await bob.post(`${at}/reviews`, { event: 'APPROVE' })).body.id
      const id = await approve(path)
      await cid.post(`${path}/reviews`, { event: 'REQUEST_CHANGES', body: 'No' })
      await approve(`/repos/ann/stale/pulls/${free.number}`)
      await folder.must('checkout', '--quiet', 'topic')
      const next = await commitFiles(folder, { 'c.txt': 'c' }, 'More')
      await folder.must('push', '--quiet', hosted.url('ann/stale', cid, 'cid'), 'topic')
      const states = async (at: string) => (await ann.get(`${at}/reviews`)).body.map(({ state }: Json) => state)
      assert.deepEqual(await states(path), ['DISMISSED', 'CHANGES_REQUESTED'])
      assert.deepEqual(await states(`/repos/ann/stale/pulls/${free.number}`), ['APPROVED'])
      assert.deepEqual(await told(path), ['review_dismissed by cid'])
      const { body: events } = await ann.get(`/repos/ann/stale/issues/${number}/events`)
      assert.deepEqual(events[0].dismissed_review, {
        state: 'approved',
        review_id: id,
        dismissal_message: null,
        dismissal_commit_id: next,
      })
      await approve(path)
      const file = { message: 'd', content: '', branch: 'topic' }
      assert.equal((await cid.put('/repos/ann/stale/contents/d.txt', file)).status, 201)
      assert.deepEqual(await states(path), ['DISMISSED', 'CHANGES_REQUESTED', 'DISMISSED'])
      assert.equal((await ann.put(`${path}/merge`)).status, 405)

      // With more pulls of the same head than a push's own write looks at, soon after it.
      await copyPull(hosted, 'stale', number, 50)
      await approve(path)
      assert.equal((await cid.put('/repos/ann/stale/contents/e.txt', file)).status, 201)
      await until(async () => (await states(path)).at(-1) === 'DISMISSED')
    })

    test('a fork that is deleted closes its pulls, which stay to be read', async () => {
      const folder = await hosted.start('forked')
      await bob.post('/repos/ann/forked/forks')
      await folder.must('remote', 'add', 'fork', hosted.url('bob/forked', bob, 'bob'))
      const head = await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await folder.must('push', '--quiet', 'fork', 'topic', 'topic:held')
      const { number } = await hosted.open('forked', { head: 'bob:topic' }, bob)
      const held = await hosted.open('forked', { head: 'bob:held' }, bob)
      const path = `/repos/ann/forked/pulls/${number}`
      await ann.patch(`/repos/ann/forked/pulls/${held.number}`, { state: 'closed' })
      assert.equal((await bob.delete('/repos/bob/forked')).status, 204)
      const { body } = await ann.get(path)
      assert.deepEqual(
        [body.state, body.head.repo, body.head.sha, body.head.label],
        ['closed', null, head, 'bob:topic'],
      )
      assert.deepEqual(await told(path), ['closed by bob'])
      assert.equal((await ann.get('/repos/ann/forked')).body.open_issues_count, 0)
      for (const [rest, status] of [
        ['/commits', 200],
        ['/files', 200],
        ['/reviews', 200],
        ['/comments', 200],
        ['/merge', 404],
      ] as const)
        assert.equal((await ann.get(`${path}${rest}`)).status, status, rest)
      assert.equal((await ann.patch(path, { state: 'open' })).status, 422)
      assert.equal((await ann.patch(path, { title: 'Kept' })).status, 200)
      assert.equal((await ann.put(`${path}/merge`)).status, 405)
      assert.equal((await ann.put(`${path}/update-branch`)).status, 422)
      assert.equal((await ann.get('/repos/ann/forked/pulls?state=all&head=bob:topic')).body.length, 1)
      const other = await hosted.work()
      await other.must('fetch', '--quiet', hosted.url('ann/forked'), `pull/${number}/head`)
      assert.equal(await other.must('rev-parse', 'FETCH_HEAD'), head)
    })

    onSqlite('a fork with very many pulls closes all of them when it is deleted', async () => {
      const folder = await hosted.start('crowded')
      await bob.post('/repos/ann/crowded/forks')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await folder.must('push', '--quiet', hosted.url('bob/crowded', bob, 'bob'), 'topic')
      const { number } = await hosted.open('crowded', { head: 'bob:topic' }, bob)
      const { store } = hosted.server.services
      const countOpen = async () => {
        const open = store.db.selectFrom('issue').select('id').where('title', '=', 'A pull').where('state', '=', 'open')
        return (await open.where('repository_id', '=', repositoryId).execute()).length
      }
      const { repository_id: repositoryId } = await store.db
        .selectFrom('issue')
        .innerJoin('repository', 'repository.id', 'issue.repository_id')
        .select('issue.repository_id')
        .where('repository.name', '=', 'crowded')
        .where('issue.number', '=', number)
        .executeTakeFirstOrThrow()
      await copyPull(hosted, 'crowded', number, 250, (i) => ({ head_ref: `topic-${i}` }))
      assert.equal(await countOpen(), 251)
      assert.equal((await bob.delete('/repos/bob/crowded')).status, 204)
      await until(async () => (await countOpen()) === 0)
    })

    test('an issue becomes a pull by Octokit, and keeps its title, labels and what was said', async () => {
      const folder = await hosted.start('turned')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      const { body: issue } = await bob.post('/repos/ann/turned/issues', { title: 'Bug', body: 'It breaks.' })
      const at = `/repos/ann/turned/issues/${issue.number}`
      await ann.post(`${at}/labels`, ['bug'])
      await cid.post(`${at}/comments`, { body: 'For me, too' })
      const octokit = new Octokit({ auth: ann.token, baseUrl: hosted.server.url })
      const place = { owner: 'ann', repo: 'turned' }
      const ask = (client: RestClient, draft: object) =>
        client.post('/repos/ann/turned/pulls', { head: 'topic', base: 'main', issue: issue.number, ...draft })
      assert.equal((await ask(cid, {})).status, 403, 'neither its author nor one who may write')
      assert.equal((await ask(ann, { title: 'Both' })).status, 422)
      assert.equal((await ask(ann, { issue: 99 })).status, 404)
      assert.equal((await ask(ann, { issue: undefined })).status, 422)
      await ann.patch(at, { state: 'closed' })
      assert.equal((await ask(ann, {})).status, 422, 'a closed one')
      await ann.patch(at, { state: 'open' })
      const { data: pull } = await octokit.pulls.create({ ...place, issue: issue.number, head: 'topic', base: 'main' })
      assert.deepEqual(
        [pull.number, pull.title, pull.body, pull.user.login],
        [issue.number, 'Bug', 'It breaks.', 'bob'],
      )
      assert.deepEqual([pull.labels.map(({ name }) => name), pull.comments, pull.mergeable], [['bug'], 1, true])
      assert.ok((await ann.get(at)).body.pull_request)
      assert.equal((await ann.get('/repos/ann/turned')).body.open_issues_count, 1)
      assert.equal((await ask(ann, {})).status, 422, 'a pull already')
      const { data: merged } = await octokit.pulls.merge({ ...place, pull_number: pull.number })
      assert.equal(merged.merged, true)
      const { body: found } = await ann.get(`/search/issues?q=repo:ann/turned+is:pr+breaks`)
      assert.equal(found.total_count, 1)
    })

    test('a stranger contributes for the first time, and then is a contributor', async () => {
      const folder = await hosted.start('strange')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      await bob.post('/repos/ann/strange/forks')
      const { number, author_association: first } = await hosted.open('strange', { head: 'bob:topic' }, bob)
      assert.equal(first, 'FIRST_TIME_CONTRIBUTOR')
      const { body: before } = await bob.post('/repos/ann/strange/issues', { title: 'One' })
      await ann.put(`/repos/ann/strange/pulls/${number}/merge`)
      const { body: later } = await bob.post('/repos/ann/strange/issues', { title: 'Two' })
      const { body: comment } = await bob.post(`/repos/ann/strange/issues/${later.number}/comments`, { body: 'x' })
      assert.deepEqual(
        [before, later, comment].map(({ author_association }) => author_association),
        ['NONE', 'CONTRIBUTOR', 'CONTRIBUTOR'],
      )
      assert.equal((await ann.get(`/repos/ann/strange/pulls/${number}`)).body.author_association, 'CONTRIBUTOR')
    })
  })

/** By rows: to open so many would take longer than all else here. Those of the same head are closed. */
async function copyPull(
  { server }: PullServer,
  name: string,
  number: number,
  count: number,
  change?: (i: number) => { head_ref: string },
): Promise<void> {
  await server.services.store.write(async (trx) => {
    const { id, ...issue } = await trx
      .selectFrom('issue')
      .innerJoin('repository', 'repository.id', 'issue.repository_id')
      .selectAll('issue')
      .where('repository.name', '=', name)
      .where('issue.number', '=', number)
      .executeTakeFirstOrThrow()
    const pull = await trx.selectFrom('pull').selectAll().where('issue_id', '=', id).executeTakeFirstOrThrow()
    for (let i = 1; i <= count; i++) {
      const state = change ? issue.state : 'closed'
      const copy = trx.insertInto('issue').values({ ...issue, number: 1_000 + i, state })
      const made = await copy.returning('id').executeTakeFirstOrThrow()
      const values = { ...pull, issue_id: made.id, ...change?.(i) }
      await trx.insertInto('pull').values(values).execute()
    }
  })
}
