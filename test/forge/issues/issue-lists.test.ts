/** Lists of issues, labels and milestones: every filter and order, through the published client. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

/** What each issue of the list has; numbers count from 1. */
const drafts = [
  { title: 'one', labels: ['bug'], assignees: ['ann'], milestone: 1 },
  { title: 'two', labels: ['bug', 'question'], assignees: ['bob'] },
  { title: 'three', labels: ['question'], milestone: 2, body: 'Ask @bob.' },
  { title: 'four' },
  { title: 'five', labels: ['BUG'], assignees: ['ann', 'bob'], milestone: 1 },
]
const closed = [2, 5]
/** Made by bob. */
const byBob = [4]

type Row = readonly [query: string, numbers: readonly number[]]
const rows: readonly Row[] = [
  ['', [4, 3, 1]],
  ['state=open', [4, 3, 1]],
  ['state=closed', [5, 2]],
  ['state=all', [5, 4, 3, 2, 1]],
  ['state=ALL&direction=asc', [1, 2, 3, 4, 5]],
  ['state=all&labels=bug', [5, 2, 1]],
  ['state=all&labels=Bug,question', [2]],
  ['state=all&labels=bug,none-such', []],
  ['state=all&assignee=ann', [5, 1]],
  ['state=all&assignee=BOB', [5, 2]],
  ['state=all&assignee=none', [4, 3]],
  ['state=all&assignee=*', [5, 2, 1]],
  ['state=all&creator=bob', [4]],
  ['state=all&mentioned=bob', [3]],
  ['state=all&milestone=1', [5, 1]],
  ['state=all&milestone=2', [3]],
  ['state=all&milestone=99', []],
  ['state=all&milestone=none', [4, 2]],
  ['state=all&milestone=*', [5, 3, 1]],
  ['state=all&sort=updated', [1, 5, 2, 4, 3]],
  ['state=all&sort=updated&direction=asc', [3, 4, 2, 5, 1]],
  ['state=all&sort=comments', [3, 5, 4, 2, 1]],
  ['state=all&sort=comments&direction=asc', [1, 2, 4, 5, 3]],
  ['state=all&since=2026-01-01T00:00:10Z', [5, 2, 1]],
  ['state=all&since=2026-01-01T01:00:11%2B01:00&assignee=ann', [5, 1]],
  ['state=all&per_page=2', [5, 4]],
  ['state=all&per_page=2&page=3', [1]],
]

