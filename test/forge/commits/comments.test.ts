/** Comments on commits, by Octokit, and whom they are told to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { type GitServer, startGitServer } from '../git-server.ts'

for (const engine of oneEngine)
  describe(`comments on commits on ${engine}`, () => {
    let { server, ann, bob, start, stop } = {} as GitServer
    before(async () => {
      ;({ server, ann, bob, start, stop } = await startGitServer(engine))
    })
    after(() => stop())

    test('are written by readers, changed by their authors and by writers, and told with the author and who is named', async () => {
      const folder = await start('talked')
      const sha = await folder.must('rev-parse', 'HEAD')
      const octokit = new Octokit({ auth: bob.token, baseUrl: server.url })
      const place = { owner: 'ann', repo: 'talked' }
      const text = { ...place, commit_sha: sha, body: 'Look, @ann', path: 'a.txt', position: 1 }
      const { data: made } = await octokit.repos.createCommitComment(text)
      assert.deepEqual([made.commit_id, made.path, made.position, made.user?.login], [sha, 'a.txt', 1, 'bob'])
      const rows = await server.services.store.db
        .selectFrom('activity')
        .selectAll()
        .where('kind', '=', 'commit-commented')
        .execute()
      const annId = (await ann.get('/user')).body.id
      assert.deepEqual(JSON.parse(rows[0]!.data), {
        sha,
        title: await folder.must('log', '-1', '--format=%s'),
        mentions: { users: [annId], teams: [] },
        authorId: annId,
      })
      assert.equal(rows[0]!.subject_id, made.id)
      const path = `/repos/ann/talked/comments/${made.id}`
      assert.equal((await bob.patch(path, { body: 'Look again' })).body.body, 'Look again')
      await octokit.reactions.createForCommitComment({ ...place, comment_id: made.id, content: 'heart' })
      assert.equal((await ann.get(path)).body.reactions.heart, 1)
      const html = await ann.get(path, { accept: 'application/vnd.github.html+json' })
      assert.match(html.body.body_html, /<p>Look again<\/p>/)
      const { body: own } = await ann.post(`/repos/ann/talked/commits/main/comments`, { body: 'Mine' })
      assert.equal((await bob.patch(`/repos/ann/talked/comments/${own.id}`, { body: 'Ours' })).status, 403)
      assert.equal((await octokit.repos.listCommentsForCommit({ ...place, commit_sha: sha })).data.length, 2)
      assert.equal((await octokit.repos.listCommitCommentsForRepo(place)).data.length, 2)
      const counts = async () => [
        (await octokit.repos.getCommit({ ...place, ref: 'main' })).data.commit.comment_count,
        (await octokit.repos.listCommits(place)).data[0]?.commit.comment_count,
        (await octokit.repos.getBranch({ ...place, branch: 'main' })).data.commit.commit.comment_count,
      ]
      assert.deepEqual(await counts(), [2, 2, 2])
      assert.equal((await ann.delete(path)).status, 204)
      assert.equal((await ann.get(path)).status, 404)
      assert.deepEqual(await counts(), [1, 1, 1])
      for (const below of [`${sha}/check-nothing`, 'main/branches-where-head', `${sha.slice(0, 9)}/a/b`])
        assert.equal((await ann.get(`/repos/ann/talked/commits/${below}`)).status, 404, below)
      assert.equal((await ann.get('/repos/ann/talked/commits/none/at/all')).status, 422)
      assert.equal((await ann.post('/repos/ann/talked/commits/none/comments', { body: 'x' })).status, 422)
      assert.equal((await ann.post(`/repos/ann/talked/commits/${sha}/comments`, { body: '' })).status, 422)
    })
  })
