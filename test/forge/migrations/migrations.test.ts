/** User migrations over REST: who may start, see, take, delete and unlock what, with which status. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { engines } from '../../support/engines.ts'
import { makeWorkingFolder, remoteUrl } from '../../support/git.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { ruleTestOn } from '../../support/rule-test.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { makeWorld, type World } from '../world.ts'
import { awaitExport, exportAll } from './exports.ts'

const dayMs = 24 * 60 * 60 * 1000

for (const engine of engines) {
  describe(`user migrations on ${engine}`, () => {
    const rule = ruleTestOn(engine)
    const clock = makeManualClock(Date.now())
    let server: TestServer
    let world: World
    let ann: RestClient
    before(async () => {
      server = await startServer(engine, { clock, environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeWorld(server)
      ann = world.ann
    })
    after(() => server.stop())

    /** A person of their own, so that quotas of one test are not another's. */
    let count = 0
    async function makeOwner(...names: string[]): Promise<{ login: string; client: RestClient }> {
      const login = `owner-${++count}`
      const client = await makeUser(server, login)
      for (const name of names) await client.post('/user/repos', { name, auto_init: true })
      return { login, client }
    }

    const setState = (id: number, state: 'exporting' | 'exported') =>
      server.services.store.write((trx) => trx.updateTable('migration').set({ state }).where('id', '=', id).execute())

    const readState = async (id: number) =>
      (await server.services.store.db.selectFrom('migration').select('state').where('id', '=', id).executeTakeFirst())
        ?.state

    test('one is pending when it is made, has every member, and is exported in the end', async () => {
      const { login, client } = await makeOwner('tool')
      const { status, body, headers } = await client.post('/user/migrations', { repositories: [`${login}/tool`] })
      assert.equal(status, 201)
      assert.equal(headers.get('location'), body.url)
      const { repositories, owner, guid, node_id, created_at, updated_at, ...plain } = body
      assert.deepEqual(plain, {
        id: body.id,
        state: 'pending',
        lock_repositories: false,
        exclude_metadata: false,
        exclude_git_data: false,
        exclude_attachments: false,
        exclude_releases: false,
        exclude_owner_projects: false,
        org_metadata_only: false,
        url: `${server.url}/user/migrations/${body.id}`,
        progress: 0,
        failure_reason: null,
      })
      assert.match(guid, /^[0-9a-f-]{36}$/)
      assert.deepEqual([owner.login, repositories[0].full_name], [login, `${login}/tool`])
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      assert.ok(node_id && updated_at)
      const ended = await awaitExport(client, body.id)
      assert.deepEqual([ended.state, ended.progress, ended.failure_reason], ['exported', 100, null])
      assert.equal(ended.archive_url, `${body.url}/archive`)
    })

    rule('has whole repositories, of which the newer version keeps their 46 members', async () => {
      const { client } = await makeOwner('tool')
      const { id } = await exportAll(client, { repositories: ['tool'] })
      const { repositories } = (await client.get(`/user/migrations/${id}`)).body
      const whole = ['clone_url', 'has_downloads', 'permissions', 'temp_clone_token', 'license', 'network_count']
      for (const member of whole) assert.ok(member in repositories[0], member)
      const newer = await client.get(`/user/migrations/${id}`, { 'x-platform-api-version': '2026-03-10' })
      const [brief] = newer.body.repositories
      for (const member of whole) assert.ok(!(member in brief), member)
      assert.equal(Object.keys(brief).length, 46)
      assert.ok(!('git_url' in brief || 'ssh_url' in brief))
      const fields = 'id node_id name full_name owner private html_url description fork url'.split(' ')
      assert.deepEqual(
        fields.filter((name) => !(name in brief)),
        [],
      )
      const listed = await client.get('/user/migrations', { 'x-platform-api-version': '2026-03-10' })
      assert.deepEqual(Object.keys(listed.body[0].repositories[0]), Object.keys(brief))
      const older = await client.get(`/user/migrations/${id}/repositories`)
      assert.deepEqual(Object.keys(older.body[0]), Object.keys(repositories[0]))
    })

    rule('takes names as owner/name or bare, in any case and once each, of what one administers', async () => {
      const { login, client } = await makeOwner('one', 'two')
      const names = ['one', `${login.toUpperCase()}/ONE`, `${login}/two`]
      const { body } = await client.post('/user/migrations', { repositories: names })
      assert.deepEqual(
        body.repositories.map(({ name }: Json) => name),
        ['one', 'two'],
      )
      const page = await client.get(`/user/migrations/${body.id}/repositories?per_page=1&page=2`)
      assert.deepEqual([page.status, page.body[0].name], [200, 'two'])
      assert.match(page.headers.get('link')!, /rel="prev"/)
      await awaitExport(client, body.id)
    })

    const invalid: [string, object, string][] = [
      ['no repositories', {}, 'repositories'],
      ['an empty list', { repositories: [] }, 'repositories'],
      ['one that is not there', { repositories: ['ann/none'] }, 'repositories'],
      ['no name at all', { repositories: ['a/b/c'] }, 'repositories'],
      ['one that another administers', { repositories: ['ann/open'] }, 'repositories'],
      ['one that others can not see', { repositories: ['ann/hidden'] }, 'repositories'],
      ['more than a hundred', { repositories: Array.from({ length: 101 }, (_, i) => `r${i}`) }, 'repositories'],
      ['what is no list', { repositories: 'tool' }, 'repositories'],
      ['a flag that is none', { repositories: ['mine'], lock_repositories: 'yes' }, 'lock_repositories'],
      [
        'nothing left to export',
        { repositories: ['mine'], exclude_metadata: true, exclude_git_data: true },
        'exclude_git_data',
      ],
      ['something else to leave out', { repositories: ['mine'], exclude: ['owner'] }, 'exclude.0'],
    ]
    rule('refuses with 422 what it can not export', async () => {
      const { client } = await makeOwner('mine')
      for (const [what, draft, field] of invalid) {
        const { status, body } = await client.post('/user/migrations', draft)
        assert.deepEqual([status, body.errors?.[0]?.field, body.errors?.[0]?.resource], [422, field, 'Migration'], what)
      }
      assert.deepEqual((await client.get('/user/migrations')).body, [])
    })

    rule('leaves its repositories out where that is asked for, and nothing else', async () => {
      const { client } = await makeOwner('mine')
      const draft = { repositories: ['mine'], exclude: ['repositories'] }
      const { body } = await client.post('/user/migrations', draft)
      assert.equal('repositories' in body, false)
      for (const query of ['exclude=repositories', 'exclude[]=repositories', 'exclude=repositories,repositories'])
        assert.equal('repositories' in (await client.get(`/user/migrations/${body.id}?${query}`)).body, false, query)
      assert.equal('repositories' in (await client.get(`/user/migrations/${body.id}`)).body, true)
      assert.equal((await client.get(`/user/migrations/${body.id}?exclude=owner`)).status, 422)
      await awaitExport(client, body.id)
    })

    rule('takes an empty list with org_metadata_only, which counts for more than the other flags', async () => {
      const { client } = await makeOwner('mine')
      const flags = { org_metadata_only: true, lock_repositories: true, exclude_metadata: true, exclude_git_data: true }
      const { status, body } = await client.post('/user/migrations', { repositories: ['mine'], ...flags })
      assert.deepEqual([status, body.repositories, body.org_metadata_only], [201, [], true])
      assert.equal((await awaitExport(client, body.id)).state, 'exported')
    })

    const operations: [string, string, object?][] = [
      ['GET', '/user/migrations'],
      ['POST', '/user/migrations', { repositories: ['mine'] }],
      ['GET', '/user/migrations/ID'],
      ['GET', '/user/migrations/ID/archive'],
      ['GET', '/user/migrations/ID/repositories'],
      ['DELETE', '/user/migrations/ID/archive'],
      ['DELETE', '/user/migrations/ID/repos/mine/lock'],
    ]
    rule('is for the owner’s own classic tokens, of whatever scopes, and for nobody else', async () => {
      const { login, client } = await makeOwner('mine')
      const { id } = await exportAll(client, { repositories: ['mine'], lock_repositories: true })
      const as = async (draft: object) => makeRest(server.url, await makeToken(server, login, draft))
      const repositories = [`${login}/mine`]
      const refused = [
        await as({ kind: 'fine-grained', permissions: { administration: 'write' }, repositories: 'all' }),
        await as({ kind: 'oauth', scopes: ['repo', 'user'] }),
        await as({ kind: 'app-user', permissions: { administration: 'write' } }),
        await as({ kind: 'installation', permissions: { administration: 'write' }, repositories }),
        await as({ kind: 'workflow', permissions: { contents: 'write' }, repositories }),
      ]
      const stranger = makeRest(server.url)
      const other = (await makeOwner('mine')).client
      const plain = await as({ kind: 'classic', scopes: [] })
      for (const [method, path, body] of operations) {
        const at = path.replace('ID', String(id))
        for (const one of refused) {
          const answer = await one.ask(method, at, body)
          assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`)
          assert.match(answer.body.message, /classic personal access token/)
        }
        assert.equal((await stranger.ask(method, at, body)).status, 401, path)
        if (path.includes('ID')) assert.equal((await other.ask(method, at, body)).status, 404, path)
        const { status, text } = await plain.ask(method, at, body)
        assert.ok(status < 400, `${method} ${path}: ${text}`)
      }
    })

    rule('wants the scope repo for what is private, and shows nothing of it without', async () => {
      const { login, client } = await makeOwner()
      await client.post('/user/repos', { name: 'secret', private: true, auto_init: true })
      const plain = makeRest(server.url, await makeToken(server, login, { kind: 'classic', scopes: ['public_repo'] }))
      assert.equal((await plain.post('/user/migrations', { repositories: ['secret'] })).status, 422)
      const { id } = await exportAll(client, { repositories: ['secret'], lock_repositories: true })
      assert.deepEqual((await plain.get(`/user/migrations/${id}`)).body.repositories, [])
      assert.deepEqual((await plain.get(`/user/migrations/${id}/repositories`)).body, [])
      const refused = await plain.get(`/user/migrations/${id}/archive`)
      assert.equal(refused.status, 403)
      assert.match(refused.body.message, /scope repo/)
      assert.equal((await plain.delete(`/user/migrations/${id}/repos/secret/lock`)).status, 404)
      assert.equal((await plain.delete(`/user/migrations/${id}/archive`)).status, 403)
      assert.equal((await client.get(`/user/migrations/${id}/archive`)).status, 302)
    })

    rule('locks with the scope of a write alone, and unlocks with any', async () => {
      const { login, client } = await makeOwner('mine')
      const bare = makeRest(server.url, await makeToken(server, login, { kind: 'classic', scopes: [] }))
      const draft = { repositories: ['mine'], lock_repositories: true }
      const refused = await bare.post('/user/migrations', draft)
      assert.equal(refused.status, 403)
      assert.match(refused.body.message, /scope public_repo/)
      assert.equal((await client.patch(`/repos/${login}/mine`, { description: 'Free' })).status, 200)
      const { id } = await exportAll(client, draft)
      assert.equal((await bare.delete(`/user/migrations/${id}/archive`)).status, 204)
      assert.equal((await bare.delete(`/user/migrations/${id}/repos/mine/lock`)).status, 204)
    })

    rule('says with 304 that nothing is new', async () => {
      const { client } = await makeOwner('mine')
      const { id } = await exportAll(client, { repositories: ['mine'] })
      for (const path of ['/user/migrations', `/user/migrations/${id}`, `/user/migrations/${id}/repositories`]) {
        const { headers } = await client.get(path)
        assert.equal((await client.get(path, { 'if-none-match': headers.get('etag')! })).status, 304, path)
      }
    })

    test('lists the newest first, page by page', async () => {
      const { client } = await makeOwner('mine')
      const ids: number[] = []
      for (let i = 0; i < 3; i++) ids.unshift((await exportAll(client, { repositories: ['mine'] })).id)
      const found: number[] = []
      for (const page of [1, 2]) {
        const { body } = await client.get(`/user/migrations?per_page=2&page=${page}`)
        found.push(...body.map(({ id }: Json) => id))
      }
      assert.deepEqual(found, ids)
    })

    test('an account has ten that run or keep an archive, exactly, however many are asked for at once', async () => {
      const { client } = await makeOwner('mine')
      const draft = { repositories: ['mine'], exclude_git_data: true }
      const answers = await Promise.all(Array.from({ length: 14 }, () => client.post('/user/migrations', draft)))
      const made = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status === 403)
      assert.deepEqual([made.length, refused.length], [10, 4])
      assert.match(refused[0]!.body.message, /10 migrations that run or keep an archive/)
      await awaitExport(client, made[3]!.body.id)
      assert.equal((await client.delete(`/user/migrations/${made[3]!.body.id}/archive`)).status, 204)
      assert.equal((await client.post('/user/migrations', draft)).status, 201)
      for (const { body } of made) await awaitExport(client, body.id)
    })

    rule('one whose repository, rights or account went before it began has failed, and says why', async () => {
      const cases: [RegExp, (login: string, client: RestClient) => Promise<unknown>][] = [
        [/was deleted/, (login, client) => client.delete(`/repos/${login}/mine`)],
        [/no longer administer/, (login) => world.root.delete(`/orgs/acme/memberships/${login}`)],
        [/suspended/, (login) => world.root.put(`/users/${login}/suspended`)],
      ]
      for (const [reason, take] of cases) {
        const { login, client } = await makeOwner('mine')
        await world.root.put(`/orgs/acme/memberships/${login}`, { role: 'admin' })
        await client.patch('/user/memberships/orgs/acme', { state: 'active' })
        await server.services.jobs.stop()
        const { status, body } = await client.post('/user/migrations', { repositories: ['mine', 'acme/tool'] })
        assert.equal(status, 201, JSON.stringify(body))
        await take(login, client)
        await server.services.jobs.start()
        // Who is suspended can't ask.
        await until(async () => (await readState(body.id)) !== 'pending' && (await readState(body.id)) !== 'exporting')
        await world.root.delete(`/users/${login}/suspended`)
        const ended = await awaitExport(client, body.id)
        assert.equal(ended.state, 'failed')
        assert.match(ended.failure_reason, reason)
        assert.equal('archive_url' in ended, false)
        assert.equal((await client.get(`/user/migrations/${body.id}/archive`)).status, 404)
      }
    })

    test('one whose job is dead is not left waiting: it has failed', async () => {
      const { client } = await makeOwner('mine')
      const { id } = await exportAll(client, { repositories: ['mine'] })
      await server.services.store.write((trx) =>
        trx.updateTable('migration').set({ state: 'exporting', run: 'gone' }).where('id', '=', id).execute(),
      )
      clock.advance(2 * 60_000)
      // A server that starts looks at once, not at its next turn.
      await server.services.jobs.stop()
      await server.services.jobs.start()
      assert.equal((await awaitExport(client, id)).state, 'failed')
    })

    describe('the archive', () => {
      rule('is had by an address that is good for five minutes, for that one file alone', async () => {
        const { client } = await makeOwner('mine')
        const { id } = await exportAll(client, { repositories: ['mine'] })
        const other = await exportAll(client, { repositories: ['mine'], exclude_git_data: true })
        const { status, headers, text } = await client.get(`/user/migrations/${id}/archive`)
        const address = headers.get('location')!
        assert.deepEqual([status, text], [302, address])
        const stranger = makeRest('')
        assert.equal((await stranger.get(address)).status, 200)
        const wrong = [
          address.replace(/signature=.{5}/, 'signature=AAAAA'),
          address.replace(/expires=(\d+)/, (_, time) => `expires=${Number(time) + 1}`),
          address.replace(/\?.*/, ''),
          address.replace(/migrations\/[0-9a-f-]{36}/, `migrations/${other.guid}`),
          address.replace(/migrations\/[0-9a-f-]{36}/, 'migrations/..%2F..%2Fguildhall.db'),
        ]
        for (const one of wrong) assert.equal((await stranger.get(one)).status, 404, one)
        clock.advance(5 * 60_000 - 1_000)
        assert.equal((await stranger.ask('HEAD', address)).status, 200)
        clock.advance(1_001)
        const late = await stranger.get(address)
        assert.equal(late.status, 403)
        assert.match(late.body.message, /five minutes/)
      })

      test('is had by that address no longer once its owner is suspended', async () => {
        const { client, login } = await makeOwner('mine')
        const { id } = await exportAll(client, { repositories: ['mine'] })
        const address = (await client.get(`/user/migrations/${id}/archive`)).headers.get('location')!
        const stranger = makeRest('')
        assert.equal((await stranger.get(address)).status, 200)
        await world.root.put(`/users/${login}/suspended`)
        assert.deepEqual(
          [(await stranger.get(address)).status, (await stranger.ask('HEAD', address)).status],
          [404, 404],
        )
      })

      rule('comes whole or in part, and may be asked about', async () => {
        const { client } = await makeOwner('mine')
        const { id } = await exportAll(client, { repositories: ['mine'] })
        const address = (await client.get(`/user/migrations/${id}/archive`)).headers.get('location')!
        const ask = async (headers: Record<string, string> = {}, method = 'GET') => {
          const response = await fetch(address, { method, headers })
          return { response, bytes: Buffer.from(await response.arrayBuffer()) }
        }
        const { response, bytes } = await ask()
        const etag = response.headers.get('etag')!
        assert.match(etag, /^"[0-9a-f]{64}"$/)
        assert.equal(response.headers.get('content-type'), 'application/gzip')
        assert.equal(response.headers.get('accept-ranges'), 'bytes')
        assert.match(response.headers.get('content-disposition')!, /^attachment; filename=migration-.*\.tar\.gz$/)
        const size = bytes.length
        const cases: [Record<string, string>, number, string | null, Buffer | undefined][] = [
          [{ range: 'bytes=0-9' }, 206, `bytes 0-9/${size}`, bytes.subarray(0, 10)],
          [{ range: `bytes=${size - 3}-` }, 206, `bytes ${size - 3}-${size - 1}/${size}`, bytes.subarray(-3)],
          [{ range: 'bytes=-5' }, 206, `bytes ${size - 5}-${size - 1}/${size}`, bytes.subarray(-5)],
          [{ range: `bytes=5-${size * 2}` }, 206, `bytes 5-${size - 1}/${size}`, bytes.subarray(5)],
          [{ range: 'bytes=2-3', 'if-range': etag }, 206, `bytes 2-3/${size}`, bytes.subarray(2, 4)],
          [{ range: 'bytes=2-3', 'if-range': '"other"' }, 200, null, bytes],
          [{ range: 'bytes=2-3', 'if-range': `W/${etag}` }, 200, null, bytes],
          [{ range: 'bytes=0-1,4-5' }, 200, null, bytes],
          [{ range: 'bytes=9-2' }, 200, null, bytes],
          [{ range: 'lines=1-2' }, 200, null, bytes],
          [{ range: `bytes=${size}-` }, 416, `bytes */${size}`, undefined],
          [{ range: 'bytes=-0' }, 416, `bytes */${size}`, undefined],
          [{ 'if-none-match': etag }, 304, null, Buffer.alloc(0)],
        ]
        for (const [headers, status, range, wanted] of cases) {
          const found = await ask(headers)
          const told = JSON.stringify(headers)
          assert.deepEqual([found.response.status, found.response.headers.get('content-range')], [status, range], told)
          if (wanted) assert.ok(found.bytes.equals(wanted), told)
        }
        const head = await ask({}, 'HEAD')
        assert.deepEqual([head.response.headers.get('content-length'), head.bytes.length], [String(size), 0])
      })

      rule('is not there before the export is finished, nor once it is deleted, and the migration stays', async () => {
        const { client } = await makeOwner('mine')
        const { id } = await exportAll(client, { repositories: ['mine'] })
        const path = `/user/migrations/${id}/archive`
        await setState(id, 'exporting')
        assert.deepEqual([(await client.get(path)).status, (await client.delete(path)).status], [404, 404])
        await setState(id, 'exported')
        const address = (await client.get(path)).headers.get('location')!
        assert.equal((await client.delete(path)).status, 204)
        assert.deepEqual([(await client.get(path)).status, (await client.delete(path)).status], [404, 404])
        assert.equal((await makeRest('').get(address)).status, 404)
        const { status, body } = await client.get(`/user/migrations/${id}`)
        assert.deepEqual([status, body.state, 'archive_url' in body], [200, 'exported', false])
      })

      test('of the same data is one file, which stays as long as one migration has it', async () => {
        const { client } = await makeOwner('mine')
        const one = await exportAll(client, { repositories: ['mine'] })
        const two = await exportAll(client, { repositories: ['mine'] })
        const hashes = await server.services.store.db
          .selectFrom('migration')
          .select('archive_hash')
          .where('id', 'in', [one.id, two.id])
          .execute()
        assert.equal(hashes[0]!.archive_hash, hashes[1]!.archive_hash)
        await client.delete(`/user/migrations/${one.id}/archive`)
        const address = (await client.get(`/user/migrations/${two.id}/archive`)).headers.get('location')!
        assert.equal((await makeRest('').get(address)).status, 200)
        await client.delete(`/user/migrations/${two.id}/archive`)
        assert.equal((await makeRest('').get(address)).status, 404)
      })

      test('goes after seven days', async () => {
        const { client } = await makeOwner('mine')
        const { id } = await exportAll(client, { repositories: ['mine'] })
        clock.advance(7 * dayMs - 1_000)
        assert.equal((await client.get(`/user/migrations/${id}/archive`)).status, 302)
        clock.advance(1_000)
        assert.equal((await client.get(`/user/migrations/${id}/archive`)).status, 404)
        assert.equal('archive_url' in (await client.get(`/user/migrations/${id}`)).body, false)
      })

      rule('of a private repository is not for one who may no longer read it', async () => {
        const { login, client } = await makeOwner()
        await world.root.put(`/orgs/acme/memberships/${login}`, { role: 'admin' })
        await client.patch('/user/memberships/orgs/acme', { state: 'active' })
        const { id } = await exportAll(client, { repositories: ['acme/tool'] })
        assert.equal((await client.get(`/user/migrations/${id}/archive`)).status, 302)
        await world.root.delete(`/orgs/acme/memberships/${login}`)
        assert.equal((await client.get(`/user/migrations/${id}/archive`)).status, 403)
        assert.deepEqual((await client.get(`/user/migrations/${id}`)).body.repositories, [])
      })
    })

    describe('a lock', () => {
      test('starts with the migration: reads work, writes and pushes are refused and name it to admins', async (t) => {
        const { login, client } = await makeOwner('mine')
        await server.services.jobs.stop()
        const draft = { repositories: ['mine'], lock_repositories: true }
        const { body } = await client.post('/user/migrations', draft)
        const refused = await client.patch(`/repos/${login}/mine`, { description: 'New' })
        await server.services.jobs.start()
        assert.equal(refused.status, 403)
        assert.match(refused.body.message, new RegExp(`locked for a migration \\(number ${body.id}\\)`))
        assert.equal((await client.get(`/repos/${login}/mine`)).status, 200)
        await awaitExport(client, body.id)
        const guest = await makeUser(server, `guest-of-${login}`)
        await server.services.store.write((trx) =>
          trx.updateTable('repository').set({ locked_at: null }).where('name_key', '=', 'mine').execute(),
        )
        const invited = await client.put(`/repos/${login}/mine/collaborators/guest-of-${login}`, {})
        await server.services.store.write((trx) =>
          trx.updateTable('repository').set({ locked_at: 1 }).where('name_key', '=', 'mine').execute(),
        )
        assert.equal((await guest.patch(`/user/repository_invitations/${invited.body.id}`)).status, 403)
        const work = await makeWorkingFolder()
        t.after(work.drop)
        await work.must('pull', '--quiet', remoteUrl(server.url, `${login}/mine`, login, client.token), 'main')
        await work.must('commit', '--quiet', '--allow-empty', '-m', 'More')
        const push = () => work.git('push', remoteUrl(server.url, `${login}/mine`, login, client.token), 'HEAD:main')
        const pushed = await push()
        assert.notEqual(pushed.code, 0)
        assert.match(pushed.output, /403|locked for a migration/)
        assert.equal((await client.delete(`/user/migrations/${body.id}/repos/mine/lock`)).status, 204)
        assert.equal((await push()).code, 0)
        assert.equal((await client.patch(`/repos/${login}/mine`, { description: 'New' })).status, 200)
      })

      rule('is released one by one, once the export has finished, and then is not there', async () => {
        const { login, client } = await makeOwner('one', 'two')
        const draft = { repositories: ['one', 'two'], lock_repositories: true }
        const { id } = await exportAll(client, draft)
        const release = (name: string) => client.delete(`/user/migrations/${id}/repos/${name}/lock`)
        await setState(id, 'exporting')
        assert.equal((await release('one')).status, 403)
        await setState(id, 'exported')
        assert.equal((await release('none')).status, 404)
        assert.equal((await release(`${login}%2FONE`)).status, 204)
        assert.equal((await release('one')).status, 404)
        assert.equal((await client.patch(`/repos/${login}/one`, { description: 'New' })).status, 200)
        assert.equal((await client.patch(`/repos/${login}/two`, { description: 'New' })).status, 403)
        assert.equal((await release('two')).status, 204)
        const plain = await exportAll(client, { repositories: ['one'] })
        assert.equal((await client.delete(`/user/migrations/${plain.id}/repos/one/lock`)).status, 404)
      })

      rule('of two migrations on one repository ends with the later release', async () => {
        const { login, client } = await makeOwner('mine')
        const draft = { repositories: ['mine'], lock_repositories: true }
        const [one, two] = [await exportAll(client, draft), await exportAll(client, draft)]
        const write = async () => (await client.patch(`/repos/${login}/mine`, { description: 'New' })).body.message
        assert.match(await write(), new RegExp(`number ${two.id}`))
        await client.delete(`/user/migrations/${two.id}/repos/mine/lock`)
        assert.match(await write(), new RegExp(`number ${one.id}`))
        await client.delete(`/user/migrations/${one.id}/repos/mine/lock`)
        assert.equal(await write(), undefined)
      })

      rule('by a bare name that two locked repositories have is 422', async () => {
        const { login, client } = await makeOwner('tool')
        await world.root.put(`/orgs/acme/memberships/${login}`, { role: 'admin' })
        await client.patch('/user/memberships/orgs/acme', { state: 'active' })
        const { id } = await exportAll(client, { repositories: ['tool', 'acme/tool'], lock_repositories: true })
        const release = async (name: string) =>
          (await client.delete(`/user/migrations/${id}/repos/${name}/lock`)).status
        assert.equal(await release('tool'), 422)
        assert.equal(await release('acme%2Ftool'), 204)
        assert.equal(await release('tool'), 204)
      })

      rule('does not outlast its owner: whoever administers the repository releases it as well', async () => {
        const { login, client } = await makeOwner()
        await world.root.put(`/orgs/acme/memberships/${login}`, { role: 'admin' })
        await client.patch('/user/memberships/orgs/acme', { state: 'active' })
        const { id } = await exportAll(client, { repositories: ['acme/tool'], lock_repositories: true })
        assert.equal((await world.cid.delete(`/user/migrations/${id}/repos/tool/lock`)).status, 404)
        assert.equal((await ann.delete(`/user/migrations/${id}/repos/tool/lock`)).status, 204)
      })
    })
  })
}
