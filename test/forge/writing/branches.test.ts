/** Branches renamed and merged over REST. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { oneEngine } from '../../support/engines.ts'
import { commit, type GitServer, startGitServer } from '../git-server.ts'

for (const engine of oneEngine)
  describe(`branches over REST on ${engine}`, () => {
    let { server, ann, bob, start, stop } = {} as GitServer
    let octokit: Octokit
    before(async () => {
      ;({ server, ann, bob, start, stop } = await startGitServer(engine))
      octokit = new Octokit({ auth: ann.token, baseUrl: server.url })
    })
    after(() => stop())

    test('are renamed, the default branch with what depends on it, and nothing else is moved', async () => {
      const folder = await start('renamed')
      const head = await folder.must('rev-parse', 'HEAD')
      await folder.must('push', '--quiet', 'origin', 'main:side/one')
      const place = { owner: 'ann', repo: 'renamed' }
      const moved = await octokit.repos.renameBranch({ ...place, branch: 'main', new_name: 'trunk' })
      assert.deepEqual([moved.status, moved.data.name, moved.data.commit.sha], [201, 'trunk', head])
      assert.equal((await ann.get('/repos/ann/renamed')).body.default_branch, 'trunk')
      await octokit.repos.renameBranch({ ...place, branch: 'side/one', new_name: 'side/two' })
      const refs = await folder.must('ls-remote', '--symref', 'origin')
      assert.deepEqual(refs.split('\n'), [
        'ref: refs/heads/trunk\tHEAD',
        `${head}\tHEAD`,
        `${head}\trefs/heads/side/two`,
        `${head}\trefs/heads/trunk`,
      ])
      const wrong = [
        ['none', 'x', 404],
        ['trunk', 'side/two', 422],
        ['trunk', '-x', 422],
        ['trunk', 'a..b', 422],
        ['trunk', 'HEAD', 422],
        ['trunk', 'side', 422],
      ] as const
      for (const [from, to, status] of wrong) {
        const answer = await ann.post(`/repos/ann/renamed/branches/${from}/rename`, { new_name: to })
        assert.equal(answer.status, status, `${from} to ${to}: ${answer.text}`)
      }
      await ann.put('/repos/ann/renamed/collaborators/bob', { permission: 'push' })
      const { body } = await bob.get('/user/repository_invitations')
      await bob.patch(`/user/repository_invitations/${body[0].id}`)
      const rename = (from: string, to: string) =>
        bob.post(`/repos/ann/renamed/branches/${encodeURIComponent(from)}/rename`, { new_name: to })
      assert.equal((await rename('trunk', 'mine')).status, 403)
      assert.equal((await rename('side/two', 'mine')).status, 201)
    })

    test('are merged into one another, or are told that they conflict', async () => {
      const folder = await start('merged')
      const side = async (name: string, file: string, text: string) => {
        await folder.must('checkout', '--quiet', '-B', name, 'origin/main')
        await writeFile(join(folder.path, file), text)
        await folder.must('add', '.')
        await commit(folder, name)
        await folder.must('push', '--quiet', 'origin', name)
        return folder.must('rev-parse', 'HEAD')
      }
      await folder.must('fetch', '--quiet', 'origin')
      const one = await side('one', 'one.txt', 'one\n')
      await side('two', 'a.txt', 'two\n')
      await side('three', 'a.txt', 'three\n')
      const merge = (base: string, head: string) =>
        octokit.repos.merge({ owner: 'ann', repo: 'merged', base, head }).then(
          ({ status, data }) => ({ status: Number(status), sha: (data as { sha?: string } | undefined)?.sha }),
          (error) => ({ status: error.status as number, sha: undefined }),
        )
      const first = await merge('main', 'one')
      assert.equal(first.status, 201)
      assert.equal((await merge('main', one)).status, 204)
      assert.equal((await merge('main', 'two')).status, 201)
      assert.equal((await merge('main', 'three')).status, 409)
      assert.equal((await merge('none', 'three')).status, 404)
      assert.equal((await merge('main', 'none')).status, 404)
      await folder.must('fetch', '--quiet', 'origin')
      assert.equal(await folder.must('show', 'origin/main:a.txt'), 'two')
      assert.equal(await folder.must('show', 'origin/main:one.txt'), 'one')
      assert.equal(await folder.must('log', '-1', '--format=%s', first.sha!), 'Merge one into main')
      assert.equal((await folder.must('rev-list', '--parents', '-1', first.sha!)).split(' ').length, 3)
    })
  })
