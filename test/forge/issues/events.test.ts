/** Acts on issues and the exact events that they leave, each held to its own component of the published description. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { oneEngine } from '../../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const document: Json = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json'), 'utf8'),
)
const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false })
;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
ajv.addSchema({ $id: 'api', components: withNulls(document.components) })

function withNulls(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withNulls)
  if (schema === null || typeof schema !== 'object') return schema
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withNulls(value)]),
  )
  if (nullable !== true) return rest
  if (rest.enum) rest.enum = [...rest.enum, null]
  return { anyOf: [rest, { type: 'null' }] }
}

/** Those without a component of their own change the state of something. */
const components: Record<string, string> = {
  labeled: 'labeled-issue-event',
  unlabeled: 'unlabeled-issue-event',
  assigned: 'assigned-issue-event',
  unassigned: 'unassigned-issue-event',
  milestoned: 'milestoned-issue-event',
  demilestoned: 'demilestoned-issue-event',
  renamed: 'renamed-issue-event',
  locked: 'locked-issue-event',
}

function demandDescribed(event: Json): void {
  const name = components[event.event] ?? 'state-change-issue-event'
  const validate = ajv.getSchema(`api#/components/schemas/${name}`)!
  assert.ok(validate(event), `${event.event}: ${JSON.stringify(validate.errors?.slice(0, 3))}`)
}

/** What is told of each event: its type, who did it, and what its type carries. */
function digest(event: Json): Json {
  const { id, node_id, url, actor, event: type, commit_id, commit_url, created_at, ...rest } = event
  const { performed_via_platform_app: app, performed_via_github_app: sameApp, ...extra } = rest
  assert.deepEqual([app, sameApp], [null, null])
  for (const name of ['assignee', 'assigner']) if (extra[name]) extra[name] = extra[name].login
  return { type, by: actor.login, ...(commit_id && { commit_id }), ...extra }
}

type Step = { readonly name: string; readonly act: (at: string) => Promise<unknown>; readonly events: Json[] }

