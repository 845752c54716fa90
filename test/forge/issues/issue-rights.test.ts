/** Who may do what with issues: every act against every standing, the expected side written by hand. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const standings = ['nobody', 'reader', 'author', 'triage', 'write', 'admin'] as const
type Standing = (typeof standings)[number]

type Act = readonly [
  name: string,
  ask: (client: RestClient, at: string) => Promise<{ status: number }>,
  /** In the order of the standings, on a public repository. */
  expected: readonly [number, number, number, number, number, number],
]

const issues = '/repos/owner/open/issues'
const acts: readonly Act[] = [
  ['read', (client, at) => client.get(at), [200, 200, 200, 200, 200, 200]],
  ['list', (client) => client.get(issues), [200, 200, 200, 200, 200, 200]],
  ['list events', (client, at) => client.get(`${at}/events`), [200, 200, 200, 200, 200, 200]],
  ['read the timeline', (client, at) => client.get(`${at}/timeline`), [200, 200, 200, 200, 200, 200]],
  ['open', (client) => client.post(issues, { title: 'New' }), [401, 201, 201, 201, 201, 201]],
  ['rename', (client, at) => client.patch(at, { title: 'Better' }), [401, 403, 200, 403, 200, 200]],
  ['edit the text', (client, at) => client.patch(at, { body: 'More' }), [401, 403, 200, 403, 200, 200]],
  ['close', (client, at) => client.patch(at, { state: 'closed' }), [401, 403, 200, 200, 200, 200]],
  ['label', (client, at) => client.post(`${at}/labels`, ['bug']), [401, 403, 403, 200, 200, 200]],
  ['set labels', (client, at) => client.put(`${at}/labels`, ['bug']), [401, 403, 403, 200, 200, 200]],
  ['clear labels', (client, at) => client.delete(`${at}/labels`), [401, 403, 403, 204, 204, 204]],
  ['assign', (client, at) => client.post(`${at}/assignees`, { assignees: [] }), [401, 403, 403, 201, 201, 201]],
  ['lock', (client, at) => client.put(`${at}/lock`), [401, 403, 403, 403, 204, 204]],
  ['unlock', (client, at) => client.delete(`${at}/lock`), [401, 403, 403, 403, 204, 204]],
  ['pin', (client, at) => client.put(`${at}/pin`), [401, 403, 403, 403, 204, 204]],
  ['unpin', (client, at) => client.delete(`${at}/pin`), [401, 403, 403, 403, 204, 204]],
  [
    'transfer',
    (client, at) => client.post(`${at}/transfer`, { new_repository: 'goal' }),
    [401, 403, 403, 403, 201, 201],
  ],
  ['delete', (client, at) => client.delete(at), [401, 403, 403, 403, 403, 204]],
  ['list labels', (client) => client.get('/repos/owner/open/labels'), [200, 200, 200, 200, 200, 200]],
  [
    'make a label',
    (client) => client.post('/repos/owner/open/labels', { name: fresh() }),
    [401, 403, 403, 403, 201, 201],
  ],
  [
    'change a label',
    (client) => client.patch('/repos/owner/open/labels/bug', { color: 'aabbcc' }),
    [401, 403, 403, 403, 200, 200],
  ],
  [
    'make a milestone',
    (client) => client.post('/repos/owner/open/milestones', { title: fresh() }),
    [401, 403, 403, 403, 201, 201],
  ],
  [
    'change a milestone',
    (client) => client.patch('/repos/owner/open/milestones/1', { state: 'open' }),
    [401, 403, 403, 403, 200, 200],
  ],
  ['list assignable', (client) => client.get('/repos/owner/open/assignees'), [200, 200, 200, 200, 200, 200]],
]

let count = 0
const fresh = () => `fresh ${++count}`

