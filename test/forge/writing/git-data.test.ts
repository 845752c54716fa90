/** Git's own objects and refs made over REST, with Octokit, and found by git. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { commit, type GitServer, startGitServer } from '../git-server.ts'

describe('git data written over REST', () => {
  let { server, ann, start, fsck, stop } = {} as GitServer
  let octokit: Octokit
  before(async () => {
    ;({ server, ann, start, fsck, stop } = await startGitServer())
    octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
  })
  after(() => stop())

  test('a blob, a tree on top of another, a commit, a tag and refs make history that git pulls', async () => {
    const folder = await start('data')
    const place = { owner: 'ann', repo: 'data' }
    const head = (await octokit.git.getRef({ ...place, ref: 'heads/main' })).data.object.sha
    const bytes = Buffer.from([0, 1, 255, 254])
    const blob = await octokit.git.createBlob({ ...place, content: bytes.toString('base64'), encoding: 'base64' })
    const base = (await octokit.git.getCommit({ ...place, commit_sha: head })).data.tree.sha
    const tree = await octokit.git.createTree({
      ...place,
      base_tree: base,
      tree: [
        { path: 'bin/data', mode: '100644', type: 'blob', sha: blob.data.sha },
        { path: 'bin/run', mode: '100755', type: 'blob', content: '#!/bin/sh\n' },
        { path: 'link', mode: '120000', type: 'blob', content: 'bin/run' },
        { path: 'a.txt', mode: '100644', type: 'blob', sha: null },
      ],
    })
    assert.deepEqual(
      tree.data.tree.map(({ path, mode }) => [path, mode]),
      [
        ['bin', '040000'],
        ['link', '120000'],
      ],
    )
    const made = await octokit.git.createCommit({
      ...place,
      message: 'By hand',
      tree: tree.data.sha,
      parents: [head],
      author: { name: 'Zoe', email: 'zoe@example.org', date: '2020-02-03T04:05:06+01:00' },
    })
    assert.equal(made.data.committer.name, 'Zoe')
    assert.equal(made.data.author.date, '2020-02-03T03:05:06Z')
    // What was looked for before it was there is found once it is.
    assert.equal((await ann.get(`/repos/ann/data/git/commits/${made.data.sha}`)).status, 200)
    const moved = await octokit.git.updateRef({ ...place, ref: 'heads/main', sha: made.data.sha })
    assert.equal(moved.data.object.sha, made.data.sha)
    await folder.must('pull', '--quiet', 'origin', 'main')
    assert.equal(await folder.must('rev-parse', 'HEAD'), made.data.sha)
    assert.equal(await folder.must('ls-files'), 'bin/data\nbin/run\nlink')

    const tag = await octokit.git.createTag({
      ...place,
      tag: 'v1',
      message: 'One',
      object: made.data.sha,
      type: 'commit',
    })
    await octokit.git.createRef({ ...place, ref: 'refs/tags/v1', sha: tag.data.sha })
    await folder.must('fetch', '--quiet', '--tags', 'origin')
    assert.equal(await folder.must('describe', 'HEAD'), 'v1')
    await octokit.git.deleteRef({ ...place, ref: 'tags/v1' })
    assert.equal((await ann.get('/repos/ann/data/git/ref/tags/v1')).status, 404)
    const { code, output } = await fsck('ann/data')
    assert.equal(code, 0, output)
  })

  test('an object that was looked for in vain is found once it is made', async () => {
    await start('later')
    const sha = 'ce013625030ba8dba906f756967f9e9ca394464a'
    assert.equal((await ann.get(`/repos/ann/later/git/blobs/${sha}`)).status, 404)
    assert.equal((await ann.post('/repos/ann/later/git/blobs', { content: 'hello\n' })).body.sha, sha)
    assert.equal((await ann.get(`/repos/ann/later/git/blobs/${sha}`)).status, 200)
  })

  test('what refers to nothing, or is nothing that git knows, is refused', async () => {
    const folder = await start('wrong')
    const [head, blob, none] = [
      await folder.must('rev-parse', 'HEAD'),
      await folder.must('rev-parse', 'HEAD:a.txt'),
      '1'.repeat(40),
    ]
    const tree = await folder.must('rev-parse', 'HEAD^{tree}')
    const entry = (more: object) => ({ tree: [{ path: 'x', mode: '100644', type: 'blob', ...more }] })
    const commitOf = (more: object) => ({ message: 'm', tree, parents: [head], ...more })
    const wrong: [string, object][] = [
      ['blobs', { content: '%%%', encoding: 'base64' }],
      ['blobs', { content: 'x', encoding: 'latin1' }],
      ['blobs', {}],
      ['trees', entry({ sha: none })],
      ['trees', entry({ sha: tree })],
      ['trees', entry({ sha: 'main' })],
      ['trees', entry({ sha: blob, mode: '040000' })],
      ['trees', entry({ sha: blob, mode: '100666' })],
      ['trees', entry({ sha: null })],
      ['trees', { ...entry({ sha: blob }), base_tree: none }],
      ['trees', { ...entry({ sha: blob }), base_tree: blob }],
      ['trees', entry({ sha: blob, path: '../x' })],
      ['trees', entry({ sha: blob, path: '/x' })],
      ['trees', entry({ sha: blob, path: '.git/config' })],
      ['trees', entry({ content: 'x', mode: '160000' })],
      ['trees', { tree: [] }],
      ['trees', entry({ content: '/etc/passwd', mode: '120000', path: '.gitmodules' })],
      ['commits', commitOf({ tree: none })],
      ['commits', commitOf({ tree: head })],
      ['commits', commitOf({ parents: [none] })],
      ['commits', commitOf({ parents: [blob] })],
      ['commits', commitOf({ parents: [head, head] })],
      ['commits', commitOf({ author: { name: 'a<b', email: 'x@y' } })],
      ['commits', commitOf({ author: { name: 'a', email: 'x@y', date: 'yesterday' } })],
      ['commits', commitOf({ author: { name: 'a', email: 'x@y', date: '0001-01-01T00:00:00Z' } })],
      ['commits', commitOf({ message: 'a\u0000b' })],
      ['tags', { tag: 'v1', message: 'm', object: none, type: 'commit' }],
      ['tags', { tag: 'v1', message: 'm', object: blob, type: 'commit' }],
      ['tags', { tag: '-v', message: 'm', object: head, type: 'commit' }],
      ['tags', { tag: 'a b', message: 'm', object: head, type: 'commit' }],
      ['refs', { ref: 'refs/heads/x', sha: none }],
      ['refs', { ref: 'refs/heads/x', sha: blob }],
      ['refs', { ref: 'refs/heads/-x', sha: head }],
      ['refs', { ref: 'refs/heads/HEAD', sha: head }],
      ['refs', { ref: `refs/heads/${none}`, sha: head }],
      ['refs', { ref: `refs/tags/${none}`, sha: head }],
      ['refs', { ref: 'refs/heads/main/below', sha: head }],
      ['refs', { ref: 'refs/heads/main', sha: head }],
      ['refs', { ref: 'refs/heads/a..b', sha: head }],
      ['refs', { ref: 'refs/heads/a\nb', sha: head }],
      ['refs', { ref: 'refs/pull/1/head', sha: head }],
      ['refs', { ref: 'refs/heads', sha: head }],
      ['refs', { ref: '../../x', sha: head }],
      ['refs', { ref: 'HEAD', sha: head }],
      ['refs', { ref: 'main', sha: head }],
    ]
    for (const [word, body] of wrong) {
      const { status, text } = await ann.post(`/repos/ann/wrong/git/${word}`, body)
      assert.equal(status, 422, `${word} ${JSON.stringify(body)}: ${text}`)
    }
    assert.equal((await folder.must('ls-remote', 'origin')).split('\n').length, 2, 'no ref was made')
    const { code, output } = await fsck('ann/wrong')
    assert.equal(code, 0, output)
  })

  test('a ref goes forward, elsewhere only by force, and the default branch stays', async () => {
    const folder = await start('moved')
    const first = await folder.must('rev-parse', 'HEAD')
    await commit(folder, 'two')
    await folder.must('push', '--quiet', 'origin', 'main', 'main:side')
    const second = await folder.must('rev-parse', 'HEAD')
    const patch = (ref: string, body: object) => ann.patch(`/repos/ann/moved/git/refs/${ref}`, body)
    const back = await patch('heads/side', { sha: first })
    assert.deepEqual([back.status, back.body.message], [422, 'Update is not a fast forward'])
    assert.equal((await patch('heads/side', { sha: first, force: true })).status, 200)
    assert.equal((await patch('heads/side', { sha: second })).status, 200)
    await ann.patch('/repos/ann/moved', { allow_force_pushes: false })
    assert.match((await patch('heads/main', { sha: first, force: true })).text, /force-push/)
    await ann.patch('/repos/ann/moved', { allow_force_pushes: true })
    assert.equal((await patch('heads/main', { sha: first, force: true })).status, 200)
    assert.equal((await patch('heads/none', { sha: first })).status, 422)
    assert.equal((await ann.delete('/repos/ann/moved/git/refs/heads/main')).status, 422)
    assert.equal((await ann.delete('/repos/ann/moved/git/refs/heads/none')).status, 422)
    assert.equal((await ann.delete('/repos/ann/moved/git/refs/heads/side')).status, 204)
    assert.equal((await ann.get('/repos/ann/moved/branches/side')).status, 404)
  })

  test('an empty repository has nothing to make objects for', async () => {
    await ann.post('/user/repos', { name: 'bare' })
    for (const [word, body] of [
      ['blobs', { content: 'x' }],
      ['refs', { ref: 'refs/heads/x', sha: '1'.repeat(40) }],
    ] as const)
      assert.equal((await ann.post(`/repos/ann/bare/git/${word}`, body)).status, 409)
  })
})