for (const engine of engines)
  describe(`lists of issues on ${engine}`, () => {
    const clock = makeManualClock(Date.parse('2026-01-01T00:00:00Z'))
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    const numbersOf = (body: Json): number[] => body.map(({ number }: Json) => number)
    before(async () => {
      server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await ann.post('/user/repos', { name: 'open' })
      const { body } = await ann.put('/repos/ann/open/collaborators/bob', { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${body.id}`)
      for (const title of ['First', 'Second']) await ann.post('/repos/ann/open/milestones', { title })
      for (const [i, draft] of drafts.entries()) {
        clock.advance(1_000)
        await (byBob.includes(i + 1) ? bob : ann).post('/repos/ann/open/issues', draft)
      }
      for (const number of closed) {
        clock.advance(1_000)
        await ann.patch(`/repos/ann/open/issues/${number}`, { state: 'closed' })
      }
      await ann.post('/repos/ann/open/issues/3/comments', { body: 'A word' })
      for (const number of [3, 4, 2, 5, 1]) {
        clock.advance(1_000)
        await ann.patch(`/repos/ann/open/issues/${number}`, { body: `Text of ${number}` })
      }
    })
    after(() => server.stop())

    test('by every filter and order', async () => {
      const wrong: Json[] = []
      for (const [query, expected] of rows) {
        const { body } = await bob.get(`/repos/ann/open/issues?${query}`)
        if (JSON.stringify(numbersOf(body)) !== JSON.stringify(expected)) wrong.push([query, numbersOf(body), expected])
      }
      assert.deepEqual(wrong, [])
    })

    test('refuse words that are none, and people and milestones that can be none', async () => {
      for (const query of ['state=shut', 'sort=length', 'direction=up', 'milestone=soon', 'since=yesterday'])
        assert.deepEqual([query, (await ann.get(`/repos/ann/open/issues?${query}`)).status], [query, 422])
      for (const name of ['assignee', 'creator', 'mentioned']) {
        const { status, body } = await ann.get(`/repos/ann/open/issues?${name}=nobody-at-all`)
        assert.deepEqual([status, body.errors[0].field, body.errors[0].resource], [422, name, 'Issue'])
      }
    })

    test('are paged by the client to the last', async () => {
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url, log: quiet })
      const all = await octokit.paginate(octokit.rest.issues.listForRepo, {
        owner: 'ann',
        repo: 'open',
        state: 'all',
        per_page: 2,
      })
      assert.deepEqual(
        all.map(({ number }) => number),
        [5, 4, 3, 2, 1],
      )
    })

    test('of one’s own go across repositories, by how one has to do with them', async () => {
      await asAdmin(server).post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await ann.post('/orgs/acme/repos', { name: 'tool', private: true })
      await ann.post('/repos/acme/tool/issues', { title: 'of acme', assignees: ['ann'] })
      const titles = async (client: RestClient, path: string) =>
        (await client.get(path)).body.map(({ title, repository }: Json) => `${repository.name}: ${title}`).sort()
      assert.deepEqual(await titles(ann, '/issues'), ['open: one', 'tool: of acme'])
      assert.deepEqual(await titles(ann, '/user/issues?filter=assigned&state=closed'), ['open: five'])
      assert.deepEqual(await titles(bob, '/issues?filter=created'), ['open: four'])
      assert.deepEqual(await titles(bob, '/issues?filter=subscribed&state=all'), [
        'open: five',
        'open: four',
        'open: three',
        'open: two',
      ])
      assert.deepEqual(await titles(ann, '/orgs/acme/issues?filter=all'), ['tool: of acme'])
      assert.deepEqual(await titles(ann, '/orgs/acme/issues?filter=created'), ['tool: of acme'])
      assert.deepEqual(await titles(bob, '/issues?filter=repos'), ['open: four', 'open: one', 'open: three'])
      assert.equal((await ann.get('/issues?filter=anything')).status, 422)
      assert.equal((await bob.get('/orgs/acme/issues')).status, 403)
    })

    test('a new repository has nine labels, and labels are made, renamed and deleted', async () => {
      await ann.post('/user/repos', { name: 'fresh' })
      const api = new Octokit({ auth: ann.token, baseUrl: server.url, log: quiet }).rest.issues
      const at = { owner: 'ann', repo: 'fresh' }
      const { data: first } = await api.listLabelsForRepo(at)
      assert.deepEqual(
        first.map(({ name, color, default: isDefault }) => `${name} ${color} ${isDefault}`),
        [
          'bug d73a4a true',
          'documentation 0075ca true',
          'duplicate cfd3d7 true',
          'enhancement a2eeef true',
          'good first issue 7057ff true',
          'help wanted 008672 true',
          'invalid e4e669 true',
          'question d876e3 true',
          'wontfix ffffff true',
        ],
      )
      const { data: made } = await api.createLabel({ ...at, name: 'Ünlaut / 🐛', color: 'ABCDEF', description: 'Odd' })
      assert.deepEqual([made.color, made.default, made.description], ['abcdef', false, 'Odd'])
      const { data: renamed } = await api.updateLabel({ ...at, name: 'ünlaut / 🐛', new_name: 'Plain' })
      assert.deepEqual([renamed.id, renamed.name, renamed.color], [made.id, 'Plain', 'abcdef'])
      for (const draft of [{ name: 'PLAIN' }, { name: 'x', color: 'red' }, { name: '  ' }, {}]) {
        const { status, body } = await ann.post('/repos/ann/fresh/labels', draft)
        assert.deepEqual([status, body.errors[0].resource], [422, 'Label'])
      }
      await api.deleteLabel({ ...at, name: 'plain' })
      assert.equal((await ann.get('/repos/ann/fresh/labels/Plain')).status, 404)
    })

    test('milestones are listed by due date and completeness, and their numbers are not given again', async () => {
      const api = new Octokit({ auth: ann.token, baseUrl: server.url, log: quiet }).rest.issues
      const at = { owner: 'ann', repo: 'open' }
      const due = '2026-06-01T00:00:00Z'
      const { data: made } = await api.createMilestone({ ...at, title: 'Third', due_on: due, description: 'Soon' })
      assert.deepEqual([made.number, made.due_on, made.state, made.creator?.login], [3, due, 'open', 'ann'])
      const list = async (query: string) => numbersOf((await ann.get(`/repos/ann/open/milestones?${query}`)).body)
      assert.deepEqual(await list(''), [3, 1, 2])
      assert.deepEqual(await list('direction=desc'), [2, 1, 3])
      assert.deepEqual(await list('sort=completeness&direction=desc'), [1, 3, 2])
      const { data: closedOne } = await api.updateMilestone({ ...at, milestone_number: 3, state: 'closed' })
      assert.ok(closedOne.closed_at)
      assert.deepEqual([await list('state=closed'), await list('state=all')], [[3], [3, 1, 2]])
      assert.deepEqual(
        (await ann.get('/repos/ann/open/milestones/1/labels')).body.map(({ name }: Json) => name),
        ['bug'],
      )
      await api.deleteMilestone({ ...at, milestone_number: 3 })
      const { data: next } = await api.createMilestone({ ...at, title: 'Third' })
      assert.equal(next.number, 4)
      const again = await ann.post('/repos/ann/open/milestones', { title: 'THIRD' })
      assert.deepEqual([again.status, again.body.errors[0].code], [422, 'already_exists'])
      assert.equal((await ann.patch('/repos/ann/open/milestones/4', { due_on: 'soon' })).status, 422)
    })
  })
