/** Large files of pulls: the fork lends them to the base, and they are the base's own once the pull is merged. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { commit, type GitServer, startGitServer } from '../git-server.ts'
import { type LfsObject, makeLfsClient, makeObject } from './lfs-client.ts'

for (const engine of oneEngine)
  describe(`large files of a pull on ${engine}`, () => {
    let { server, ann, bob, url, work, start, stop } = {} as GitServer
    before(async () => {
      ;({ server, ann, bob, url, work, start, stop } = await startGitServer(engine))
    })
    after(() => stop())

    const pointTo = ({ oid, size }: LfsObject) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

    test('are lent by the fork until the pull is merged, and nothing else is', async () => {
      await start('base')
      await start('secrets', true)
      const lfs = (fullName: string, by = ann) => makeLfsClient(server.url, fullName, by)
      const named = ['named', 'later', 'unnamed', 'secret'].map((text) => makeObject(`${text} on ${engine}`))
      const [inPull, later, unnamed, secret] = named as [LfsObject, LfsObject, LfsObject, LfsObject]
      assert.equal((await bob.post('/repos/ann/base/forks')).status, 202)
      for (const object of [inPull, later, unnamed]) assert.equal(await lfs('bob/base', bob).upload(object), 200)
      assert.equal(await lfs('ann/secrets').upload(secret), 200)
      const folder = await work()
      const push = async (name: string, objects: LfsObject[]) => {
        for (const [i, object] of objects.entries())
          await writeFile(join(folder.path, `${name}-${i}.bin`), pointTo(object))
        await folder.must('add', '.')
        await commit(folder, name)
        await folder.must('push', '--quiet', url('bob/base', bob, 'bob'), 'HEAD:refs/heads/topic')
      }
      await folder.must('pull', '--quiet', url('ann/base'), 'main')
      await push('first', [inPull, secret])
      const { body, status } = await bob.post('/repos/ann/base/pulls', {
        title: 'Large',
        head: 'bob:topic',
        base: 'main',
      })
      assert.equal(status, 201, JSON.stringify(body))
      assert.ok((await lfs('ann/base').download(inPull)).bytes.equals(inPull.bytes))
      const usage = async () =>
        (
          await server.services.store.db
            .selectFrom('lfs_usage')
            .innerJoin('repository', 'repository.id', 'lfs_usage.repository_id')
            .innerJoin('account', 'account.id', 'repository.owner_id')
            .select('byte_count')
            .where('repository.name', '=', 'base')
            .where('account.name', '=', 'ann')
            .executeTakeFirst()
        )?.byte_count
      assert.equal(await usage(), undefined, 'a stranger’s pull takes nothing of the base’s quota')
      const upload = await lfs('ann/base').batch('upload', [inPull])
      assert.ok(upload.body.objects[0].actions.upload, 'what is lent is not the base’s own')
      await push('second', [later])
      assert.equal((await ann.put(`/repos/ann/base/pulls/${body.number}/merge`)).status, 200)
      assert.ok((await lfs('ann/base').download(later)).bytes.equals(later.bytes))
      assert.equal(await usage(), inPull.size + later.size)
      assert.equal((await lfs('ann/base').download(unnamed)).status, 404)
      assert.equal((await lfs('ann/base').download(secret)).status, 404, 'a pointer gives nothing')
      await bob.delete('/repos/bob/base')
      await server.services.forge.files.clean()
      assert.equal((await lfs('ann/base').download(inPull)).status, 200)
    })
  })
