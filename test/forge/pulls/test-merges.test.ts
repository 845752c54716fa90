/** Test merges of open pulls, fetched by git, and how a pull stands before it is merged. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import type { WorkingFolder } from '../../support/git.ts'
import { makeRest, type RestClient } from '../../support/rest.ts'
import { until } from '../../support/until.ts'
import { commitFiles, type PullServer, startPullServer } from './pull-server.ts'

for (const engine of oneEngine)
  describe(`test merges on ${engine}`, () => {
    let hosted: PullServer
    let ann: RestClient
    before(async () => {
      hosted = await startPullServer(engine)
      ;({ ann } = hosted)
    })
    after(() => hosted.stop())
    const onSqlite: typeof test | (() => void) = engine === 'sqlite' ? test : () => {}

    const fetchMerge = (folder: WorkingFolder, name: string) =>
      folder.git('fetch', '--quiet', hosted.url(`ann/${name}`), '+pull/1/merge:refs/tested')

    test('are fetched while a pull is open, follow both its ends, and are gone in a conflict and once it is closed', async () => {
      const folder = await hosted.start('tested')
      const head = await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      const pull = await hosted.open('tested', { head: 'topic' })
      const path = '/repos/ann/tested/pulls/1'
      const other = await hosted.work()
      const fetched = async () => {
        assert.equal((await fetchMerge(other, 'tested')).code, 0)
        return other.must('log', '-1', '--format=%H %P', 'refs/tested')
      }
      const base = await folder.must('rev-parse', 'main')
      assert.equal(await fetched(), `${pull.merge_commit_sha} ${base} ${head}`)
      assert.equal((await ann.get('/repos/ann/tested/pulls')).body[0].merge_commit_sha, pull.merge_commit_sha)
      assert.equal((await ann.get('/repos/ann/tested/git/ref/pull/1/merge')).body.object.sha, pull.merge_commit_sha)
      assert.equal((await ann.get('/repos/ann/tested/pulls/1')).body.merge_commit_sha, pull.merge_commit_sha)
      const { output } = await folder.git('push', 'origin', 'main:refs/pull/1/merge')
      assert.match(output, /written by the server alone/)

      await folder.must('checkout', '--quiet', 'main')
      const onward = await commitFiles(folder, { 'm.txt': 'm' }, 'On main')
      await hosted.push(folder, 'main')
      await until(async () => (await fetched()).endsWith(`${onward} ${head}`))
      const next = await hosted.branch(folder, 'topic', { 'c.txt': 'c' }, 'topic')
      await hosted.push(folder, 'topic')
      const { body } = await ann.get(path)
      assert.equal(await fetched(), `${body.merge_commit_sha} ${onward} ${next}`)

      await folder.must('checkout', '--quiet', 'main')
      await commitFiles(folder, { 'c.txt': 'other' }, 'In the way')
      await hosted.push(folder, 'main')
      await until(async () => (await fetchMerge(other, 'tested')).code !== 0)
      const dirty = (await ann.get(path)).body
      assert.deepEqual([dirty.mergeable_state, dirty.merge_commit_sha], ['dirty', null])
      assert.equal((await ann.get('/repos/ann/tested/git/ref/pull/1/merge')).status, 404)

      await commitFiles(folder, { 'c.txt': 'c' }, 'Out of the way')
      await hosted.push(folder, 'main')
      assert.ok((await ann.get(path)).body.merge_commit_sha)
      await fetched()
      await ann.patch(path, { state: 'closed' })
      await until(async () => (await fetchMerge(other, 'tested')).code !== 0)
      assert.equal((await ann.get(path)).body.merge_commit_sha, null)
      await ann.patch(path, { state: 'open' })
      await fetched()
      const { body: merged } = await ann.put(`${path}/merge`)
      assert.equal((await ann.get(path)).body.merge_commit_sha, merged.sha)
      await until(async () => (await fetchMerge(other, 'tested')).code !== 0)
      assert.equal((await hosted.fsck('ann/tested')).code, 0)
    })

    onSqlite('tell how a pull stands: unstable, blocked, behind, draft, dirty or clean', async () => {
      const folder = await hosted.start('standing')
      const head = await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      await hosted.open('standing', { head: 'topic' })
      const place = '/repos/ann/standing'
      const anyone = makeRest(hosted.server.url)
      const state = async () => {
        const states = [ann, hosted.bob, anyone].map(async (client) => (await client.get(`${place}/pulls/1`)).body)
        return [...new Set((await Promise.all(states)).map(({ mergeable_state }) => mergeable_state))].join()
      }
      const say = (context: string, word: string) =>
        ann.post(`${place}/statuses/${head}`, { context, state: word }).then(({ status }) => assert.equal(status, 201))
      const protect = (strict: boolean, approvals: number) =>
        ann.put(`${place}/branches/main/protection`, {
          required_status_checks: { strict, contexts: ['ci'] },
          enforce_admins: null,
          required_pull_request_reviews: { required_approving_review_count: approvals },
          restrictions: null,
        })
      assert.equal(await state(), 'clean')
      await say('lint', 'pending')
      assert.equal(await state(), 'unstable')
      await say('lint', 'failure')
      assert.equal(await state(), 'unstable')
      await protect(false, 0)
      assert.equal(await state(), 'blocked', 'ci has said nothing')
      await say('ci', 'success')
      assert.equal(await state(), 'unstable', 'lint is not required')
      await say('lint', 'success')
      assert.equal(await state(), 'clean')
      await folder.must('checkout', '--quiet', 'main')
      await commitFiles(folder, { 'm.txt': 'm' }, 'On main')
      await hosted.push(folder, 'main')
      assert.equal(await state(), 'clean')
      await protect(true, 0)
      assert.equal(await state(), 'behind')
      await protect(true, 1)
      assert.equal(await state(), 'blocked')
      await protect(false, 0)
      await ann.patch(`${place}/pulls/1`, { draft: true })
      assert.equal(await state(), 'draft')
      await commitFiles(folder, { 'b.txt': 'other' }, 'In the way')
      await hosted.push(folder, 'main')
      assert.equal(await state(), 'dirty')
      await ann.patch(`${place}/pulls/1`, { state: 'closed' })
      assert.equal(await state(), 'unknown')
    })
  })
