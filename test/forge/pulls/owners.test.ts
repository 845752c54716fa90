/** Code owners, who are asked and may be required; and pulls that are merged as soon as they may be. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findRule, parseOwners } from '../../../src/forge/pulls/owners/owner-rules.ts'
import { engines } from '../../support/engines.ts'
import { makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { until } from '../../support/until.ts'
import { type PullServer, startPullServer } from './pull-server.ts'

test('the last pattern that fits a path names its owners', () => {
  const { rules, faults } = parseOwners(
    [
      '# who keeps what',
      '*            @all',
      '*.js         @js  # of any folder',
      '/build/logs/ @ops',
      'docs/*       @docs',
      'apps/        @apps',
      '/deep/**/end @deep',
      'a\\ b.txt     @blank',
      'apps/free',
      '!no          @x',
      'odd          nobody',
    ].join('\n'),
  )
  const ownersOf = (path: string) => findRule(rules, path)?.owners.join()
  const expected = {
    'x.txt': '@all',
    'a/b/x.js': '@js',
    'build/logs/a/b': '@ops',
    'x/build/logs/a': '@all',
    'docs/a.md': '@docs',
    'docs/a/b.md': '@all',
    'x/apps/y/z': '@apps',
    'apps/free/x': '',
    'deep/end': '@deep',
    'deep/a/b/end': '@deep',
    'a b.txt': '@blank',
  }
  assert.deepEqual(Object.fromEntries(Object.keys(expected).map((path) => [path, ownersOf(path)])), expected)
  assert.deepEqual(
    faults.map(({ line, kind }) => [line, kind]),
    [
      [10, 'Invalid pattern'],
      [11, 'Invalid owner'],
    ],
  )
  const { rules: slow } = parseOwners(`${'*a'.repeat(500)}b @x`)
  assert.equal(findRule(slow, 'a'.repeat(4_000)), undefined, 'no pattern takes long')
})

