/** Forks: whole and their own, private where their parent is, told of only to those who may see them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

for (const engine of oneEngine)
  describe(`a fork on ${engine}`, () => {
    let hosted: GitServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      hosted = await startGitServer(engine)
      ;({ ann, bob } = hosted)
    })
    after(() => hosted.stop())

    test('has all branches and tags, says what it was made from, and outlives it', async () => {
      const folder = await hosted.start('whole')
      await folder.must('tag', 'v1')
      await folder.must('push', '--quiet', 'origin', 'main:side', 'v1')
      const made = await bob.post('/repos/ann/whole/forks')
      assert.equal(made.status, 202)
      const { fork, full_name, parent, source, has_issues, default_branch } = made.body
      assert.deepEqual(
        [fork, full_name, parent.full_name, source.full_name, has_issues, default_branch],
        [true, 'bob/whole', 'ann/whole', 'ann/whole', false, 'main'],
      )
      assert.equal((await bob.post('/repos/ann/whole/forks')).body.id, made.body.id, 'a second one is the first')
      const { body: parentNow } = await ann.get('/repos/ann/whole')
      assert.deepEqual([parentNow.forks_count, parentNow.fork], [1, false])
      assert.deepEqual(
        (await ann.get('/repos/ann/whole/forks')).body.map(({ full_name }: { full_name: string }) => full_name),
        ['bob/whole'],
      )
      const refs = (await bob.get('/repos/bob/whole/git/refs')).body.map(({ ref }: { ref: string }) => ref)
      assert.deepEqual(refs, ['refs/heads/main', 'refs/heads/side', 'refs/tags/v1'])
      assert.equal((await ann.delete('/repos/ann/whole')).status, 204)
      assert.equal((await hosted.fsck('bob/whole')).code, 0)
      const { body: alone } = await bob.get('/repos/bob/whole')
      assert.deepEqual([alone.fork, alone.parent], [false, undefined])
      const clone = await hosted.work()
      await clone.must('fetch', '--quiet', hosted.url('bob/whole', bob, 'bob'), 'main')
    })

    test('takes its default branch alone, another name, and a free one where its parent’s is taken', async () => {
      const folder = await hosted.start('named')
      await folder.must('push', '--quiet', 'origin', 'main:side')
      await bob.post('/user/repos', { name: 'named' })
      const { body } = await bob.post('/repos/ann/named/forks', { default_branch_only: true })
      assert.equal(body.full_name, 'bob/named-1')
      const { body: branches } = await bob.get('/repos/bob/named-1/branches')
      assert.deepEqual(
        branches.map(({ name }: { name: string }) => name),
        ['main'],
      )
      const cid = await makeUser(hosted.server, 'cid')
      assert.equal((await cid.post('/repos/ann/named/forks', { name: 'mine' })).body.full_name, 'cid/mine')
      // A fork of a fork has the same source.
      const { body: second } = await ann.post('/repos/bob/named-1/forks', { name: 'third' })
      assert.deepEqual([second.parent.full_name, second.source.full_name], ['bob/named-1', 'ann/named'])
    })

    test('of an organisation is made by those who may make repositories there', async () => {
      await hosted.start('shared')
      const root = asAdmin(hosted.server)
      await root.post('/admin/organizations', { login: 'acme', admin: 'bob' })
      const made = await bob.post('/repos/ann/shared/forks', { organization: 'acme' })
      assert.equal(made.body.full_name, 'acme/shared')
      const dan = await makeUser(hosted.server, 'dan')
      assert.equal((await dan.post('/repos/ann/shared/forks', { organization: 'acme' })).status, 403)
      assert.equal((await dan.post('/repos/ann/shared/forks', { organization: 'nowhere' })).status, 404)
    })

    test('of a private repository is private, and tells of it only to who may read it', async () => {
      await hosted.start('secret', true)
      assert.equal((await bob.post('/repos/ann/secret/forks')).status, 404)
      const invited = await ann.put('/repos/ann/secret/collaborators/bob', { permission: 'pull' })
      await bob.patch(`/user/repository_invitations/${invited.body.id}`)
      const { status, body } = await bob.post('/repos/ann/secret/forks')
      assert.deepEqual([status, body.private, body.parent.full_name], [202, true, 'ann/secret'])
      assert.equal((await bob.patch('/repos/bob/secret', { private: false })).status, 422)
      assert.equal((await ann.get('/repos/bob/secret')).status, 404)
      assert.deepEqual((await ann.get('/repos/ann/secret/forks')).body, [])
      await ann.delete('/repos/ann/secret/collaborators/bob')
      const { body: later } = await bob.get('/repos/bob/secret')
      assert.deepEqual([later.fork, later.parent, later.source], [true, undefined, undefined])
    })

    test('is refused of what is empty, of one’s own, where it is switched off, and to tokens that make nothing', async () => {
      await ann.post('/user/repos', { name: 'empty' })
      assert.equal((await bob.post('/repos/ann/empty/forks')).status, 403)
      const folder = await hosted.start('closed')
      assert.equal((await ann.post('/repos/ann/closed/forks')).status, 422)
      const bare = makeRest(hosted.server.url, await makeToken(hosted.server, 'bob', { kind: 'classic', scopes: [] }))
      assert.equal((await bare.post('/repos/ann/closed/forks')).status, 403)
      await ann.patch('/repos/ann/closed', { allow_forking: false })
      assert.equal((await bob.post('/repos/ann/closed/forks')).status, 403)
      await commit(folder, 'goes on')
    })
  })
