/** Comments and reactions through the published client: written, listed, edited, deleted; who may, and what is locked. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const connect = (server: TestServer, { token }: RestClient) =>
  new Octokit({ auth: token, baseUrl: server.url, log: quiet }).rest

for (const engine of oneEngine)
  describe(`comments on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let bob: RestClient
    let api: Octokit['rest']
    const open = { owner: 'ann', repo: 'open' }
    const openIssue = async (title = 'An issue', body = '') =>
      (await api.issues.create({ ...open, title, body })).data.number
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      ann = await makeUser(server, 'ann')
      bob = await makeUser(server, 'bob')
      api = connect(server, ann)
      await ann.post('/user/repos', { name: 'open' })
      await ann.post('/user/repos', { name: 'hidden', private: true })
    })
    after(() => server.stop())

    test('are written, counted, read, edited and deleted', async () => {
      const at = { ...open, issue_number: await openIssue() }
      const { data: made } = await connect(server, bob).issues.createComment({ ...at, body: 'I see it, too.' })
      assert.deepEqual(
        [made.body, made.user?.login, made.author_association, made.issue_url.split('/').at(-1)],
        ['I see it, too.', 'bob', 'NONE', String(at.issue_number)],
      )
      assert.equal((await api.issues.get(at)).data.comments, 1)
      const { data: own } = await api.issues.createComment({ ...at, body: 'Thanks.' })
      assert.equal(own.author_association, 'OWNER')
      const { data: listed } = await api.issues.listComments(at)
      assert.deepEqual(listed, [made, own])
      const one = { ...open, comment_id: made.id }
      const { data: edited } = await api.issues.updateComment({ ...one, body: 'Corrected by the owner' })
      assert.deepEqual([edited.body, edited.user?.login], ['Corrected by the owner', 'bob'])
      assert.deepEqual((await api.issues.getComment(one)).data, edited)
      assert.equal((await api.issues.deleteComment(one)).status, 204)
      await assert.rejects(api.issues.getComment(one), { status: 404 })
      assert.equal((await api.issues.get(at)).data.comments, 1)
    })

    test('of a repository are listed by time of making or of change, and from a time on', async () => {
      const { body } = await ann.post('/user/repos', { name: 'listed' })
      const there = { owner: 'ann', repo: body.name }
      const { data: issue } = await api.issues.create({ ...there, title: 'One' })
      const { data: other } = await api.issues.create({ ...there, title: 'Two' })
      const ids: number[] = []
      for (const number of [issue.number, other.number, issue.number])
        ids.push((await api.issues.createComment({ ...there, issue_number: number, body: 'x' })).data.id)
      const madeAt = Date.now()
      await until(() => Date.now() > madeAt)
      await api.issues.updateComment({ ...there, comment_id: ids[0]!, body: 'y' })
      const listed = async (query: object) =>
        (await api.issues.listCommentsForRepo({ ...there, ...query })).data.map(({ id }) => ids.indexOf(id))
      assert.deepEqual(await listed({}), [0, 1, 2])
      assert.deepEqual(await listed({ direction: 'desc' }), [0, 1, 2])
      assert.deepEqual(await listed({ sort: 'created', direction: 'desc' }), [2, 1, 0])
      assert.deepEqual(await listed({ sort: 'updated' }), [0, 2, 1])
      assert.deepEqual(await listed({ since: '2100-01-01T00:00:00Z' }), [])
      assert.deepEqual(await listed({ since: '2020-01-01T00:00:00Z', per_page: 2, page: 2 }), [2])
      assert.equal((await ann.get('/repos/ann/listed/issues/comments?sort=size')).status, 422)
    })

    test('are for those who may: their authors, those who may write, and nobody without a word', async () => {
      const number = await openIssue()
      const path = `/repos/ann/open/issues/${number}/comments`
      const { body: made } = await ann.post(path, { body: 'Mine' })
      const nobody = makeRest(server.url)
      const shown = [
        (await nobody.get(path)).status,
        (await nobody.post(path, { body: 'x' })).status,
        (await bob.patch(`/repos/ann/open/issues/comments/${made.id}`, { body: 'x' })).status,
        (await bob.delete(`/repos/ann/open/issues/comments/${made.id}`)).status,
        (await bob.post(path, { body: '  \n' })).status,
        (await bob.post(path, {})).status,
        (await bob.post(path, { body: 'x'.repeat(262_145) })).status,
        (await bob.post('/repos/ann/hidden/issues/1/comments', { body: 'x' })).status,
        (await ann.post('/repos/ann/open/issues/99999/comments', { body: 'x' })).status,
        (await ann.get('/repos/ann/hidden/issues/comments/1')).status,
      ]
      assert.deepEqual(shown, [200, 401, 403, 403, 422, 422, 422, 404, 404, 404])
    })

    test('by a token for issues alone are not of pulls, nor by one for reading', async () => {
      const number = await openIssue()
      const path = `/repos/ann/open/issues/${number}/comments`
      const tokenFor = async (permissions: object) =>
        makeRest(server.url, await makeToken(server, 'ann', { kind: 'fine-grained', permissions, repositories: 'all' }))
      assert.equal((await (await tokenFor({ issues: 'write' })).post(path, { body: 'x' })).status, 201)
      assert.equal((await (await tokenFor({ issues: 'read' })).post(path, { body: 'x' })).status, 403)
      assert.equal((await (await tokenFor({ pull_requests: 'write' })).post(path, { body: 'x' })).status, 403)
    })

    test('are in the form that the media type asks for, as their issues are', async () => {
      const number = await openIssue('Forms', '**Bold** for @bob and @nobody-at-all, see #1')
      const path = `/repos/ann/open/issues/${number}`
      await ann.post(`${path}/comments`, { body: '<b>x</b><script>alert(1)</script>' })
      const ask = async (form: string, end = '') =>
        (await ann.get(path + end, { accept: `application/vnd.${form}+json` })).body
      const { body, body_html, body_text } = await ask('platform.full')
      assert.equal(body, '**Bold** for @bob and @nobody-at-all, see #1')
      assert.equal(body_text, 'Bold for @bob and @nobody-at-all, see #1')
      assert.match(body_html, /^<p><strong>Bold<\/strong> for <a class="user-mention" href="http[^"]*\/bob"/)
      assert.match(
        body_html,
        /<\/a> and @nobody-at-all, see <a class="issue-link" href="http[^"]*\/ann\/open\/issues\/1"/,
      )
      const [html] = await ask('github.v3.html', '/comments')
      assert.deepEqual([html.body, html.body_html], [undefined, '<p><b>x</b></p>\n'])
      const [text] = await ask('github.text', '/comments')
      assert.deepEqual([text.body, text.body_text, text.body_html], [undefined, 'xalert(1)', undefined])
      const [raw] = await ask('github.raw', '/comments')
      assert.deepEqual(
        Object.keys(raw).filter((name) => name.startsWith('body')),
        ['body'],
      )
    })

    test('and issues are reacted to, once in each way, and the sum is told', async () => {
      const number = await openIssue()
      const at = { ...open, issue_number: number }
      const { data: comment } = await api.issues.createComment({ ...at, body: 'x' })
      const other = connect(server, bob)
      const first = await other.reactions.createForIssue({ ...at, content: 'heart' })
      const again = await other.reactions.createForIssue({ ...at, content: 'heart' })
      assert.deepEqual([first.status, again.status, again.data.id], [201, 200, first.data.id])
      await api.reactions.createForIssue({ ...at, content: 'heart' })
      await api.reactions.createForIssue({ ...at, content: '+1' })
      const { reactions } = (await api.issues.get(at)).data
      assert.deepEqual([reactions?.total_count, reactions?.heart, reactions?.['+1'], reactions?.eyes], [3, 2, 1, 0])
      const { data: hearts } = await api.reactions.listForIssue({ ...at, content: 'heart' })
      assert.deepEqual(
        hearts.map(({ user }) => user?.login),
        ['bob', 'ann'],
      )
      await other.reactions.createForIssueComment({ ...open, comment_id: comment.id, content: 'rocket' })
      const [listed] = (await api.issues.listComments(at)).data
      assert.deepEqual([listed!.reactions?.total_count, listed!.reactions?.rocket], [1, 1])
      const { data: all } = await api.reactions.listForIssueComment({ ...open, comment_id: comment.id })
      const removal = { ...open, comment_id: comment.id, reaction_id: all[0]!.id }
      assert.equal((await other.reactions.deleteForIssueComment(removal)).status, 204)
      await assert.rejects(other.reactions.deleteForIssueComment(removal), { status: 404 })
      const [own] = hearts.filter(({ user }) => user?.login === 'ann')
      await assert.rejects(other.reactions.deleteForIssue({ ...at, reaction_id: own!.id }), { status: 403 })
      assert.equal((await bob.post(`/repos/ann/open/issues/${number}/reactions`, { content: 'smile' })).status, 422)
      assert.equal((await bob.post('/repos/ann/hidden/issues/1/reactions', { content: 'eyes' })).status, 404)
    })

    test('written by many at once are all there and counted', async () => {
      const number = await openIssue()
      const at = { ...open, issue_number: number }
      const clients = [api, connect(server, bob)]
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          clients[index % 2]!.issues.createComment({ ...at, body: `No ${index}` }),
        ),
      )
      assert.equal((await api.issues.get(at)).data.comments, 20)
      const { data } = await api.issues.listComments({ ...at, per_page: 100 })
      assert.equal(new Set(data.map(({ body }) => body)).size, 20)
    })
  })
