/** Bounds of what apps and their users may have, at their full numbers: the rows that fill them are written beside the wire. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { asAdmin, makeRest, type RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { installApp, type RegisteredApp, registerApp } from '../apps/app-world.ts'
import type { Browser } from '../single-sign-on/browser.ts'
import {
  asClient,
  askToken,
  authorizeUrl,
  callback,
  credentialsOf,
  fieldsOf,
  obtain,
  openBrowser,
  pkce,
  register,
  registerOAuthApp,
} from './oauth-world.ts'

describe('bounds of apps', () => {
  let server: TestServer
  let ann: RestClient
  let bob: RestClient
  let bobs: Browser
  let app: Json
  let robot: RegisteredApp
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    ann = await register(server, 'ann')
    bob = await register(server, 'bob')
    bobs = await openBrowser(server, 'bob')
    app = await registerOAuthApp(ann, { device_flow: true })
    robot = await registerApp({ server }, ann, { callback_urls: [callback] })
    await bob.post('/user/repos', { name: 'own' })
    await installApp(robot, bob, 'bob', ['own'])
  })
  after(() => server.stop())

  /** So many rows, each with a number of its own as `n`. */
  const fill = (count: number, insert: ReturnType<typeof sql>) =>
    server.services.store.write((trx) =>
      sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) ${insert}`.execute(
        trx,
      ),
    )
  const appId = async () => {
    const { db } = server.services.store
    const found = db
      .selectFrom('app')
      .select('id')
      .where('client_id', '=', app.client_id as string)
    return (await found.executeTakeFirstOrThrow()).id
  }

  test('a repository has 500 open runs, and one that ends makes room', async () => {
    const path = '/repos/bob/own/workflow-runs'
    const first = await bob.post(path, { name: 'build' })
    assert.equal(first.status, 201, first.text)
    await fill(
      499,
      sql`insert into workflow_run (repository_id, name, created_at)
        select repository_id, 'filler', created_at from workflow_run, numbers where id = ${first.body.id}`,
    )
    const full = await bob.post(path, { name: 'build' })
    assert.deepEqual([full.status, /500 runs at once/.test(full.text)], [403, true], full.text)
    assert.equal((await bob.patch(`${path}/${first.body.id}`, { status: 'completed' })).status, 200)
    assert.equal((await bob.post(path, { name: 'build' })).status, 201)
    assert.equal((await bob.post(path, { name: 'build' })).status, 403)
  })

  test('an app has 10,000 devices that wait, all apps together 100,000, and those whose time is over count no more', async () => {
    const begin = (client: Json) => askToken(server, { client_id: client.client_id }, {}, '/login/device/code')
    const other = await registerOAuthApp(ann, { device_flow: true })
    const add = async (count: number, word: string, minutes: number) =>
      fill(
        count,
        sql`insert into app_device_code (device_hash, user_code, app_id, scopes, state, interval_seconds, expires_at)
          select ${word} || n, ${word} || n, ${await appId()}, '[]', 'pending', 5, ${Date.now() + minutes * 60_000}
          from numbers`,
      )
    await add(20_000, 'over', -1)
    assert.ok((await begin(app)).device_code)
    await add(9_999, 'own', 10)
    assert.equal((await begin(app)).device_code, undefined)
    assert.ok((await begin(other)).device_code, 'another app has its own room')
    await add(90_000, 'all', 10)
    assert.equal((await begin(other)).device_code, undefined)
    await server.services.store.write((trx) => trx.deleteFrom('app_device_code').execute())
    assert.ok((await begin(app)).device_code)
  })

  test('a user authorises 1,000 apps, and uses those that are authorised', async () => {
    await obtain(server, bobs, app)
    const id = await appId()
    await fill(
      999,
      sql`insert into app (kind, slug, owner_id, client_id, name, description, url, callback_urls, permissions, events,
          is_hook_active, is_public, is_confidential, takes_device_flow, created_at, updated_at)
        select kind, 'filler-' || n, owner_id, 'filler-' || n, 'Filler ' || n, '', url, callback_urls, permissions, events,
          is_hook_active, is_public, is_confidential, takes_device_flow, created_at, updated_at
        from app, numbers where app.id = ${id}`,
    )
    await server.services.store.write((trx) =>
      sql`insert into app_grant (app_id, user_id, scopes, created_at, updated_at)
        select filler.id, app_grant.user_id, '[]', 0, 0 from app as filler, app_grant
        where filler.slug like 'filler-%' and app_grant.app_id = ${id}`.execute(trx),
    )
    const further = await registerOAuthApp(bob)
    const url = authorizeUrl(server, { client_id: further.client_id, ...pkce })
    const refused = await bobs.visit(url, { ...fieldsOf(await bobs.visit(url)), decision: 'allow' })
    assert.match(refused.text, /authorised 1000 apps: revoke one first/)
    assert.ok((await obtain(server, bobs, app)).access_token)
    await server.services.store.write((trx) => trx.deleteFrom('app').where('slug', 'like', 'filler-%').execute())
  })

  test('a banned token is not reset, narrowed or renewed into one that is not', async () => {
    const ban = async (text: string) => {
      const found = await server.services.tokens.find(text)
      await server.services.forge.tokenAdministration.ban(found!.token.id)
    }
    const banned = (token: string) => makeRest(server.url, token).get('/user')
    const { access_token } = await obtain(server, bobs, app)
    await ban(access_token)
    const client = asClient(server, app)
    const reset = await client.patch(`/applications/${app.client_id}/token`, { access_token })
    assert.deepEqual([reset.status, /is banned/.test(reset.text)], [403, true], reset.text)
    assert.match((await banned(access_token)).text, /is banned/)

    const given = await obtain(server, bobs, robot.body)
    await ban(given.access_token)
    const asRobot = asClient(server, robot.body)
    const scoped = { access_token: given.access_token, target: 'bob' }
    const narrowed = await asRobot.post(`/applications/${robot.body.client_id}/token/scoped`, scoped)
    assert.deepEqual([narrowed.status, /is banned/.test(narrowed.text)], [403, true], narrowed.text)
    const renew = () =>
      askToken(server, {
        ...credentialsOf(robot.body),
        refresh_token: given.refresh_token,
        grant_type: 'refresh_token',
      })
    assert.match((await renew()).error_description, /is banned/)
    const { token } = (await server.services.tokens.find(given.access_token))!
    assert.equal((await asAdmin(server).delete(`/admin/tokens/${token.id}/ban`)).status, 204)
    assert.ok((await renew()).access_token, 'a ban that is lifted is over')
  })
})
