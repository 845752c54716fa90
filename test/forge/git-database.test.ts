/** What git and the database have to do with each other, on both databases: pushes, races, and what a dead server left. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { access, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { anonymous } from '../../src/accounts/actor.ts'
import type { RefChange } from '../../src/forge/git/push/ref-change.ts'
import { makeManualClock } from '../../src/lib/clock.ts'
import { oneEngine } from '../support/engines.ts'
import { runGit } from '../support/git.ts'
import { makeRest } from '../support/rest.ts'
import { startServer } from '../support/server.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

const nobody = anonymous('test')
const minuteMs = 60_000

for (const engine of oneEngine) {
  describe(`git and ${engine}`, () => {
    const clock = makeManualClock(Date.now())
    let { server, ann, work, url, start, folderOf, fsck, stop } = {} as GitServer
    let lastTold = 0
    /** What was recorded of pushes since the last look. */
    async function takeTold(): Promise<RefChange[]> {
      const rows = await server.services.store.db
        .selectFrom('activity')
        .innerJoin('push', 'push.id', 'activity.subject_id')
        .select(['activity.id', 'push.changes'])
        .where('kind', '=', 'push')
        .where('activity.id', '>', lastTold)
        .orderBy('activity.id')
        .execute()
      lastTold = rows.at(-1)?.id ?? lastTold
      return rows.flatMap(({ changes }) => JSON.parse(changes) as RefChange[])
    }
    before(async () => {
      ;({ server, ann, work, url, start, folderOf, fsck, stop } = await startGitServer(engine, { clock }))
    })
    after(() => stop())

    test('a name with a NUL is nobody’s', async () => {
      for (const path of [
        '/%00/r.git/info/refs?service=git-upload-pack',
        '/ann/a%00b/info/refs?service=git-upload-pack',
      ]) {
        assert.equal((await ann.get(path)).status, 404, path)
        assert.equal((await ann.get(path, { accept: 'text/html' })).status, 404, path)
      }
    })

    test('a push sets pushed_at, the size and the newest commit, and the first one the default branch; a clone brings it', async () => {
      const { body: made } = await ann.post('/user/repos', { name: 'fresh' })
      assert.equal(made.size, 0)
      const folder = await work()
      await folder.must('checkout', '--quiet', '-b', 'trunk')
      await writeFile(join(folder.path, 'blob'), randomBytes(64 * 1024))
      await folder.must('add', '.')
      await commit(folder, 'one')
      const head = await folder.must('rev-parse', 'trunk')
      clock.advance(minuteMs)
      await folder.must('push', '--quiet', url('ann/fresh'), 'trunk')
      const { body } = await ann.get('/repos/ann/fresh')
      assert.equal(body.default_branch, 'trunk')
      assert.ok(body.size >= 60)
      assert.equal(Date.parse(body.pushed_at), Math.floor(clock.now() / 1000) * 1000)
      assert.equal(body.updated_at, body.pushed_at)
      assert.equal((await ann.get('/repos/ann/fresh/commits')).body[0].sha, head)
      assert.deepEqual(await takeTold(), [{ ref: 'refs/heads/trunk', before: '0'.repeat(40), after: head }])
      const other = await work()
      await other.must('clone', '--quiet', url('ann/fresh'), 'copy')
      assert.equal((await runGit(join(other.path, 'copy'), ['rev-parse', 'HEAD'])).output.trim(), head)
    })

    test('of two pushes at once to one branch one wins and one is told', async () => {
      const one = await start('raced')
      const two = await work()
      await two.must('remote', 'add', 'origin', url('ann/raced'))
      await two.must('pull', '--quiet', 'origin', 'main')
      for (let round = 0; round < 3; round++) {
        for (const folder of [one, two]) {
          await folder.must('fetch', '--quiet', 'origin')
          await folder.must('reset', '--quiet', '--hard', 'origin/main')
          await writeFile(join(folder.path, 'c.bin'), randomBytes(200_000))
          await folder.must('add', '.')
          await commit(folder, `round ${round}`)
        }
        await takeTold()
        const answers = await Promise.all([one, two].map((folder) => folder.git('push', 'origin', 'main')))
        assert.deepEqual(answers.map(({ code }) => code).sort(), [0, 1], answers.map(({ output }) => output).join('\n'))
        const told = await takeTold()
        assert.equal(told.length, 1, 'what was refused is no activity')
        assert.equal((await ann.get('/repos/ann/raced/git/ref/heads/main')).body.object.sha, told[0]!.after)
      }
      const { code, output } = await fsck('ann/raced')
      assert.equal(code, 0, output)
    })

    test('of many who make one repository at once one makes it, and the others are told', async () => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          ann.post('/user/repos', { name: i % 2 ? 'Once' : 'once', auto_init: true }),
        ),
      )
      const refused = answers.filter(({ status }) => status !== 201)
      assert.equal(refused.length, 7)
      for (const { status, body } of refused) assert.deepEqual([status, body.errors[0].field], [422, 'name'])
      assert.equal((await ann.get('/repos/ann/once/commits')).body.length, 1)
    })

    test('a repository that is renamed while it is pushed to has the push', async () => {
      const folder = await start('restless')
      await writeFile(join(folder.path, 'large'), randomBytes(2_000_000))
      await folder.must('add', '.')
      await commit(folder, 'large')
      const [pushed] = await Promise.all([
        folder.git('push', '--quiet', 'origin', 'main'),
        ann.patch('/repos/ann/restless', { name: 'calm' }),
      ])
      assert.equal(pushed.code, 0, pushed.output)
      const { body } = await ann.get('/repos/ann/calm/commits/main')
      assert.equal(body.sha, await folder.must('rev-parse', 'HEAD'))
    })

    /** A push as it is when its server has died: begun, and nobody there to settle it. */
    async function leavePush(name: string, ref: string, after: string) {
      const { body } = await ann.get(`/repos/ann/${name}`)
      const changes = JSON.stringify([{ ref, before: '0'.repeat(40), after }])
      const row = {
        repository_id: body.id,
        pusher_id: 2,
        state: 'receiving' as const,
        changes,
        created_at: clock.now(),
      }
      await server.services.store.write((trx) => trx.insertInto('push').values(row).execute())
      const repository = await server.services.forge.opening.find(nobody, { id: body.id })
      return { recover: () => server.services.forge.start(), repository: repository! }
    }

    test('a server that died after git moved a ref has its push told of, once', async () => {
      const folder = await start('left')
      const sha = await folder.must('rev-parse', 'HEAD')
      const { recover, repository } = await leavePush('left', 'refs/heads/late', sha)
      await server.services.forge.git.read(repository, ['update-ref', 'refs/heads/late', sha])
      await takeTold()
      clock.advance(3 * minuteMs + 1)
      await recover()
      await recover()
      assert.deepEqual(await takeTold(), [{ ref: 'refs/heads/late', before: '0'.repeat(40), after: sha }])
      assert.equal(Date.parse((await ann.get('/repos/ann/left')).body.pushed_at), Math.floor(clock.now() / 1000) * 1000)
    })

    test('git that outlives its server is waited for, and the locks of one that did not are taken away', async () => {
      const folder = await start('slow')
      const sha = await folder.must('rev-parse', 'HEAD')
      const { recover, repository } = await leavePush('slow', 'refs/heads/late', sha)
      await takeTold()
      clock.advance(4 * minuteMs)
      await recover()
      await server.services.forge.git.read(repository, ['update-ref', 'refs/heads/late', sha])
      await recover()
      assert.equal((await takeTold()).length, 1)

      await leavePush('slow', 'refs/heads/main', '1'.repeat(40))
      const lock = join(await folderOf('ann/slow'), 'refs', 'heads', 'main.lock')
      await writeFile(lock, '')
      await utimes(lock, 1, 1)
      await commit(folder, 'two')
      assert.notEqual((await folder.git('push', 'origin', 'main')).code, 0)
      clock.advance(11 * minuteMs)
      await recover()
      await assert.rejects(access(lock))
      assert.equal((await folder.git('push', '--quiet', 'origin', 'main')).code, 0)
      const open = await server.services.store.db
        .selectFrom('push')
        .selectAll()
        .where('state', '=', 'receiving')
        .execute()
      assert.deepEqual(open, [])
    })

    test('a start leaves no folder of a repository that is no more', async () => {
      const { body } = await ann.post('/user/repos', { name: 'gone' })
      const folder = server.services.forge.git.folderOf({ id: body.id })
      await server.services.store.write((trx) => trx.deleteFrom('repository').where('id', '=', body.id).execute())
      await server.services.forge.start()
      await assert.rejects(readdir(folder))
    })
  })
}

