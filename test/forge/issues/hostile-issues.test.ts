/** What nobody in their senses sends about issues is refused with what is wrong, and leaves nothing behind. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { asAdmin, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const longest = 262_144

for (const engine of oneEngine)
  describe(`hostile words about issues on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    const issues = '/repos/ann/open/issues'
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      await ann.post('/user/repos', { name: 'open', auto_init: true })
    })
    after(() => server.stop())

    test('are refused with the field that is wrong', async () => {
      const { body: issue } = await ann.post(issues, { title: 'There' })
      const at = `${issues}/${issue.number}`
      const cases: readonly [method: string, path: string, body: unknown, status: number, field?: string][] = [
        ['POST', issues, { title: 'x'.repeat(257) }, 422, 'title'],
        ['POST', issues, { title: 'x'.repeat(1024 * 1024) }, 413],
        ['POST', issues, { title: 'x', body: 'y'.repeat(longest + 1) }, 422, 'body'],
        ['POST', issues, { title: 'a\0b' }, 422, 'title'],
        ['POST', issues, { title: 'x', body: 'a\0b' }, 422, 'body'],
        ['POST', issues, { title: 'x', body: '\ud800' }, 422, 'body'],
        ['POST', issues, { title: '   ' }, 422, 'title'],
        ['POST', issues, {}, 422, 'title'],
        ['POST', issues, [], 400],
        ['POST', issues, { title: ['x'] }, 422, 'title'],
        ['POST', issues, { title: 'x', milestone: 7 }, 422, 'milestone'],
        ['POST', issues, { title: 'x', milestone: 'soon' }, 422, 'milestone'],
        ['POST', issues, { title: 'x', labels: Array(10_000).fill('l') }, 422, 'labels'],
        ['POST', issues, { title: 'x', labels: ['x'.repeat(51)] }, 422, 'labels.0'],
        ['POST', issues, { title: 'x', labels: 'bug' }, 422, 'labels'],
        ['POST', issues, { title: 'x', assignees: Array(101).fill('ann') }, 422, 'assignees'],
        ['PATCH', at, { state: 'ajar' }, 422, 'state'],
        ['PATCH', at, { state: 'closed', state_reason: 'bored' }, 422, 'state_reason'],
        ['PUT', `${at}/lock`, { lock_reason: 'dislike' }, 422, 'lock_reason'],
        ['PUT', `${at}/labels`, Array(101).fill('x'), 422],
        ['POST', `${at}/labels`, ['a\0b'], 422],
        ['POST', `${at}/labels`, '"bug"', 400],
        ['GET', `${issues}?labels=${Array(51).fill('x').join(',')}`, undefined, 422, 'labels'],
        ['GET', `${issues}?creator=%00`, undefined, 422],
        ['GET', `${issues}/0`, undefined, 404],
        ['GET', `${issues}/-1`, undefined, 404],
        ['GET', `${issues}/1e3`, undefined, 404],
        ['GET', `${issues}/99999999999999999999`, undefined, 404],
        ['GET', `${issues}/events/99999999999999999999`, undefined, 404],
        ['POST', `${at}/transfer`, { new_repository: '../../etc' }, 404],
        ['POST', '/repos/ann/open/milestones', { title: 'x'.repeat(256) }, 422, 'title'],
      ]
      const wrong: unknown[] = []
      for (const [method, path, body, status, field] of cases) {
        const answer = await ann.ask(method, path, body)
        const found = field === undefined || answer.body.errors?.some((one: { field: string }) => one.field === field)
        if (answer.status !== status || !found) wrong.push([method, path.slice(0, 80), answer.status, answer.body])
      }
      assert.deepEqual(wrong, [])
      const { body } = await ann.get(`${issues}?state=all`)
      assert.equal(body.length, 1)
    })

    test('without end are told their first fault alone', async () => {
      const { body } = await ann.post(issues, { title: 'x', labels: Array(50_000).fill({}) })
      assert.equal(body.errors.length, 1)
      assert.equal(body.errors[0].field, 'labels')
      const endless = await ann.post('/repos/ann/open/git/trees', { tree: Array(300_000).fill(1) })
      assert.deepEqual([endless.status, /more than 200000 values/.test(endless.text)], [413, true], endless.text)
      const lines = 'YWFh\n'.repeat(1000)
      const blob = await ann.post('/repos/ann/open/git/blobs', { content: lines, encoding: 'base64' })
      assert.deepEqual([blob.status, blob.body.sha], [201, '1cd935d1b8f8dd847ba253daca9506ce2fb0591e'])
      const { body: twice } = await ann.post(issues, { title: null })
      assert.equal(twice.errors.length, 1)
    })

    test('that are merely long and strange are kept as they are', async () => {
      const body = `${'🙂'.repeat(1_000)}\r\n<script>alert(1)</script>${'z'.repeat(longest - 1_200)}`
      const title = '\u202e<b>"%s" \'; drop table issue; --'
      const made = await ann.post(issues, { title, body })
      assert.deepEqual([made.status, made.body.title, made.body.body], [201, title, body])
      const numeric = await ann.post(issues, { title: 42, labels: [{ name: 'bug', color: 'x' }], assignee: '' })
      assert.deepEqual([numeric.body.title, numeric.body.labels[0].name], ['42', 'bug'])
    })

    test('an issue has a hundred labels at most, a repository a thousand', async () => {
      const { body: issue } = await ann.post(issues, { title: 'Many' })
      const at = `${issues}/${issue.number}/labels`
      const names = (from: number, count: number) => Array.from({ length: count }, (_, i) => `label ${from + i}`)
      assert.equal((await ann.put(at, names(0, 100))).status, 200)
      assert.equal((await ann.post(at, ['one more'])).status, 422)
      assert.equal((await ann.get('/repos/ann/open/labels/one%20more')).status, 404)
      for (let i = 1; i < 9; i++) assert.equal((await ann.put(at, names(i * 100, 100))).status, 200)
      const before = (await ann.get('/repos/ann/open/labels?per_page=1')).headers.get('link')!
      const present = Number(/page=(\d+)>; rel="last"/.exec(before)![1])
      assert.equal((await ann.put(at, names(2_000, 1_000 - present))).status, 200)
      assert.equal((await ann.put(at, names(5_000, 1))).status, 422)
      assert.equal((await ann.post('/repos/ann/open/labels', { name: 'last straw' })).status, 422)
    })

    test('an issue has ten assignees at most, and three issues are pinned', async () => {
      await asAdmin(server).post('/admin/organizations', { login: 'crowd', admin: 'ann' })
      const logins = Array.from({ length: 11 }, (_, i) => `member-${i}`)
      for (const login of logins) {
        await asAdmin(server).post('/admin/users', { login })
        await asAdmin(server).put(`/orgs/crowd/memberships/${login}`, {})
      }
      await ann.post('/orgs/crowd/repos', { name: 'plaza' })
      const { body: members } = await ann.get('/repos/crowd/plaza/assignees?per_page=100')
      const able = members.map(({ login }: { login: string }) => login)
      const at = '/repos/crowd/plaza/issues'
      for (let i = 1; i <= 4; i++) await ann.post(at, { title: `Issue ${i}` })
      assert.equal(able.length, 12)
      assert.equal((await ann.post(`${at}/1/assignees`, { assignees: able.slice(0, 11) })).status, 422)
      assert.equal((await ann.post(`${at}/1/assignees`, { assignees: able.slice(0, 10) })).status, 201)
      assert.equal((await ann.post(`${at}/1/assignees`, { assignees: able.slice(10) })).status, 422)
      for (let i = 1; i <= 3; i++) assert.equal((await ann.put(`${at}/${i}/pin`)).status, 204)
      assert.equal((await ann.put(`${at}/4/pin`)).status, 422)
      await ann.delete(`${at}/2/pin`)
      assert.equal((await ann.put(`${at}/4/pin`)).status, 204)
    })
  })
