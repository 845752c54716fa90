/** Comparing across forks: by owner and by whole name, of what the caller may read, and without a commit copied. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeRest, makeToken, makeUser } from '../support/rest.ts'
import { type PullServer, startPullServer } from './pulls/pull-server.ts'

describe('comparing with a fork', () => {
  let hosted: PullServer
  before(async () => {
    hosted = await startPullServer()
  })
  after(() => hosted.stop())

  test('tells what it has more, links to where that is, and copies nothing', async () => {
    const { ann, bob } = hosted
    const folder = await hosted.start('line')
    await bob.post('/repos/ann/line/forks', { name: 'mine' })
    const head = await hosted.branch(folder, 'topic', { 'b.txt': 'b\n' })
    await folder.must('push', '--quiet', hosted.url('bob/mine', bob, 'bob'), 'topic')
    const octokit = new Octokit({ auth: ann.token, baseUrl: hosted.server.url })
    for (const to of ['bob:topic', 'bob:mine:topic', `BOB:${head.slice(0, 9)}`]) {
      const place = { owner: 'ann', repo: 'line', basehead: `main...${to}` }
      const { data } = await octokit.repos.compareCommitsWithBasehead(place)
      assert.deepEqual([data.status, data.ahead_by, data.behind_by], ['ahead', 1, 0], to)
      assert.deepEqual(
        data.commits.map(({ sha, url }) => [sha, new URL(url).pathname]),
        [[head, `/repos/bob/mine/commits/${head}`]],
      )
      assert.deepEqual(
        data.files?.map(({ filename, patch }) => [filename, patch]),
        [['b.txt', '@@ -0,0 +1 @@\n+b']],
      )
      assert.equal((await ann.get(new URL(data.commits[0]!.url).pathname)).status, 200)
    }
    const back = await bob.get('/repos/bob/mine/compare/topic...ann:line:main')
    assert.deepEqual([back.body.status, back.body.behind_by], ['behind', 1])
    const accept = 'application/vnd.platform.diff'
    assert.match((await ann.get('/repos/ann/line/compare/main...bob:topic', { accept })).text, /^diff --git a\/b\.txt/)
    assert.equal((await ann.get(`/repos/ann/line/git/commits/${head}`)).status, 404, 'it is the fork’s alone')
    const status = async (range: string, client = ann) => (await client.get(`/repos/ann/line/compare/${range}`)).status
    assert.equal(await status('main...ann:main'), 200)
    await hosted.start('apart')
    for (const to of ['bob:none', 'nobody:main', 'ann:apart:main', 'bob:line:topic', 'a:b:c:d', ':main', 'bob:mine:'])
      assert.equal(await status(`main...${to}`), 404, to)
  })

  test('tells nothing of a private one to who may not read it', async () => {
    const { server, ann, bob } = hosted
    await hosted.start('inner', true)
    const invited = await ann.put('/repos/ann/inner/collaborators/bob', { permission: 'pull' })
    await bob.patch(`/user/repository_invitations/${invited.body.id}`)
    const cid = await makeUser(server, 'cid')
    const joined = await ann.put('/repos/ann/inner/collaborators/cid', { permission: 'pull' })
    await cid.patch(`/user/repository_invitations/${joined.body.id}`)
    await bob.post('/repos/ann/inner/forks')
    const compare = '/repos/ann/inner/compare/main...bob:main'
    assert.equal((await bob.get(compare)).status, 200)
    assert.equal((await cid.get(compare)).status, 404)
    assert.equal((await cid.get('/repos/ann/inner/compare/main...main')).status, 200)
    const draft = { kind: 'workflow', permissions: { contents: 'read' }, repositories: ['ann/inner'] }
    const narrow = makeRest(server.url, await makeToken(server, 'bob', draft))
    assert.equal((await narrow.get('/repos/ann/inner/compare/main...main')).status, 200)
    assert.equal((await narrow.get(compare)).status, 404, 'a token that is not for the fork')
  })
})
