/** Export, import on an empty server, export: the same records, the same files, the same commits. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Engine } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { asAdmin, makeRest, makeToken, type RestClient, usualScopes } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { makeLfsClient } from '../lfs/lfs-client.ts'
import { makeWorld } from '../world.ts'
import { download, exportAll, findFaults, type Unpacked, unpack } from './exports.ts'
import { fillWorld, largeFile } from './full-world.ts'
import { importAll } from './imports.ts'

const wanted = { repositories: ['ann/open', 'ann/hidden', 'acme/tool'] }

/** From either database into either. */
const ways: readonly (readonly [Engine, Engine])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
]

for (const [from, to] of ways) {
  describe(`an archive of ${from} imported into ${to}`, () => {
    let source: TestServer
    let target: TestServer
    let archive: Unpacked
    let ann: RestClient
    const environment = { GUILDHALL_LIMITS: 'off' }

    before(async () => {
      source = await startServer(from, { environment })
      target = await startServer(to, { environment })
      const world = await makeWorld(source, { hasWikis: false })
      await fillWorld(world)
      const { id } = await exportAll(world.ann, wanted)
      const bytes = await download(world.ann, id)
      archive = await unpack(bytes)
      const imported = await importAll(asAdmin(target), bytes)
      assert.equal(imported.state, 'imported', imported.failure_reason)
      assert.deepEqual(
        imported.repositories.map((one: { full_name: string }) => one.full_name),
        wanted.repositories,
      )
      await asAdmin(target).delete('/users/ann/suspended')
      ann = makeRest(target.url, await makeToken(target, 'ann', { kind: 'classic', scopes: usualScopes }))
    })
    after(async () => {
      await archive.drop()
      await Promise.all([source.stop(), target.stop()])
    })

    test('gives the same records when it is exported again', async (t) => {
      const { id } = await exportAll(ann, wanted)
      const again = await unpack(await download(ann, id))
      t.after(again.drop)
      assert.deepEqual(await findFaults(again, target.url), [])
      // Git packs as it likes: its data are compared by refs, below.
      const records = (one: Unpacked) => one.files.filter((name) => !/^repositories\/.*\.git\/(?!lfs\/)/.test(name))
      assert.deepEqual(records(again), records(archive))
      const types = new Set(records(archive).map((name) => name.replace(/_\d{6}\.json$/, '')))
      assert.ok(types.size >= 17, [...types].join())
      for (const name of records(archive).filter((one) => one !== 'manifest.json')) {
        const [before, now] = [await readFile(join(archive.folder, name)), await readFile(join(again.folder, name))]
        assert.equal(
          String(now).replaceAll(target.url, 'BASE'),
          String(before).replaceAll(source.url, 'BASE'),
          `${name} differs`,
        )
      }
    })

    test('has every ref at the same commit, and git finds no fault', async (t) => {
      const work = await makeWorkingFolder()
      t.after(work.drop)
      const list = async (folder: string) =>
        (await work.must('--git-dir', folder, 'for-each-ref', '--format=%(objectname) %(refname)')).split('\n')
      for (const name of wanted.repositories) {
        const { body } = await ann.get(`/repos/${name}`)
        const here = target.services.forge.git.folderOf({ id: body.id })
        const there = join(archive.folder, 'repositories', `${name}.git`)
        assert.deepEqual(await list(here), await list(there))
        assert.ok((await list(here)).length >= 3)
        await work.must('--git-dir', here, 'fsck', '--strict', '--full')
      }
    })

    test('has the wiki and the large files', async (t) => {
      const work = await makeWorkingFolder()
      t.after(work.drop)
      await work.must('pull', '--quiet', remoteUrl(target.url, 'ann/open.wiki', 'ann', ann.token))
      assert.equal(await readFile(join(work.path, 'Home.md'), 'utf8'), '# Welcome\n')
      const hidden = await work.git('ls-remote', remoteUrl(target.url, 'ann/hidden.wiki', 'ann', ann.token))
      assert.notEqual(hidden.code, 0)
      const { bytes } = await makeLfsClient(target.url, 'ann/open', ann).download(largeFile)
      assert.deepEqual(bytes, largeFile.bytes)
    })

    test('tells nobody, and works on as if it had always been here', async () => {
      const { body: threads } = await ann.get('/notifications?all=true')
      assert.deepEqual(threads, [])
      const rows = await target.services.store.db.selectFrom('activity').select('kind').execute()
      assert.deepEqual(rows, [])
      const { body: repository } = await ann.get('/repos/ann/open')
      assert.equal(repository.open_issues_count, 1)
      const next = await ann.post('/repos/ann/open/issues', { title: 'The next' })
      // The third was deleted and the fourth transferred: their numbers are not given again.
      assert.equal(next.body.number, 5)
      const former = await ann.get('/repos/ann/open/issues/4')
      assert.equal(former.status, 301)
      assert.equal((await ann.get(new URL(former.headers.get('location')!).pathname)).body.title, 'Moved on')
      const pull = await ann.get('/repos/acme/tool/pulls/1')
      assert.deepEqual([pull.body.state, pull.body.commits, pull.body.mergeable], ['open', 1, true])
      const merged = await ann.put('/repos/acme/tool/pulls/1/merge', {})
      assert.equal(merged.status, 200, merged.text)
      assert.deepEqual(
        (await ann.get('/orgs/acme/blocks')).body.map(({ login }: { login: string }) => login),
        ['eve'],
      )
      assert.equal((await ann.get('/repos/acme/instrument')).status, 301)
      const { restrictions } = (await ann.get('/repos/acme/tool/branches/topic/protection')).body
      assert.deepEqual([restrictions.users[0].login, restrictions.teams[0].slug], ['cid', 'crew'])
      // Texts are found once their words are written, which comes after.
      await until(async () => (await ann.get('/search/issues?q=fails+repo:ann/open')).body.total_count === 1)
    })

    test('makes people suspended and without a password, and keeps those who are here', async () => {
      const cid = await asAdmin(target).get('/users/cid')
      assert.ok(cid.body.suspended_at)
      const rows = await target.services.store.db
        .selectFrom('account')
        .select(['name', 'password_hash'])
        .where('name', 'in', ['ann', 'cid'])
        .execute()
      assert.deepEqual(
        rows.map(({ password_hash }) => password_hash),
        [null, null],
      )
      const { body } = await ann.get('/user')
      assert.deepEqual([body.name, body.email], ['Ann A.', 'ann@example.org'])
    })
  })
}
