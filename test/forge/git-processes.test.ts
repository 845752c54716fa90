/** git's processes: none is left behind whatever a client does, each has its bounds, and every caller has their turn. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeRest } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { makeObjects } from './crafted-objects.ts'
import { commit, type GitServer, mib, startGitServer } from './git-server.ts'
import { listGits } from './running-gits.ts'

describe('git’s processes', () => {
  let { server, ann, start, stop } = {} as GitServer
  let data: string
  const noneLeft = () => until(() => listGits(data).length === 0)
  before(async () => {
    ;({ server, ann, start, stop } = await startGitServer('sqlite', {
      environment: { GUILDHALL_GIT_LIMITS: 'archiveFiles=2000,archiveMib=8,readSeconds=8,readMemoryMib=48' },
    }))
    data = server.database.folder
  })
  after(() => stop())

  /** What is written on a connection that is closed after the first bytes of an answer. */
  const breakOff = (path: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n\r\n`),
      )
      socket.once('data', () => socket.destroy())
      socket.once('close', () => resolve())
    })

  test('are all gone after heads, unchanged answers, broken-off reads and refused ones', async () => {
    const folder = await start('left')
    await writeFile(join(folder.path, 'noise'), randomBytes(5 * mib))
    await folder.must('add', '.')
    await commit(folder, 'noise')
    await folder.must('push', '--quiet', 'origin', 'main')
    const blob = await folder.must('rev-parse', 'HEAD:noise')
    const head = await folder.must('rev-parse', 'HEAD')
    const paths = ['raw/noise', `git/blobs/${blob}`, `archive/${head}.tar.gz`, `archive/${head}.zip`]
    for (const path of paths.map((each) => `/repos/ann/left/${each}`)) {
      for (let i = 0; i < 3; i++) {
        const asked = await ann.ask('HEAD', path)
        assert.equal(asked.status, 200, path)
        const etag = asked.headers.get('etag')
        if (etag) assert.equal((await ann.get(path, { 'if-none-match': etag })).status, 304, path)
        assert.equal((await ann.get(path, { 'x-platform-api-version': '1999-01-01' })).status, 400, path)
        await breakOff(path)
      }
    }
    await noneLeft()
    const whole = await fetch(`${server.url}/repos/ann/left/raw/noise`)
    assert.equal((await whole.arrayBuffer()).byteLength, 5 * mib)
    await noneLeft()
  })

  test('stop at trees that stand for more files than there are, whatever is asked about them', async () => {
    const folder = await start('deep')
    const { tree, commitTree } = makeObjects(folder.path)
    let below = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: folder.path, encoding: 'utf8' }).trim()
    for (let level = 0; level < 10; level++) {
      below = tree(Array.from({ length: 10 }, (_, i) => ({ mode: '40000', name: String(i), sha: below })))
    }
    const top = commitTree(below)
    await folder.must('push', '--quiet', 'origin', `${top}:refs/heads/deep`)
    const anyone = makeRest(server.url)
    for (const ending of ['tar.gz', 'zip']) {
      const { status, body } = await anyone.get(`/repos/ann/deep/archive/${top}.${ending}`)
      assert.deepEqual([status, /more than 2000 files/.test(body.message)], [403, true], ending)
    }
    const { body } = await anyone.get(`/repos/ann/deep/git/trees/${top}?recursive=1`)
    assert.deepEqual([body.truncated, body.tree.length], [true, 100_000])
    await ann.patch('/repos/ann/deep', { default_branch: 'deep' })
    for (const path of ['languages', 'contributors', 'contents', 'readme']) {
      const { status } = await anyone.get(`/repos/ann/deep/${path}`)
      assert.ok(status < 500 || status === 503, `${path}: ${status}`)
    }
    await noneLeft()
  })

  test('are one or two for a list of tags, however many tags of tags there are', async () => {
    const folder = await start('tags')
    const { tag } = makeObjects(folder.path)
    const head = await folder.must('rev-parse', 'HEAD')
    let below = { sha: head, type: 'commit' }
    const lines: string[] = []
    for (let i = 0; i < 300; i++) {
      below = { sha: tag(below, `t${i}`), type: 'tag' }
      lines.push(`create refs/tags/t${String(i).padStart(3, '0')} ${below.sha}\n`)
    }
    // One whose way leads through tags that no ref names.
    for (let i = 0; i < 3; i++) below = { sha: tag(below, `far${i}`), type: 'tag' }
    lines.push(`create refs/tags/z ${below.sha}\n`)
    assert.equal(spawnSync('git', ['update-ref', '--stdin'], { cwd: folder.path, input: lines.join('') }).status, 0)
    await folder.must('push', '--quiet', '--tags', 'origin')
    const { body, headers } = await ann.get('/repos/ann/tags/tags?per_page=100')
    assert.equal(body.length, 100)
    assert.deepEqual([body[0].name, body[0].commit.sha], ['z', head])
    assert.ok(body.every((each: { commit: { sha: string } }) => each.commit.sha === head))
    assert.match(headers.get('link')!, /page=4>; rel="last"/)
  })

  test('are ended by the bounds of time and memory, and the server says so and goes on', async () => {
    const folder = await start('bounded')
    const { commitTree } = makeObjects(folder.path)
    const tree = await folder.must('rev-parse', 'HEAD^{tree}')
    const huge = commitTree(tree, [], 'x'.repeat(50 * mib))
    await folder.must('push', '--quiet', 'origin', `${huge}:refs/heads/huge`)
    for (const path of [`commits/${huge}`, 'commits?sha=huge', `git/commits/${huge}`, `compare/${huge}...huge`]) {
      const { status, body } = await ann.get(`/repos/ann/bounded/${path}`)
      assert.deepEqual([status, body.message], [413, 'This is too large to show.'], path)
    }
    const top = (await ann.get('/repos/ann/deep/branches/deep')).body.commit.sha
    const { status, body } = await ann.get(`/repos/ann/deep/commits/${top}`)
    assert.ok([413, 503].includes(status), `${status}: ${JSON.stringify(body)}`)
    assert.equal((await ann.get('/repos/ann/bounded/commits')).status, 200)
    await noneLeft()
  })

  test('wait in their callers’ lines, and beyond those the asking is told to come again', async () => {
    const other = await startGitServer('sqlite', { environment: { GUILDHALL_GIT_LIMITS: 'queuePerCaller=1,queue=2' } })
    try {
      const folder = await other.start('busy')
      const sha = await folder.must('rev-parse', 'HEAD')
      const ask = (i: number) => other.ann.get(`/repos/ann/busy/commits?path=p${i}`)
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => ask(i)))
      const refused = answers.filter(({ status }) => status === 503)
      assert.ok(refused.length > 0 && refused.length < 30, String(refused.length))
      assert.ok(refused.every(({ headers, body }) => headers.get('retry-after') && /wait for git/.test(body.message)))
      assert.ok(answers.every(({ status }) => status === 200 || status === 503))
      assert.equal((await other.bob.get('/repos/ann/busy/commits')).body[0].sha, sha)
    } finally {
      await other.stop()
    }
  })
})
