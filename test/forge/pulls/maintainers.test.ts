/** Maintainers of the base push to a fork's head while its author lets them, there and nowhere else. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { commitFiles, type PullServer, startPullServer } from './pull-server.ts'

for (const engine of oneEngine)
  describe(`maintainers and forks on ${engine}`, () => {
    let hosted: PullServer
    let ann: RestClient
    let bob: RestClient
    let cid: RestClient
    before(async () => {
      hosted = await startPullServer(engine)
      ;({ ann, bob } = hosted)
      cid = await makeUser(hosted.server, 'cid')
    })
    after(() => hosted.stop())

    test('push to the head of an open pull whose author lets them, by git and REST, and to nothing else', async () => {
      const folder = await hosted.start('kept')
      await bob.post('/repos/ann/kept/forks')
      const fork = '/repos/bob/kept'
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await folder.must('push', '--quiet', hosted.url('bob/kept', bob, 'bob'), 'topic', 'topic:other')
      const asked = await ann.post('/repos/ann/kept/pulls', {
        title: 'Not mine',
        head: 'bob:other',
        base: 'main',
        maintainer_can_modify: true,
      })
      assert.deepEqual([asked.status, asked.body.errors[0].field], [422, 'fork_collab'])
      const foreign = await hosted.open('kept', { head: 'bob:other' })
      assert.equal(foreign.maintainer_can_modify, false, 'whoever opens it may not push there')
      const pull = await hosted.open('kept', { head: 'bob:topic' }, bob)
      assert.equal(pull.maintainer_can_modify, true)
      const path = `/repos/ann/kept/pulls/${pull.number}`

      const onFork = hosted.url('bob/kept')
      const push = async (words: string[], url = onFork) => (await folder.git('push', url, ...words)).output
      await folder.must('checkout', '--quiet', 'topic')
      const sha = await commitFiles(folder, { 'c.txt': 'c' }, 'By the maintainer')
      assert.match(await push(['topic'], hosted.url('bob/kept', cid, 'cid')), /403/)
      const mixed = await push(['topic', 'topic:main', 'topic:other', 'topic:new', 'topic:refs/tags/v1'])
      assert.match(mixed, /topic -> topic\n/)
      assert.equal(mixed.match(/\[remote rejected\]/g)?.length, 4)
      assert.match(mixed, /You may push only to topic/)
      assert.match(await push([':topic']), /\[remote rejected\]/)
      assert.equal((await ann.get(path)).body.head.sha, sha)
      const { body: refs } = await bob.get(`${fork}/git/refs`)
      assert.deepEqual(
        refs.map(({ ref }: { ref: string }) => ref),
        ['refs/heads/main', 'refs/heads/other', 'refs/heads/topic'],
      )

      const quiet = { debug() {}, info() {}, warn() {}, error() {} }
      const octokit = new Octokit({ auth: ann.token, baseUrl: hosted.server.url, log: quiet })
      const file = { owner: 'bob', repo: 'kept', path: 'd.txt', message: 'd', content: 'ZA==' }
      const { data: written } = await octokit.repos.createOrUpdateFileContents({ ...file, branch: 'topic' })
      assert.equal((await ann.get(path)).body.head.sha, written.commit.sha)
      for (const branch of ['main', 'other', 'fresh'])
        await assert.rejects(octokit.repos.createOrUpdateFileContents({ ...file, branch }), /You may push|not found/i)
      const ofFork = { owner: 'bob', repo: 'kept' }
      await octokit.git.updateRef({ ...ofFork, ref: 'heads/topic', sha, force: true })
      await assert.rejects(octokit.git.updateRef({ ...ofFork, ref: 'heads/main', sha }), { status: 422 })
      for (const [method, place, body] of [
        ['POST', '/git/refs', { ref: 'refs/heads/new', sha }],
        ['DELETE', '/git/refs/heads/topic', undefined],
        ['POST', '/branches/topic/rename', { new_name: 'mine' }],
        ['PATCH', '', { description: 'Mine' }],
        ['POST', `/statuses/${sha}`, { state: 'success' }],
        ['POST', '/releases', { tag_name: 'v1' }],
        ['POST', '/git/tags', { tag: 'v1', message: 'v1', object: sha, type: 'commit' }],
      ] as const)
        assert.equal((await ann.ask(method, `${fork}${place}`, body)).status, 403, `${method} ${place}`)
      await folder.must('checkout', '--quiet', 'main')
      await commitFiles(folder, { 'm.txt': 'm' }, 'On main')
      await hosted.push(folder, 'main')
      assert.equal((await ann.put(`${path}/update-branch`)).status, 202)

      const draft = { kind: 'workflow', permissions: { contents: 'write' }, repositories: ['bob/kept'] }
      const narrow = makeRest(hosted.server.url, await makeToken(hosted.server, 'ann', draft))
      const put = (client: RestClient, name: string) =>
        client.put(`${fork}/contents/${name}`, { message: name, content: '', branch: 'topic' })
      assert.equal((await put(narrow, 'n.txt')).status, 403, 'a token that is not for the base')
      assert.equal((await put(ann, 'e.txt')).status, 201)
      assert.equal((await ann.patch(path, { maintainer_can_modify: false })).body.maintainer_can_modify, false)
      assert.equal((await put(ann, 'f.txt')).status, 403)
      assert.match(await push(['--force', 'main:topic']), /403/)
      const taken = await ann.patch(path, { maintainer_can_modify: true })
      assert.deepEqual([taken.status, taken.body.errors[0].field], [422, 'fork_collab'], 'not theirs to give')
      assert.equal((await bob.patch(path, { maintainer_can_modify: true })).body.maintainer_can_modify, true)
      assert.equal((await put(ann, 'f.txt')).status, 201)
      await ann.patch(path, { state: 'closed' })
      assert.equal((await put(ann, 'g.txt')).status, 403)
      await ann.patch(path, { state: 'open' })
      await bob.put(`${fork}/branches/topic/protection`, {
        required_status_checks: null,
        enforce_admins: null,
        required_pull_request_reviews: null,
        restrictions: { users: [], teams: [] },
      })
      assert.equal((await put(ann, 'g.txt')).status, 409, 'rules of the fork hold')
      await bob.delete(`${fork}/branches/topic/protection`)
      assert.equal((await ann.put(`${path}/merge`)).status, 200)
      assert.equal((await put(ann, 'g.txt')).status, 403)
    })

    test('have no leave for a head that its pull’s author does not own, whatever was stored', async () => {
      const folder = await hosted.start('upstream')
      await bob.post('/repos/ann/upstream/forks')
      await bob.patch('/repos/bob/upstream', { has_issues: true })
      const { body: invitation } = await ann.put('/repos/ann/upstream/collaborators/bob', { permission: 'push' })
      await bob.patch(`/user/repository_invitations/${invitation.id}`)
      await commitFiles(folder, { 'b.txt': 'b' }, 'Ahead of the fork')
      await hosted.push(folder, 'main', 'main:topic')
      const pulls = '/repos/bob/upstream/pulls'
      const draft = { title: 'Mine', head: 'ann:main', base: 'main' }
      const asked = await bob.post(pulls, { ...draft, maintainer_can_modify: true })
      assert.deepEqual([asked.status, asked.body.errors?.[0].field], [422, 'fork_collab'])
      const { body: pull } = await bob.post(pulls, draft)
      assert.equal(pull.maintainer_can_modify, false)
      const path = `${pulls}/${pull.number}`
      const set = async (place: string) => {
        const { status, body } = await bob.patch(place, { maintainer_can_modify: true })
        return [status, body.errors?.[0].field]
      }
      assert.deepEqual(await set(path), [422, 'fork_collab'])
      const { body: issue } = await ann.post('/repos/bob/upstream/issues', { title: 'By the owner of the head' })
      const converted = await bob.post(pulls, { issue: issue.number, head: 'ann:topic', base: 'main' })
      assert.deepEqual([converted.status, converted.body.maintainer_can_modify], [201, false])
      assert.deepEqual(await set(`${pulls}/${issue.number}`), [422, 'fork_collab'], 'ann’s to give')

      await hosted.server.services.store.write((trx) =>
        trx
          .updateTable('pull')
          .set({ may_maintainers_push: 1 })
          .where('issue_id', 'in', (eb) => eb.selectFrom('issue').select('id').where('title', '=', 'Mine'))
          .execute(),
      )
      assert.equal((await bob.get(path)).body.maintainer_can_modify, false, 'it does not count')
      assert.deepEqual(await set(path), [422, 'fork_collab'])
      await ann.delete('/repos/ann/upstream/collaborators/bob')
      const { body: toFork } = await bob.put('/repos/bob/upstream/collaborators/cid', { permission: 'push' })
      await cid.patch(`/user/repository_invitations/${toFork.id}`)
      const sha = await commitFiles(folder, { 'c.txt': 'c' }, 'By one who was removed')
      for (const [client, login] of [
        [bob, 'bob'],
        [cid, 'cid'],
      ] as const) {
        for (const branch of ['main', 'topic']) {
          const { output } = await folder.git('push', hosted.url('ann/upstream', client, login), `main:${branch}`)
          assert.match(output, /403/, `${login} ${branch}`)
          const file = { message: 'x', content: '', branch }
          assert.equal((await client.put('/repos/ann/upstream/contents/x.txt', file)).status, 403)
        }
      }
      assert.notEqual(await hosted.tip('ann/upstream', 'main'), sha)
    })
  })
