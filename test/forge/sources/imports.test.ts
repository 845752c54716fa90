/** Imports by address and mirrors, from another server of this kind. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { engines } from '../../support/engines.ts'
import { runGit } from '../../support/git.ts'
import { until } from '../../support/until.ts'
import { commit } from '../git-server.ts'
import { sourceUrl, startTwoServers, type TwoServers, whenFetched } from './two-servers.ts'

for (const engine of engines)
  describe(`an import by address on ${engine}`, () => {
    let two: TwoServers
    before(async () => {
      two = await startTwoServers(engine)
    })
    after(() => two.stop())

    const refsOf = async (url: string) => (await runGit('/', ['ls-remote', '--refs', url])).output

    test('brings branches and tags of a private repository, and forgets its credentials', async () => {
      const work = await two.source.start('tool', true)
      await work.must('branch', 'feature/one')
      await work.must('tag', '-a', 'v1', '-m', 'One')
      await work.must('checkout', '--quiet', '-b', 'develop')
      await commit(work, 'two')
      await work.must('push', '--quiet', 'origin', '--all')
      await work.must('push', '--quiet', 'origin', 'v1')
      await two.source.ann.patch('/repos/ann/tool', { default_branch: 'develop' })
      await two.ann.post('/user/repos', { name: 'tool' })
      const made = await two.ann.post('/repos/ann/tool/import', {
        url: sourceUrl(two, 'ann/tool'),
        username: 'ann',
        token: two.source.ann.token,
      })
      assert.equal(made.status, 201)
      assert.equal(made.body.has_password, true)
      assert.equal(JSON.stringify(made.body).includes(two.source.ann.token!), false)
      const done = await whenFetched(two.ann, 'ann/tool')
      assert.equal(done.failure, null)
      assert.deepEqual([done.status, done.branches, done.tags, done.has_password], ['complete', 3, 1, false])
      const theirs = await refsOf(two.source.url('ann/tool'))
      assert.equal(await refsOf(`${two.server.url}/ann/tool.git`), theirs)
      const { body } = await two.ann.get('/repos/ann/tool')
      assert.deepEqual([body.default_branch, body.mirror_url], ['develop', null])
      const rows = await two.server.services.store.db.selectFrom('repository_source').selectAll().execute()
      assert.equal(JSON.stringify(rows).includes(two.source.ann.token!), false)
      await until(async () => {
        const { body: events } = await two.ann.get('/repos/ann/tool/events')
        const made = events.filter(({ type }: { type: string }) => type === 'CreateEvent')
        // The repository, three branches and a tag.
        return made.length === 5 && made[0].actor.login === 'ann'
      })
      // It is an ordinary repository now.
      await work.must(
        'push',
        '--quiet',
        `${two.server.url.replace('://', `://ann:${two.ann.token}@`)}/ann/tool.git`,
        'HEAD:refs/heads/mine',
      )
    })

    test('of a mirror follows its source: new commits, forced branches, deleted ones, another default', async () => {
      const work = await two.source.start('lib')
      await work.must('branch', 'old')
      await work.must('push', '--quiet', 'origin', 'old')
      await two.ann.post('/user/repos', { name: 'lib' })
      const url = sourceUrl(two, 'ann/lib')
      const made = await two.ann.post('/repos/ann/lib/import', { url, mirror: true, interval_minutes: 60 })
      assert.equal(made.status, 201)
      assert.equal((await two.ann.get('/repos/ann/lib')).body.mirror_url, url)
      let last = await whenFetched(two.ann, 'ann/lib')
      assert.equal(last.failure, null)
      assert.ok(last.next_fetch_at)
      await writeFile(join(work.path, 'a.txt'), 'two\n')
      await work.must('commit', '--quiet', '--amend', '-am', 'another one')
      await work.must('push', '--quiet', '--force', 'origin', 'main:trunk')
      await two.source.ann.patch('/repos/ann/lib', { default_branch: 'trunk' })
      await work.must('push', '--quiet', 'origin', ':main', ':old')
      const fetchNow = await two.ann.patch('/repos/ann/lib/import')
      assert.equal(fetchNow.status, 200)
      last = await whenFetched(two.ann, 'ann/lib')
      assert.equal(last.failure, null)
      assert.equal(await refsOf(`${two.server.url}/ann/lib.git`), await refsOf(two.source.url('ann/lib')))
      assert.equal((await two.ann.get('/repos/ann/lib')).body.default_branch, 'trunk')
    })

    test('of a mirror takes no pushes until mirroring is stopped', async () => {
      await two.source.start('kit')
      await two.ann.post('/user/repos', { name: 'kit' })
      const url = sourceUrl(two, 'ann/kit')
      await two.ann.post('/repos/ann/kit/import', { url, mirror: true })
      assert.equal((await whenFetched(two.ann, 'ann/kit')).failure, null)
      const work = await two.source.work()
      const remote = `${two.server.url.replace('://', `://ann:${two.ann.token}@`)}/ann/kit.git`
      await work.must('fetch', '--quiet', remote, 'main')
      await work.must('checkout', '--quiet', '-B', 'main', 'FETCH_HEAD')
      await commit(work, 'mine')
      const refused = await work.git('push', remote, 'main')
      assert.notEqual(refused.code, 0)
      assert.match(refused.output, /This repository mirrors .* and takes no pushes/)
      const content = Buffer.from('x').toString('base64')
      const written = await two.ann.put('/repos/ann/kit/contents/b.txt', { message: 'x', content })
      assert.equal(written.status, 403)
      const { object } = (await two.ann.get('/repos/ann/kit/git/ref/heads/main')).body
      const ref = await two.ann.post('/repos/ann/kit/git/refs', { ref: 'refs/heads/b', sha: object.sha })
      assert.equal(ref.status, 403)
      assert.equal((await two.ann.delete('/repos/ann/kit/import')).status, 204)
      assert.equal((await two.ann.get('/repos/ann/kit')).body.mirror_url, null)
      await work.must('push', '--quiet', remote, 'main')
      assert.equal((await two.ann.get('/repos/ann/kit/import')).status, 404)
    })

    test('is tried again when its source is there, and says meanwhile what is wrong', async () => {
      await two.ann.post('/user/repos', { name: 'late' })
      const url = sourceUrl(two, 'ann/late')
      assert.equal((await two.ann.post('/repos/ann/late/import', { url })).status, 201)
      const failed = await whenFetched(two.ann, 'ann/late')
      assert.equal(failed.status, 'failed')
      assert.match(failed.failure, /no repository at this address|asks for credentials/)
      await two.source.start('late')
      await two.ann.patch('/repos/ann/late/import')
      const done = await whenFetched(two.ann, 'ann/late')
      assert.equal(done.failure, null)
      await until(async () => (await two.ann.get('/repos/ann/late/commits')).body.length === 1)
    })
  })
