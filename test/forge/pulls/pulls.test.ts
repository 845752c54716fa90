/** Pulls: opened, read, edited and listed, from branches and from forks. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { type PullServer, startPullServer } from './pull-server.ts'

const reasons = ({ body }: { body: Json }) => body.errors?.map(({ message }: Json) => message).join()

for (const engine of oneEngine)
  describe(`pulls on ${engine}`, () => {
    let hosted: PullServer
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      hosted = await startPullServer(engine)
      ;({ ann, bob } = hosted)
    })
    after(() => hosted.stop())
    // What has nothing to do with the database is shown once.
    const onSqlite: typeof test | (() => void) = engine === 'sqlite' ? test : () => {}

    onSqlite('are opened from a branch, with what git says of them, and are fetched by their ref', async () => {
      const folder = await hosted.start('plain')
      const head = await hosted.branch(folder, 'topic', { 'b.txt': 'one\ntwo\n' })
      await hosted.push(folder, 'topic')
      const base = await folder.must('rev-parse', 'main')
      const pull = await hosted.open('plain', { title: 'Two lines', body: 'Please.', head: 'topic' })
      assert.deepEqual([pull.number, pull.state, pull.title, pull.body], [1, 'open', 'Two lines', 'Please.'])
      assert.deepEqual([pull.head.sha, pull.head.label, pull.base.sha], [head, 'ann:topic', base])
      assert.deepEqual([pull.commits, pull.additions, pull.deletions, pull.changed_files], [1, 2, 0, 1])
      assert.deepEqual([pull.mergeable, pull.rebaseable, pull.mergeable_state], [true, true, 'clean'])
      assert.deepEqual([pull.merged, pull.draft], [false, false])
      const { body: issue } = await ann.get('/repos/ann/plain/issues/1')
      assert.equal(issue.pull_request.url, pull.url)
      const { body: commits } = await ann.get('/repos/ann/plain/pulls/1/commits')
      assert.deepEqual(
        commits.map(({ sha }: Json) => sha),
        [head],
      )
      const { body: files } = await ann.get('/repos/ann/plain/pulls/1/files')
      assert.deepEqual(
        files.map(({ filename, status }: Json) => [filename, status]),
        [['b.txt', 'added']],
      )
      const other = await hosted.work()
      await other.must('fetch', '--quiet', hosted.url('ann/plain'), 'pull/1/head')
      assert.equal(await other.must('rev-parse', 'FETCH_HEAD'), head)
      const { output } = await folder.git('push', 'origin', 'main:refs/pull/1/head')
      assert.match(output, /written by the server alone/)
      for (const [form, start] of [
        ['diff', /^diff --git a\/b\.txt/],
        ['patch', /^From [0-9a-f]{40}/],
      ] as const) {
        const accept = `application/vnd.platform.${form}`
        assert.match((await ann.get('/repos/ann/plain/pulls/1', { accept })).text, start)
        assert.match((await ann.get(`/ann/plain/pull/1.${form}`)).text, start)
      }
    })

    onSqlite('are refused without commits, from themselves, twice, and from what is not there', async () => {
      const folder = await hosted.start('wrong')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await folder.must('checkout', '--quiet', '--orphan', 'apart')
      await folder.must('commit', '--quiet', '-m', 'apart')
      await hosted.push(folder, 'topic', 'main:same', 'apart')
      const ask = (draft: object, by = ann) => by.post('/repos/ann/wrong/pulls', { title: 'T', base: 'main', ...draft })
      assert.match(reasons(await ask({ head: 'same' })), /No commits between main and same/)
      assert.match(reasons(await ask({ head: 'main' })), /No commits between/)
      assert.match(reasons(await ask({ head: 'apart' })), /no history in common/)
      for (const head of [
        'gone',
        'bob:topic',
        'nobody:topic',
        '../../x',
        '-x',
        'a b',
        'topic:',
        '@{-1}',
        'topic^{tree}',
      ]) {
        const answer = await ask({ head })
        assert.deepEqual([answer.status, answer.body.errors?.[0].field], [422, 'head'], head)
      }
      assert.equal((await ask({ head: 'topic', base: 'gone' })).body.errors[0].field, 'base')
      assert.equal((await ask({ head: 'topic', title: '   ' })).status, 422)
      const { number } = await hosted.open('wrong', { head: 'topic' })
      assert.match(reasons(await ask({ head: 'ann:topic' })), /already exists for ann:topic/)
      await ann.patch(`/repos/ann/wrong/pulls/${number}`, { state: 'closed' })
      await hosted.open('wrong', { head: 'topic' })
      const reopened = await ann.patch(`/repos/ann/wrong/issues/${number}`, { state: 'open' })
      assert.match(reasons(reopened), /already an open pull request/)
    })

    onSqlite(
      'are opened by those alone who may write to the head, or to the base where the head is public',
      async () => {
        const cid = await makeUser(hosted.server, 'cid')
        const folder = await hosted.start('guarded')
        await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
        await hosted.push(folder, 'topic', 'topic:second', 'topic:third')
        assert.equal((await bob.post('/repos/ann/guarded/forks')).status, 202)
        const ask = (by: RestClient, head: string, more: object = {}) =>
          by.post('/repos/ann/guarded/pulls', { title: 'T', base: 'main', head, ...more })
        const isRefused = ({ status, body }: { status: number; body: Json }) => {
          assert.deepEqual([status, body.message], [422, 'Validation Failed'])
          assert.deepEqual(
            body.errors.map(({ code, message }: Json) => [code, message]),
            [['custom', 'must be a collaborator']],
          )
        }
        for (const head of ['topic', 'ann:topic']) isRefused(await ask(bob, head))
        isRefused(await ask(bob, 'topic', { head_repo: 'guarded' }))
        isRefused(await ask(cid, 'bob:topic'))
        const { body: issue } = await bob.post('/repos/ann/guarded/issues', { title: 'One' })
        isRefused(await ask(bob, 'topic', { title: undefined, issue: issue.number }))
        assert.equal((await ann.get('/repos/ann/guarded/issues/1')).body.pull_request, undefined)
        const invite = async (permission: string) => {
          const { body } = await ann.put('/repos/ann/guarded/collaborators/cid', { permission })
          if (body) await cid.patch(`/user/repository_invitations/${body.id}`)
        }
        await invite('triage')
        isRefused(await ask(cid, 'topic'))
        await invite('push')
        assert.equal((await ask(bob, 'bob:topic')).status, 201, 'may write to the head')
        assert.equal((await ask(cid, 'second')).status, 201, 'may write to both')
        assert.equal((await ask(cid, 'bob:third')).status, 201, 'may write to the base')
        const draft = { title: 'Catch up', base: 'main', head: 'ann:topic' }
        assert.equal((await bob.post('/repos/bob/guarded/pulls', draft)).status, 201, 'may write to the base')
      },
    )

    test('follow their branch, tell of force, and close when it is deleted', async () => {
      const folder = await hosted.start('moving')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      const { number } = await hosted.open('moving', { head: 'topic' })
      const read = async () => (await ann.get(`/repos/ann/moving/pulls/${number}`)).body
      const next = await hosted.branch(folder, 'topic', { 'c.txt': 'c' }, 'topic')
      await hosted.push(folder, 'topic')
      assert.deepEqual([(await read()).head.sha, (await read()).commits], [next, 2])
      const forced = await hosted.branch(folder, 'topic', { 'd.txt': 'd' })
      await hosted.push(folder, '--force', 'topic')
      assert.equal((await read()).head.sha, forced)
      await until(async () => (await hosted.events('moving', number)).includes('head_ref_force_pushed'))
      await hosted.push(folder, '--delete', 'topic')
      await until(async () => (await read()).state === 'closed')
      const told = ['head_ref_force_pushed', 'closed', 'head_ref_deleted']
      await until(async () => (await hosted.events('moving', number)).length === 3)
      assert.deepEqual(await hosted.events('moving', number), told)
      assert.equal((await ann.patch(`/repos/ann/moving/pulls/${number}`, { state: 'open' })).status, 422)
      await hosted.push(folder, 'topic')
      await until(async () => (await hosted.events('moving', number)).includes('head_ref_restored'))
      assert.equal((await ann.patch(`/repos/ann/moving/pulls/${number}`, { state: 'open' })).body.state, 'open')
      assert.equal((await read()).head.sha, forced)
      assert.equal((await hosted.fsck('ann/moving')).code, 0)
    })

    test('change their text, draft and base with an event each, by their authors and those who may write', async () => {
      const folder = await hosted.start('edited')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic', 'main:stable')
      await bob.post('/repos/ann/edited/forks')
      const { number } = await hosted.open('edited', { head: 'bob:topic', draft: true }, bob)
      const path = `/repos/ann/edited/pulls/${number}`
      assert.equal((await bob.patch(path, { draft: false })).body.draft, false)
      assert.equal((await ann.patch(path, { draft: true })).body.mergeable_state, 'draft')
      assert.equal((await bob.patch(path, { title: 'Better', base: 'stable' })).body.base.ref, 'stable')
      assert.equal((await bob.patch(path, { base: 'topic' })).status, 422)
      const carl = makeRest(hosted.server.url)
      assert.equal((await carl.patch(path, { title: 'Mine' })).status, 401)
      const told = ['ready_for_review', 'convert_to_draft', 'base_ref_changed', 'renamed']
      assert.deepEqual(await hosted.events('edited', number), told)
      assert.equal((await bob.patch(path, { state: 'closed' })).body.state, 'closed')
      assert.equal((await bob.patch(path, { draft: false })).status, 422)
    })

    onSqlite('are listed by state, base and head, in the order asked for', async () => {
      const folder = await hosted.start('listed')
      for (const name of ['one', 'two', 'three']) await hosted.branch(folder, name, { [name]: name })
      await hosted.push(folder, 'one', 'two', 'three', 'main:stable')
      for (const head of ['one', 'two', 'three']) await hosted.open('listed', { head, title: head })
      await hosted.open('listed', { head: 'one', base: 'stable', title: 'fourth' })
      await ann.patch('/repos/ann/listed/pulls/2', { state: 'closed' })
      const titles = async (query: string) =>
        (await ann.get(`/repos/ann/listed/pulls?${query}`)).body.map(({ title }: Json) => title)
      assert.deepEqual(await titles(''), ['fourth', 'three', 'one'])
      assert.deepEqual(await titles('state=closed'), ['two'])
      assert.deepEqual(await titles('state=all&direction=asc'), ['one', 'two', 'three', 'fourth'])
      assert.deepEqual(await titles('base=stable'), ['fourth'])
      assert.deepEqual(await titles('head=ann:one'), ['fourth', 'one'])
      assert.deepEqual(await titles('head=bob:one'), [])
      assert.deepEqual(await titles('state=all&sort=updated&direction=desc&per_page=1'), ['two'])
      assert.equal((await ann.get('/repos/ann/listed/pulls?sort=best')).status, 422)
    })

    test('come from a fork, and stay readable when it is private or gone, without telling what it does there', async () => {
      await hosted.start('base')
      await bob.post('/repos/ann/base/forks')
      const folder = await hosted.work()
      await folder.must('remote', 'add', 'origin', hosted.url('bob/base', bob, 'bob'))
      await folder.must('fetch', '--quiet', 'origin', 'main')
      const head = await hosted.branch(folder, 'topic', { 'b.txt': 'b' }, 'origin/main')
      await hosted.push(folder, 'topic')
      const pull = await hosted.open('base', { head: 'bob:topic' }, bob)
      const read = async () => (await ann.get(`/repos/ann/base/pulls/${pull.number}`)).body
      assert.deepEqual([pull.head.repo.full_name, pull.head.sha, pull.mergeable], ['bob/base', head, true])
      assert.equal(pull.maintainer_can_modify, true)
      const more = await hosted.branch(folder, 'topic', { 'c.txt': 'c' }, 'topic')
      await hosted.push(folder, 'topic')
      assert.equal((await read()).head.sha, more)

      await bob.patch('/repos/bob/base', { private: true })
      const hidden = await hosted.branch(folder, 'topic', { 'secret.txt': 's' }, 'topic')
      await hosted.push(folder, 'topic')
      const seen = await read()
      assert.deepEqual([seen.head.repo, seen.head.sha, seen.head.label], [null, more, 'bob:topic'])
      assert.equal((await ann.get(`/repos/ann/base/commits/${hidden}`)).status, 422)
      await bob.delete('/repos/bob/base')
      const left = await read()
      assert.deepEqual([left.head.repo, left.head.sha, left.commits, left.state], [null, more, 2, 'closed'])
      assert.equal((await ann.put(`/repos/ann/base/pulls/${pull.number}/merge`)).status, 405)
      assert.equal((await hosted.fsck('ann/base')).code, 0)
    })

    onSqlite('of a private fork are opened only by who may write there', async () => {
      await hosted.start('inner', true)
      const invited = await ann.put('/repos/ann/inner/collaborators/bob', { permission: 'pull' })
      await bob.patch(`/user/repository_invitations/${invited.body.id}`)
      await bob.post('/repos/ann/inner/forks')
      const folder = await hosted.work()
      await folder.must('remote', 'add', 'origin', hosted.url('bob/inner', bob, 'bob'))
      await folder.must('fetch', '--quiet', 'origin', 'main')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' }, 'origin/main')
      await hosted.push(folder, 'topic')
      const draft = { title: 'T', base: 'main', head: 'bob:topic' }
      assert.equal((await ann.post('/repos/ann/inner/pulls', draft)).status, 422, 'ann can’t see the fork')
      const { status, body } = await bob.post('/repos/ann/inner/pulls', draft)
      assert.deepEqual([status, body.head.repo.full_name], [201, 'bob/inner'])
      assert.equal((await ann.get(`/repos/ann/inner/pulls/${body.number}`)).body.head.repo, null)
    })

    test('from a private head follow it only while their author may write there', async () => {
      const folder = await hosted.start('vault', true)
      const invite = async () => {
        const { body } = await ann.put('/repos/ann/vault/collaborators/bob', { permission: 'push' })
        await bob.patch(`/user/repository_invitations/${body.id}`)
      }
      await invite()
      await bob.post('/repos/ann/vault/forks')
      await bob.patch('/repos/bob/vault', { has_issues: true })
      const readers = await bob.put('/repos/bob/vault/collaborators/ann', { permission: 'pull' })
      await ann.patch(`/user/repository_invitations/${readers.body.id}`)
      const move = async (text: string, ...words: string[]) => {
        const sha = await hosted.branch(folder, 'main', { 'a.txt': text })
        await hosted.push(folder, ...words, 'main')
        return sha
      }
      await move('two')
      const pulls = '/repos/bob/vault/pulls'
      const draft = { head: 'ann:main', base: 'main' }
      const { body: issue } = await ann.post('/repos/bob/vault/issues', { title: 'By another' })
      const foreign = await bob.post(pulls, { ...draft, issue: issue.number })
      assert.deepEqual([foreign.status, foreign.body.errors?.[0].field], [422, 'issue'])
      const { body: pull } = await bob.post(pulls, { ...draft, title: 'Mine' })
      const path = `${pulls}/${pull.number}`
      const theirs = hosted.url('bob/vault', bob, 'bob')
      const seen = async () => {
        const { head, updated_at } = (await bob.get(path)).body
        const ref = await folder.must('ls-remote', theirs, `refs/pull/${pull.number}/head`)
        return [head.sha, ref.split('\t')[0], updated_at]
      }
      const known = await move('three')
      assert.deepEqual((await seen()).slice(0, 2), [known, known])

      const before = await seen()
      await ann.delete('/repos/ann/vault/collaborators/bob')
      const hidden = await move('four')
      await folder.must('reset', '--quiet', '--hard', 'HEAD~1')
      const forced = await move('five', '--force')
      await until(async () => {
        const row = await hosted.server.services.store.db
          .selectFrom('pull')
          .innerJoin('repository as head', 'head.id', 'pull.head_repository_id')
          .select(['pull.head_push_id', 'head.last_push_id'])
          .where('head.name', '=', 'vault')
          .executeTakeFirstOrThrow()
        return row.head_push_id >= row.last_push_id
      })
      assert.deepEqual(await seen(), before)
      for (const sha of [hidden, forced]) assert.equal((await bob.get(`/repos/bob/vault/commits/${sha}`)).status, 422)
      const { body: events } = await bob.get(`/repos/bob/vault/issues/${pull.number}/events`)
      assert.deepEqual(events, [])
      await invite()
      assert.deepEqual((await seen()).slice(0, 2), [forced, forced], 'once they may again')
    })

    onSqlite('within a repository go on following when it becomes private', async () => {
      const folder = await hosted.start('closing')
      await hosted.branch(folder, 'topic', { 'b.txt': 'b' })
      await hosted.push(folder, 'topic')
      const pull = await hosted.open('closing', { head: 'topic' })
      await ann.patch('/repos/ann/closing', { private: true })
      const sha = await hosted.branch(folder, 'topic', { 'c.txt': 'c' }, 'topic')
      await hosted.push(folder, 'topic')
      assert.equal((await ann.get(`/repos/ann/closing/pulls/${pull.number}`)).body.head.sha, sha)
    })
  })
