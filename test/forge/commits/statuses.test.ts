/** Statuses of commits, through the wire and with Octokit. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { makeRest, makeToken } from '../../support/rest.ts'
import { type GitServer, startGitServer } from '../git-server.ts'

for (const engine of oneEngine)
  describe(`commit statuses on ${engine}`, () => {
    let { server, ann, bob, start, stop } = {} as GitServer
    let sha: string
    before(async () => {
      ;({ server, ann, bob, start, stop } = await startGitServer(engine))
      const folder = await start('checked')
      sha = await folder.must('rev-parse', 'HEAD')
    })
    after(() => stop())

    test('are listed newest first, and the newest of each context makes the sum', async () => {
      const octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
      const place = { owner: 'ann', repo: 'checked' }
      const say = (state: 'error' | 'failure' | 'pending' | 'success', context: string) =>
        octokit.repos.createCommitStatus({ ...place, sha, state, context })
      const sum = async (ref = sha) => {
        const { data } = await octokit.repos.getCombinedStatusForRef({ ...place, ref })
        return [data.state, data.total_count, ...data.statuses.map(({ context, state }) => `${context} ${state}`)]
      }
      assert.deepEqual(await sum(), ['pending', 0])
      await say('pending', 'ci')
      assert.deepEqual(await sum(), ['pending', 1, 'ci pending'])
      await say('success', 'ci')
      assert.deepEqual(await sum('main'), ['success', 1, 'ci success'])
      await say('error', 'lint')
      assert.deepEqual(await sum('heads/main'), ['failure', 2, 'ci success', 'lint error'])
      await say('success', 'lint')
      assert.deepEqual(await sum(), ['success', 2, 'ci success', 'lint success'])
      const listed = await octokit.repos.listCommitStatusesForRef({ ...place, ref: 'main' })
      assert.deepEqual(
        listed.data.map(({ context, state }) => `${context} ${state}`),
        ['lint success', 'lint error', 'ci success', 'ci pending'],
      )
      assert.equal(listed.data[0]!.creator?.login, 'ann')
      const legacy = await ann.get(`/repos/ann/checked/statuses/${sha}?per_page=1`)
      assert.equal(legacy.body.length, 1)
      assert.match(legacy.headers.get('link') ?? '', /page=4/)
    })

    test('are of a commit that is there, by those who may write or whose token is for it', async () => {
      const path = `/repos/ann/checked/statuses/${sha}`
      const none = '1'.repeat(40)
      assert.equal((await ann.post(`/repos/ann/checked/statuses/${none}`, { state: 'success' })).status, 422)
      assert.equal((await ann.post('/repos/ann/checked/statuses/main', { state: 'success' })).status, 422)
      assert.equal((await ann.post(path, { state: 'fine' })).status, 422)
      assert.equal((await ann.post(path, {})).status, 422)
      assert.equal((await bob.post(path, { state: 'success' })).status, 403)
      assert.equal((await makeRest(server.url).post(path, { state: 'success' })).status, 401)
      const narrow = await makeToken(server, 'ann', { kind: 'classic', scopes: ['repo:status'] })
      assert.equal((await makeRest(server.url, narrow).post(path, { state: 'success' })).status, 201)
      const other = await makeToken(server, 'ann', { kind: 'classic', scopes: ['user'] })
      assert.equal((await makeRest(server.url, other).post(path, { state: 'success' })).status, 403)
    })

    test('have a bound for each context of a commit', async () => {
      const { body } = await ann.get('/repos/ann/checked')
      const row = {
        repository_id: body.id,
        sha,
        context: 'many',
        state: 'success' as const,
        target_url: null,
        description: null,
        creator_id: body.owner.id,
        created_at: 0,
      }
      await server.services.store.write((trx) => trx.insertInto('commit_status').values(Array(999).fill(row)).execute())
      const path = `/repos/ann/checked/statuses/${sha}`
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => ann.post(path, { state: 'success', context: 'many' })),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422, 422])
      assert.equal((await ann.post(path, { state: 'success', context: 'other' })).status, 201)
    })
  })
