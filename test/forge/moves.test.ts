/** Repositories that are transferred, generated from a template, and brought up to date with their upstream. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { engines } from '../support/engines.ts'
import { asAdmin, makeRest, makeToken, makeUser, type RestClient } from '../support/rest.ts'
import { commit, type GitServer, startGitServer } from './git-server.ts'

for (const engine of engines)
  describe(`a repository on ${engine}`, () => {
    let hosted: GitServer
    let ann: RestClient
    let bob: RestClient
    let root: RestClient
    before(async () => {
      hosted = await startGitServer(engine)
      ;({ ann, bob } = hosted)
      root = asAdmin(hosted.server)
      await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
      await root.post('/admin/organizations', { login: 'others', admin: 'bob' })
    })
    after(() => hosted.stop())

    test('goes to an organisation and back with all that is in it, and is found under its former address', async () => {
      const folder = await hosted.start('thing')
      await ann.post('/repos/ann/thing/issues', { title: 'One' })
      await ann.patch('/repos/ann/thing', { private: true })
      const cid = await makeUser(hosted.server, 'cid')
      await root.put('/orgs/acme/memberships/cid', { role: 'member' })
      assert.equal((await cid.get('/repos/ann/thing')).status, 404)
      const { body: crew } = await ann.post('/orgs/acme/teams', { name: 'Crew' })
      assert.equal((await ann.post('/orgs/acme/repos', { name: 'of-another-line' })).status, 201)
      const moved = await ann.post('/repos/ann/thing/transfer', {
        ...{ new_owner: 'acme', new_name: 'tool', team_ids: [crew.id] },
      })
      assert.equal(moved.status, 202, moved.text)
      assert.equal(moved.body.full_name, 'acme/tool')
      assert.equal((await cid.get('/repos/acme/tool')).status, 200, 'its members read it now')
      assert.deepEqual(
        (await ann.get('/repos/acme/tool/teams')).body.map(({ slug }: { slug: string }) => slug),
        ['crew'],
      )
      assert.equal((await ann.get('/repos/ann/thing')).status, 301)
      assert.equal((await ann.get('/repos/acme/tool/issues/1')).body.title, 'One')
      await commit(folder, 'two')
      await folder.must('push', '--quiet', hosted.url('ann/thing'), 'main')
      const { body: log } = await ann.get('/orgs/acme/audit-log?phrase=action:repo.transfer')
      assert.equal(log[0]?.data.old_user, 'ann')
      const back = await ann.post('/repos/acme/tool/transfer', { new_owner: 'ann', new_name: 'thing' })
      assert.equal(back.body.full_name, 'ann/thing')
      assert.equal((await cid.get('/repos/ann/thing')).status, 404, 'its members read it no longer')
      assert.deepEqual((await ann.get('/repos/ann/thing/teams')).body, [])
    })

    test('goes only where whoever hands it over may make one, and not beside another of its line', async () => {
      await hosted.start('mine')
      const send = (client: RestClient, new_owner: string, more = {}) =>
        client.post('/repos/ann/mine/transfer', { new_owner, ...more })
      assert.equal((await send(bob, 'bob')).status, 403)
      assert.equal((await send(ann, 'bob')).status, 403)
      assert.equal((await send(ann, 'others')).status, 403)
      assert.equal((await send(ann, 'nobody')).status, 422)
      assert.equal((await send(ann, 'ann')).status, 422)
      assert.equal((await send(ann, 'acme', { team_ids: [999_999] })).status, 422)
      const fine = { kind: 'fine-grained', permissions: { administration: 'write' } }
      const own = makeRest(hosted.server.url, await makeToken(hosted.server, 'ann', fine))
      assert.equal((await send(own, 'acme')).status, 403)
      await ann.post('/orgs/acme/repos', { name: 'mine' })
      assert.equal((await send(ann, 'acme')).status, 422, 'the name is taken')
      assert.equal((await bob.post('/repos/ann/mine/forks', { organization: 'others' })).status, 202)
      assert.equal((await send(root, 'others', { new_name: 'again' })).status, 422, 'a fork is there')
      assert.equal((await send(root, 'bob')).body.full_name, 'bob/mine', 'an admin gives it to anyone')
      assert.equal((await ann.patch('/repos/bob/mine', { description: 'x' })).status, 403)
    })

    test('is generated from a template: what it has now, without its past', async () => {
      const folder = await hosted.start('pattern')
      await writeFile(join(folder.path, 'b.txt'), 'two\n')
      await folder.must('add', '.')
      await commit(folder, 'secret history')
      await folder.must('push', '--quiet', 'origin', 'main', 'main:side')
      const ask = (client: RestClient, body: object) => client.post('/repos/ann/pattern/generate', body)
      assert.equal((await ask(bob, { name: 'copy' })).status, 422)
      await ann.patch('/repos/ann/pattern', { is_template: true })
      const made = await ask(bob, { name: 'copy', description: 'Mine', include_all_branches: true, private: true })
      assert.equal(made.status, 201, made.text)
      const { fork, template_repository: template, private: isPrivate, owner } = made.body
      assert.deepEqual([fork, template.full_name, isPrivate, owner.login], [false, 'ann/pattern', true, 'bob'])
      const { body: commits } = await bob.get('/repos/bob/copy/commits')
      assert.deepEqual(
        commits.map((one: { commit: { message: string } }) => one.commit.message.trim()),
        ['Initial commit'],
      )
      assert.equal((await bob.get('/repos/bob/copy/contents/b.txt')).status, 200)
      const { body: branches } = await bob.get('/repos/bob/copy/branches')
      assert.deepEqual(
        branches.map(({ name }: { name: string }) => name),
        ['main', 'side'],
      )
      const past = await folder.must('rev-parse', 'HEAD')
      assert.equal((await bob.get(`/repos/bob/copy/git/commits/${past}`)).status, 404, 'nothing of its past came along')
      assert.equal((await bob.get('/repos/bob/copy')).body.template_repository.full_name, 'ann/pattern')
      const ofOrg = await ann.post('/repos/ann/pattern/generate', { owner: 'acme', name: 'copy' })
      assert.equal(ofOrg.body.full_name, 'acme/copy')
      assert.equal((await hosted.fsck('acme/copy')).code, 0)
      assert.equal((await bob.post('/repos/ann/pattern/generate', { owner: 'acme', name: 'not' })).status, 403)
    })

    test('that is a fork takes what its upstream has, by going forward or by a merge', async () => {
      const folder = await hosted.start('source')
      await bob.post('/repos/ann/source/forks')
      const sync = (branch = 'main') => bob.post('/repos/bob/source/merge-upstream', { branch })
      assert.deepEqual((await sync()).body.merge_type, 'none')
      const write = async (name: string, text: string) => {
        await writeFile(join(folder.path, name), text)
        await folder.must('add', '.')
        await commit(folder, name)
        await folder.must('push', '--quiet', 'origin', 'main')
      }
      await write('b.txt', 'two\n')
      assert.deepEqual((await sync()).body, {
        message: 'Successfully fetched and fast-forwarded from upstream ann:main.',
        ...{ merge_type: 'fast-forward', base_branch: 'ann:main' },
      })
      const put = (path: string, text: string) =>
        bob.put(`/repos/bob/source/contents/${path}`, { message: path, content: Buffer.from(text).toString('base64') })
      await put('own.txt', 'mine\n')
      await write('c.txt', 'three\n')
      assert.equal((await sync()).body.merge_type, 'merge')
      assert.equal((await bob.get('/repos/bob/source/contents/c.txt')).status, 200)
      await put('d.txt', 'mine\n')
      await write('d.txt', 'theirs\n')
      assert.equal((await sync()).status, 409)
      assert.equal((await sync('nowhere')).status, 404)
      assert.equal((await ann.post('/repos/ann/source/merge-upstream', { branch: 'main' })).status, 422)
    })
  })
