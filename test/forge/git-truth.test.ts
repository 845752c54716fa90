/** What is shown of git is what git has: no file, name or ref that somebody pushes passes for another's. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { pathBytes, spellPath } from '../../src/forge/git/read/path-text.ts'
import type { WorkingFolder } from '../support/git.ts'
import { asAdmin } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { makeObjects } from './crafted-objects.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

describe('patches', () => {
  let { ann, start, stop } = {} as GitServer
  let folder: WorkingFolder
  before(async () => {
    ;({ ann, start, stop } = await startGitServer())
    folder = await start('patches')
  })
  after(() => stop())

  /** Each file's own patch, as git tells it when it is asked for that file alone. */
  async function demandTruePatches(path: string, before: string): Promise<Json[]> {
    const { body } = await ann.get(`/repos/ann/patches/${path}`)
    for (const { filename, patch } of body.files) {
      const words = ['diff', '--no-renames', before, 'HEAD', '--', `:(literal)${filename}`]
      const text = execFileSync('git', words, { cwd: folder.path, encoding: 'utf8' })
      const hunks = text.split('\ndiff --git ').flatMap((part) => {
        const start = part.indexOf('\n@@ ')
        return start < 0 ? [] : [part.slice(start + 1).replace(/\n$/, '')]
      })
      assert.equal(patch, hunks.length > 0 ? hunks.join('\n') : undefined, JSON.stringify(filename))
    }
    return body.files
  }

  test('are told apart by git’s own line ends, whatever else a file has that looks like one', async () => {
    const before = await folder.must('rev-parse', 'HEAD')
    const forged = 'diff --git a/z.txt b/z.txt\n--- a/z.txt\n+++ b/z.txt\n@@ -1 +1 @@\n-safe\n+forged\n'
    for (const [i, end] of ['\u2028', '\u2029', '\r', '\f', '\v', '\u0085', '\r\n', '\n'].entries()) {
      await writeFile(join(folder.path, `b${i}.txt`), `one${end}${forged.replaceAll('\n', end)}last\n`)
    }
    await writeFile(join(folder.path, 'a.txt'), `one\u2028@@ -1 +1 @@ forged\n`)
    await writeFile(join(folder.path, 'new\nline"\tquoted.txt'), 'odd\n')
    await writeFile(join(folder.path, 'z.txt'), 'safe\n')
    await folder.must('add', '.')
    await commit(folder, 'forged')
    await folder.must('push', '--quiet', 'origin', 'main')
    for (const path of ['commits/main', `compare/${before}...main`]) {
      const files = await demandTruePatches(path, before)
      assert.equal(files.length, 11)
      const last = files.find(({ filename }) => filename === 'z.txt')
      assert.equal(last.patch, '@@ -0,0 +1 @@\n+safe')
    }
  })

  test('stay with their files where one changes its kind', async () => {
    const before = await folder.must('rev-parse', 'HEAD')
    await rm(join(folder.path, 'a.txt'))
    await symlink('z.txt', join(folder.path, 'a.txt'))
    await writeFile(join(folder.path, 'z.txt'), 'changed\n')
    await folder.must('add', '.')
    await commit(folder, 'kinds')
    await folder.must('push', '--quiet', 'origin', 'main')
    const files = await demandTruePatches('commits/main', before)
    assert.deepEqual(
      files.map(({ filename, status, patch }) => [filename, status, patch.includes('changed')]),
      [
        ['a.txt', 'changed', false],
        ['z.txt', 'modified', true],
      ],
    )
  })

  test('belong to authors whose names hold any character', async () => {
    await folder.must('config', 'user.name', 'Ann\u2028Example')
    await commit(folder, 'named')
    await folder.must('push', '--quiet', 'origin', 'main')
    const { body } = await ann.get('/repos/ann/patches/commits/main')
    assert.deepEqual([body.commit.author.name, body.author?.login], ['Ann\u2028Example', 'ann'])
    const { body: all } = await ann.get('/repos/ann/patches/contributors')
    assert.deepEqual([all[0].login, all[0].contributions], ['ann', 4])
  })
})

