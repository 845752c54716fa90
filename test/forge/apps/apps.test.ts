/** Apps: registration, keys, JSON web tokens, installations and their tokens, and that none of them may more than it was given. */
import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../../support/engines.ts'
import { makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type AppWorld, asInstallation, installApp, makeAppWorld, registerApp, signWebToken } from './app-world.ts'

const statusOf = async (answer: Promise<{ status: number }>) => (await answer).status

for (const engine of oneEngine) {
  describe(`apps on ${engine}`, () => {
    let server: TestServer
    let world: AppWorld
    let ann: RestClient
    let bob: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      world = await makeAppWorld(server)
      ;({ ann, bob } = world)
    })
    after(() => server.stop())

    const clearLockouts = () => server.services.store.write((trx) => trx.deleteFrom('lockout').execute())
    const withToken = (token: string) => makeRest(server.url, token)
    const accountId = async (login: string) => (await ann.get(`/users/${login}`)).body.id

    test('an app is registered by its owner, shows its secrets once, and is changed and deleted by its owner alone', async () => {
      const { body: app } = await registerApp(world, ann, { name: 'Helper One', public: false })
      assert.equal(app.slug, 'helper-one')
      assert.match(app.pem, /^-----BEGIN RSA PRIVATE KEY-----/)
      assert.match(app.client_secret, /^[0-9A-Za-z]{40}$/)
      assert.deepEqual(app.permissions, { issues: 'write', contents: 'read', metadata: 'read' })
      const rows = await server.services.store.db.selectFrom('app_secret').selectAll().execute()
      assert.ok(!JSON.stringify(rows).includes(app.client_secret))
      const keys = await server.services.store.db.selectFrom('app_key').selectAll().execute()
      assert.ok(!JSON.stringify(keys).includes('PRIVATE'))

      assert.equal(await statusOf(bob.get('/apps/helper-one')), 404)
      const { body: seen } = await ann.get('/apps/helper-one')
      assert.ok(!('client_secret' in seen) && !('pem' in seen))
      for (const [method, path] of [
        ['PATCH', ''],
        ['DELETE', ''],
        ['GET', '/keys'],
        ['POST', '/keys'],
        ['GET', '/secrets'],
        ['POST', '/secrets'],
      ] as const)
        assert.equal(
          await statusOf(bob.ask(method, `/apps/helper-one${path}`, method === 'GET' ? undefined : {})),
          404,
          path,
        )
      assert.equal(await statusOf(ann.patch('/apps/helper-one', { public: true })), 200)
      assert.equal(await statusOf(bob.get('/apps/helper-one')), 200)
      assert.equal(await statusOf(bob.patch('/apps/helper-one', { public: false })), 404)
      const again = await ann.post('/user/apps', { name: 'Helper  one', url: 'https://x.example.org' })
      assert.deepEqual([again.status, again.body.errors[0].code], [422, 'already_exists'])
      const odd = await ann.post('/user/apps', {
        name: 'X',
        url: 'https://x.example.org',
        default_permissions: { root: 'admin' },
      })
      assert.equal(odd.status, 422)
      assert.equal(await statusOf(ann.delete('/apps/helper-one')), 204)
      assert.equal(await statusOf(ann.get('/apps/helper-one')), 404)
    })

    test('an organisation’s apps are its owners’ own', async () => {
      await world.root.put('/orgs/acme/memberships/bob', { role: 'member' })
      assert.equal(await statusOf(bob.post('/orgs/acme/apps', { name: 'Nope', url: 'https://x.example.org' })), 403)
      const { body: app } = await registerApp(world, ann, {}, '/orgs/acme/apps')
      assert.equal(app.owner.login, 'acme')
      assert.equal(await statusOf(bob.patch(`/apps/${app.slug}`, { public: false })), 404)
      assert.equal(await statusOf(ann.patch(`/apps/${app.slug}`, { description: 'Ours' })), 200)
      await ann.delete('/orgs/acme/members/bob')
    })

    test('a manifest becomes an app once, for whoever has its code', async () => {
      const manifest = {
        name: 'From a file',
        url: 'https://f.example.org',
        redirect_url: 'https://f.example.org/back?x=1',
      }
      const put = await ann.post('/user/app-manifests', manifest)
      assert.equal(put.body.redirect_url, `https://f.example.org/back?x=1&code=${put.body.code}`)
      const nobody = makeRest(server.url)
      const made = await nobody.post(`/app-manifests/${put.body.code}/conversions`)
      assert.deepEqual([made.status, made.body.owner.login, made.body.slug], [201, 'ann', 'from-a-file'])
      assert.equal(
        (await withToken(signWebToken(made.body.pem, made.body.client_id)).get('/app')).body.id,
        made.body.id,
      )
      assert.equal(await statusOf(nobody.post(`/app-manifests/${put.body.code}/conversions`)), 404)
    })

    test('a JSON web token is taken as Bearer, signed with RS256 by one of the app’s own keys, within its time', async () => {
      const { body: app } = await registerApp(world, ann)
      const { body: other } = await registerApp(world, bob)
      const now = Math.floor(Date.now() / 1000)
      const sign = (draft: object = {}, issuer: unknown = app.id, pem = app.pem) => signWebToken(pem, issuer, draft)
      for (const good of [
        sign(),
        sign({}, String(app.id)),
        sign({}, app.client_id),
        sign({ iat: now + 50, exp: now + 600 }),
        sign({ iat: now - 60, exp: now + 600 }),
      ]) {
        const answer = await withToken(good).get('/app')
        assert.deepEqual([answer.status, answer.body.slug], [200, app.slug])
      }
      const publicPem = createPublicKey(createPrivateKey(app.pem)).export({ type: 'spki', format: 'pem' })
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const claims = encode({ iat: now, exp: now + 60, iss: app.id })
      const confused = `${encode({ alg: 'HS256', typ: 'JWT' })}.${claims}`
      const hmac = createHmac('sha256', publicPem).update(confused).digest('base64url')
      const stray = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs1',
        format: 'pem',
      })
      const bad: [string, RegExp][] = [
        [`${confused}.${hmac}`, /could not be decoded/],
        [`${encode({ alg: 'none' })}.${claims}.`, /could not be decoded/],
        [`${encode({ alg: 'none' })}.${claims}.AAAA`, /could not be decoded/],
        [`${encode({ alg: 'RS256' })}.${claims}.`, /could not be decoded/],
        [sign({ head: { alg: 'RS512' } }), /could not be decoded/],
        [sign({ head: { alg: 'rs256' } }), /could not be decoded/],
        [sign({}, app.id, stray as string), /could not be decoded/],
        [sign({}, app.id, other.pem), /could not be decoded/],
        [sign({}, 999_999), /could not be decoded/],
        [sign({ iat: now - 700, exp: now - 1 }), /'Expiration time' claim \('exp'\) must be a numeric value/],
        [sign({ exp: now + 900 }), /'exp'\) is too far in the future/],
        [sign({ iat: now - 3000, exp: now + 300 }), /'exp'\) is too far in the future/],
        [sign({ iat: now + 120, exp: now + 300 }), /'Issued at' claim \('iat'\) must be an Integer/],
        [sign({ iss: undefined }), /'iss'/],
        [sign({ iss: { id: app.id } }), /'iss'/],
      ]
      for (const [token, words] of bad) {
        await clearLockouts()
        const answer = await withToken(token).get('/app')
        assert.equal(answer.status, 401, answer.text)
        assert.match(answer.body.message, words)
      }
      await clearLockouts()
      const asToken = await makeRest(server.url).get('/app', { authorization: `token ${sign()}` })
      assert.deepEqual([asToken.status, asToken.body.message], [401, 'A JSON web token must be sent as Bearer.'])
      for (const client of [ann, makeRest(server.url)]) assert.equal(await statusOf(client.get('/app')), 401)
      assert.equal(await statusOf(withToken(sign()).get('/user')), 401)
      assert.equal(await statusOf(withToken(sign()).get('/repos/ann/hidden')), 404)
    })

    test('a token that was taken before is refused once its key is deleted, its owner suspended or its time over', async () => {
      const zoe = await makeUser(server, 'zoe')
      const { body: app } = await registerApp(world, zoe)
      await zoe.post(`/apps/${app.slug}/keys`)
      const asApp = withToken(signWebToken(app.pem, app.id))
      const ask = async (): Promise<number> => {
        await clearLockouts()
        return statusOf(asApp.get('/app'))
      }
      assert.deepEqual([await ask(), await ask()], [200, 200])
      await world.root.put('/users/zoe/suspended')
      assert.equal(await ask(), 403)
      await world.root.delete('/users/zoe/suspended')
      assert.equal(await ask(), 200)
      const { body: keys } = await zoe.get(`/apps/${app.slug}/keys`)
      await zoe.delete(`/apps/${app.slug}/keys/${keys[0].id}`)
      assert.equal(await ask(), 401)
      const { body: third } = await zoe.post(`/apps/${app.slug}/keys`)
      const exp = Math.floor(Date.now() / 1000) + 2
      const brief = withToken(signWebToken(third.pem, app.id, { exp }))
      assert.equal(await statusOf(brief.get('/app')), 200)
      await until(async () => (await statusOf(brief.get('/app'))) === 401)
    })

    test('an app has several keys, and what a deleted one signs is refused', async () => {
      const { body: app } = await registerApp(world, ann)
      const { body: second } = await ann.post(`/apps/${app.slug}/keys`)
      const first = () => withToken(signWebToken(app.pem, app.id)).get('/app')
      assert.equal(await statusOf(first()), 200)
      assert.equal(await statusOf(withToken(signWebToken(second.pem, app.id)).get('/app')), 200)
      const { body: keys } = await ann.get(`/apps/${app.slug}/keys`)
      assert.equal(keys.length, 2, JSON.stringify(keys))
      assert.equal(await statusOf(ann.delete(`/apps/${app.slug}/keys/${keys[0].id}`)), 204)
      await clearLockouts()
      assert.equal(await statusOf(first()), 401)
      assert.equal(await statusOf(withToken(signWebToken(second.pem, app.id)).get('/app')), 200)
    })

    test('an installation reaches the chosen repositories with the app’s permissions, and acts as the app’s bot', async () => {
      const app = await registerApp(world, ann)
      const id = await installApp(app, ann, 'ann', ['open', 'ann/hidden'])
      const { body: found } = await app.asItself().get('/repos/ann/hidden/installation')
      assert.deepEqual([found.id, found.repository_selection, found.account.login], [id, 'selected', 'ann'])
      assert.equal(await statusOf(app.asItself().get('/repos/ann/other/installation')), 404)
      assert.equal((await app.asItself().get('/users/ann/installation')).body.id, id)
      assert.equal(await statusOf(app.asItself().get('/orgs/acme/installation')), 404)
      assert.deepEqual(
        (await app.asItself().get('/app/installations')).body.map((one: { id: number }) => one.id),
        [id],
      )

      const robot = await asInstallation(world, app, id)
      const { body: reached } = await robot.get('/installation/repositories')
      assert.deepEqual([reached.total_count, reached.repository_selection], [2, 'selected'])
      assert.equal(await statusOf(robot.get('/repos/ann/hidden')), 200)
      assert.equal(await statusOf(robot.get('/repos/ann/other')), 404)
      assert.equal(await statusOf(robot.get('/repos/acme/tool')), 404)
      const { status, body: issue } = await robot.post('/repos/ann/hidden/issues', { title: 'By a robot' })
      assert.equal(status, 201)
      assert.deepEqual([issue.user.login, issue.user.type], [`${app.body.slug}[bot]`, 'Bot'])
      for (const name of ['performed_via_platform_app', 'performed_via_github_app'])
        assert.deepEqual(
          [issue[name].id, issue[name].slug, issue[name].owner.login],
          [app.body.id, app.body.slug, 'ann'],
        )
      const comment = await robot.post(`/repos/ann/hidden/issues/${issue.number}/comments`, { body: 'And a comment' })
      assert.equal(comment.body.performed_via_platform_app.id, app.body.id)
      await robot.patch(`/repos/ann/hidden/issues/${issue.number}`, { state: 'closed' })
      const [event] = (await ann.get('/repos/ann/hidden/issues/events')).body
      assert.deepEqual([event.event, event.actor.login], ['closed', `${app.body.slug}[bot]`])
      assert.equal(event.performed_via_github_app.id, app.body.id)
      assert.equal((await robot.get(`/users/${app.body.slug}[bot]`)).body.type, 'Bot')
      const plain = await ann.post('/repos/ann/hidden/issues', { title: 'By a person' })
      assert.equal(plain.body.performed_via_platform_app, null)
      // Reading contents was granted, writing them was not, nor anything beyond.
      assert.equal(
        await statusOf(robot.put('/repos/ann/hidden/contents/a.txt', { message: 'm', content: 'YQ==' })),
        403,
      )
      assert.equal(await statusOf(robot.delete('/repos/ann/hidden')), 403)
      assert.equal(await statusOf(robot.patch('/repos/ann/hidden', { private: false })), 403)
      assert.equal(await statusOf(robot.get('/user')), 403)
      assert.equal(await statusOf(robot.post('/repos/ann/other/issues', { title: 'x' })), 404)
    })

    test('a token is narrower where that is asked for, and never wider', async () => {
      const app = await registerApp(world, ann)
      const id = await installApp(app, ann, 'acme', ['tool'])
      const mint = (request: object) => app.asItself().post(`/app/installations/${id}/access_tokens`, request)
      const narrow = await mint({ repositories: ['tool'], permissions: { issues: 'read' } })
      assert.deepEqual(narrow.body.permissions, { issues: 'read', metadata: 'read' })
      assert.deepEqual(
        narrow.body.repositories.map((one: { name: string }) => one.name),
        ['tool'],
      )
      assert.ok(Math.abs(Date.parse(narrow.body.expires_at) - Date.now() - 3_600_000) < 60_000)
      const robot = withToken(narrow.body.token)
      assert.equal(await statusOf(robot.get('/repos/acme/tool/issues')), 200)
      assert.equal(await statusOf(robot.post('/repos/acme/tool/issues', { title: 'x' })), 403)
      assert.equal(await statusOf(robot.get('/repos/acme/tool/commits')), 403)
      const vault = (await ann.get('/repos/acme/vault')).body.id
      const foreign = (await ann.get('/repos/ann/hidden')).body.id
      for (const wide of [
        { permissions: { issues: 'admin' } },
        { permissions: { contents: 'write' } },
        { permissions: { administration: 'read' } },
        { repositories: ['vault'] },
        { repositories: ['nothing'] },
        { repository_ids: [vault] },
        { repository_ids: [foreign] },
      ])
        assert.equal((await mint(wide)).status, 422, JSON.stringify(wide))
      assert.equal((await mint({ repositories: [] })).body.repositories.length, 0)
    })

    test('an app gets tokens of its own installations alone', async () => {
      const app = await registerApp(world, ann)
      const other = await registerApp(world, bob)
      const id = await installApp(app, ann, 'ann')
      for (const [method, path] of [
        ['POST', '/access_tokens'],
        ['GET', ''],
        ['DELETE', ''],
        ['PUT', '/suspended'],
      ] as const)
        assert.equal(await statusOf(other.asItself().ask(method, `/app/installations/${id}${path}`)), 404)
      assert.equal(await statusOf(other.asItself().get('/repos/ann/open/installation')), 404)
    })

    test('a private app is installed at home, any app by who owns the account, and once', async () => {
      const secret = await registerApp(world, bob, { public: false })
      const open = await registerApp(world, bob)
      const install = (client: RestClient, slug: string, account: string) =>
        statusOf(client.post(`/apps/${slug}/installations`, { account }))
      assert.equal(await install(ann, secret.body.slug, 'ann'), 404)
      assert.equal(await install(bob, secret.body.slug, 'ann'), 404)
      assert.equal(await install(bob, secret.body.slug, 'bob'), 201)
      assert.equal(await install(bob, open.body.slug, 'acme'), 404)
      assert.equal(await install(ann, open.body.slug, 'acme'), 201)
      assert.equal(await install(ann, open.body.slug, 'acme'), 422)
      const foreign = await ann.post(`/apps/${open.body.slug}/installations`, {
        account: 'ann',
        repositories: ['acme/tool'],
      })
      assert.equal(foreign.status, 422)
    })

    test('a choice of repositories that names none is not taken for all of them', async () => {
      const app = await registerApp(world, ann)
      const install = (change: object) =>
        ann.post(`/apps/${app.body.slug}/installations`, { account: 'ann', ...change })
      for (const wrong of [
        { repository_selection: 'selected' },
        { repository_selection: 'selected', repositories: 'all' },
        { repository_selection: 'all', repositories: ['open'] },
        { repository_selection: 'some' },
      ])
        assert.equal(await statusOf(install(wrong)), 422, JSON.stringify(wrong))
      const { status, body } = await install({ repository_selection: 'selected', repositories: ['open'] })
      assert.deepEqual([status, body.repository_selection], [201, 'selected'])
      const widen = await ann.patch(`/user/installations/${body.id}`, { repository_selection: 'all' })
      assert.deepEqual([widen.status, widen.body.repository_selection], [200, 'all'])
    })

    test('what is taken from an installation is taken from its tokens at once', async () => {
      const app = await registerApp(world, ann)
      const id = await installApp(app, ann, 'ann', ['open', 'hidden'])
      const robot = await asInstallation(world, app, id)
      const hidden = (await ann.get('/repos/ann/hidden')).body.id
      const other = (await ann.get('/repos/ann/other')).body.id
      const see = () => statusOf(robot.get('/repos/ann/hidden'))
      assert.equal(await see(), 200)
      assert.equal(await statusOf(bob.delete(`/user/installations/${id}/repositories/${hidden}`)), 404)
      assert.equal(await statusOf(ann.delete(`/user/installations/${id}/repositories/${hidden}`)), 204)
      assert.equal(await see(), 404)
      assert.equal(await statusOf(ann.put(`/user/installations/${id}/repositories/${other}`)), 204)
      assert.equal(await statusOf(robot.get('/repos/ann/other')), 200)
      // Fewer permissions count at once, more of them once the owner accepts.
      assert.equal(await statusOf(robot.post('/repos/ann/other/issues', { title: 'x' })), 201)
      await ann.patch(`/apps/${app.body.slug}`, { default_permissions: { issues: 'read', administration: 'write' } })
      assert.equal(await statusOf(robot.post('/repos/ann/other/issues', { title: 'x' })), 403)
      const fresh = await asInstallation(world, app, id)
      assert.equal(await statusOf(fresh.patch('/repos/ann/other', { description: 'Taken' })), 403)
      // Asked for more after its owner had looked: what was not shown is not given.
      const { body: shown } = await ann.get(`/apps/${app.body.slug}`)
      await ann.patch(`/apps/${app.body.slug}`, {
        default_permissions: { issues: 'read', administration: 'write', contents: 'write' },
      })
      const acceptance = { accept_permissions: shown.permissions }
      assert.equal(await statusOf(ann.patch(`/user/installations/${id}`, acceptance)), 422)
      assert.equal(await statusOf(ann.patch(`/user/installations/${id}`, { accept_permissions: true })), 422)
      await ann.patch(`/apps/${app.body.slug}`, { default_permissions: { issues: 'read', administration: 'write' } })
      assert.equal(await statusOf(ann.patch(`/user/installations/${id}`, acceptance)), 200)
      assert.equal(
        await statusOf(fresh.patch('/repos/ann/other', { description: 'Taken' })),
        403,
        'it was minted before',
      )
      const accepted = await asInstallation(world, app, id)
      assert.equal(await statusOf(accepted.patch('/repos/ann/other', { description: 'Given' })), 200)
      // Suspended by the owner, which the app can't end.
      assert.equal(await statusOf(ann.put(`/user/installations/${id}/suspended`)), 204)
      const shut = await accepted.get('/repos/ann/other')
      assert.deepEqual([shut.status, shut.body.message], [403, 'This installation has been suspended'])
      assert.equal(await statusOf(app.asItself().post(`/app/installations/${id}/access_tokens`)), 403)
      assert.equal(await statusOf(app.asItself().delete(`/app/installations/${id}/suspended`)), 403)
      // Nor can it take the suspension over, to end it as its own.
      assert.equal(await statusOf(app.asItself().put(`/app/installations/${id}/suspended`)), 403)
      assert.equal(await statusOf(app.asItself().delete(`/app/installations/${id}/suspended`)), 403)
      assert.equal(await statusOf(ann.delete(`/user/installations/${id}/suspended`)), 204)
      assert.equal(await statusOf(accepted.get('/repos/ann/other')), 200)
      assert.equal(await statusOf(accepted.delete('/installation/token')), 204)
      assert.equal(await statusOf(accepted.get('/repos/ann/other')), 401)
      assert.equal(await statusOf(app.asItself().delete(`/app/installations/${id}`)), 204)
      assert.equal(await statusOf(fresh.get('/repos/ann/other')), 401)
      await clearLockouts()
    })

    test('an installation outlives the owner who made it, who then runs it no longer', async () => {
      const eve = await makeUser(server, 'eve')
      await world.root.put('/orgs/acme/memberships/eve', { role: 'admin' })
      const app = await registerApp(world, eve)
      const id = await installApp(app, eve, 'acme', ['tool'])
      const robot = await asInstallation(world, app, id)
      await ann.delete('/orgs/acme/members/eve')
      assert.equal(await statusOf(eve.get('/repos/acme/tool')), 404)
      assert.equal(await statusOf(robot.get('/repos/acme/tool')), 200)
      for (const [method, path] of [
        ['PATCH', ''],
        ['DELETE', ''],
        ['PUT', '/suspended'],
      ] as const)
        assert.equal(await statusOf(eve.ask(method, `/user/installations/${id}${path}`, {})), 404)
      const { body } = await ann.get('/orgs/acme/installations')
      assert.ok(body.installations.some((one: { id: number }) => one.id === id))
      assert.equal(await statusOf(ann.delete(`/user/installations/${id}`)), 204)
      assert.equal(await statusOf(robot.get('/repos/acme/tool')), 401)
      await clearLockouts()
    })

    test('a transferred or lost account takes its installations’ tokens along', async () => {
      const app = await registerApp(world, ann)
      const zoe = await makeUser(server, 'zoe')
      await zoe.post('/user/repos', { name: 'mine', private: true })
      const id = await installApp(app, zoe, 'zoe')
      const robot = await asInstallation(world, app, id)
      assert.equal(await statusOf(robot.get('/repos/zoe/mine')), 200)
      await world.root.put('/users/zoe/suspended')
      assert.equal(await statusOf(robot.get('/repos/zoe/mine')), 403)
      await world.root.delete('/users/zoe/suspended')
      assert.equal(await statusOf(robot.get('/repos/zoe/mine')), 200)
      await ann.delete(`/apps/${app.body.slug}`)
      assert.equal(await statusOf(robot.get('/repos/zoe/mine')), 401)
      await clearLockouts()
      void accountId
    })
  })
}
