/** git under hardship: races, broken pushes, hostile names, too much of it, and a server that dies. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { access, chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { remoteUrl } from '../support/git.ts'
import { makeRest, makeUser } from '../support/rest.ts'
import { startServer } from '../support/server.ts'

import { commit, type GitServer, mib, startGitServer } from './git-server.ts'

describe('git under hardship', () => {
  let { server, ann, work, url, start, folderOf, fsck, stop } = {} as GitServer
  before(async () => {
    ;({ server, ann, work, url, start, folderOf, fsck, stop } = await startGitServer())
  })
  after(() => stop())

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
      const objects = await readdir(join(await folderOf('ann/cut'), 'objects'))
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
    const home = await folderOf('ann/hooked')
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

  const post = (service: string, body: Buffer | string, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/ann/attacked.git/git-${service}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ann.token}`, 'content-encoding': 'gzip', ...headers },
      body: gzipSync(body) as unknown as string,
    })
  const line = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text

  test('a push that ends before its time, or names refs without end, is refused at once', async () => {
    await start('attacked')
    const create = (i: number) => line(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x${i}\n`)
    const short = await post('receive-pack', create(1))
    assert.deepEqual([short.status, await short.text()], [400, 'The push broke off before its pack.\n'])
    const many = await post('receive-pack', Array.from({ length: 170_000 }, (_, i) => create(i)).join(''))
    assert.deepEqual([many.status, (await many.text()).slice(0, 32)], [400, 'A push names too many refs: push'])
    assert.equal((await post('receive-pack', '')).status, 200, 'who only asks whether they may is answered')
  })

  test('a small request that unpacks to a large one is cut off, and the server goes on', async () => {
    for (const service of ['upload-pack', 'receive-pack']) {
      const zeros = await post(service, Buffer.alloc(200 * mib)).catch(() => ({ status: 0 }))
      assert.notEqual(zeros.status, 200, service)
    }
    const { body } = await ann.get('/repos/ann/attacked/commits/main')
    const wants = `${line(`want ${body.sha} no-progress\n`)}0000`
    const haves = line(`have ${'1'.repeat(40)}\n`).repeat((70 * mib) / 50)
    const many = await post('upload-pack', wants + haves).catch(() => ({ status: 0 }))
    assert.notEqual(many.status, 200)
    assert.equal((await ann.get('/repos/ann/attacked')).status, 200)
  })

  test('a client that neither sends nor reads is cut off', async () => {
    const other = await startServer('sqlite', { environment: { GUILDHALL_GIT_IDLE_SECONDS: '1' } })
    try {
      const user = await makeUser(other, 'ann')
      await user.post('/user/repos', { name: 'r', auto_init: true })
      const socket = connect(Number(new URL(other.url).port), '127.0.0.1')
      socket.write('POST /ann/r.git/git-upload-pack HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n0')
      await new Promise((resolve) => socket.resume().on('close', resolve))
    } finally {
      await other.stop()
    }
  })

  test('trees with names that would leave them are refused', async () => {
    await ann.post('/user/repos', { name: 'trees' })
    const folder = await work()
    const blob = spawnSync('git', ['hash-object', '-w', '--stdin'], { cwd: folder.path, input: 'x' }).stdout
    for (const name of ['.git', '..', 'a/b', '.GIT', 'git~1']) {
      const tree = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob.toString().trim(), 'hex')])
      const words = ['hash-object', '-t', 'tree', '--literally', '-w', '--stdin']
      const sha = spawnSync('git', words, { cwd: folder.path, input: tree }).stdout.toString().trim()
      const bad = await folder.must('commit-tree', sha, '-m', name)
      assert.match((await folder.git('push', url('ann/trees'), `${bad}:refs/heads/main`)).output, /unpack failed/, name)
    }
    assert.deepEqual((await ann.get('/repos/ann/trees/branches')).body, [])
  })

  test('hooks, packs and objects are not served as files', async () => {
    for (const path of ['HEAD', 'config', 'objects/info/packs', 'info/refs', 'info/refs?service=git-shell']) {
      const { status } = await makeRest(server.url).get(`/ann/open.git/${path}`)
      assert.ok([403, 404].includes(status), `${path}: ${status}`)
    }
  })

  test('64 MiB are pushed and cloned while the server’s memory stays flat', async () => {
    await ann.post('/user/repos', { name: 'heavy' })
    const folder = await work()
    await folder.must('config', 'core.compression', '0')
    await folder.must('config', 'core.bigFileThreshold', '1m')
    for (let i = 0; i < 2; i++) await writeFile(join(folder.path, `part${i}`), randomBytes(32 * mib))
    await folder.must('add', '.')
    await commit(folder, 'heavy')
    let peak = 0
    const before = process.memoryUsage().rss
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 20)
    try {
      await folder.must('push', '--quiet', url('ann/heavy'), 'main')
      const packs = await readdir(join(await folderOf('ann/heavy'), 'objects', 'pack'))
      assert.equal(packs.filter((name) => name.endsWith('.pack')).length, 1, 'it stays the pack it came as')
      await folder.must('clone', '--quiet', '--bare', url('ann/heavy'), 'copy')
    } finally {
      clearInterval(timer)
    }
    const grownMib = (peak - before) / mib
    assert.ok(grownMib < 48, `grew by ${grownMib.toFixed(0)} MiB`)
  })
})