for (const engine of oneEngine)
  describe(`events on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      await ann.post('/user/repos', { name: 'open' })
      const { body } = await ann.put('/repos/ann/open/collaborators/bob', { permission: 'triage' })
      await bob.patch(`/user/repository_invitations/${body.id}`)
      for (const title of ['One', 'Two']) await ann.post('/repos/ann/open/milestones', { title })
    })
    after(() => server.stop())

    const bug = { name: 'bug', color: 'd73a4a' }
    const question = { name: 'question', color: 'd876e3' }
    const steps: Step[] = [
      { name: 'nothing but being opened', act: async () => {}, events: [] },
      {
        name: 'labels put on, one of them twice',
        act: async (at) => {
          await ann.post(`${at}/labels`, ['bug', 'BUG'])
          await bob.post(`${at}/labels`, { labels: ['bug', { name: 'question' }] })
        },
        events: [
          { type: 'labeled', by: 'ann', label: bug },
          { type: 'labeled', by: 'bob', label: question },
        ],
      },
      {
        name: 'labels set, taken off and cleared',
        act: async (at) => {
          await ann.post(`${at}/labels`, ['bug'])
          await ann.put(`${at}/labels`, { labels: ['question'] })
          await ann.delete(`${at}/labels/question`)
          assert.equal((await ann.delete(`${at}/labels/question`)).status, 404)
          await ann.patch(at, { labels: ['bug'] })
          await ann.delete(`${at}/labels`)
          await ann.delete(`${at}/labels`)
        },
        events: [
          { type: 'labeled', by: 'ann', label: bug },
          { type: 'unlabeled', by: 'ann', label: bug },
          { type: 'labeled', by: 'ann', label: question },
          { type: 'unlabeled', by: 'ann', label: question },
          { type: 'labeled', by: 'ann', label: bug },
          { type: 'unlabeled', by: 'ann', label: bug },
        ],
      },
      {
        name: 'assignees added, added again, removed and set',
        act: async (at) => {
          await bob.post(`${at}/assignees`, { assignees: ['ann', 'nobody'] })
          await bob.post(`${at}/assignees`, { assignees: ['ann'] })
          await ann.patch(at, { assignees: ['bob'] })
          await ann.ask('DELETE', `${at}/assignees`, { assignees: ['BOB', 'ann'] })
        },
        events: [
          { type: 'assigned', by: 'bob', assignee: 'ann', assigner: 'bob' },
          { type: 'unassigned', by: 'ann', assignee: 'ann', assigner: 'ann' },
          { type: 'assigned', by: 'ann', assignee: 'bob', assigner: 'ann' },
          { type: 'unassigned', by: 'ann', assignee: 'bob', assigner: 'ann' },
        ],
      },
      {
        name: 'a milestone set, changed and taken away',
        act: async (at) => {
          await ann.patch(at, { milestone: 1 })
          await ann.patch(at, { milestone: '1' })
          await ann.patch(at, { milestone: 2 })
          await ann.patch(at, { milestone: null })
        },
        events: [
          { type: 'milestoned', by: 'ann', milestone: { title: 'One' } },
          { type: 'demilestoned', by: 'ann', milestone: { title: 'One' } },
          { type: 'milestoned', by: 'ann', milestone: { title: 'Two' } },
          { type: 'demilestoned', by: 'ann', milestone: { title: 'Two' } },
        ],
      },
      {
        name: 'a new title, the same title, a new text',
        act: async (at) => {
          await ann.patch(at, { title: 'Better' })
          await ann.patch(at, { title: 'Better' })
          await ann.patch(at, { body: 'Told anew' })
        },
        events: [{ type: 'renamed', by: 'ann', rename: { from: 'A title', to: 'Better' } }],
      },
      {
        name: 'closed, closed again, reopened, closed with a reason',
        act: async (at) => {
          await ann.patch(at, { state: 'closed' })
          await ann.patch(at, { state: 'closed', state_reason: 'not_planned' })
          await bob.patch(at, { state: 'open' })
          await bob.patch(at, { state: 'closed', state_reason: 'not_planned' })
        },
        events: [
          { type: 'closed', by: 'ann', state_reason: 'completed' },
          { type: 'reopened', by: 'bob', state_reason: 'reopened' },
          { type: 'closed', by: 'bob', state_reason: 'not_planned' },
        ],
      },
      {
        name: 'locked, locked again, unlocked twice',
        act: async (at) => {
          await ann.put(`${at}/lock`, { lock_reason: 'too heated' })
          await ann.put(`${at}/lock`, { lock_reason: 'too heated' })
          await ann.delete(`${at}/lock`)
          await ann.delete(`${at}/lock`)
          await ann.put(`${at}/lock`)
        },
        events: [
          { type: 'locked', by: 'ann', lock_reason: 'too heated' },
          { type: 'unlocked', by: 'ann', lock_reason: null },
          { type: 'locked', by: 'ann', lock_reason: null },
        ],
      },
      {
        name: 'pinned twice and unpinned twice',
        act: async (at) => {
          for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE'])
            assert.equal((await ann.ask(method, `${at}/pin`)).status, 204)
        },
        events: [
          { type: 'pinned', by: 'ann' },
          { type: 'unpinned', by: 'ann' },
        ],
      },
      {
        name: 'its label and its milestone deleted',
        act: async (at) => {
          await ann.post('/repos/ann/open/labels', { name: 'doomed', color: '#00FF00' })
          const { body } = await ann.post('/repos/ann/open/milestones', { title: 'Doomed' })
          await ann.patch(at, { labels: ['doomed'], milestone: body.number })
          await ann.delete('/repos/ann/open/labels/doomed')
          await ann.delete(`/repos/ann/open/milestones/${body.number}`)
        },
        events: [
          { type: 'milestoned', by: 'ann', milestone: { title: 'Doomed' } },
          { type: 'labeled', by: 'ann', label: { name: 'doomed', color: '00ff00' } },
          { type: 'unlabeled', by: 'ann', label: { name: 'doomed', color: '00ff00' } },
          { type: 'demilestoned', by: 'ann', milestone: { title: 'Doomed' } },
        ],
      },
      {
        name: 'one edit of everything',
        act: (at) =>
          ann.patch(at, {
            title: 'New',
            labels: ['bug'],
            assignees: ['ann'],
            milestone: 1,
            state: 'closed',
            body: 'x',
          }),
        events: [
          { type: 'renamed', by: 'ann', rename: { from: 'A title', to: 'New' } },
          { type: 'milestoned', by: 'ann', milestone: { title: 'One' } },
          { type: 'labeled', by: 'ann', label: bug },
          { type: 'assigned', by: 'ann', assignee: 'ann', assigner: 'ann' },
          { type: 'closed', by: 'ann', state_reason: 'completed' },
        ],
      },
    ]

    for (const { name, act, events } of steps)
      test(`${name}`, async () => {
        const { body: issue } = await ann.post('/repos/ann/open/issues', { title: 'A title', body: 'A text' })
        const at = `/repos/ann/open/issues/${issue.number}`
        await act(at)
        const { body: told } = await bob.get(`${at}/events`)
        for (const event of told) demandDescribed(event)
        assert.deepEqual(told.map(digest), events)
      })

    test('of a repository come newest first with their issue, of an issue oldest first without', async () => {
      const { body: all } = await ann.get('/repos/ann/open/issues/events?per_page=100')
      const ids = all.map(({ id }: Json) => id)
      assert.ok(ids.length > 20)
      assert.deepEqual(
        ids,
        [...ids].sort((a, b) => b - a),
      )
      const numbers = [...new Set<number>(all.map(({ issue }: Json) => issue.number))]
      const each: number[] = []
      for (const number of numbers) {
        const { body } = await ann.get(`/repos/ann/open/issues/${number}/events?per_page=100`)
        assert.ok(body.every((event: Json) => !('issue' in event)))
        assert.deepEqual(
          body.map(({ id }: Json) => id),
          body.map(({ id }: Json) => id).sort((a: number, b: number) => a - b),
        )
        each.push(...body.map(({ id }: Json) => id))
      }
      assert.deepEqual(
        each.sort((a, b) => b - a),
        ids,
      )
      const { body: one } = await ann.get(`/repos/ann/open/issues/events/${ids[3]}`)
      assert.deepEqual(one, all[3])
    })

    test('are paged by any size, to the 300th page and no further', async () => {
      const { body: all } = await ann.get('/repos/ann/open/issues/events?per_page=100')
      const paged: Json[] = []
      for (let page = 1; ; page++) {
        const { body, headers } = await ann.get(`/repos/ann/open/issues/events?per_page=7&page=${page}`)
        paged.push(...body)
        if (!headers.get('link')?.includes('rel="next"')) break
      }
      assert.deepEqual(paged, all)
      assert.deepEqual((await ann.get('/repos/ann/open/issues/events?page=300')).body, [])
      const beyond = await ann.get('/repos/ann/open/issues/events?page=301')
      assert.deepEqual([beyond.status, beyond.body.errors[0].field], [422, 'page'])
    })

    test('of an issue are read by a token for issues or for pulls, and by no other', async () => {
      await ann.post('/user/repos', { name: 'private', private: true })
      await ann.post('/repos/ann/private/issues', { title: 'Hidden', labels: ['bug'] })
      const ask = async (permissions: object) => {
        const token = await makeToken(server, 'ann', { kind: 'fine-grained', permissions, repositories: 'all' })
        return (await makeRest(server.url, token).get('/repos/ann/private/issues/1/events')).status
      }
      assert.equal(await ask({ issues: 'read' }), 200)
      assert.equal(await ask({ pull_requests: 'read' }), 200)
      assert.equal(await ask({ contents: 'read' }), 403)
    })

    test('that are not there are 404, and so are those of another repository', async () => {
      await ann.post('/user/repos', { name: 'other' })
      const { body } = await ann.get('/repos/ann/open/issues/events?per_page=1')
      assert.equal((await ann.get(`/repos/ann/other/issues/events/${body[0].id}`)).status, 404)
      assert.equal((await ann.get('/repos/ann/open/issues/events/999999')).status, 404)
      assert.equal((await ann.get('/repos/ann/open/issues/999999/events')).status, 404)
    })
  })
