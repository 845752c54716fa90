/** What others do elsewhere while a repository is locked, and what is to leave its trace there, is made good once it is not. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { commitFiles, type PullServer, startPullServer } from '../pulls/pull-server.ts'
import { exportAll } from './exports.ts'

for (const engine of oneEngine) {
  describe(`while a repository is locked on ${engine}`, () => {
    let hosted: PullServer
    before(async () => {
      hosted = await startPullServer(engine)
    })
    after(() => hosted.stop())

    /** By bob, from a branch that is called topic. */
    async function openFromFork(name: string): Promise<Json> {
      const { bob } = hosted
      assert.equal((await bob.post(`/repos/ann/${name}/forks`)).status, 202)
      const content = Buffer.from('more\n').toString('base64')
      const { body: main } = await bob.get(`/repos/bob/${name}/git/ref/heads/main`)
      await bob.post(`/repos/bob/${name}/git/refs`, { ref: 'refs/heads/topic', sha: main.object.sha })
      const put = await bob.put(`/repos/bob/${name}/contents/b.txt`, { message: 'More', content, branch: 'topic' })
      assert.equal(put.status, 201, put.text)
      return hosted.open(name, { head: 'bob:topic' }, bob)
    }

    test('or archived, a fork’s branch that goes counts once it is not', async () => {
      const { ann, bob } = hosted
      await hosted.start('kept')
      const pull = await openFromFork('kept')
      const archive = async (archived: boolean) => (await ann.patch('/repos/ann/kept', { archived })).status
      assert.equal(await archive(true), 200)
      assert.equal((await bob.delete('/repos/bob/kept/git/refs/heads/topic')).status, 204)
      assert.equal((await ann.get(`/repos/ann/kept/pulls/${pull.number}`)).body.state, 'open')
      assert.equal(await archive(false), 200)
      await until(async () => (await ann.get(`/repos/ann/kept/pulls/${pull.number}`)).body.state === 'closed')
      assert.deepEqual(await hosted.events('kept', pull.number), ['closed', 'head_ref_deleted'])
    })

    test('a fork’s branch that goes and a commit that says fixes count once it is unlocked', async () => {
      const { ann, bob } = hosted
      await hosted.start('base')
      const other = await hosted.start('other')
      const pull = await openFromFork('base')
      const issue = (await ann.post('/repos/ann/base/issues', { title: 'Broken' })).body
      const { id } = await exportAll(ann, { repositories: ['base'], lock_repositories: true })

      assert.equal((await bob.delete('/repos/bob/base/git/refs/heads/topic')).status, 204)
      const sha = await commitFiles(other, { 'c.txt': 'c\n' }, `Fixes ann/base#${issue.number}`)
      await hosted.push(other, 'HEAD:main')
      // Each was looked at, and waits.
      await until(async () => (await waiting(hosted)) === 1)
      const state = async ({ number }: Json) => (await ann.get(`/repos/ann/base/issues/${number}`)).body.state
      assert.deepEqual([await state(pull), await state(issue)], ['open', 'open'])

      assert.equal((await ann.delete(`/user/migrations/${id}/repos/base/lock`)).status, 204)
      await until(async () => (await state(pull)) === 'closed' && (await state(issue)) === 'closed')
      assert.deepEqual(await hosted.events('base', pull.number), ['closed', 'head_ref_deleted'])
      const { body: events } = await ann.get(`/repos/ann/base/issues/${issue.number}/events`)
      assert.deepEqual(
        events.map(({ event, commit_id }: Json) => [event, commit_id]),
        [
          ['referenced', sha],
          ['closed', sha],
        ],
      )
    })
  })
}

/** Notes on issues that are held back. */
async function waiting({ server }: PullServer): Promise<number> {
  const rows = await server.services.store.db
    .selectFrom('job')
    .select('id')
    .where('kind', '=', 'forge.held-references')
    .where('state', '=', 'queued')
    .execute()
  return rows.length
}