describe('two servers on one PostgreSQL and one folder', () => {
  test('show each other’s pushes at once, and of two pushes to one branch one wins', async () => {
    const { server, ann, work, url, start, stop } = await startGitServer('postgres')
    const other = await startServer('postgres', {
      database: server.database,
      environment: { GUILDHALL_LIMITS: 'off' },
    })
    try {
      const here = await start('both')
      const there = await work()
      await there.must('pull', '--quiet', url('ann/both'), 'main')
      await there.must('remote', 'add', 'origin', url('ann/both').replace(server.url.slice(7), other.url.slice(7)))
      const seen = makeRest(other.url, ann.token)
      const shaOf = async () => (await seen.get('/repos/ann/both/commits/main')).body.sha
      assert.equal(await shaOf(), await here.must('rev-parse', 'HEAD'))
      for (const folder of [here, there]) await commit(folder, `from ${folder.path}`)
      const answers = await Promise.all([here, there].map((folder) => folder.git('push', 'origin', 'main')))
      assert.deepEqual(answers.map(({ code }) => code).sort(), [0, 1], answers.map(({ output }) => output).join('\n'))
      const winner = answers[0]!.code === 0 ? here : there
      assert.equal(await shaOf(), await winner.must('rev-parse', 'HEAD'))
    } finally {
      await other.stop()
      await stop()
    }
  })
})