describe('rights to issues', () => {
  let server: TestServer
  let owner: RestClient
  let clients: Record<Standing, RestClient>
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    owner = await makeUser(server, 'owner')
    for (const draft of [{ name: 'open' }, { name: 'goal' }, { name: 'hidden', private: true }])
      await owner.post('/user/repos', draft)
    await owner.post('/repos/owner/open/milestones', { title: 'Goal' })
    const join = async (login: string, permission: string) => {
      const client = await makeUser(server, login)
      for (const name of ['open', 'goal']) {
        const { body } = await owner.put(`/repos/owner/${name}/collaborators/${login}`, { permission })
        await client.patch(`/user/repository_invitations/${body.id}`)
      }
      return client
    }
    clients = {
      nobody: makeRest(server.url),
      reader: await makeUser(server, 'reader'),
      author: await makeUser(server, 'author'),
      triage: await join('triager', 'triage'),
      write: await join('writer', 'push'),
      admin: await join('boss', 'admin'),
    }
  })
  after(() => server.stop())

  for (const [name, ask, expected] of acts)
    test(`to ${name}`, async () => {
      const found: number[] = []
      for (const standing of standings) {
        const { body } = await clients.author.post(issues, { title: 'A title' })
        found.push((await ask(clients[standing], `${issues}/${body.number}`)).status)
        await owner.delete(`${issues}/${body.number}/pin`)
      }
      assert.deepEqual(found, expected)
    })

  test('labels, assignees and milestone of one who may not triage are dropped without a word', async () => {
    const wanted = { labels: ['bug'], assignees: ['owner'], milestone: 1 }
    const { body } = await clients.author.post(issues, { title: 'Mine', ...wanted })
    const { body: edited, status } = await clients.author.patch(`${issues}/${body.number}`, {
      ...wanted,
      title: 'Still',
    })
    assert.deepEqual(
      [status, edited.title, edited.labels, edited.assignees, edited.milestone],
      [200, 'Still', [], [], null],
    )
    const { body: by } = await clients.triage.patch(`${issues}/${body.number}`, wanted)
    assert.deepEqual([by.labels.length, by.assignees.length, by.milestone.number], [1, 1, 1])
  })

  test('in a locked conversation an author who may not comment changes no text, and may withdraw it', async () => {
    const { author, write } = clients
    const { body } = await author.post(issues, { title: 'Mine' })
    const at = `${issues}/${body.number}`
    const { body: comment } = await author.post(`${at}/comments`, { body: 'Hm' })
    await owner.put(`${at}/lock`)
    const statuses = async (client: RestClient) => [
      (await client.post(`${at}/comments`, { body: 'More' })).status,
      (await client.patch(`${issues}/comments/${comment.id}`, { body: '@owner, @reader' })).status,
      (await client.patch(at, { body: '@owner' })).status,
      (await client.patch(at, { title: 'Shout' })).status,
      (await client.patch(at, { state: 'closed' })).status,
      (await client.patch(at, { state: 'open' })).status,
    ]
    assert.deepEqual(await statuses(author), [403, 403, 403, 403, 200, 403])
    assert.equal((await author.get(at)).body.title, 'Mine')
    assert.deepEqual(await statuses(write), [201, 200, 200, 200, 200, 200])
    await owner.delete(`${at}/lock`)
    assert.deepEqual(await statuses(author), [201, 200, 200, 200, 200, 200])
    await owner.put(`${at}/lock`)
    assert.equal((await author.delete(`${issues}/comments/${comment.id}`)).status, 204)
  })

  test('one who may triage puts on labels that are there, and makes none', async () => {
    const { body } = await clients.triage.post(issues, { title: 'Labelled', labels: ['bug', 'unheard of'] })
    assert.deepEqual(
      body.labels.map(({ name }: { name: string }) => name),
      ['bug'],
    )
    assert.equal((await owner.get('/repos/owner/open/labels/unheard%20of')).status, 404)
  })

  test('of what is private nobody else sees that it is there', async () => {
    const { body } = await owner.post('/repos/owner/hidden/issues', { title: 'Secret' })
    const { body: events } = await owner.get('/repos/owner/hidden/issues/events')
    assert.deepEqual(events, [])
    for (const client of [clients.nobody, clients.reader, clients.admin])
      for (const path of [
        `issues/${body.number}`,
        'issues',
        'issues/events',
        'issues/events/1',
        'labels',
        'milestones',
      ])
        assert.equal((await client.get(`/repos/owner/hidden/${path}`)).status, 404)
    for (const client of [clients.reader, clients.admin])
      for (const path of ['/issues?filter=all&state=all', '/user/issues?filter=all'])
        assert.ok(!(await client.get(path)).text.includes('Secret'))
    assert.ok((await owner.get('/issues?filter=all')).text.includes('Secret'))
  })

  test('events are served to tokens for issues or for pulls, by the kind of list', async () => {
    const { body: issue } = await owner.post('/repos/owner/hidden/issues', { title: 'Told', labels: ['bug'] })
    const { body: events } = await owner.get('/repos/owner/hidden/issues/events')
    const token = async (kind: string, permissions: object) => {
      const repositories = kind === 'app-user' ? 'all' : ['owner/hidden']
      return makeRest(server.url, await makeToken(server, 'owner', { kind, permissions, repositories }))
    }
    const paths = ['issues/events', `issues/events/${events[0].id}`, `issues/${issue.number}/events`]
    const statuses = async (client: RestClient) =>
      Promise.all(paths.map(async (path) => (await client.get(`/repos/owner/hidden/${path}`)).status))
    for (const kind of ['fine-grained', 'app-user', 'installation', 'workflow']) {
      assert.deepEqual(await statuses(await token(kind, { issues: 'read' })), [200, 200, 200], kind)
      assert.deepEqual(await statuses(await token(kind, { pull_requests: 'read' })), [403, 200, 200], kind)
      assert.deepEqual(await statuses(await token(kind, { contents: 'read' })), [403, 403, 403], kind)
    }
  })
})
