/** git itself against the server: clone, fetch, push, what is refused, and what a broken push leaves behind. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { makeWorkingFolder, remoteUrl, runGit, type WorkingFolder } from '../support/git.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

const mib = 1024 * 1024

describe('git over HTTP', () => {
  let server: TestServer
  let ann: RestClient
  let bob: RestClient
  const folders: WorkingFolder[] = []
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_PUSH_LIMIT_MIB: '300', GUILDHALL_LIMITS: 'off' } })
    ann = await makeUser(server, 'ann')
    bob = await makeUser(server, 'bob')
  })
  after(async () => {
    await server.stop()
    for (const folder of folders) await folder.drop()
  })

  const work = async () => {
    const folder = await makeWorkingFolder()
    folders.push(folder)
    return folder
  }
  const url = (name: string, client: RestClient = ann, login = 'ann') =>
    remoteUrl(server.url, name, login, client.token)
  const commit = (folder: WorkingFolder, message: string) =>
    folder.must('commit', '--quiet', '--allow-empty', '-m', message)
  const fsck = async (fullName: string) => {
    const { body } = await ann.get(`/repos/${fullName}`)
    const folder = server.house.forge.git.folderOf({ id: body.id })
    return { folder, ...(await runGit(folder, ['--git-dir', '.', 'fsck', '--full', '--strict'])) }
  }

  /** A repository with one commit on main, and a working folder that holds it. */
  async function start(name: string, isPrivate = false): Promise<WorkingFolder> {
    const { status } = await ann.post('/user/repos', { name, private: isPrivate })
    assert.equal(status, 201)
    const folder = await work()
    await writeFile(join(folder.path, 'a.txt'), 'one\n')
    await folder.must('add', '.')
    await commit(folder, 'one')
    await folder.must('remote', 'add', 'origin', url(`ann/${name}`))
    await folder.must('push', '--quiet', 'origin', 'main')
    return folder
  }

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

  test('a push sets pushed_at, the size and the newest commit, and the first one the default branch', async () => {
    const { body: made } = await ann.post('/user/repos', { name: 'fresh' })
    assert.equal(made.size, 0)
    const folder = await work()
    await folder.must('checkout', '--quiet', '-b', 'trunk')
    await writeFile(join(folder.path, 'blob'), randomBytes(64 * 1024))
    await folder.must('add', '.')
    await commit(folder, 'one')
    await folder.must('push', '--quiet', url('ann/fresh'), 'trunk')
    const { body } = await ann.get('/repos/ann/fresh')
    assert.equal(body.default_branch, 'trunk')
    assert.ok(body.size >= 60)
    const commits = await ann.get('/repos/ann/fresh/commits')
    assert.equal(commits.body[0].sha, await folder.must('rev-parse', 'trunk'))
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

  test('the default branch can be neither forced nor deleted, others can', async () => {
    const folder = await start('guarded')
    await commit(folder, 'two')
    await folder.must('push', '--quiet', 'origin', 'main', 'main:side')
    await folder.must('reset', '--quiet', '--hard', 'HEAD~1')
    await commit(folder, 'two, otherwise')
    const forced = await folder.git('push', '--force', 'origin', 'main')
    assert.equal(forced.code, 1)
    assert.match(forced.output, /remote rejected.*non-fast-forward/)
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

  test('an archived or locked repository can be cloned and not pushed to', async () => {
    const folder = await start('old')
    await ann.patch('/repos/ann/old', { archived: true })
    await commit(folder, 'late')
    assert.match((await folder.git('push', 'origin', 'main')).output, /403/)
    assert.equal((await folder.git('fetch', '--quiet', 'origin')).code, 0)
    assert.equal((await ann.patch('/repos/ann/old', { archived: false })).status, 200)
    assert.equal((await folder.git('push', '--quiet', 'origin', 'main')).code, 0)
    const lock = (locked_at: number | null) =>
      server.house.store.write((trx) =>
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
      const answers = await Promise.all([one, two].map((folder) => folder.git('push', 'origin', 'main')))
      assert.deepEqual(answers.map(({ code }) => code).sort(), [0, 1], answers.map(({ output }) => output).join('\n'))
    }
    const { code, output } = await fsck('ann/raced')
    assert.equal(code, 0, output)
  })

  test('a push cut in the middle leaves the repository whole and the branch where it was', async () => {
    const folder = await start('cut')
    const before = await folder.must('rev-parse', 'HEAD')
    await folder.must('config', 'core.compression', '0')
    await writeFile(join(folder.path, 'large'), randomBytes(40 * mib))
    await folder.must('add', '.')
    await commit(folder, 'large')
    // git sends from a child of its own: the whole group is cut off.
    const child = spawn('git', ['push', 'origin', 'main'], { cwd: folder.path, stdio: 'ignore', detached: true })
    const quarantine = async () => {
      const { body } = await ann.get('/repos/ann/cut')
      const objects = await readdir(join(server.house.forge.git.folderOf({ id: body.id }), 'objects'))
      return objects.some((name) => name.startsWith('tmp_objdir') || name.startsWith('incoming'))
    }
    for (let i = 0; i < 400 && !(await quarantine()) && child.exitCode === null; i++)
      await new Promise((resolve) => setTimeout(resolve, 5))
    process.kill(-child.pid!, 'SIGKILL')
    await new Promise((resolve) => child.on('close', resolve))
    const { code, output } = await fsck('ann/cut')
    assert.equal(code, 0, output)
    const now = (await ann.get('/repos/ann/cut/git/ref/heads/main')).body.object.sha
    const after = await folder.must('rev-parse', 'HEAD')
    assert.ok(now === before || now === after)
    await folder.must('push', '--quiet', 'origin', 'main')
    assert.equal((await ann.get('/repos/ann/cut/commits/main')).body.sha, after)
  })

  test('a push over the size limit is refused cleanly', async () => {
    const small = await startServer('sqlite', {
      environment: { GUILDHALL_PUSH_LIMIT_MIB: '1', GUILDHALL_LIMITS: 'off' },
    })
    try {
      const user = await makeUser(small, 'ann')
      await user.post('/user/repos', { name: 'tiny' })
      const folder = await work()
      await writeFile(join(folder.path, 'large'), randomBytes(8 * mib))
      await folder.must('add', '.')
      await commit(folder, 'large')
      const { code, output } = await folder.git('push', remoteUrl(small.url, 'ann/tiny', 'ann', user.token), 'main')
      assert.equal(code, 1)
      assert.match(output, /maximum allowed size/)
      assert.deepEqual((await user.get('/repos/ann/tiny/branches')).body, [])
    } finally {
      await small.stop()
    }
  })

  test('hooks that lie in a repository never run', async () => {
    const folder = await start('hooked')
    const { body } = await ann.get('/repos/ann/hooked')
    const home = server.house.forge.git.folderOf({ id: body.id })
    const { mkdir, chmod, access } = await import('node:fs/promises')
    await mkdir(join(home, 'hooks'), { recursive: true })
    for (const name of ['pre-receive', 'update', 'post-receive', 'reference-transaction']) {
      await writeFile(join(home, 'hooks', name), `#!/bin/sh\ntouch ${home}/ran\nexit 1\n`)
      await chmod(join(home, 'hooks', name), 0o755)
    }
    await commit(folder, 'two')
    assert.equal((await folder.git('push', '--quiet', 'origin', 'main')).code, 0)
    await assert.rejects(access(join(home, 'ran')))
  })

  test('names of refs that mean something to a shell or to git’s options mean nothing here', async () => {
    const folder = await start('hostile')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the attack
    const names = ['$(touch${IFS}x)', '`id`', 'a;b', 'a&b', "a'b", 'ünïcode', 'a|b', '%2e%2e', '{a}']
    for (const name of names) {
      assert.equal((await folder.git('push', '--quiet', 'origin', `main:refs/heads/${name}`)).code, 0, name)
      const { status, body } = await ann.get(`/repos/ann/hostile/branches/${encodeURIComponent(name)}`)
      assert.deepEqual([status, body.name], [200, name])
      assert.equal((await ann.get(`/repos/ann/hostile/commits?sha=${encodeURIComponent(name)}`)).status, 200, name)
    }
    for (const name of [
      '--upload-pack=touch x',
      '-x',
      '..',
      'HEAD~1',
      'main:a.txt',
      'main^',
      'a b',
      '@{-1}',
      ':/one',
    ]) {
      const encoded = encodeURIComponent(name)
      for (const path of [
        `commits?sha=${encoded}`,
        `commits/${encoded}`,
        `contents/a.txt?ref=${encoded}`,
        `git/trees/${encoded}`,
      ]) {
        const { status } = await ann.get(`/repos/ann/hostile/${path}`)
        assert.ok([404, 409, 422].includes(status), `${path}: ${status}`)
      }
    }
    for (const path of ['../HEAD', 'x/../../config', '.git/config', '%00', 'a%0Ab']) {
      assert.equal((await ann.get(`/repos/ann/hostile/contents/${encodeURIComponent(path)}`)).status, 404, path)
    }
  })

  test('refs of pull requests are the server’s own', async () => {
    const folder = await start('pulled')
    assert.notEqual((await folder.git('push', 'origin', 'main:refs/pull/1/head')).code, 0)
  })

  test('a gzipped request is understood, and one that is none is refused', async () => {
    const folder = await start('packed')
    const head = await folder.must('rev-parse', 'HEAD')
    const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
    const body = `${line(`want ${head} no-progress\n`)}0000${line('done\n')}`
    const send = (bytes: Buffer, headers: Record<string, string>) =>
      fetch(`${server.url}/ann/packed.git/git-upload-pack`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-git-upload-pack-request', ...headers },
        body: bytes as unknown as string,
      })
    const answer = await send(gzipSync(body), { 'content-encoding': 'gzip' })
    assert.equal(answer.status, 200)
    assert.match(Buffer.from(await answer.arrayBuffer()).toString('latin1'), /^0008NAK\n.*PACK/s)
    const broken = await send(Buffer.from('not gzip'), { 'content-encoding': 'gzip' }).catch(() => ({ status: 0 }))
    assert.notEqual(broken.status, 200)
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
  })

  test('hooks, packs and objects are not served as files', async () => {
    for (const path of ['HEAD', 'config', 'objects/info/packs', 'info/refs', 'info/refs?service=git-shell']) {
      const { status } = await makeRest(server.url).get(`/ann/open.git/${path}`)
      assert.ok([403, 404].includes(status), `${path}: ${status}`)
    }
  })

  test('128 MiB are pushed and cloned while the server’s memory stays flat', async () => {
    await ann.post('/user/repos', { name: 'heavy' })
    const folder = await work()
    await folder.must('config', 'core.compression', '0')
    await folder.must('config', 'core.bigFileThreshold', '1m')
    for (let i = 0; i < 4; i++) await writeFile(join(folder.path, `part${i}`), randomBytes(32 * mib))
    await folder.must('add', '.')
    await commit(folder, 'heavy')
    let peak = 0
    const before = process.memoryUsage().rss
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    try {
      await folder.must('push', '--quiet', url('ann/heavy'), 'main')
      await folder.must('clone', '--quiet', '--bare', url('ann/heavy'), 'copy')
    } finally {
      clearInterval(timer)
    }
    const grownMib = (peak - before) / mib
    assert.ok(grownMib < 80, `grew by ${grownMib.toFixed(0)} MiB`)
  })
})

describe('a server that dies in a push', () => {
  test('tells of the push at its next start', async () => {
    const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    try {
      const ann = await makeUser(server, 'ann')
      const { body: made } = await ann.post('/user/repos', { name: 'r', auto_init: true })
      const { store, forge } = server.house
      const sha = (await ann.get('/repos/ann/r/commits')).body[0].sha
      // As it is when git has moved the ref and nothing was written down of it.
      const repository = (await forge.opening.find(
        { account: undefined, credential: { kind: 'none' }, address: '' },
        { id: made.id },
      ))!
      await forge.git.read(repository, ['update-ref', 'refs/heads/left', sha])
      const changes = JSON.stringify([{ ref: 'refs/heads/left', before: '0'.repeat(40), after: sha }])
      const row = { repository_id: made.id, pusher_id: 2, state: 'receiving', changes, created_at: 1 }
      await store.write((trx) => trx.insertInto('push').values(row).execute())
      const told: string[] = []
      forge.activity.listen(async (_trx, activity) => {
        if (activity.kind === 'push') told.push(...activity.changes.map(({ ref }) => ref))
      })
      await forge.start()
      assert.deepEqual(told, ['refs/heads/left'])
      await forge.start()
      assert.equal(told.length, 1, 'once')
    } finally {
      await server.stop()
    }
  })

  test('leaves no folder of a repository that is no more', async () => {
    const server = await startServer('sqlite')
    try {
      const root = asAdmin(server)
      const { body } = await root.post('/user/repos', { name: 'gone' })
      const folder = server.house.forge.git.folderOf({ id: body.id })
      await server.house.store.write((trx) => trx.deleteFrom('repository').where('id', '=', body.id).execute())
      await server.house.forge.start()
      await assert.rejects(readdir(folder))
    } finally {
      await server.stop()
    }
  })
})
