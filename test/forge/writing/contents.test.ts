/** Files written over REST: each is a commit and a push like any other, whatever the path, the bytes or the moment. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { engines } from '../../support/engines.ts'
import { runGit } from '../../support/git.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { commit, type GitServer, startGitServer } from '../git-server.ts'

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

for (const engine of engines)
  describe(`files written over REST on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    let { server, ann, bob, start, work, url, fsck, stop } = {} as GitServer
    let octokit: Octokit
    const place = { owner: 'ann', repo: 'files' }
    before(async () => {
      ;({ server, ann, bob, start, work, url, fsck, stop } = await startGitServer(engine))
      octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
    })
    after(() => stop())

    const activityCount = async () =>
      (await server.services.store.db.selectFrom('activity').select('id').where('kind', '=', 'push').execute()).length

    test('are made, changed and deleted by Octokit, and git finds each as a commit', async () => {
      const folder = await start('files')
      const before = await activityCount()
      const made = await octokit.repos.createOrUpdateFileContents({
        ...place,
        path: 'docs/deep/a b.txt',
        message: 'Make it',
        content: base64('one\n'),
      })
      assert.equal(made.status, 201)
      assert.equal(made.data.content?.path, 'docs/deep/a b.txt')
      const sha = made.data.content!.sha!
      const changed = await octokit.repos.createOrUpdateFileContents({
        ...place,
        path: 'docs/deep/a b.txt',
        message: 'Change it',
        content: base64('two\n'),
        sha,
        author: { name: 'Zoe', email: 'zoe@example.org', date: '2020-02-03T04:05:06Z' },
      })
      assert.equal(changed.status, 200)
      assert.equal(changed.data.commit.author?.name, 'Zoe')
      assert.equal(changed.data.commit.committer?.email, 'ann@users.noreply')
      await folder.must('pull', '--quiet', 'origin', 'main')
      assert.equal(await folder.must('show', 'HEAD:docs/deep/a b.txt'), 'two')
      assert.equal(
        await folder.must('log', '-1', '--format=%an %ae %aI %s'),
        'Zoe zoe@example.org 2020-02-03T04:05:06+00:00 Change it',
      )
      assert.equal(await folder.must('rev-parse', 'HEAD^'), made.data.commit.sha)
      const gone = await octokit.repos.deleteFile({
        ...place,
        path: 'docs/deep/a b.txt',
        message: 'Delete it',
        sha: changed.data.content!.sha!,
      })
      assert.deepEqual([gone.status, gone.data.content], [200, null])
      await folder.must('pull', '--quiet', 'origin', 'main')
      assert.equal(await folder.must('ls-files'), 'a.txt')
      assert.equal(await activityCount(), before + 3)
      const { code, output } = await fsck('ann/files')
      assert.equal(code, 0, output)
    })

    rule('are the first commit of an empty repository, and go to another branch where one is named', async () => {
      await ann.post('/user/repos', { name: 'empty' })
      const first = await ann.put('/repos/ann/empty/contents/README.md', {
        message: 'First',
        content: base64('# Hi\n'),
      })
      assert.equal(first.status, 201, first.text)
      assert.deepEqual(first.body.commit.parents, [])
      assert.equal((await ann.get('/repos/ann/empty/readme')).status, 200)
      const sha = first.body.commit.sha
      assert.equal((await ann.post('/repos/ann/empty/git/refs', { ref: 'refs/heads/side', sha })).status, 201)
      const draft = { message: 'Aside', content: base64('x'), branch: 'side' }
      assert.equal((await ann.put('/repos/ann/empty/contents/x', draft)).status, 201)
      assert.equal((await ann.get('/repos/ann/empty/contents/x')).status, 404)
      assert.equal((await ann.get('/repos/ann/empty/contents/x?ref=side')).status, 200)
      const nowhere = { ...draft, branch: 'nowhere' }
      assert.equal((await ann.put('/repos/ann/empty/contents/y', nowhere)).status, 404)
    })

    rule('are guarded by the name that the caller has seen', async () => {
      await start('guarded')
      const put = (path: string, more: object) =>
        ann.put(`/repos/ann/guarded/contents/${path}`, { message: 'm', content: base64('x'), ...more })
      const other = '1'.repeat(40)
      const { body } = await ann.get('/repos/ann/guarded/contents/a.txt')
      const answers = [
        [await put('a.txt', {}), 422, /sha/],
        [await put('a.txt', { sha: other }), 409, /does not match/],
        [await put('new.txt', { sha: other }), 409, /does not match/],
        [await put('a.txt', { sha: body.sha }), 200, undefined],
        [await put('a.txt', { sha: body.sha }), 409, /does not match/],
        [await put('a.txt/below', {}), 422, /leads through a file/],
        [await ann.ask('DELETE', '/repos/ann/guarded/contents/a.txt', { message: 'm' }), 422, /sha/],
        [await ann.ask('DELETE', `/repos/ann/guarded/contents/a.txt?sha=${other}&message=m`), 409, /does not match/],
        [await ann.ask('DELETE', '/repos/ann/guarded/contents/none', { message: 'm', sha: other }), 404, undefined],
      ] as const
      for (const [answer, status, message] of answers) {
        assert.equal(answer.status, status, answer.text)
        if (message) assert.match(answer.text, message)
      }
    })

    rule('have paths and bytes that git can take, and no others', async () => {
      await start('hostile')
      const put = (path: string, content: unknown = base64('x')) =>
        ann.put(`/repos/ann/hostile/contents/${path}`, { message: 'm', content })
      const refused = [
        '..%2Fx',
        'a%2F..%2Fb',
        '.git/config',
        'a/.GIT/hooks/post-receive',
        'git~1/config',
        '.git./x',
        '.gi%E2%80%8Ct/config',
        'a//b',
        '.%2Fa',
        'a%2F.%2Fb',
        'x'.repeat(5000),
        `${'d/'.repeat(120)}x`,
      ]
      for (const path of refused) {
        const { status, text } = await put(path)
        assert.ok([404, 422].includes(status), `${path.slice(0, 30)}: ${status} ${text}`)
      }
      const content = { '': 201, aGVsbG8: 201, 'aGVs\nbG8=\n': 201, a: 422, 'a===': 422, '%%%%': 422, 'aGV\u0000': 422 }
      for (const [text, status] of Object.entries(content)) {
        const path = `c-${Buffer.from(text).toString('hex')}`
        const answer = await put(path, text)
        assert.equal(answer.status, status, `${JSON.stringify(text)}: ${answer.text}`)
      }
      for (const wrong of [5, null, {}, ['a']]) assert.equal((await put('w', wrong)).status, 422)
      const odd = ['caf%C3%A9/%F0%9F%98%80.txt', '%EF%BF%BDE9', 'line%0Aend/file', '-n', '--all', ':(literal)x', '*']
      for (const path of odd) {
        const answer = await put(path)
        assert.equal(answer.status, 201, `${path}: ${answer.text}`)
        const read = await ann.get(`/repos/ann/hostile/contents/${path}`)
        assert.equal(read.body.sha, answer.body.content.sha, path)
      }
      const bad = { message: 'm', content: base64('x'), author: { name: 'a\nb', email: 'x@y' } }
      assert.equal((await ann.put('/repos/ann/hostile/contents/named', bad)).status, 422)
      const submodules = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/x\n'
      assert.equal((await put('.gitmodules', base64(submodules))).status, 422, 'what a push is refused for')
      const { code, output } = await fsck('ann/hostile')
      assert.equal(code, 0, output)
    })

    // What is measured here is the body, not the database.
    rule('of 30 MiB are taken, and a body of 100 MiB is a 413', { skip: engine === 'postgres' }, async () => {
      await start('large')
      const bytes = Buffer.alloc(30 * 1024 * 1024, 'guildhall')
      const large = await ann.put('/repos/ann/large/contents/large.bin', { message: 'm', content: base64(bytes) })
      assert.equal(large.status, 201, large.text)
      assert.equal(large.body.content.size, bytes.length)
      const body = `{"message":"m","content":"${'A'.repeat(100 * 1024 * 1024)}"}`
      assert.equal((await ann.put('/repos/ann/large/contents/huge.bin', body)).status, 413)
    })

    test('at once by many are each there, or were told that they are not', async () => {
      const folder = await start('crowded')
      const paths = Array.from({ length: 8 }, (_, i) => `f${i}`)
      const answers = await Promise.all(
        paths.map((path) => ann.put(`/repos/ann/crowded/contents/${path}`, { message: path, content: base64(path) })),
      )
      await folder.must('pull', '--quiet', 'origin', 'main')
      const files = (await folder.must('ls-files')).split('\n')
      for (const [i, { status, text }] of answers.entries()) {
        assert.ok(status === 201 || status === 409, text)
        assert.equal(files.includes(paths[i]!), status === 201)
      }
      assert.ok(answers.some(({ status }) => status === 201))
      const { body } = await ann.get('/repos/ann/crowded/contents/a.txt')
      const raced = await Promise.all(
        ['x', 'y', 'z'].map((text) =>
          ann.put('/repos/ann/crowded/contents/a.txt', { message: text, content: base64(text), sha: body.sha }),
        ),
      )
      assert.equal(raced.filter(({ status }) => status === 200).length, 1, 'nobody writes over what they have not seen')
    })

    rule('need the same rights as a push, and an archived repository takes none', async () => {
      await start('rights', false)
      const draft = { message: 'm', content: base64('x') }
      const path = '/repos/ann/rights/contents/x'
      assert.equal((await bob.put(path, draft)).status, 403)
      await ann.put('/repos/ann/rights/collaborators/bob', { permission: 'triage' })
      const { body } = await bob.get('/user/repository_invitations')
      await bob.patch(`/user/repository_invitations/${body[0].id}`)
      assert.equal((await bob.put(path, draft)).status, 403)
      await ann.put('/repos/ann/rights/collaborators/bob', { permission: 'push' })
      assert.equal((await bob.put(path, draft)).status, 201)
      await ann.patch('/repos/ann/rights', { archived: true })
      assert.equal((await bob.put('/repos/ann/rights/contents/y', draft)).status, 403)
      assert.equal((await ann.post('/repos/ann/rights/git/blobs', { content: 'x' })).status, 403)
    })

    rule('keep the mode of a program, and what git pushes in between', async () => {
      const folder = await start('modes')
      await writeFile(join(folder.path, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 })
      await folder.must('add', '.')
      await commit(folder, 'program')
      await folder.must('push', '--quiet', 'origin', 'main')
      const { body } = await ann.get('/repos/ann/modes/contents/run.sh')
      const draft = { message: 'm', content: base64('#!/bin/sh\necho\n'), sha: body.sha }
      assert.equal((await ann.put('/repos/ann/modes/contents/run.sh', draft)).status, 200)
      const other = await work()
      await other.must('clone', '--quiet', url('ann/modes'), 'copy')
      const listed = await runGit(join(other.path, 'copy'), ['ls-files', '--stage', 'run.sh'])
      assert.match(listed.output, /^100755/)
    })
  })
