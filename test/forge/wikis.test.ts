/** Wikis: git repositories beside their repositories', with the same rights, made when they are first pushed to. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeRest, makeToken, makeUser } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

describe('a wiki', () => {
  let hosted: GitServer
  before(async () => {
    hosted = await startGitServer('sqlite', {
      environment: { GUILDHALL_LIMITS: 'on', GUILDHALL_QUOTAS: 'repositoryMib=2' },
    })
  })
  after(() => hosted.stop())

  const wikiOf = (name: string, client = hosted.ann, login = 'ann') => hosted.url(`ann/${name}.wiki`, client, login)

  test('is made by the first push, cloned by who reads the repository, and pushed to by who writes to it', async () => {
    const { ann, bob } = hosted
    const folder = await hosted.start('notes')
    assert.notEqual((await folder.git('ls-remote', wikiOf('notes'))).code, 0, 'there is none yet')
    const before = (await ann.get('/repos/ann/notes')).body
    await commit(folder, 'A page')
    await folder.must('push', '--quiet', wikiOf('notes'), 'HEAD:refs/heads/pages')
    const other = await hosted.work()
    await other.must('clone', '--quiet', wikiOf('notes', bob, 'bob'), 'clone')
    assert.equal(await other.must('-C', 'clone', 'symbolic-ref', '--short', 'HEAD'), 'pages')
    assert.match((await other.git('-C', 'clone', 'push', wikiOf('notes', bob, 'bob'), 'pages')).output, /403/)
    assert.equal((await folder.git('push', '--force', wikiOf('notes'), 'HEAD~1:pages')).code, 0, 'no rules of branches')
    const now = (await ann.get('/repos/ann/notes')).body
    assert.deepEqual([now.default_branch, now.pushed_at], [before.default_branch, before.pushed_at])
    const refs = (await ann.get('/repos/ann/notes/git/refs')).body.map(({ ref }: { ref: string }) => ref)
    assert.deepEqual(refs, ['refs/heads/main'])
  })

  test('counts to what its owner may have', async () => {
    const cid = await makeUser(hosted.server, 'cid')
    await cid.post('/user/repos', { name: 'book' })
    const address = hosted.url('cid/book.wiki', cid, 'cid')
    const folder = await hosted.work()
    for (const [name, code] of [
      ['one', 0],
      ['two', 0],
      ['three', 128],
    ] as const) {
      await writeFile(join(folder.path, name), randomBytes(900_000))
      await folder.must('add', '.')
      await commit(folder, name)
      const pushed = await folder.git('push', '--quiet', address, 'HEAD:refs/heads/master')
      assert.equal(pushed.code === 0, code === 0, pushed.output)
    }
    assert.notEqual((await folder.git('push', hosted.url('cid/book', cid, 'cid'), 'HEAD:refs/heads/main')).code, 0)
  })

  test('of a private repository is for nobody else, and gone with it', async () => {
    const { ann, bob, server } = hosted
    const folder = await hosted.start('secret', true)
    await folder.must('push', '--quiet', wikiOf('secret'), 'main')
    assert.notEqual((await folder.git('ls-remote', wikiOf('secret', bob, 'bob'))).code, 0)
    const token = await makeToken(server, 'ann', { kind: 'classic', scopes: ['public_repo'] })
    assert.notEqual((await folder.git('ls-remote', wikiOf('secret', makeRest(server.url, token)))).code, 0)
    const { body } = await ann.get('/repos/ann/secret')
    const place = server.services.forge.git.folderOf({ id: body.id, isWiki: true })
    assert.ok(existsSync(place))
    assert.equal((await ann.delete('/repos/ann/secret')).status, 204)
    await until(() => !existsSync(place))
  })

  test('is not there where the repository has none, and takes nothing while that is archived', async () => {
    const { ann } = hosted
    const folder = await hosted.start('plain')
    await folder.must('push', '--quiet', wikiOf('plain'), 'main')
    await ann.patch('/repos/ann/plain', { has_wiki: false })
    assert.notEqual((await folder.git('ls-remote', wikiOf('plain'))).code, 0)
    await ann.patch('/repos/ann/plain', { has_wiki: true, archived: true })
    assert.equal((await folder.git('ls-remote', wikiOf('plain'))).code, 0)
    assert.match((await folder.git('push', wikiOf('plain'), 'HEAD:more')).output, /403/)
  })

  test('of a fork is not for maintainers whom a pull lets push to its head', async () => {
    const { ann, bob } = hosted
    const folder = await hosted.start('shared')
    assert.equal((await bob.post('/repos/ann/shared/forks')).status, 202)
    await folder.must('checkout', '--quiet', '-b', 'topic')
    await commit(folder, 'Work')
    await folder.must('push', '--quiet', hosted.url('bob/shared', bob, 'bob'), 'topic')
    const draft = { title: 'Work', head: 'bob:topic', base: 'main', maintainer_can_modify: true }
    assert.equal((await bob.post('/repos/ann/shared/pulls', draft)).status, 201)
    await commit(folder, 'More')
    await folder.must('push', '--quiet', hosted.url('bob/shared', ann), 'topic')
    const refused = await folder.git('push', hosted.url('bob/shared.wiki', ann), 'topic')
    assert.match(refused.output, /403/)
  })

  test('has no large files: those are the repository’s', async () => {
    const { ann, server } = hosted
    await hosted.start('large')
    const batch = await fetch(`${server.url}/ann/large.wiki.git/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`ann:${ann.token}`).toString('base64')}`,
        accept: 'application/vnd.git-lfs+json',
        'content-type': 'application/vnd.git-lfs+json',
      },
      body: JSON.stringify({ operation: 'download', objects: [] }),
    })
    assert.equal(batch.status, 404)
  })
})