describe('a full commit id', () => {
  let { server, ann, start, folderOf, stop } = {} as GitServer
  before(async () => {
    ;({ server, ann, start, folderOf, stop } = await startGitServer())
  })
  after(() => stop())

  test('is no name for a branch or a tag that is pushed, and one that is there can be deleted', async () => {
    const folder = await start('named')
    const first = await folder.must('rev-parse', 'HEAD')
    for (const [i, name] of [first, first.toUpperCase(), 'ab'.repeat(32)].entries()) {
      for (const kind of ['heads', 'tags']) {
        const refs = [`main:refs/${kind}/${name}`, `main:refs/heads/good-${kind}-${i}`]
        const { code, output } = await folder.git('push', 'origin', ...refs)
        assert.equal(code, 1, name)
        assert.match(output, /\[remote rejected\].*\(named like a commit\)/)
        assert.match(output, /remote: .*must not be named like a commit \(40 or 64 hexadecimal digits\)/)
        assert.match(output, /\[new branch\] +main -> good-/, 'what is pushed beside it is taken')
      }
    }
    assert.equal((await folder.git('push', '--quiet', 'origin', `main:refs/heads/${first.slice(1)}`)).code, 0)
    execFileSync('git', ['--git-dir', await folderOf('ann/named'), 'update-ref', `refs/heads/${first}`, first])
    assert.equal((await folder.git('push', '--quiet', 'origin', `:refs/heads/${first}`)).code, 0)
    const body = { default_branch: first }
    assert.equal((await ann.patch('/repos/ann/named', body)).status, 422)
  })

  test('is not the only name that git takes no more than REST does', async () => {
    const folder = await start('misnamed')
    const sha = await folder.must('rev-parse', 'HEAD')
    const short = ['refs/heads/HEAD', 'refs/heads/-x', 'refs/tags/-x', 'refs/heads/refs/heads/main', 'refs/tags/refs/x']
    for (const ref of [...short, `refs/heads/${'deep/'.repeat(52)}x`]) {
      const { code, output } = await folder.git('push', 'origin', `main:${ref}`, `main:refs/heads/beside`)
      assert.equal(code, 1, ref)
      assert.match(output, /\[remote rejected\].*\(a name that is not taken\)/)
      assert.match(output, /nor may a branch be named HEAD/)
      assert.equal((await ann.post('/repos/ann/misnamed/git/refs', { ref, sha })).status, 422, ref)
    }
    const { body } = await ann.get('/repos/ann/misnamed/git/refs')
    assert.deepEqual(
      body.map(({ ref }: { ref: string }) => ref),
      ['refs/heads/beside', 'refs/heads/main'],
    )
    execFileSync('git', ['--git-dir', await folderOf('ann/misnamed'), 'update-ref', 'refs/heads/-x', sha])
    await folder.must('push', '--quiet', 'origin', ':refs/heads/-x')
  })

  test('means that commit, though a branch of an older server has its name', async () => {
    const folder = await start('older')
    const first = await folder.must('rev-parse', 'HEAD')
    await writeFile(join(folder.path, 'a.txt'), 'evil\n')
    await folder.must('commit', '--quiet', '-am', 'evil')
    const evil = await folder.must('rev-parse', 'HEAD')
    const gone = '12'.repeat(20)
    const home = await folderOf('ann/older')
    await folder.must('push', '--quiet', 'origin', 'main:refs/heads/side')
    for (const name of [first, gone]) execFileSync('git', ['--git-dir', home, 'update-ref', `refs/heads/${name}`, evil])
    const get = async (path: string, accept?: string) =>
      ann.get(`/repos/ann/older/${path}`, accept === undefined ? {} : { accept })
    for (const name of [first, first.toUpperCase()]) {
      const { body } = await get(`contents/a.txt?ref=${name}`)
      assert.equal(Buffer.from(body.content, 'base64').toString(), 'one\n')
      assert.equal((await get(`raw/a.txt?ref=${name}`)).text, 'one\n')
      assert.equal((await get(`commits/${name}`)).body.sha, first)
      assert.equal((await get(`commits?sha=${name}`)).body[0].sha, first)
      assert.equal((await get(`compare/${name}...side`)).body.ahead_by, 1)
      for (const word of ['tarball', 'zipball'])
        assert.ok((await get(`${word}/${name}`)).headers.get('location')!.includes(`/archive/${first}.`))
    }
    assert.equal((await get(`git/trees/${first}`)).body.tree[0].sha, await folder.must('rev-parse', `${first}:a.txt`))
    const archive = await fetch(`${server.url}/repos/ann/older/archive/${first}.tar.gz`)
    assert.match(gunzipSync(Buffer.from(await archive.arrayBuffer())).toString(), /one\n/)
    assert.equal((await get(`commits/${gone}`)).status, 422, 'a commit that is not there is no branch either')
    assert.equal(
      (await get(`commits/heads/${gone}`)).body.sha,
      evil,
      'a branch is found by what only a branch is called',
    )
    assert.equal((await get(`commits/${first.slice(0, 10)}`)).body.sha, first, 'the start of an id is found')
    await folder.must('push', '--quiet', 'origin', `main:refs/heads/${first.slice(0, 10)}`)
    assert.equal((await get(`commits/${first.slice(0, 10)}`)).body.sha, evil, 'but a branch of that name comes first')
  })
})

