/** Several people change the same issues at once, on PostgreSQL through two servers: nothing is lost, and events tell what happened. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const environment = { GUILDHALL_LIMITS: 'off' }

for (const engine of engines)
  describe(`issues changed at once on ${engine}`, () => {
    let servers: TestServer[]
    let clients: RestClient[]
    let ann: RestClient
    before(async () => {
      const first = await startServer(engine, { environment })
      const others = engine === 'postgres' ? [await startServer(engine, { environment, database: first.database })] : []
      servers = [first, ...others]
      ann = await makeUser(first, 'ann')
      const bob = await makeUser(first, 'bob')
      await ann.post('/user/repos', { name: 'busy' })
      const { body } = await ann.put('/repos/ann/busy/collaborators/bob', { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${body.id}`)
      await ann.post('/repos/ann/busy/milestones', { title: 'Goal' })
      clients = servers.flatMap(({ url }) => [makeRest(url, ann.token), makeRest(url, bob.token)])
    })
    after(async () => {
      for (const server of servers.toReversed()) await server.stop()
    })

    /** Each client asks in turn, all at once. */
    const atOnce = (count: number, ask: (client: RestClient, i: number) => Promise<{ status: number }>) =>
      Promise.all(Array.from({ length: count }, (_, i) => ask(clients[i % clients.length]!, i)))
    const tally = (answers: readonly { status: number }[]) => [...new Set(answers.map(({ status }) => status))].sort()

    const makeIssue = async () => {
      const { body } = await ann.post('/repos/ann/busy/issues', { title: 'Wanted' })
      return `/repos/ann/busy/issues/${body.number}`
    }
    const eventsOf = async (at: string): Promise<Json[]> => (await ann.get(`${at}/events?per_page=100`)).body
    const types = (events: Json[]) => events.map(({ event }) => event)

    test('numbers have no holes and the count of open issues is right', async () => {
      const before = (await ann.get('/repos/ann/busy')).body.open_issues_count
      const answers = await atOnce(24, (client, i) =>
        client.post('/repos/ann/busy/issues', { title: `Issue ${i}`, milestone: 1 }),
      )
      const numbers = answers.map((answer) => (answer as Json).body.number).sort((a, b) => a - b)
      assert.deepEqual(
        numbers,
        Array.from({ length: 24 }, (_, i) => numbers[0] + i),
      )
      assert.equal((await ann.get('/repos/ann/busy')).body.open_issues_count, before + 24)
      await atOnce(12, (client, i) => client.patch(`/repos/ann/busy/issues/${numbers[i]}`, { state: 'closed' }))
      assert.equal((await ann.get('/repos/ann/busy')).body.open_issues_count, before + 12)
      const { body } = await ann.get('/repos/ann/busy/milestones/1')
      assert.deepEqual([body.open_issues, body.closed_issues], [12, 12])
    })

    test('the same label, assignee, state and lock at once are one event each', async () => {
      const at = await makeIssue()
      assert.deepEqual(tally(await atOnce(8, (client) => client.post(`${at}/labels`, ['bug']))), [200])
      assert.deepEqual(
        tally(await atOnce(8, (client) => client.post(`${at}/assignees`, { assignees: ['bob'] }))),
        [201],
      )
      assert.deepEqual(tally(await atOnce(8, (client) => client.patch(at, { state: 'closed' }))), [200])
      assert.deepEqual(tally(await atOnce(8, (client) => client.put(`${at}/lock`))), [204])
      assert.deepEqual(types(await eventsOf(at)), ['labeled', 'assigned', 'closed', 'locked'])
    })

    test('different labels at once, among them new ones, are all there', async () => {
      const at = await makeIssue()
      assert.deepEqual(tally(await atOnce(16, (client, i) => client.post(`${at}/labels`, [`race ${i >> 1}`]))), [200])
      const { body } = await ann.get(`${at}/labels?per_page=100`)
      assert.deepEqual(
        body.map(({ name }: Json) => name),
        Array.from({ length: 8 }, (_, i) => `race ${i}`),
      )
      assert.deepEqual(types(await eventsOf(at)), Array(8).fill('labeled'))
    })

    test('whatever is done at once, the events replayed come to what is there', async () => {
      const at = await makeIssue()
      const acts: ((client: RestClient, i: number) => Promise<{ status: number }>)[] = [
        (client) => client.post(`${at}/labels`, ['bug', 'question']),
        (client) => client.put(`${at}/labels`, { labels: ['question', 'wontfix'] }),
        (client) => client.delete(`${at}/labels/question`),
        (client) => client.patch(at, { state: 'closed' }),
        (client) => client.patch(at, { state: 'open' }),
        (client) => client.post(`${at}/assignees`, { assignees: ['ann', 'bob'] }),
        (client) => client.ask('DELETE', `${at}/assignees`, { assignees: ['bob'] }),
        (client) => client.patch(at, { assignees: ['bob'] }),
        (client, i) => client.patch(at, { title: `Title ${i % 3}` }),
        (client) => client.patch(at, { milestone: 1 }),
        (client) => client.patch(at, { milestone: null }),
        (client) => client.put(`${at}/pin`),
        (client) => client.delete(`${at}/pin`),
      ]
      const answers = await atOnce(acts.length * 4, (client, i) => acts[(i * 5) % acts.length]!(client, i))
      assert.ok(answers.every(({ status }) => status < 300 || status === 404))
      const { body: issue } = await ann.get(at)
      const replayed = replay(await eventsOf(at), 'Wanted')
      assert.deepEqual(replayed, {
        title: issue.title,
        state: issue.state,
        labels: issue.labels.map(({ name }: Json) => name).sort(),
        assignees: issue.assignees.map(({ login }: Json) => login).sort(),
        milestone: issue.milestone?.title ?? null,
      })
    })

    test('two transfers of an issue at once bring it to one place', async () => {
      for (const name of ['left', 'right']) await ann.post('/user/repos', { name: `${name}-${engine}` })
      const at = await makeIssue()
      const goals = ['left', 'right'].map((name) => `${name}-${engine}`)
      const owners = clients.filter((_, i) => i % 2 === 0)
      const answers = await Promise.all(
        goals.map((new_repository, i) => owners[i % owners.length]!.post(`${at}/transfer`, { new_repository })),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 307])
      const counts = await Promise.all(
        goals.map(async (name) => (await ann.get(`/repos/ann/${name}/issues`)).body.length),
      )
      assert.deepEqual(counts.sort(), [0, 1])
    })
  })

