/** Merging pulls: each way of it is a push like any other, leaves its events, and loses no commit to whoever was faster. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { commitFiles, type PullServer, startPullServer } from './pull-server.ts'

// On PostgreSQL merges are shown by what survives a kill, and by the week of a team: here most of the time is git's.
for (const engine of ['sqlite'] as const)
  describe(`merging pulls on ${engine}`, () => {
    let hosted: PullServer
    let ann: RestClient
    before(async () => {
      hosted = await startPullServer(engine)
      ;({ ann } = hosted)
    })
    after(() => hosted.stop())
    // What has nothing to do with the database is shown once.
    const onSqlite: typeof test | (() => void) = engine === 'sqlite' ? test : () => {}

    /** A pull with two commits, beside one on main. */
    async function prepare(name: string, options: object = {}) {
      const folder = await hosted.start(name)
      if (Object.keys(options).length > 0) await ann.patch(`/repos/ann/${name}`, options)
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      const head = await hosted.branch(folder, 'topic', { 'c.txt': 'c' }, 'topic')
      await folder.must('checkout', '--quiet', 'main')
      const base = await commitFiles(folder, { 'd.txt': 'd' }, 'On main')
      await hosted.push(folder, 'main', 'topic')
      const { number } = await hosted.open(name, { head: 'topic', title: 'Both' })
      return { folder, head, base, number, path: `/repos/ann/${name}/pulls/${number}` }
    }

    const log = async (name: string, range: string) => {
      const folder = await hosted.work()
      await folder.must('fetch', '--quiet', hosted.url(`ann/${name}`), 'main')
      return (await folder.must('log', '--first-parent', '--format=%s|%P', range)).split('\n')
    }

    for (const method of engine === 'sqlite' ? (['merge', 'squash', 'rebase'] as const) : (['merge'] as const))
      test(`by ${method} moves the base, and leaves merged and closed`, async () => {
        const name = `by-${method}`
        const { folder, head, base, path, number } = await prepare(name)
        const stale = await ann.put(`${path}/merge`, { sha: base, merge_method: method })
        assert.deepEqual(
          [stale.status, stale.body.message],
          [409, 'Head branch was modified. Review and try the merge again.'],
        )
        assert.equal((await ann.get(`${path}/merge`)).status, 404)
        const { status, body } = await ann.put(`${path}/merge`, { sha: head, merge_method: method })
        assert.deepEqual([status, body.merged], [200, true])
        assert.equal(await hosted.tip(`ann/${name}`, 'main'), body.sha)
        const expected = {
          merge: [`Merge pull request #1 from ann/topic|${base} ${head}`],
          squash: [`Both (#1)|${base}`],
          rebase: ['Work on topic', 'Work on topic'],
        }[method]
        const lines = await log(name, `${base}..FETCH_HEAD`)
        const found = method === 'rebase' ? lines.map((line) => line.split('|')[0]) : lines.slice(0, 1)
        assert.deepEqual(found, expected)
        assert.equal((await ann.get(`${path}/merge`)).status, 204)
        const pull = (await ann.get(path)).body
        assert.deepEqual([pull.state, pull.merged, pull.merge_commit_sha], ['closed', true, body.sha])
        assert.deepEqual([pull.merged_by.login, pull.mergeable, pull.mergeable_state], ['ann', null, 'unknown'])
        assert.deepEqual([pull.commits, pull.changed_files, pull.base.sha], [2, 2, base])
        assert.deepEqual(await hosted.events(name, number), ['merged', 'closed'])
        const { body: told } = await ann.get(`/repos/ann/${name}/issues/${number}/events`)
        if (Array.isArray(told))
          assert.deepEqual(
            told.map(({ commit_id }: Json) => commit_id),
            [body.sha, body.sha],
          )
        assert.equal((await ann.put(`${path}/merge`)).status, 405)
        assert.equal((await ann.patch(path, { state: 'open' })).status, 422)
        assert.equal((await hosted.fsck(`ann/${name}`)).code, 0)
        await folder.must('pull', '--quiet', '--ff-only', 'origin', 'main')
      })

    onSqlite(
      'takes a title and a message, names other authors of a squash, and deletes the branch where that is wished',
      async () => {
        const { folder, path, number } = await prepare('told', { delete_branch_on_merge: true })
        await folder.must('checkout', '--quiet', 'topic')
        await folder.must(
          '-c',
          'user.name=Eve',
          '-c',
          'user.email=eve@example.org',
          'commit',
          '--quiet',
          '--allow-empty',
          '-m',
          'Hers',
        )
        await hosted.push(folder, 'topic')
        const request = { merge_method: 'squash', commit_title: 'Mine', commit_message: 'Because.' }
        const { body } = await ann.put(`${path}/merge`, request)
        const { body: commit } = await ann.get(`/repos/ann/told/commits/${body.sha}`)
        assert.equal(commit.commit.message, 'Mine\n\nBecause.\n\nCo-authored-by: Eve <eve@example.org>')
        assert.equal((await ann.get('/repos/ann/told/git/ref/heads/topic')).status, 404)
        await until(async () => (await hosted.events('told', number)).includes('head_ref_deleted'))
        assert.deepEqual(await hosted.events('told', number), ['merged', 'closed', 'head_ref_deleted'])
      },
    )

    onSqlite(
      'is refused of drafts, of conflicts, by a way that is switched off, and to who may not write',
      async () => {
        const { path, folder } = await prepare('refused', { allow_rebase_merge: false })
        const refusal = async (request: object = {}, by = ann) => {
          const { status, body } = await by.put(`${path}/merge`, request)
          return [status, body.message]
        }
        assert.equal((await refusal({}, hosted.bob))[0], 403)
        const ways = { allow_merge_commit: false, allow_squash_merge: false }
        const none = await ann.patch('/repos/ann/refused', ways)
        assert.deepEqual([none.status, /at least one merge strategy/.test(none.text)], [422, true])
        assert.equal((await ann.post('/user/repos', { name: 'x', ...ways, allow_rebase_merge: false })).status, 422)
        assert.equal((await ann.patch('/repos/ann/refused', { allow_squash_merge: false })).status, 200)
        assert.deepEqual(await refusal({ merge_method: 'rebase' }), [
          405,
          'Rebase merges are not allowed on this repository.',
        ])
        await ann.patch(path, { draft: true })
        assert.deepEqual(await refusal(), [405, 'Pull Request is still a draft'])
        await ann.patch(path, { draft: false })
        await folder.must('checkout', '--quiet', 'main')
        await commitFiles(folder, { 'b.txt': 'other' }, 'Other b')
        await hosted.push(folder, 'main')
        const { body } = await ann.get(path)
        assert.deepEqual([body.mergeable, body.rebaseable, body.mergeable_state], [false, false, 'dirty'])
        assert.deepEqual(await refusal(), [405, 'Pull Request is not mergeable'])
        assert.equal(await hosted.tip('ann/refused', 'main'), await folder.must('rev-parse', 'main'))
      },
    )

    test('happens by itself when the commits are pushed to the base, and force on the base is told', async () => {
      const { folder, path, number, head } = await prepare('landed')
      await hosted.branch(folder, 'other', { 'e.txt': 'e' })
      await hosted.push(folder, 'other')
      const other = await hosted.open('landed', { head: 'other' })
      await folder.must('checkout', '--quiet', 'main')
      await folder.must('merge', '--quiet', '--no-ff', '-m', 'By hand', 'topic')
      await hosted.push(folder, 'main')
      await until(async () => (await ann.get(path)).body.merged)
      const pull = (await ann.get(path)).body
      assert.deepEqual(
        [pull.merge_commit_sha, pull.head.sha, pull.commits],
        [await folder.must('rev-parse', 'main'), head, 2],
      )
      assert.deepEqual(await hosted.events('landed', number), ['merged', 'closed'])
      await folder.must('reset', '--quiet', '--hard', 'HEAD^')
      await hosted.push(folder, '--force', 'main')
      await until(async () => (await hosted.events('landed', other.number)).length > 0)
      assert.deepEqual(await hosted.events('landed', other.number), ['base_ref_force_pushed'])
      await hosted.push(folder, 'main:stable')
      await ann.patch(`/repos/ann/landed/pulls/${other.number}`, { base: 'stable' })
      await hosted.push(folder, '--delete', 'stable')
      await until(async () => (await ann.get(`/repos/ann/landed/pulls/${other.number}`)).body.state === 'closed')
    })

    onSqlite('of the base into the head brings it up to date', async () => {
      const { path, base, head } = await prepare('behind')
      assert.equal((await hosted.bob.put(`${path}/update-branch`)).status, 403)
      assert.equal((await ann.put(`${path}/update-branch`, { expected_head_sha: base })).status, 422)
      assert.equal((await ann.put(`${path}/update-branch`, { expected_head_sha: head })).status, 202)
      const { body } = await ann.get(path)
      assert.equal(body.commits, 3)
      assert.deepEqual(
        (await ann.get(`/repos/ann/behind/commits/${body.head.sha}`)).body.parents.map(({ sha }: Json) => sha),
        [head, base],
      )
      assert.equal((await ann.put(`${path}/update-branch`)).status, 422)
    })

    test('that is raced by pushes and by other merges loses nothing', async () => {
      const { folder } = await prepare('raced')
      const names = ['x1', 'x2', 'x3', 'x4']
      for (const name of names) await hosted.branch(folder, name, { [name]: name })
      await hosted.push(folder, ...names)
      const pulls = []
      for (const head of names) pulls.push(await hosted.open('raced', { head }))
      await folder.must('checkout', '--quiet', 'main')
      const pushing = (async () => {
        for (let i = 0; i < 3; i++) {
          await commitFiles(folder, { [`p${i}`]: 'p' }, `Push ${i}`)
          for (let isIn = false; !isIn; ) {
            isIn = (await folder.git('push', '--quiet', 'origin', 'main')).code === 0
            if (!isIn) await folder.must('pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main')
          }
        }
      })()
      const statuses = await Promise.all(
        pulls.map(async ({ number }) => {
          for (;;) {
            const { status } = await ann.put(`/repos/ann/raced/pulls/${number}/merge`)
            if (status !== 405 && status !== 409) return status
            assert.equal((await ann.get(`/repos/ann/raced/pulls/${number}`)).body.merged, false)
          }
        }),
      )
      await pushing
      assert.deepEqual([...new Set(statuses)], [200])
      await folder.must('pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main')
      const files = (await folder.must('ls-files')).split('\n')
      for (const file of [...names, 'p0', 'p1', 'p2']) assert.ok(files.includes(file), file)
      for (const { number } of pulls) assert.deepEqual(await hosted.events('raced', number), ['merged', 'closed'])
      assert.equal((await hosted.fsck('ann/raced')).code, 0)
    })
  })
