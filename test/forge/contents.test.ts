/** Files, folders, links and submodules by their paths, and the media types in which they and commits come. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { WorkingFolder } from '../support/git.ts'
import { commit, type GitServer, mib, startGitServer } from './git-server.ts'

describe('contents', () => {
  let { ann, start, stop } = {} as GitServer
  let folder: WorkingFolder
  before(async () => {
    ;({ ann, start, stop } = await startGitServer())
    folder = await start('odd')
    const at = (path: string) => join(folder.path, path)
    await mkdir(at('d/e/f'), { recursive: true })
    await writeFile(at('d/e/f/ünï côde #?%.txt'), 'deep\n')
    await writeFile(at('README.md'), '# Root\n')
    await writeFile(at('d/e/readme.TXT'), 'Of e\n')
    await symlink('a.txt', at('link'))
    await symlink('../a.txt', at('d/up'))
    await symlink('../../etc/passwd', at('outside'))
    await symlink('/etc/passwd', at('absolute'))
    await symlink('link', at('chain'))
    await symlink('d', at('folder'))
    await writeFile(at('.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = https://example.org/sub.git\n')
    await folder.must('add', '.')
    const head = await folder.must('rev-parse', 'HEAD')
    await folder.must('update-index', '--add', '--cacheinfo', `160000,${head},sub`)
    await commit(folder, 'odd')
    await folder.must('push', '--quiet', 'origin', 'main')
  })
  after(() => stop())

  const get = (path: string, accept = 'application/vnd.platform+json') =>
    ann.get(`/repos/ann/odd/contents/${path}`, { accept })

  test('a link to a file of the repository is shown as that file, any other as itself', async () => {
    for (const path of ['link', 'd/up']) {
      const { body } = await get(path)
      assert.deepEqual([body.type, body.path, Buffer.from(body.content, 'base64').toString()], ['file', path, 'one\n'])
      assert.equal((await get(path, 'application/vnd.github.raw+json')).text, 'one\n')
    }
    for (const [path, target] of [
      ['outside', '../../etc/passwd'],
      ['absolute', '/etc/passwd'],
      ['chain', 'link'],
      ['folder', 'd'],
    ] as const) {
      const { body } = await get(path)
      assert.deepEqual([body.type, body.target, 'content' in body], ['symlink', target, false])
    }
  })

  test('a submodule tells its commit and where it comes from', async () => {
    const { body } = await get('sub')
    assert.deepEqual(
      [body.type, body.sha, body.submodule_git_url],
      ['submodule', await folder.must('rev-parse', 'HEAD~1'), 'https://example.org/sub.git'],
    )
    const { body: entries } = await get('')
    const types = Object.fromEntries(entries.map(({ name, type }: { name: string; type: string }) => [name, type]))
    assert.deepEqual([types.sub, types.link, types.d, types['a.txt']], ['submodule', 'symlink', 'dir', 'file'])
  })

  test('any name is found by its address, and its links answer', async () => {
    const [entry] = (await get('d/e/f')).body
    assert.equal(entry.name, 'ünï côde #?%.txt')
    for (const url of [entry.url, entry.git_url, entry.download_url]) {
      const answer = await ann.get(new URL(url).pathname + new URL(url).search)
      assert.equal(answer.status, 200, url)
    }
  })

  test('the README of a folder is found in that folder', async () => {
    for (const [path, text] of [
      ['readme', '# Root\n'],
      ['readme/', '# Root\n'],
      ['readme/d/e', 'Of e\n'],
    ] as const) {
      const { body } = await ann.get(`/repos/ann/odd/${path}`)
      assert.equal(Buffer.from(body.content, 'base64').toString(), text, path)
    }
    assert.equal((await ann.get('/repos/ann/odd/readme/d/e')).body.path, 'd/e/readme.TXT')
    for (const path of ['d', 'nowhere', 'a.txt', '..', 'd/../d'])
      assert.equal((await ann.get(`/repos/ann/odd/readme/${encodeURIComponent(path)}`)).status, 404, path)
  })

  test('what is not in the tree is not there, however it is asked for', async () => {
    for (const path of [
      '.git',
      '.git/config',
      '..%2f..%2fHEAD',
      'a.txt/b',
      'd/../a.txt%2f..',
      'A.TXT',
      'd%00',
      'sub/x',
      'link/x',
    ])
      assert.equal((await get(path)).status, 404, path)
  })

  test('a file comes as HTML: Markdown rendered, other text as it is, and nothing that runs', async () => {
    await writeFile(
      join(folder.path, 'page.md'),
      '# Hi\n\n<script>alert(1)</script>\n\n**bold** <b onclick="x()">b</b>\n',
    )
    await writeFile(join(folder.path, 'page.html'), '<script>alert(1)</script>&amp;\n')
    await writeFile(join(folder.path, 'bytes.bin'), randomBytes(64))
    await folder.must('add', '.')
    await commit(folder, 'pages')
    await folder.must('push', '--quiet', 'origin', 'main')
    for (const accept of ['application/vnd.github.html', 'application/vnd.platform.html+json']) {
      const page = await get('page.md', accept)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.match(page.text, /<h1[^>]*>Hi<\/h1>.*<strong>bold<\/strong>/s)
      assert.doesNotMatch(page.text, /<script|onclick/)
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.match((await get('page.html', accept)).text, /<pre>&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;amp;/)
      assert.match((await ann.get('/repos/ann/odd/readme', { accept })).text, /<h1[^>]*>Root<\/h1>/)
      assert.equal((await get('bytes.bin', accept)).status, 422)
    }
    const { body } = await get('page.md', 'application/vnd.github.object+json')
    assert.deepEqual([body.type, body.name], ['file', 'page.md'])
  })

  test('a folder comes as one object, a commit and a comparison as diff and patch, where the media type says so', async () => {
    const { body } = await get('d', 'application/vnd.github.object+json')
    assert.deepEqual([body.type, body.path, body.entries.length], ['dir', 'd', 2])
    await writeFile(join(folder.path, 'a.txt'), 'two\n')
    await folder.must('commit', '--quiet', '-m', 'three', 'a.txt')
    await folder.must('push', '--quiet', 'origin', 'main')
    const before = await folder.must('rev-parse', 'HEAD~1')
    for (const path of ['commits/main', `compare/${before}...main`]) {
      const ask = async (form: string) =>
        (await ann.get(`/repos/ann/odd/${path}`, { accept: `application/vnd.${form}` })).text
      assert.match(await ask('platform.diff'), /^diff --git a\/a\.txt b\/a\.txt\n.*\n-one\n\+two\n$/s)
      assert.match(await ask('github.v3.patch'), /^From [0-9a-f]{40} .*\nSubject: \[PATCH\] three\n.*\n\+two\n/s)
    }
    const sha = await ann.get('/repos/ann/odd/commits/heads/main', { accept: 'application/vnd.github.sha' })
    assert.equal(sha.text, await folder.must('rev-parse', 'HEAD'))
  })

  test('a switch in a query is on however it is cased, and times have fractions and offsets', async () => {
    const count = async (path: string) => (await ann.get(`/repos/ann/odd/${path}`)).body.length
    const nothing = { required_status_checks: null, required_pull_request_reviews: null, restrictions: null }
    await ann.put('/repos/ann/odd/branches/main/protection', { ...nothing, enforce_admins: null })
    for (const value of ['true', 'True', 'TRUE', '1'])
      assert.equal(await count(`branches?protected=${value}`), 1, value)
    for (const value of ['false', 'False', '0']) assert.equal(await count(`branches?protected=${value}`), 0, value)
    const all = await count('commits')
    assert.equal(await count('commits?since=2000-01-01T00:00:00.123%2B02:00'), all)
    assert.equal(await count('commits?until=2000-01-01T00:00:00Z'), 0)
    assert.equal((await ann.get('/repos/ann/odd/commits?since=soon')).status, 422)
  })

  test('a long history is paged, its ends linked', async () => {
    const lines = Array.from({ length: 500 }, (_, i) => {
      const who = `Ann <ann@example.org> ${1_700_000_000 + i} +0000`
      return `commit refs/heads/long\ncommitter ${who}\ndata 3\nabc\n`
    })
    const made = spawnSync('git', ['fast-import', '--quiet'], { cwd: folder.path, input: lines.join('\n') })
    assert.equal(made.status, 0, made.stderr.toString())
    await folder.must('push', '--quiet', 'origin', 'long')
    const count = async (query: string) => (await ann.get(`/repos/ann/odd/commits?sha=long${query}`)).body.length
    assert.deepEqual([await count(''), await count('&per_page=0'), await count('&per_page=101')], [30, 30, 100])
    const { body, headers } = await ann.get('/repos/ann/odd/commits?sha=long&per_page=100&page=5')
    assert.equal(body.length, 100)
    assert.equal(body.at(-1).parents.length, 0)
    assert.match(headers.get('link')!, /page=4>; rel="prev", .*page=1>; rel="first"$/)
  })
})

describe('a large file', () => {
  let { ann, url, start, stop, folderOf } = {} as GitServer
  let folder: WorkingFolder
  let sha: string
  const bytes = Buffer.from(randomBytes(9 * mib + 7))
  before(async () => {
    ;({ ann, url, start, stop, folderOf } = await startGitServer())
    folder = await start('large')
    await writeFile(join(folder.path, 'noise'), bytes)
    await writeFile(join(folder.path, 'small'), bytes.subarray(0, mib))
    await folder.must('add', '.')
    await commit(folder, 'noise')
    await folder.must('push', '--quiet', url('ann/large'), 'main')
    sha = await folder.must('rev-parse', 'HEAD:noise')
  })
  after(() => stop())

  const fetchPart = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${new URL(url('x')).origin}/repos/ann/large/${path}`, {
      method,
      headers: { authorization: `Bearer ${ann.token}`, ...headers },
    })

  test('comes as it is by the raw media type, and says how long it is and whether it is news', async () => {
    for (const path of ['contents/noise', `git/blobs/${sha}`, 'raw/noise']) {
      const accept = 'application/vnd.platform.raw+json'
      const answer = await fetchPart(path, { accept })
      assert.equal(answer.headers.get('content-length'), String(bytes.length), path)
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes), path)
      const etag = answer.headers.get('etag')!
      const again = await fetchPart(path, { accept, 'if-none-match': etag })
      assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, etag, ''], path)
      const head = await fetchPart(path, { accept }, 'HEAD')
      assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)], path)
    }
  })

  test('is spelled among blobs up to 100 MiB, and beyond that comes raw alone', async () => {
    const place = await folderOf('ann/large')
    const most = 104_857_600
    for (const [size, status] of [
      [most, 200],
      [most + 1, 403],
    ] as const) {
      const made = spawnSync('git', ['hash-object', '-w', '--stdin'], { cwd: place, input: Buffer.alloc(size) })
      const path = `git/blobs/${String(made.stdout).trim()}`
      const answer = await fetchPart(path, {}, 'HEAD')
      assert.equal(answer.status, status, String(size))
      const raw = await fetchPart(path, { accept: 'application/vnd.platform.raw+json' }, 'HEAD')
      assert.deepEqual([raw.status, raw.headers.get('content-length')], [200, String(size)])
      if (status === 403)
        assert.match(await (await fetchPart(path)).text(), /too large for JSON: use the media type raw/)
    }
  })

  test('is told of without its bytes among contents, and spelled like a small one among blobs', async () => {
    const { body: content } = await ann.get('/repos/ann/large/contents/noise')
    assert.deepEqual([content.size, content.encoding, content.content], [bytes.length, 'none', ''])
    for (const [name, expected] of [
      ['noise', bytes],
      ['small', bytes.subarray(0, mib)],
    ] as const) {
      const answer = await fetchPart(`git/blobs/${await folder.must('rev-parse', `HEAD:${name}`)}`)
      const text = await answer.text()
      assert.equal(answer.headers.get('content-length'), String(text.length))
      assert.match(answer.headers.get('etag') ?? '', /^W\//)
      const { size, encoding, content, ...rest } = JSON.parse(text)
      assert.deepEqual([size, encoding, Object.keys(rest)], [expected.length, 'base64', ['sha', 'node_id', 'url']])
      assert.equal(content, expected.toString('base64').replace(/.{1,60}/g, '$&\n'))
    }
  })

  test('that many read slowly is not held for each of them', async (t) => {
    const before = process.memoryUsage.rss()
    const { hostname, port } = new URL(url('x'))
    const line = `GET /repos/ann/large/raw/noise HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n\r\n`
    const sockets: Socket[] = []
    t.after(() => sockets.forEach((socket) => void socket.destroy()))
    // One after the other: those who ask at the same time would share what is read.
    for (let i = 0; i < 40; i++) {
      const socket = connect(Number(port), hostname)
      sockets.push(socket)
      socket.write(line)
      await once(socket, 'readable')
    }
    const grown = process.memoryUsage.rss() - before
    assert.ok(grown < 120 * mib, `${Math.round(grown / mib)} MiB more`)
  })
})
