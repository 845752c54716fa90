/** What follows from pushes in turns, with a git that takes long: turns end, and what can't be done now is done later. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeRest } from '../../support/rest.ts'
import { until } from '../../support/until.ts'
import { exportAll } from '../migrations/exports.ts'
import { commitFiles, type PullServer, startPullServer } from './pull-server.ts'

describe('with a git that takes long', () => {
  let hosted: PullServer
  let folder: string
  const path = process.env.PATH
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildhall-slow-git-'))
    const git = execFileSync('/bin/sh', ['-c', 'command -v git']).toString().trim()
    // A git that merges nothing in the repository whose objects are named in `slow`, nor in a draft that borrows them, and
    // notes each try; that takes its time to find a branch in those of `slow-tips`; and that tells what has landed once there
    // is no `gate`.
    const script = `#!/bin/sh
case "$*" in
*merge-tree*) if { echo "$2/objects"; cat "$2/objects/info/alternates" 2>/dev/null; } | grep -qxFf '${folder}/slow'; then echo tried >> '${folder}/tried'; exec sleep 1000; fi;;
*rev-parse*refs/heads/*) if grep -qxF "$2" '${folder}/slow-tips'; then sleep 0.8; fi;;
*for-each-ref*--merged=*) if [ -e '${folder}/gate' ]; then touch '${folder}/reached'; fi; while [ -e '${folder}/gate' ]; do sleep 0.02; done;;
esac
exec '${git}' "$@"
`
    await writeFile(join(folder, 'git'), script)
    for (const name of ['slow', 'slow-tips']) await writeFile(join(folder, name), '')
    await chmod(join(folder, 'git'), 0o755)
    hosted = await startPullServer('sqlite', { environment: { GUILDHALL_GIT_LIMITS: 'readSeconds=2' } })
    process.env.PATH = `${folder}:${path}`
  })
  after(async () => {
    process.env.PATH = path
    await hosted.stop()
    await rm(folder, { recursive: true })
  })

  const slowDown = async (...names: string[]) => {
    const folders = await Promise.all(names.map((name) => hosted.folderOf(name)))
    await writeFile(join(folder, 'slow'), folders.map((name) => `${name}/objects\n`).join(''))
    await writeFile(join(folder, 'tried'), '')
  }
  const countTried = async () => (await readFile(join(folder, 'tried'), 'utf8')).split('\n').length - 1

  const listTurns = () =>
    hosted.server.services.store.db
      .selectFrom('job')
      .select(['id', 'state'])
      .where('kind', '=', 'forge.pull-turn')
      .orderBy('id')
      .execute()
  const areTurnsOver = async () => (await listTurns()).every(({ state }) => state === 'done')

  test('a push that moves many pulls has several turns', async () => {
    const work = await hosted.start('many')
    const bases = Array.from({ length: 6 }, (_, i) => `base-${i}`)
    for (const base of bases) await work.must('branch', base)
    await hosted.branch(work, 'topic', { 'b.txt': 'b' })
    await hosted.push(work, '--all')
    for (const base of bases) await hosted.open('many', { head: 'topic', base })
    await until(areTurnsOver)
    const last = (await listTurns()).at(-1)?.id ?? 0

    await writeFile(join(folder, 'slow-tips'), `${await hosted.folderOf('ann/many')}\n`)
    const sha = await commitFiles(work, { 'c.txt': 'c' }, 'More')
    const countMoved = async () => {
      const { db } = hosted.server.services.store
      return (await db.selectFrom('pull').select('issue_id').where('head_sha', '=', sha).execute()).length
    }
    await hosted.push(work, 'topic')
    await until(async () => (await listTurns()).some(({ id, state }) => id > last && state === 'done'))
    const moved = await countMoved()
    assert.ok(moved > 0 && moved < bases.length, `${moved} pulls were moved in the first turn`)
    await until(async () => (await countMoved()) === bases.length)
    await writeFile(join(folder, 'slow-tips'), '')
  })

  const hold = {
    archived: async (name: string) => {
      const archive = (archived: boolean) => hosted.ann.patch(`/repos/ann/${name}`, { archived })
      assert.equal((await archive(true)).status, 200)
      return () => archive(false)
    },
    locked: async (name: string) => {
      const { id } = await exportAll(hosted.ann, { repositories: [name], lock_repositories: true })
      return () => hosted.ann.delete(`/user/migrations/${id}/repos/${name}/lock`)
    },
  }

  for (const [how, close] of Object.entries(hold))
    test(`pulls of a repository that is ${how} while they are told of force on their base hear of it afterwards`, async () => {
      const work = await hosted.start(how)
      await hosted.branch(work, 'dev', { 'b.txt': 'b' })
      for (const head of ['one', 'two']) await hosted.branch(work, head, { [head]: 'b' }, 'dev')
      await hosted.push(work, '--all')
      for (const head of ['one', 'two']) await hosted.open(how, { head, base: 'dev' })
      await until(areTurnsOver)
      const events = async () => [await hosted.events(how, 1), await hosted.events(how, 2)]

      await work.must('checkout', '--quiet', 'dev')
      await work.must('commit', '--quiet', '--amend', '-m', 'Another')
      await rm(join(folder, 'reached'), { force: true })
      await writeFile(join(folder, 'gate'), '')
      await hosted.push(work, '--force', 'dev')
      await until(() => existsSync(join(folder, 'reached')))
      const open = await close(how)
      await rm(join(folder, 'gate'))
      await until(areTurnsOver)
      assert.deepEqual(await events(), [[], []])
      assert.ok((await open()).status < 300)
      await until(async () => (await events()).flat().length === 2)
      assert.deepEqual(await events(), [['base_ref_force_pushed'], ['base_ref_force_pushed']])
    })

  test('merges are not tried again by everyone who looks, and the pull is shown without', async () => {
    const work = await hosted.start('slow')
    await hosted.branch(work, 'topic', { 'b.txt': 'b' })
    await hosted.push(work, 'topic')
    await slowDown('ann/slow')
    await hosted.open('slow', { head: 'topic' })
    const anyone = makeRest(hosted.server.url)
    const look = async () => (await anyone.get('/repos/ann/slow/pulls/1')).body
    for (const pull of await Promise.all([look(), look(), look()]))
      assert.deepEqual([pull.mergeable, pull.mergeable_state, pull.merge_commit_sha], [null, 'unknown', null])
    // Whoever opened it, the job and three readers: each would try once.
    const tried = await countTried()
    assert.ok(tried <= 3, `${tried} merges were tried`)
    await look()
    assert.equal(await countTried(), tried)
  })

  test('merges of one owner do not hold up another’s pulls', async () => {
    const ann = await hosted.start('busy')
    const pulls = 5
    for (let i = 0; i < pulls; i++) {
      await hosted.branch(ann, `topic-${i}`, { [`${i}.txt`]: 'b' })
      await hosted.push(ann, `topic-${i}`)
      await hosted.open('busy', { head: `topic-${i}` })
    }
    assert.equal((await hosted.bob.post('/user/repos', { name: 'quick', auto_init: true })).status, 201)
    const bob = await hosted.work()
    await bob.must('pull', '--quiet', hosted.url('bob/quick', hosted.bob, 'bob'), 'main')
    const pushBob = (...words: string[]) =>
      bob.must('push', '--quiet', '--force', hosted.url('bob/quick', hosted.bob, 'bob'), ...words)
    await hosted.branch(bob, 'topic', { 'b.txt': 'b' }, 'HEAD')
    await pushBob('topic')
    const opened = await hosted.bob.post('/repos/bob/quick/pulls', { title: 'A pull', head: 'topic', base: 'main' })
    assert.equal(opened.status, 201)

    await slowDown('ann/busy')
    await ann.must('checkout', '--quiet', 'main')
    await commitFiles(ann, { 'm.txt': 'm' }, 'On main')
    await hosted.push(ann, 'main')
    await until(async () => (await countTried()) > 0)
    await bob.must('commit', '--quiet', '--amend', '-m', 'Another')
    await pushBob('topic')
    await until(async () => (await hosted.events('quick', 1)).includes('head_ref_force_pushed'))
    assert.ok((await countTried()) < pulls, 'the other owner’s merges are not over')
  })
})