/** What the events come to; one that changes nothing, or undoes what is not there, is a fault. */
function replay(events: readonly Json[], title: string) {
  const labels = new Set<string>()
  const assignees = new Set<string>()
  const state = { title, state: 'open', milestone: null as string | null }
  for (const { event, label, assignee, milestone, rename } of events) {
    if (event === 'labeled') assert.ok(!labels.has(label.name) && labels.add(label.name))
    if (event === 'unlabeled') assert.ok(labels.delete(label.name))
    if (event === 'assigned') assert.ok(!assignees.has(assignee.login) && assignees.add(assignee.login))
    if (event === 'unassigned') assert.ok(assignees.delete(assignee.login))
    if (event === 'closed' || event === 'reopened') {
      assert.equal(state.state, event === 'closed' ? 'open' : 'closed')
      state.state = event === 'closed' ? 'closed' : 'open'
    }
    if (event === 'renamed') {
      assert.equal(rename.from, state.title)
      state.title = rename.to
    }
    if (event === 'milestoned') {
      assert.equal(state.milestone, null)
      state.milestone = milestone.title
    }
    if (event === 'demilestoned') {
      assert.equal(milestone.title, state.milestone)
      state.milestone = null
    }
  }
  return { ...state, labels: [...labels].sort(), assignees: [...assignees].sort() }
}