describe('a force-push', () => {
  let { ann, bob, start, url, stop } = {} as GitServer
  before(async () => {
    ;({ ann, bob, start, url, stop } = await startGitServer())
  })
  after(() => stop())

  test('to the default branch is taken, until an admin of the repository forbids it', async () => {
    const folder = await start('forced')
    const push = (...words: string[]) => folder.git('push', '--force', ...words, 'origin', 'main')
    const amend = (message: string) => folder.must('commit', '--quiet', '--amend', '-m', message)
    assert.equal((await ann.get('/repos/ann/forced')).body.allow_force_pushes, true)
    await amend('another')
    assert.equal((await push('--quiet')).code, 0)
    assert.equal((await ann.get('/repos/ann/forced/commits/main')).body.commit.message, 'another')
    await ann.put('/repos/ann/forced/collaborators/bob', { permission: 'maintain' })
    const [invitation] = (await bob.get('/user/repository_invitations')).body
    await bob.patch(`/user/repository_invitations/${invitation.id}`)
    assert.equal((await bob.patch('/repos/ann/forced', { allow_force_pushes: false })).status, 403)
    assert.equal((await ann.patch('/repos/ann/forced', { allow_force_pushes: false })).body.allow_force_pushes, false)
    await amend('a third')
    for (const words of [[], ['--no-progress'], ['--atomic']]) {
      const { code, output } = await push(...words)
      assert.equal(code, 1)
      assert.match(
        output,
        /main -> main \(non-fast-forward: the repository forbids force-pushes to its default branch\)/,
      )
      assert.match(output, /remote: .*An admin of the repository can allow them: PATCH \/repos\/ann\/forced/)
    }
    assert.equal((await folder.git('push', '--force', '--quiet', url('ann/forced'), 'main:side')).code, 0)
    assert.equal((await ann.patch('/repos/ann/forced', { allow_force_pushes: true })).status, 200)
    assert.equal((await push('--quiet')).code, 0)
  })
})

