/** The timeline of a pull: commits, reviews, comments, events and what names it, in the order they came in. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { makeUser } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

for (const engine of oneEngine)
  describe(`the timeline of a pull on ${engine}`, () => {
    let server: TestServer
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
    })
    after(() => server.stop())

    test('has commits, reviews, comments, events and cross-references in their order', async () => {
      const ann = await makeUser(server, 'ann')
      const bob = await makeUser(server, 'bob')
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
      const place = { owner: 'ann', repo: 'tool' }
      await octokit.repos.createForAuthenticatedUser({ name: 'tool', auto_init: true })
      const { data: main } = await octokit.git.getRef({ ...place, ref: 'heads/main' })
      await octokit.git.createRef({ ...place, ref: 'refs/heads/topic', sha: main.object.sha })
      const write = (path: string, message: string) =>
        octokit.repos.createOrUpdateFileContents({ ...place, path, message, content: 'YQ==', branch: 'topic' })
      await write('a', 'First')
      const { data: pull } = await octokit.pulls.create({ ...place, title: 'A', head: 'topic', base: 'main' })
      const at = { ...place, issue_number: pull.number }
      await octokit.issues.createComment({ ...at, body: 'Have a look' })
      await bob.post(`/repos/ann/tool/pulls/${pull.number}/reviews`, { event: 'REQUEST_CHANGES', body: 'More' })
      // Pending reviews are nobody's business.
      await bob.post(`/repos/ann/tool/pulls/${pull.number}/reviews`, { body: 'Not yet' })
      await octokit.issues.addLabels({ ...at, labels: ['bug'] })
      await octokit.issues.create({ ...place, title: 'Other', body: `See #${pull.number}` })
      // Commits have whole seconds: the second one is put behind what came before by its own time.
      const late = new Date(Date.now() + 3_600_000).toISOString()
      const { data: first } = await octokit.git.getRef({ ...place, ref: 'heads/topic' })
      const { data: head } = await octokit.git.getCommit({ ...place, commit_sha: first.object.sha })
      const person = { name: 'Ann', email: 'ann@example.org', date: late }
      const made = await octokit.git.createCommit({
        ...place,
        message: 'Second',
        tree: head.tree.sha,
        parents: [head.sha],
        author: person,
        committer: person,
      })
      await octokit.git.updateRef({ ...place, ref: 'heads/topic', sha: made.data.sha })
      const list = async (more = {}) => (await octokit.issues.listEventsForTimeline({ ...at, ...more })).data as Json
      await until(
        async () => (await octokit.pulls.get({ ...place, pull_number: pull.number })).data.head.sha === made.data.sha,
      )
      const timeline = await list()
      assert.deepEqual(
        timeline.map(({ event }: Json) => event),
        ['committed', 'commented', 'reviewed', 'labeled', 'cross-referenced', 'committed'],
      )
      const [commit, comment, review] = timeline
      assert.deepEqual([commit.message, commit.author.name, commit.parents[0].sha], ['First', 'ann', main.object.sha])
      assert.equal(comment.body, 'Have a look')
      assert.deepEqual([review.state, review.body, review.user.login], ['CHANGES_REQUESTED', 'More', 'bob'])
      assert.deepEqual(await list({ per_page: 2, page: 2 }), timeline.slice(2, 4))
    })
  })
