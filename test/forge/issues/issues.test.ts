/** Issues through the published client: opened, read, edited, closed, listed. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { engines } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const connect = (server: TestServer, { token }: RestClient) =>
  new Octokit({ auth: token, baseUrl: server.url, log: quiet }).rest

for (const engine of engines)
  describe(`issues on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let api: Octokit['rest']
    const open = { owner: 'ann', repo: 'open' }
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      api = connect(server, ann)
      await ann.post('/user/repos', { name: 'open' })
    })
    after(() => server.stop())

    test('are opened with labels and assignees, numbered in turn, and read again', async () => {
      const { data: first } = await api.issues.create({
        ...open,
        title: 'It fails',
        body: 'Always.',
        labels: ['bug', 'brand new'],
        assignees: ['ann', 'nobody-at-all'],
      })
      assert.deepEqual(
        [first.number, first.state, first.title, first.body, first.author_association],
        [1, 'open', 'It fails', 'Always.', 'OWNER'],
      )
      const names = first.labels.map((label) => (typeof label === 'string' ? label : `${label.name} ${label.color}`))
      assert.deepEqual(names, ['brand new ededed', 'bug d73a4a'])
      assert.deepEqual([first.assignee?.login, first.assignees?.map(({ login }) => login)], ['ann', ['ann']])
      const { data: read } = await api.issues.get({ ...open, issue_number: 1 })
      assert.deepEqual(read, first)
      const { data: second } = await connect(server, bob).issues.create({
        ...open,
        title: 'Mine',
        labels: ['bug'],
        assignees: ['bob'],
      })
      assert.deepEqual([second.number, second.labels, second.assignees], [2, [], []])
      assert.equal((await ann.get('/repos/ann/open')).body.open_issues_count, 2)
    })

    test('are closed with a reason, `completed` where none is given, and reopened', async () => {
      const { data: made } = await api.issues.create({ ...open, title: 'To be closed' })
      const at = { ...open, issue_number: made.number }
      const before = (await ann.get('/repos/ann/open')).body.open_issues_count
      const { data: closed } = await api.issues.update({ ...at, state: 'closed' })
      assert.deepEqual([closed.state, closed.state_reason, closed.closed_by?.login], ['closed', 'completed', 'ann'])
      assert.equal((await ann.get('/repos/ann/open')).body.open_issues_count, before - 1)
      const { data: reopened } = await api.issues.update({ ...at, state: 'open' })
      assert.deepEqual(
        [reopened.state, reopened.state_reason, reopened.closed_at, reopened.closed_by],
        ['open', 'reopened', null, null],
      )
      const { data: dropped } = await api.issues.update({ ...at, state: 'closed', state_reason: 'not_planned' })
      assert.equal(dropped.state_reason, 'not_planned')
    })
  })
