/** The archive of a user migration: what is in it, that it stands by itself, and that it is one moment's. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeUser } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'
import { download, exportAll, findFaults, type Unpacked, unpack } from './exports.ts'

for (const engine of oneEngine) {
  describe(`the archive of a migration on ${engine}`, () => {
    let server: TestServer
    let world: World
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
    })
    after(() => server.stop())

    async function take(draft: object, by = world.ann): Promise<Unpacked> {
      const { id } = await exportAll(by, draft)
      return unpack(await download(by, id))
    }

    const isGit = (name: string) => name.startsWith('repositories/')

    test('holds repositories, people, organisations and teams, each naming the others by addresses within it', async (t) => {
      const { ann, cid } = world
      const { body } = await ann.put('/repos/ann/open/collaborators/cid', { permission: 'push' })
      await cid.patch(`/user/repository_invitations/${body.id}`)
      await ann.put('/repos/ann/open/topics', { names: ['tools'] })
      const archive = await take({ repositories: ['ann/open', 'hidden', 'acme/tool'] })
      t.after(archive.drop)
      assert.deepEqual(await findFaults(archive, server.url), [])
      assert.deepEqual(await archive.json('schema.json'), { version: '1.0.0' })
      assert.deepEqual(
        archive.files.filter((name) => !isGit(name)),
        [
          'manifest.json',
          'organizations_000001.json',
          'repositories_000001.json',
          'schema.json',
          'teams_000001.json',
          'users_000001.json',
        ],
      )
      const [open, hidden, tool] = await archive.records('repositories')
      assert.deepEqual([open.name, hidden.name, tool.name], ['open', 'hidden', 'tool'])
      const { type, owner, description, website, git_url, default_branch, repository_topics, collaborators } = open
      assert.deepEqual(
        { type, owner, description, website, git_url, default_branch, repository_topics, collaborators },
        {
          type: 'repository',
          owner: `${server.url}/ann`,
          description: 'For everyone',
          website: null,
          git_url: 'tarball://root/repositories/ann/open.git',
          default_branch: 'main',
          repository_topics: ['tools'],
          collaborators: [{ user: `${server.url}/cid`, permission: 'write' }],
        },
      )
      assert.deepEqual([open.private, hidden.private, open.has_issues, open.has_wiki], [false, true, true, true])
      assert.ok(open.labels.every((label: Json) => label.url.startsWith(`${server.url}/ann/open/labels/`)))
      const [crew, night] = await archive.records('teams')
      assert.equal(night.parent_team, crew.url)
      assert.deepEqual(crew.permissions, [{ repository: `${server.url}/acme/tool`, access: 'write' }])
      const [acme] = await archive.records('organizations')
      assert.deepEqual(
        acme.members.map(({ user, role }: Json) => [user, role]),
        [
          [`${server.url}/ann`, 'admin'],
          [`${server.url}/cid`, 'member'],
        ],
      )
      const users = await archive.records('users')
      // Of mail addresses only the owner's own.
      assert.deepEqual(
        users.map(({ login, emails }) => [login, emails.length]),
        [
          ['ann', 1],
          ['cid', 0],
        ],
      )
    })

    test('is text that people read, and the same bytes twice but for its list', async (t) => {
      const [one, two] = [await take({ repositories: ['open'] }), await take({ repositories: ['ann/OPEN'] })]
      t.after(one.drop)
      t.after(two.drop)
      assert.deepEqual(await one.json('manifest.json'), await two.json('manifest.json'))
      const { version, files } = await one.json('manifest.json')
      assert.equal(version, '1.0.0')
      assert.deepEqual(Object.keys(files[0]), ['path', 'sha256', 'bytes'])
      assert.deepEqual(
        files.map(({ path }: Json) => path),
        one.files.filter((name) => name !== 'manifest.json'),
      )
    })

    test('leaves out what it is told to', async (t) => {
      const bare = await take({ repositories: ['open'], exclude_metadata: true })
      t.after(bare.drop)
      assert.deepEqual(
        bare.files.filter((name) => !isGit(name)),
        ['manifest.json', 'schema.json'],
      )
      assert.ok(bare.files.includes('repositories/ann/open.git/HEAD'))
      const records = await take({ repositories: ['open'], exclude_git_data: true })
      t.after(records.drop)
      assert.deepEqual(records.files.filter(isGit), [])
      assert.equal((await records.records('repositories'))[0].git_url, null)
      assert.deepEqual(await findFaults(records, server.url), [])
    })

    test('of organisations alone holds those that one owns, with their teams and people, and no repository', async (t) => {
      const archive = await take({ repositories: [], org_metadata_only: true, exclude_metadata: true })
      t.after(archive.drop)
      assert.deepEqual(await findFaults(archive, server.url), [])
      assert.deepEqual(
        archive.files.map((name) => name.replace(/_\d{6}/, '')),
        ['manifest.json', 'organizations.json', 'schema.json', 'teams.json', 'users.json'],
      )
      assert.deepEqual(
        (await archive.records('users')).map(({ login }) => login),
        ['ann', 'cid'],
      )
      // A member owns none.
      const ofMember = await take({ repositories: [], org_metadata_only: true }, world.cid)
      t.after(ofMember.drop)
      assert.deepEqual(await ofMember.records('organizations'), [])
    })

    test('tells who is in an organisation to its owners alone', async (t) => {
      const dan = await makeUser(server, `dan-${engine}`)
      await world.ann.put(`/repos/acme/tool/collaborators/dan-${engine}`, { permission: 'admin' })
      const { body } = await dan.get('/user/repository_invitations')
      for (const { id } of body) await dan.patch(`/user/repository_invitations/${id}`)
      const archive = await take({ repositories: ['acme/tool'], exclude_git_data: true }, dan)
      t.after(archive.drop)
      assert.deepEqual((await archive.records('organizations'))[0].members, [])
      assert.deepEqual(await archive.records('teams'), [])
      assert.deepEqual(await findFaults(archive, server.url), [])
    })

    test('shows every branch and tag as of the moment when the export began, whatever is pushed meanwhile', async (t) => {
      const { ann } = world
      const work = await makeWorkingFolder()
      t.after(work.drop)
      await ann.post('/user/repos', { name: 'busy' })
      const url = remoteUrl(server.url, 'ann/busy', 'ann', ann.token)
      let count = 0
      const push = async () => {
        count++
        await writeFile(join(work.path, 'a.txt'), `${count}\n`)
        await work.must('add', '.')
        await work.must('commit', '--quiet', '-m', `Commit ${count}`)
        await work.must('push', '--quiet', '--force', url, 'HEAD:main', `HEAD:refs/tags/t${count}`)
      }
      await push()
      const started = await ann.post('/user/migrations', { repositories: ['busy'] })
      let isDone = false
      const pushing = (async () => {
        while (!isDone) await push()
      })()
      for (let round = 0; round < 2; round++) await exportAll(ann, { repositories: ['busy'] })
      isDone = true
      await pushing
      for (let id = started.body.id; id <= started.body.id + 2; id++) {
        const archive = await unpack(await download(ann, id))
        t.after(archive.drop)
        assert.deepEqual(await findFaults(archive, server.url), [])
        const git = join(archive.folder, 'repositories/ann/busy.git')
        const main = await work.must('--git-dir', git, 'log', '-1', '--format=%s', 'main')
        const tags = (await work.must('--git-dir', git, 'tag')).split('\n')
        // A push moves both: the tags are as many as the commit on main says.
        assert.equal(main, `Commit ${tags.length}`)
      }
    })

    test('leaves out what a push that is still under way has moved, made and deleted', async (t) => {
      const { ann } = world
      const at = '/repos/ann/underway'
      const { body: made } = await ann.post('/user/repos', { name: 'underway', auto_init: true })
      const { body: first } = await ann.get(`${at}/git/ref/heads/main`)
      await ann.post(`${at}/git/refs`, { ref: 'refs/heads/old', sha: first.object.sha })
      const { store } = server.services
      const newest = async () =>
        (await store.db.selectFrom('push').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()).id
      const before = await newest()
      await ann.put(`${at}/contents/a.txt`, { message: 'A', content: btoa('a') })
      await ann.post(`${at}/git/refs`, { ref: 'refs/heads/new', sha: first.object.sha })
      await ann.delete(`${at}/git/refs/heads/old`)
      // As they are until the server has heard from git.
      const open = (state: 'receiving' | 'received') =>
        store.write((trx) =>
          trx
            .updateTable('push')
            .set({ state, created_at: Date.now() })
            .where('repository_id', '=', made.id)
            .where('id', '>', before)
            .execute(),
        )
      await open('receiving')
      const archive = await take({ repositories: ['underway'] })
      t.after(archive.drop)
      await open('received')
      const work = await makeWorkingFolder()
      t.after(work.drop)
      const git = join(archive.folder, 'repositories/ann/underway.git')
      const refs = await work.must('--git-dir', git, 'for-each-ref', '--format=%(objectname) %(refname)')
      const { sha } = first.object
      assert.deepEqual(refs.split('\n'), [`${sha} refs/heads/main`, `${sha} refs/heads/old`])
    })
  })
}