for (const engine of engines)
  describe(`pulls with owners on ${engine}`, () => {
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

    async function join(name: string, client: RestClient, login: string) {
      const { body } = await ann.put(`/repos/ann/${name}/collaborators/${login}`, { permission: 'push' })
      await client.patch(`/user/repository_invitations/${body.id}`)
    }
    const asked = async (name: string, number: number): Promise<string[]> =>
      (await ann.get(`/repos/ann/${name}/pulls/${number}/requested_reviewers`)).body.users.map(
        ({ login }: Json) => login,
      )

    test('owners who may write are asked once, and their approval may be required', async () => {
      const folder = await hosted.start('kept')
      await join('kept', bob, 'bob')
      await join('kept', cid, 'cid')
      await hosted.branch(folder, 'main', { CODEOWNERS: '*.md @bob @ann\n*.ts @cid @nobody\n' })
      await hosted.push(folder, 'main')
      await hosted.branch(folder, 'work', { 'a.md': 'x\n' })
      await hosted.push(folder, 'work')
      const draft = await hosted.open('kept', { head: 'work', draft: true })
      const { number } = draft
      await ann.patch(`/repos/ann/kept/pulls/${number}`, { draft: false })
      await until(async () => (await asked('kept', number)).join() === 'bob')
      await ann.ask(
        'DELETE',
        `/repos/ann/kept/pulls/${number}/requested_reviewers`,
        JSON.stringify({ reviewers: ['bob'] }),
      )
      await hosted.branch(folder, 'work', { 'b.ts': 'x\n' }, 'work')
      await hosted.push(folder, 'work')
      await until(async () => (await asked('kept', number)).join() === 'cid')
      const rules = { required_approving_review_count: 1, require_code_owner_reviews: true }
      const protection = await ann.put('/repos/ann/kept/branches/main/protection', {
        ...{ required_status_checks: null, enforce_admins: true, restrictions: null },
        required_pull_request_reviews: rules,
      })
      assert.equal(protection.body.required_pull_request_reviews.require_code_owner_reviews, true)
      const merge = () => ann.put(`/repos/ann/kept/pulls/${number}/merge`)
      const approve = (client: RestClient) =>
        client.post(`/repos/ann/kept/pulls/${number}/reviews`, { event: 'APPROVE' })
      await approve(bob)
      const refused = await merge()
      assert.deepEqual([refused.status, refused.body.message], [405, 'Waiting on code owner review.'])
      await approve(cid)
      assert.equal((await merge()).status, 200)
      const { body } = await ann.get('/repos/ann/kept/codeowners/errors')
      assert.deepEqual(
        body.errors.map(({ line, kind, source, path }: Json) => [line, kind, source, path]),
        [[2, 'Unknown owner', '@nobody', 'CODEOWNERS']],
      )
    })

    test('a pull is merged once its checks are fine, by the method that was asked for, even by an admin', async () => {
      const folder = await hosted.start('auto')
      await ann.put('/repos/ann/auto/branches/main/protection', {
        required_status_checks: { strict: false, contexts: ['ci'] },
        ...{ enforce_admins: null, required_pull_request_reviews: null, restrictions: null },
      })
      const sha = await hosted.branch(folder, 'work', { 'a.md': 'x\n' })
      await hosted.push(folder, 'work')
      const { number } = await hosted.open('auto', { head: 'work' })
      const path = `/repos/ann/auto/pulls/${number}`
      const enable = () => ann.put(`${path}/auto-merge`, { merge_method: 'squash', commit_title: 'As one' })
      assert.equal((await enable()).status, 422)
      await ann.patch('/repos/ann/auto', { allow_auto_merge: true })
      assert.equal((await bob.put(`${path}/auto-merge`, {})).status, 403)
      const enabled = await enable()
      assert.equal(enabled.status, 200, enabled.text)
      const { enabled_by, merge_method, commit_title } = enabled.body.auto_merge
      assert.deepEqual([enabled_by.login, merge_method, commit_title], ['ann', 'squash', 'As one'])
      assert.equal((await ann.delete(`${path}/auto-merge`)).status, 204)
      assert.equal((await ann.get(path)).body.auto_merge, null)
      // GraphQL does the same, and is what merges below.
      const pullRequestId = (await ann.get(path)).body.node_id
      const mutate = async (act: 'enable' | 'disable', input: object) => {
        const name = `${act}PullRequestAutoMerge`
        const type = `${act === 'enable' ? 'Enable' : 'Disable'}PullRequestAutoMergeInput!`
        const query = `mutation ($input: ${type}) { ${name}(input: $input) {
          actor { login } pullRequest { autoMergeRequest { mergeMethod commitHeadline } } } }`
        const { body } = await ann.post('/graphql', { query, variables: { input: { pullRequestId, ...input } } })
        assert.equal(body.errors, undefined, JSON.stringify(body.errors))
        assert.equal(body.data[name].actor.login, 'ann')
        return body.data[name].pullRequest.autoMergeRequest
      }
      const asOne = { mergeMethod: 'SQUASH', commitHeadline: 'As one' }
      assert.deepEqual(await mutate('enable', asOne), asOne)
      assert.equal(await mutate('disable', {}), null)
      assert.equal((await ann.get(path)).body.auto_merge, null)
      await mutate('enable', asOne)
      const query = `{ repository(owner: "ann", name: "auto") { pullRequest(number: ${number}) {
        autoMergeRequest { mergeMethod enabledBy { login } } viewerCanDisableAutoMerge } } }`
      const { data } = (await ann.post('/graphql', { query })).body
      assert.deepEqual(data.repository.pullRequest, {
        autoMergeRequest: { mergeMethod: 'SQUASH', enabledBy: { login: 'ann' } },
        viewerCanDisableAutoMerge: true,
      })
      await ann.post(`/repos/ann/auto/statuses/${sha}`, { state: 'failure', context: 'ci' })
      assert.equal((await ann.get(path)).body.merged, false)
      await ann.post(`/repos/ann/auto/statuses/${sha}`, { state: 'success', context: 'ci' })
      await until(async () => (await ann.get(path)).body.merged)
      const [newest] = (await ann.get('/repos/ann/auto/commits')).body
      assert.equal(newest.commit.message.split('\n')[0], 'As one')
    })

    test('a push by somebody who may not write ends it', async () => {
      await hosted.start('strange')
      await ann.patch('/repos/ann/strange', { allow_auto_merge: true })
      await ann.put('/repos/ann/strange/branches/main/protection', {
        required_status_checks: { strict: false, contexts: ['ci'] },
        ...{ enforce_admins: null, required_pull_request_reviews: null, restrictions: null },
      })
      await bob.post('/repos/ann/strange/forks')
      const put = (name: string) =>
        bob.put(`/repos/bob/strange/contents/${name}`, { message: name, content: 'eAo=', branch: 'main' })
      await put('one.txt')
      const { number } = await hosted.open('strange', { head: 'bob:main' }, bob)
      const path = `/repos/ann/strange/pulls/${number}`
      assert.equal((await ann.put(`${path}/auto-merge`, {})).status, 200)
      const second = await put('two.txt')
      await until(async () => (await ann.get(path)).body.auto_merge === null)
      await ann.post(`/repos/ann/strange/statuses/${second.body.commit.sha}`, { state: 'success', context: 'ci' })
      assert.equal((await ann.get(path)).body.merged, false)
    })
  })