describe('names of files', () => {
  let { ann, start, stop } = {} as GitServer
  before(async () => {
    ;({ ann, start, stop } = await startGitServer())
  })
  after(() => stop())

  test('that are not UTF-8 are told apart, and each is found by its spelling and its links', async () => {
    const folder = await start('latin')
    const { blob, tree, commitTree } = makeObjects(folder.path)
    const names = [
      Buffer.from('caf\xe8.txt', 'latin1'),
      Buffer.from('caf\xe9.txt', 'latin1'),
      Buffer.from('caf\ufffd.txt'),
      Buffer.from('caf\ufffdE9.txt'),
      Buffer.from('line\nend'),
      Buffer.from('\u2028'),
      Buffer.from('\xc3', 'latin1'),
    ].sort(Buffer.compare)
    const files = names.map((name) => ({ mode: '100644', name, sha: blob(`of ${name.toString('hex')}\n`) }))
    const below = tree(files)
    const odd = Buffer.from('d\xff\n', 'latin1')
    const first = commitTree(
      tree([...files, { mode: '40000', name: odd, sha: below }].sort((a, b) => Buffer.compare(a.name, b.name))),
    )
    await folder.must('push', '--quiet', 'origin', `${first}:refs/heads/odd`)
    const get = (path: string, accept?: string) => ann.get(`/repos/ann/latin/${path}`, accept ? { accept } : {})
    const open = (url: string) => ann.get(new URL(url).pathname + new URL(url).search)
    const { body: root } = await get('contents?ref=odd')
    const inside = root.find(({ type }: Json) => type === 'dir')
    assert.equal(inside.name, 'd\ufffdFF\n')
    for (const entries of [root.filter(({ type }: Json) => type === 'file'), (await open(inside.url)).body]) {
      assert.equal(new Set(entries.map(({ path }: Json) => path)).size, names.length)
      for (const { sha, url, download_url, git_url } of entries) {
        const wanted = `of ${names[files.findIndex((file) => file.sha === sha)]!.toString('hex')}\n`
        for (const address of [url, git_url])
          assert.equal(Buffer.from((await open(address)).body.content, 'base64').toString(), wanted)
        assert.equal((await open(download_url)).text, wanted)
      }
    }
    const { body: all } = await get('git/trees/odd?recursive=1')
    assert.equal(new Set(all.tree.map(({ path }: Json) => path)).size, 2 * names.length + 1)
    const { body: shown } = await get('commits/odd')
    assert.equal(new Set(shown.files.map(({ filename }: Json) => filename)).size, 2 * names.length)
    for (const { filename, sha, contents_url } of shown.files)
      assert.equal((await open(contents_url)).body.sha, sha, JSON.stringify(filename))
    for (const [path, count] of [
      ['caf\ufffdE9.txt', 1],
      ['caf\ufffdEA.txt', 0],
      ['line\nend', 1],
    ] as const)
      assert.equal((await get(`commits?sha=odd&path=${encodeURIComponent(path)}`)).body.length, count, path)
  })

  test('any bytes are spelled as text that leads back to them, and no two alike', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        assert.deepEqual(pathBytes(spellPath(Buffer.from(bytes))), Buffer.from(bytes))
      }),
    )
    const unit = fc.constantFrom('\ufffd', 'E', '9', 'é', '\u2028', '😀')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        assert.deepEqual(pathBytes(spellPath(Buffer.from(text))), Buffer.from(text))
      }),
    )
  })
})

describe('what is not there', () => {
  let { server, ann, bob, start, stop } = {} as GitServer
  before(async () => {
    ;({ server, ann, bob, start, stop } = await startGitServer())
  })
  after(() => stop())

  test('is told as a route that is not served, or as a thing that is missing or hidden, which are alike', async () => {
    await start('secret', true)
    for (const [method, path] of [
      ['GET', '/gists'],
      ['GET', '/repos/ann/secret/actions/runs'],
      ['DELETE', '/rate_limit'],
    ] as const) {
      const { status, body } = await bob.ask(method, path)
      assert.deepEqual([status, body.message], [404, 'Not Found'], path)
      assert.match(body.reason, /no route/)
      assert.match(body.documentation_url, /#what-is-not-served$/)
    }
    const hidden = await bob.get('/repos/ann/secret')
    const missing = await bob.get('/repos/ann/nothing')
    assert.deepEqual([hidden.status, hidden.body], [404, missing.body])
    assert.equal('reason' in hidden.body, false)
  })

  test('as a scope is refused with the names of those there are', async () => {
    const root = asAdmin(server)
    for (const path of ['tokens', 'authorizations']) {
      const { status, text } = await root.post(`/admin/users/ann/${path}`, { kind: 'classic', scopes: ['repoo'] })
      assert.equal(status, 422)
      assert.match(text, /There is no scope named .{1,2}repoo.*repo, repo:status.*dataset:read/)
    }
    assert.equal((await ann.get('/user')).status, 200)
  })
})
