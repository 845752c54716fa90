/** Merges that take git too long: they are tried once, whoever looks, and one owner's hold up nobody else's pulls. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeRest } from '../../support/rest.ts'
import { until } from '../../support/until.ts'
import { commitFiles, type PullServer, startPullServer } from './pull-server.ts'

describe('merges that take git too long', () => {
  let hosted: PullServer
  let folder: string
  const path = process.env.PATH
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guildhall-slow-git-'))
    const git = execFileSync('/bin/sh', ['-c', 'command -v git']).toString().trim()
    // A git that merges nothing in the repository whose folder is named in `slow`, and notes each try.
    const script = `#!/bin/sh
case "$*" in *merge-tree*) if grep -qxF "$2" '${folder}/slow'; then echo tried >> '${folder}/tried'; exec sleep 1000; fi;; esac
exec '${git}' "$@"
`
    await writeFile(join(folder, 'git'), script)
    await writeFile(join(folder, 'slow'), '')
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
    await writeFile(join(folder, 'slow'), folders.map((name) => `${name}\n`).join(''))
    await writeFile(join(folder, 'tried'), '')
  }
  const countTried = async () => (await readFile(join(folder, 'tried'), 'utf8')).split('\n').length - 1

  test('are not tried again by everyone who looks, and the pull is shown without', async () => {
    const work = await hosted.start('slow')
    await hosted.branch(work, 'topic', { 'b.txt': 'b' })
    await hosted.push(work, 'topic')
    await slowDown('ann/slow')
    await hosted.open('slow', { head: 'topic' })
    const anyone = makeRest(hosted.server.url)
    const look = async () => (await anyone.get('/repos/ann/slow/pulls/1')).body
    for (const pull of await Promise.all([look(), look(), look()]))
      assert.deepEqual([pull.mergeable, pull.mergeable_state, pull.merge_commit_sha], [null, 'unknown', null])
    const tried = await countTried()
    assert.ok(tried <= 2, `${tried} merges were tried`)
    await look()
    assert.equal(await countTried(), tried)
  })

  test('of one owner do not hold up another’s pulls', async () => {
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
