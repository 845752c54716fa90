/** Pulls that close issues when they are merged: by what they say, and by being connected. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { until } from '../../support/until.ts'
import { type PullServer, startPullServer } from '../pulls/pull-server.ts'

for (const engine of oneEngine)
  describe(`pulls that close issues on ${engine}`, () => {
    let hosted: PullServer
    before(async () => {
      hosted = await startPullServer(engine)
    })
    after(() => hosted.stop())

    test('a merge into the default branch closes what the pull says it fixes, and what it is connected with', async () => {
      const { ann } = hosted
      const folder = await hosted.start('closed')
      await ann.post('/user/repos', { name: 'elsewhere' })
      const issue = async (repo = 'closed'): Promise<number> =>
        (await ann.post(`/repos/ann/${repo}/issues`, { title: 'An issue' })).body.number
      const [fixed, named, connected, left] = [await issue(), await issue(), await issue(), await issue()]
      const other = await issue('elsewhere')
      await ann.post('/user/repos', { name: 'secret', private: true })
      const hidden = await issue('secret')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      const body = `Fixes #${fixed}, see #${named}. Closes ann/secret#${hidden}, resolves ann/elsewhere#${other}`
      const { number } = await hosted.open('closed', { head: 'topic', body })
      const at = (issueNumber: number) => `/repos/ann/closed/issues/${issueNumber}/connections/${number}`
      const statuses = [
        (await ann.put(at(connected))).status,
        (await ann.put(at(connected))).status,
        (await ann.put(at(left))).status,
        (await ann.delete(at(left))).status,
        (await ann.delete(at(left))).status,
        (await ann.put(at(number))).status,
        (await ann.put(at(99_999))).status,
      ]
      assert.deepEqual(statuses, [204, 204, 204, 204, 404, 422, 404])
      assert.deepEqual(await hosted.events('closed', connected), ['connected'])
      assert.deepEqual(await hosted.events('closed', left), ['connected', 'disconnected'])
      const merged = await ann.put(`/repos/ann/closed/pulls/${number}/merge`)
      assert.equal(merged.status, 200)
      const state = async (repo: string, issueNumber: number) =>
        (await ann.get(`/repos/ann/${repo}/issues/${issueNumber}`)).body.state
      assert.deepEqual(
        [await state('closed', fixed), await state('closed', connected), await state('closed', named)],
        ['closed', 'closed', 'open'],
      )
      assert.equal(await state('closed', left), 'open')
      assert.deepEqual(await hosted.events('closed', number), [
        'connected',
        'connected',
        'disconnected',
        'merged',
        'closed',
      ])
      const { body: told } = await ann.get(`/repos/ann/closed/issues/${fixed}/events`)
      assert.deepEqual([told.at(-1).event, told.at(-1).commit_id], ['closed', merged.body.sha])
      await until(async () => (await state('elsewhere', other)) === 'closed')
      assert.equal(await state('secret', hidden), 'open', 'who merges has not written the text')
    })

    test('a merge into another branch closes nothing', async () => {
      const { ann } = hosted
      const folder = await hosted.start('branched')
      const { body: issue } = await ann.post('/repos/ann/branched/issues', { title: 'An issue' })
      await hosted.branch(folder, 'side', { 'a.txt': 'side' })
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' }, 'side')
      await hosted.push(folder, 'side', 'topic')
      const { number } = await hosted.open('branched', { head: 'topic', base: 'side', body: `Fixes #${issue.number}` })
      assert.equal((await ann.put(`/repos/ann/branched/pulls/${number}/merge`)).status, 200)
      assert.equal((await ann.get(`/repos/ann/branched/issues/${issue.number}`)).body.state, 'open')
    })
  })
