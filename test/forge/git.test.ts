/** git itself against the server: clone, fetch, push, who may, and which branches are guarded. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { anonymous } from '../../src/accounts/actor.ts'
import { remoteUrl, runGit } from '../support/git.ts'
import { makeRest, makeToken } from '../support/rest.ts'

import { commit, type GitServer, startGitServer } from './git-server.ts'

describe('git over HTTP', () => {
  let { server, ann, bob, work, url, start, stop } = {} as GitServer
  before(async () => {
    ;({ server, ann, bob, work, url, start, stop } = await startGitServer())
  })
  after(() => stop())

  test('clone, full, shallow, partial and by the oldest protocol, brings what was pushed', async () => {
    const first = await start('fetched', true)
    await writeFile(join(first.path, 'b.txt'), 'two\n')
    await first.must('add', '.')
    await commit(first, 'two')
    await first.must('push', '--quiet', 'origin', 'main')
    const head = await first.must('rev-parse', 'HEAD')
    const other = await work()
    for (const words of [[], ['--depth=1'], ['--filter=blob:none'], ['-c', 'protocol.version=0']]) {
      const name = `copy${words.join('')}`
      await other.must('clone', '--quiet', ...words, url('ann/fetched'), name)
      const answer = await runGit(join(other.path, name), ['rev-parse', 'HEAD'])
      assert.equal(answer.output.trim(), head)
      assert.equal((await runGit(join(other.path, name), ['status', '--porcelain'])).output, '')
    }
    const shallow = await runGit(join(other.path, 'copy--depth=1'), ['rev-list', '--count', 'HEAD'])
    assert.equal(shallow.output.trim(), '1')
    const deepened = await runGit(join(other.path, 'copy--depth=1'), ['fetch', '--quiet', '--unshallow'])
    assert.equal(deepened.code, 0, deepened.output)
  })

  test('who may read may clone, who may write may push, and the others learn nothing', async () => {
    await start('open')
    const folder = await start('closed', true)
    const other = await work()
    const clone = (address: string, name: string) => other.git('clone', '--quiet', address, name)
    assert.equal((await clone(remoteUrl(server.url, 'ann/open'), '1')).code, 0, 'a public one, anonymously')
    assert.match((await clone(remoteUrl(server.url, 'ann/closed'), '2')).output, /could not read Username/)
    assert.match((await clone(remoteUrl(server.url, 'ann/nowhere'), '3')).output, /could not read Username/)
    assert.match((await clone(url('ann/closed', bob, 'bob'), '4')).output, /not found/)
    assert.match(
      (await clone(remoteUrl(server.url, 'ann/closed', 'ann', 'wrong'), '5')).output,
      /Authentication failed/,
    )
    await commit(folder, 'more')
    assert.match((await folder.git('push', url('ann/open', bob, 'bob'), 'HEAD:refs/heads/x')).output, /403/)
    const scopeless = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: [] }))
    assert.match((await folder.git('push', url('ann/open', scopeless), 'HEAD:refs/heads/x')).output, /403/)
    const reading = { kind: 'fine-grained', permissions: { contents: 'read' }, repositories: ['ann/closed'] }
    const reader = makeRest(server.url, await makeToken(server, 'ann', reading))
    assert.equal((await clone(url('ann/closed', reader), '6')).code, 0)
    assert.match((await folder.git('push', url('ann/closed', reader), 'main')).output, /403/)
  })

  test('the default branch can be forced and not deleted, others can be both', async () => {
    const folder = await start('guarded')
    await commit(folder, 'two')
    await folder.must('push', '--quiet', 'origin', 'main', 'main:side')
    await folder.must('reset', '--quiet', '--hard', 'HEAD~1')
    await commit(folder, 'two, otherwise')
    assert.match((await folder.git('push', 'origin', 'main')).output, /rejected.*non-fast-forward/)
    assert.equal((await folder.git('push', '--quiet', '--force', 'origin', 'main')).code, 0)
    assert.match((await folder.git('push', 'origin', ':main')).output, /remote rejected/)
    assert.equal((await folder.git('push', '--quiet', '--force', 'origin', 'main:side')).code, 0)
    assert.equal((await folder.git('push', '--quiet', 'origin', ':side')).code, 0)
    assert.equal((await ann.patch('/repos/ann/guarded', { default_branch: 'nowhere' })).status, 422)
  })

  test('after the default branch is changed, the new one is guarded and the old one is free', async () => {
    const folder = await start('moved')
    await folder.must('push', '--quiet', 'origin', 'main:next')
    assert.equal((await ann.patch('/repos/ann/moved', { default_branch: 'next' })).status, 200)
    assert.match((await folder.git('push', 'origin', ':next')).output, /remote rejected/)
    assert.equal((await folder.git('push', '--quiet', 'origin', ':main')).code, 0)
  })

  test('one who reads a repository as it was before its default branch changed leaves the new one guarded', async () => {
    const folder = await start('late')
    await folder.must('push', '--quiet', 'origin', 'main:next')
    const { git, opening } = server.services.forge
    const { body } = await ann.get('/repos/ann/late')
    const before = await opening.find(anonymous('test'), { id: body.id })
    assert.equal((await ann.patch('/repos/ann/late', { default_branch: 'next' })).status, 200)
    await git.read(before!, ['for-each-ref'])
    assert.equal(await readFile(join(git.folderOf({ id: body.id }), 'HEAD'), 'utf8'), 'ref: refs/heads/next\n')
    const refused = await folder.git('push', 'origin', ':next')
    assert.match(refused.output, /Make another branch the default first.*remote rejected/s)
  })

  test('an archived or locked repository can be cloned and not pushed to', async () => {
    const folder = await start('old')
    await ann.patch('/repos/ann/old', { archived: true })
    await commit(folder, 'late')
    assert.match((await folder.git('push', 'origin', 'main')).output, /403/)
    assert.equal((await folder.git('fetch', '--quiet', 'origin')).code, 0)
    assert.equal((await ann.patch('/repos/ann/old', { archived: false })).status, 200)
    assert.equal((await folder.git('push', '--quiet', 'origin', 'main')).code, 0)
    const lock = (locked_at: number | null) =>
      server.services.store.write((trx) =>
        trx.updateTable('repository').set({ locked_at }).where('name', '=', 'old').execute(),
      )
    await lock(1)
    await commit(folder, 'later')
    assert.match((await folder.git('push', 'origin', 'main')).output, /403/)
    assert.match((await ann.put('/repos/ann/old/topics', { names: [] })).body.message, /locked for a migration/)
    assert.equal((await folder.git('fetch', '--quiet', 'origin')).code, 0)
    await lock(null)
    assert.equal((await folder.git('push', '--quiet', 'origin', 'main')).code, 0)
  })

  test('a renamed repository is served under its old name as well', async () => {
    const folder = await start('before')
    await ann.patch('/repos/ann/before', { name: 'after' })
    await commit(folder, 'two')
    assert.equal((await folder.git('push', '--quiet', 'origin', 'main')).code, 0)
    assert.equal((await folder.git('fetch', '--quiet', url('ann/after'))).code, 0)
  })

  test('an archive holds a commit’s files under one folder', async () => {
    const folder = await start('boxed', true)
    const head = await folder.must('rev-parse', 'HEAD')
    for (const [path, words] of [
      ['tarball/main', ['tar', 'tzf', '-']],
      [
        'zipball/refs/heads/main',
        [
          'python3',
          '-c',
          'import sys,io,zipfile;print("\\n".join(zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read())).namelist()))',
        ],
      ],
    ] as const) {
      const sent = await ann.get(`/repos/ann/boxed/${path}`)
      assert.equal(sent.status, 302)
      const answer = await fetch(sent.headers.get('location')!, { headers: { authorization: `Bearer ${ann.token}` } })
      const { stdout } = spawnSync(words[0], words.slice(1), { input: Buffer.from(await answer.arrayBuffer()) })
      const names = stdout.toString().trim().split('\n')
      assert.deepEqual(names, [`ann-boxed-${head.slice(0, 7)}/`, `ann-boxed-${head.slice(0, 7)}/a.txt`])
    }
    assert.equal((await bob.get(`/repos/ann/boxed/archive/${head}.tar.gz`)).status, 404)
  })

  test('who has made a repository is counted once, under whatever address', async () => {
    const folder = await start('many')
    await commit(folder, 'two')
    await folder.must('-c', 'user.email=ann@users.noreply', 'commit', '--quiet', '--allow-empty', '-m', 'three')
    await folder.must('-c', 'user.email=', 'commit', '--quiet', '--allow-empty', '-m', 'four', '--author=Nobody <>')
    await folder.must('push', '--quiet', 'origin', 'main')
    const { body } = await ann.get('/repos/ann/many/contributors?anon=1')
    const seen = body.map(({ login, name, contributions }: Record<string, unknown>) => [login ?? name, contributions])
    assert.deepEqual(seen, [
      ['ann', 3],
      ['Nobody', 1],
    ])
  })

  test('what two branches have apart is compared from where they parted', async () => {
    const folder = await start('compared')
    await folder.must('checkout', '--quiet', '-b', 'side/one')
    await writeFile(join(folder.path, 'b.txt'), 'b\n')
    await folder.must('add', '.')
    await commit(folder, 'b')
    await folder.must('checkout', '--quiet', 'main')
    await commit(folder, 'c')
    await folder.must('push', '--quiet', 'origin', 'main', 'side/one')
    const { body } = await ann.get('/repos/ann/compared/compare/main...side%2Fone')
    assert.deepEqual([body.status, body.ahead_by, body.behind_by], ['diverged', 1, 1])
    assert.deepEqual([body.commits.length, body.files[0].filename, body.files[0].status], [1, 'b.txt', 'added'])
    assert.equal((await ann.get('/repos/ann/compared/compare/main...main')).body.status, 'identical')
    assert.equal((await ann.get('/repos/ann/compared/compare/main...nowhere')).status, 404)
    assert.equal((await ann.get('/repos/ann/compared/compare/ann:main...Ann:side/one')).body.ahead_by, 1)
    assert.equal((await ann.get('/repos/ann/compared/compare/bob:main...ann:side/one')).status, 404)
  })

  test('a commit that is not there is 422 and says which was asked for', async () => {
    const folder = await start('sought')
    for (const name of ['nowhere', '1'.repeat(40), await folder.must('rev-parse', 'HEAD^{tree}')]) {
      const { status, body } = await ann.get(`/repos/ann/sought/commits/${name}`)
      assert.deepEqual([status, body.message], [422, `No commit found for SHA: ${name}`])
      assert.equal((await ann.get(`/repos/ann/sought/commits?sha=${name}`)).status, 404)
    }
  })

  test('commits are listed by who made them: a login with all its addresses, an address, and nobody like them', async () => {
    const folder = await start('mixed')
    const as = (email: string, words: string) =>
      folder.must('-c', `user.email=${email}`, '-c', 'user.name=ann', 'commit', '--quiet', '--allow-empty', '-m', words)
    await as('ann@users.noreply', 'two')
    await as('joann@example.org', 'three')
    await folder.must('push', '--quiet', 'origin', 'main')
    const made = async (query: string) => {
      const { body } = await ann.get(`/repos/ann/mixed/commits?${query}`)
      return body.map(({ commit }: { commit: { message: string } }) => commit.message)
    }
    assert.deepEqual(await made('author=ann'), ['two', 'one'])
    assert.deepEqual(await made('author=ANN'), ['two', 'one'])
    assert.deepEqual(await made('author=Joann@example.org'), ['three'])
    assert.deepEqual(await made('author=ann&committer=ann@example.org'), ['one'])
    const split = `author=${encodeURIComponent('ann\nx@y')}`
    for (const query of [
      'author=bob',
      'author=nobody',
      'committer=nn',
      'author=ann&committer=bob',
      split,
      'author=<ann@',
      `page=${2 ** 40}`,
    ])
      assert.deepEqual(await made(query), [], query)
  })

  test('tags are those of commits, each with its commit, however many tags lie between', async () => {
    const folder = await start('tagged')
    const head = await folder.must('rev-parse', 'HEAD')
    await folder.must('tag', 'light')
    await folder.must('tag', '-a', 'noted', '-m', 'noted')
    await folder.must('tag', '-a', 'twice', '-m', 'twice', 'refs/tags/noted')
    await folder.must('tag', 'file', 'HEAD:a.txt')
    await folder.must('tag', 'folder', 'HEAD^{tree}')
    await folder.must('push', '--quiet', 'origin', '--tags')
    const { body } = await ann.get('/repos/ann/tagged/tags')
    const seen = body.map(({ name, commit: { sha } }: { name: string; commit: { sha: string } }) => [name, sha])
    assert.deepEqual(seen, [
      ['twice', head],
      ['noted', head],
      ['light', head],
    ])
    assert.equal((await ann.get('/repos/ann/tagged/git/refs')).body.length, 6)
  })
})
