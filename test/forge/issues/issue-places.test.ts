/** Where an issue is, and whether it still is: transferred, deleted, switched off; and who is kept from taking part. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { asAdmin, makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const types = (events: Json[]) => events.map(({ event }) => event)

for (const engine of oneEngine)
  describe(`places of issues on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      for (const name of ['one', 'two', 'three']) await ann.post('/orgs/acme/repos', { name })
      await ann.post('/orgs/acme/repos', { name: 'secret', private: true })
      await ann.post('/user/repos', { name: 'own' })
    })
    after(() => server.stop())

    const counts = async (repo: string) => (await ann.get(`/repos/acme/${repo}`)).body.open_issues_count

    test('a transferred issue takes a new number, its labels by name and its events along', async () => {
      await ann.post('/repos/acme/two/issues', { title: 'There before' })
      await ann.post('/repos/acme/one/labels', { name: 'only here' })
      for (const repo of ['one', 'two']) await ann.post(`/repos/acme/${repo}/milestones`, { title: 'Autumn' })
      const draft = { title: 'Misplaced', labels: ['bug', 'only here'], milestone: 1, assignees: ['ann'] }
      const { body: issue } = await ann.post('/repos/acme/one/issues', draft)
      const at = `/repos/acme/one/issues/${issue.number}`
      const before = [await counts('one'), await counts('two')]
      const { status, body: moved, headers } = await ann.post(`${at}/transfer`, { new_repository: 'two' })
      assert.deepEqual([status, moved.number, moved.id], [201, 2, issue.id])
      assert.equal(headers.get('location'), `${server.url}/repos/acme/two/issues/2`)
      assert.deepEqual(
        [moved.labels.map(({ name }: Json) => name), moved.milestone.title, moved.assignees[0].login],
        [['bug'], 'Autumn', 'ann'],
      )
      assert.deepEqual([await counts('one'), await counts('two')], [before[0]! - 1, before[1]! + 1])
      const milestones = async (repo: string) => (await ann.get(`/repos/acme/${repo}/milestones/1`)).body.open_issues
      assert.deepEqual([await milestones('one'), await milestones('two')], [0, 1])
      const events = await ann.get('/repos/acme/two/issues/2/events')
      assert.deepEqual(types(events.body), ['labeled', 'labeled', 'milestoned', 'assigned', 'transferred'])
      const all = await ann.get('/repos/acme/one/issues/events')
      assert.deepEqual(all.body, [])
      assert.equal((await ann.get('/repos/acme/two/issues/events')).body.length, 5)
    })

    test('the old address of a transferred issue leads to the new one, for those who may see it', async () => {
      const { body: issue } = await ann.post('/repos/acme/one/issues', { title: 'To be hidden' })
      const at = `/repos/acme/one/issues/${issue.number}`
      const { body: moved } = await ann.post(`${at}/transfer`, { new_repository: 'acme/secret' })
      const { body: repository } = await ann.get('/repos/acme/secret')
      for (const [path, rest] of [
        [at, ''],
        [`/api/v3${at}/events`, '/events'],
        [`/repositories/${(await ann.get('/repos/acme/one')).body.id}/issues/${issue.number}?a=1`, '?a=1'],
      ]) {
        const { status, headers } = await ann.get(path!)
        const prefix = path!.startsWith('/api/v3') ? '/api/v3' : ''
        const target = `${server.url}${prefix}/repositories/${repository.id}/issues/${moved.number}${rest}`
        assert.deepEqual([status, headers.get('location')], [301, target])
        assert.equal((await ann.get(target.slice(server.url.length))).status, 200)
      }
      assert.equal((await ann.patch(at, { title: 'x' })).status, 307)
      assert.equal((await bob.get(at)).status, 404)
      assert.equal((await makeRest(server.url).get(at)).status, 404)
      const again = await ann.post(`/repos/acme/secret/issues/${moved.number}/transfer`, { new_repository: 'one' })
      assert.equal(again.status, 422)
    })

    test('an issue goes to repositories of the same owner that one may write to, and nowhere else', async () => {
      const { body: issue } = await ann.post('/repos/acme/one/issues', { title: 'Stays' })
      const at = `/repos/acme/one/issues/${issue.number}/transfer`
      assert.equal((await ann.post(at, { new_repository: 'ann/own' })).status, 422)
      assert.equal((await ann.post(at, { new_repository: 'one' })).status, 422)
      assert.equal((await ann.post(at, { new_repository: 'nowhere' })).status, 404)
      assert.equal((await bob.post(at, { new_repository: 'two' })).status, 403)
      assert.equal((await ann.post(at, {})).status, 422)
    })

    test('a deleted issue is gone with its events, and its number is not given again', async () => {
      const { body: issue } = await ann.post('/repos/acme/three/issues', { title: 'Secret', labels: ['bug'] })
      const at = `/repos/acme/three/issues/${issue.number}`
      const { body: events } = await ann.get(`${at}/events`)
      assert.equal((await bob.delete(at)).status, 403)
      assert.equal((await ann.delete(at)).status, 204)
      for (const path of [at, `${at}/events`, `${at}/timeline`, `${at}/labels`])
        assert.deepEqual([path, (await ann.get(path)).status], [path, 410])
      assert.equal((await ann.get(`/repos/acme/three/issues/events/${events[0].id}`)).status, 410)
      assert.equal((await ann.patch(at, { title: 'Back' })).status, 410)
      assert.equal((await ann.delete(at)).status, 410)
      assert.deepEqual((await ann.get('/repos/acme/three/issues/events')).body, [])
      assert.deepEqual((await ann.get('/repos/acme/three/issues?state=all')).body, [])
      assert.equal(await counts('three'), 0)
      const { body: next } = await ann.post('/repos/acme/three/issues', { title: 'Next' })
      assert.equal(next.number, issue.number + 1)
    })

    test('where issues are switched off they are 410', async () => {
      await ann.post('/orgs/acme/repos', { name: 'quiet', has_issues: true })
      const { body: issue } = await ann.post('/repos/acme/quiet/issues', { title: 'Before' })
      await ann.patch('/repos/acme/quiet', { has_issues: false })
      const at = '/repos/acme/quiet/issues'
      assert.equal((await ann.get(at)).status, 410)
      assert.equal((await ann.get(`${at}/${issue.number}`)).status, 410)
      assert.equal((await ann.post(at, { title: 'After' })).status, 410)
      assert.equal((await ann.patch(`${at}/${issue.number}`, { state: 'closed' })).status, 410)
      assert.equal((await ann.post(`${at}/${issue.number}/labels`, ['bug'])).status, 410)
      assert.deepEqual(
        (await ann.get('/issues?filter=all')).body.filter((one: Json) => one.id === issue.id),
        [],
      )
    })

    test('a blocked user reads and takes no part, and the issue that was the reason tells of it', async () => {
      const { body: issue } = await bob.post('/repos/acme/two/issues', { title: 'Rude' })
      const at = `/repos/acme/two/issues/${issue.number}`
      const block = (body: object) => ann.put('/orgs/acme/blocks/bob', body)
      assert.equal((await block({ issue_url: `${server.url}/repos/ann/own/issues/1` })).status, 422)
      assert.equal((await block({ issue_url: issue.url })).status, 204)
      assert.equal((await block({ issue_url: issue.html_url })).status, 204)
      assert.deepEqual(types((await ann.get(`${at}/events`)).body), ['user_blocked'])
      assert.equal((await ann.get('/orgs/acme/blocks/bob')).status, 204)
      assert.deepEqual(
        (await ann.get('/orgs/acme/blocks')).body.map(({ login }: Json) => login),
        ['bob'],
      )
      assert.equal((await bob.post('/repos/acme/two/issues', { title: 'Again' })).status, 403)
      assert.equal((await bob.patch(at, { title: 'Ruder' })).status, 403)
      assert.equal((await bob.post(`${at}/comments`, { body: 'Still here' })).status, 403)
      assert.equal((await bob.post(`${at}/reactions`, { content: 'heart' })).status, 403)
      assert.equal((await bob.get(at)).status, 200)
      assert.equal((await bob.post('/repos/ann/own/issues', { title: 'Elsewhere' })).status, 201)
      assert.equal((await ann.put('/orgs/acme/blocks/ann')).status, 422)
      const threads = async () => (await bob.get('/notifications?all=true')).body.map(({ subject }: Json) => subject)
      const { body: other } = await ann.post('/repos/ann/own/issues', { title: 'A word', body: '@bob, look' })
      await ann.post(`${at}/comments`, { body: '@bob is gone' })
      await ann.post(`/repos/ann/own/issues/${other.number}/comments`, { body: '@bob, again' })
      // Acts are told in their order: once the last one is, so is the one before it.
      await until(async () => (await threads()).some((one: Json) => one.latest_comment_url.includes('/comments/')))
      assert.deepEqual(
        (await threads()).map(({ title }: Json) => title),
        ['A word'],
      )
      assert.equal((await ann.delete('/orgs/acme/blocks/bob')).status, 204)
      assert.equal((await ann.get('/orgs/acme/blocks/bob')).status, 404)
      assert.equal((await bob.post('/repos/acme/two/issues', { title: 'Sorry' })).status, 201)
    })

    test('the timeline of an issue has its events, comments and the issues that name it', async () => {
      const { body: issue } = await ann.post('/repos/acme/two/issues', { title: 'Busy', labels: ['bug'] })
      const at = `/repos/acme/two/issues/${issue.number}`
      await ann.patch(at, { state: 'closed' })
      const [events, timeline] = [await ann.get(`${at}/events`), await ann.get(`${at}/timeline`)]
      assert.deepEqual(types(timeline.body), ['labeled', 'closed'])
      assert.deepEqual(timeline.body, events.body)
      assert.deepEqual((await ann.get(`${at}/timeline?per_page=1&page=2`)).body, events.body.slice(1))
      await bob.post(`${at}/comments`, { body: 'Why?' })
      await ann.post('/repos/acme/secret/issues', { title: 'Confidential', body: `acme/two#${issue.number}` })
      await ann.post('/repos/acme/three/issues', { title: 'Plain', body: `acme/two#${issue.number}` })
      const whole = (await ann.get(`${at}/timeline`)).body
      assert.deepEqual(types(whole), ['labeled', 'closed', 'commented', 'cross-referenced', 'cross-referenced'])
      assert.deepEqual([whole[2].actor.login, whole[2].body], ['bob', 'Why?'])
      const seen = await bob.get(`${at}/timeline`)
      assert.deepEqual(types(seen.body), ['labeled', 'closed', 'commented', 'cross-referenced'])
      assert.equal(seen.body[3].source.issue.title, 'Plain')
      assert.ok(!seen.text.includes('Confidential'))
    })
  })
