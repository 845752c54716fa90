/** Workflow runs: who starts them, what their tokens open, and that the tokens end with them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { makeMigratedDatabase } from '../../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestClient } from '../../support/rest.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { type AppWorld, asInstallation, installApp, makeAppWorld, registerApp } from './app-world.ts'

const runs = '/repos/acme/tool/workflow-runs'
const started = { name: 'build' }

describe('workflow runs', () => {
  const clock = makeManualClock(Date.now())
  let server: TestServer
  let world: AppWorld
  let installed: RestClient
  let installation: number
  let app: Awaited<ReturnType<typeof registerApp>>
  before(async () => {
    // Apps sign with the time of the machine, and other files of this process came first.
    clock.advance(Date.now() - clock.now())
    server = await startServer('sqlite', { clock, environment: { GUILDHALL_LIMITS: 'off' } })
    world = await makeAppWorld(server)
    const default_permissions = { actions: 'write', issues: 'write', contents: 'read', administration: 'write' }
    app = await registerApp(world, world.ann, { default_permissions })
    installation = await installApp(app, world.ann, 'acme', ['tool'])
    installed = await asInstallation(world, app, installation)
  })
  after(() => server.stop())

  const client = (token: string) => makeRest(server.url, token)

  async function startRun(by: RestClient, permissions?: object) {
    const run = await by.post(runs, started)
    assert.equal(run.status, 201, run.text)
    const minted = await by.post(`${runs}/${run.body.id}/tokens`, permissions && { permissions })
    assert.equal(minted.status, 201, minted.text)
    return { run: run.body, minted: minted.body, itself: client(minted.body.token) }
  }

  const every = 'actions checks contents deployments issues metadata packages pages pull_requests'.split(' ')

  test('an admin starts one; its token opens its repository for an hour, with all that a run can have', async () => {
    const { run, minted, itself } = await startRun(world.ann)
    assert.deepEqual([run.name, run.status, run.actor.login, run.completed_at], ['build', 'in_progress', 'ann', null])
    assert.match(minted.token, /^gds_[0-9A-Za-z]{36}$/)
    assert.equal(Date.parse(minted.expires_at), Math.floor((clock.now() + 3_600_000) / 1000) * 1000)
    assert.deepEqual(
      Object.keys(minted.permissions)
        .filter((name) => every.includes(name))
        .sort(),
      every,
    )
    assert.equal(minted.permissions.administration, undefined)
    const issue = await itself.post('/repos/acme/tool/issues', { title: 'From a run' })
    assert.deepEqual([issue.status, issue.body.user.login], [201, 'ann'])
    const { headers } = await itself.get('/repos/acme/tool')
    assert.equal(headers.get('x-ratelimit-limit'), '1000')
  })

  test('an installation starts one; it acts as the app, with no more than the app has', async () => {
    const { run, minted, itself } = await startRun(installed)
    assert.equal(run.app_id, app.body.id)
    assert.deepEqual(minted.permissions, { actions: 'write', contents: 'read', issues: 'write', metadata: 'read' })
    const issue = await itself.post('/repos/acme/tool/issues', { title: 'From the app' })
    assert.equal(issue.body.user.login, `${app.body.slug}[bot]`)
    assert.equal(issue.body.performed_via_platform_app.id, app.body.id)
    const asked = await installed.post(`${runs}/${run.id}/tokens`, { permissions: { contents: 'write' } })
    assert.deepEqual([asked.status, asked.body.errors[0].field], [422, 'permissions'])
  })

  test('permissions are narrower on request, and never of those that decide who may what', async () => {
    const { run, minted, itself } = await startRun(world.ann, { issues: 'read' })
    assert.deepEqual(minted.permissions, { issues: 'read', metadata: 'read' })
    assert.equal((await itself.get('/repos/acme/tool/issues')).status, 200)
    assert.equal((await itself.post('/repos/acme/tool/issues', { title: 'No' })).status, 403)
    assert.equal((await itself.get('/repos/acme/tool/commits')).status, 403)
    for (const permissions of [
      { administration: 'read' },
      { secrets: 'read' },
      { nonsense: 'read' },
      { issues: 'admin' },
    ])
      assert.equal((await world.ann.post(`${runs}/${run.id}/tokens`, { permissions })).status, 422)
    const fine = client(
      await makeToken(server, 'ann', {
        kind: 'fine-grained',
        resource_owner: 'acme',
        repositories: ['acme/tool'],
        permissions: { actions: 'write', contents: 'read' },
      }),
    )
    assert.deepEqual((await fine.post(`${runs}/${run.id}/tokens`)).body.permissions, {
      actions: 'write',
      contents: 'read',
      metadata: 'read',
    })
  })

  test('a token opens its repository alone, and nobody’s own things', async () => {
    const { itself } = await startRun(world.ann)
    for (const [path, status] of [
      ['/repos/acme/tool', 200],
      ['/repos/acme/vault', 404],
      ['/repos/ann/hidden', 404],
      ['/repos/ann/open', 200],
      ['/user', 403],
      ['/notifications', 403],
      ['/user/migrations', 403],
    ] as const)
      assert.equal((await itself.get(path)).status, status, path)
    assert.equal((await itself.post('/repos/ann/open/issues', { title: 'No' })).status, 403)
  })

  const token = (draft: object) => makeToken(server, 'ann', { repositories: ['acme/tool'], ...draft })
  const refused: [string, () => Promise<RestClient>, number][] = [
    ['nobody', async () => makeRest(server.url), 404],
    ['a stranger', async () => world.bob, 404],
    [
      'one who may write and not administer',
      async () => {
        const cid = await makeUser(server, 'cid')
        await world.root.put('/orgs/acme/memberships/cid', { role: 'member' })
        await world.ann.put('/repos/acme/tool/collaborators/cid', { permission: 'push' })
        return cid
      },
      403,
    ],
    ['a classic token without scope', async () => client(await token({ kind: 'classic', scopes: [] })), 404],
    [
      'a fine-grained one without the permission',
      async () =>
        client(
          await token({
            kind: 'fine-grained',
            resource_owner: 'acme',
            permissions: { contents: 'write', actions: 'read' },
          }),
        ),
      403,
    ],
    ['an OAuth app', async () => client(await token({ kind: 'oauth', scopes: ['repo'] })), 403],
    [
      'an installation without the permission',
      async () => asInstallation(world, app, installation, { permissions: { issues: 'write' } }),
      403,
    ],
    ['a run', async () => (await startRun(world.ann)).itself, 403],
  ]
  for (const [who, find, status] of refused)
    test(`${who} starts none, mints none and ends none`, async () => {
      const { run, itself } = await startRun(world.ann)
      const other = await find()
      assert.equal((await other.post(runs, started)).status, status)
      assert.equal((await other.post(`${runs}/${run.id}/tokens`)).status, status)
      assert.equal((await other.patch(`${runs}/${run.id}`, { status: 'completed' })).status, status)
      assert.equal((await itself.get('/repos/acme/tool')).status, 200)
    })

  test('the end of a run is the end of all its tokens, at once and for good; others go on', async () => {
    const [one, other] = [await startRun(world.ann), await startRun(installed)]
    const second = client((await installed.post(`${runs}/${one.run.id}/tokens`)).body.token)
    assert.equal((await second.get('/repos/acme/tool')).status, 200)
    const ended = await world.ann.patch(`${runs}/${one.run.id}`, { status: 'completed' })
    assert.deepEqual([ended.status, ended.body.status], [200, 'completed'])
    for (const each of [one.itself, second]) assert.equal((await each.get('/repos/acme/tool')).status, 401)
    assert.equal((await world.ann.post(`${runs}/${one.run.id}/tokens`)).status, 409)
    const again = await world.ann.patch(`${runs}/${one.run.id}`, { status: 'completed' })
    assert.equal(again.body.completed_at, ended.body.completed_at)
    assert.equal((await other.itself.get('/repos/acme/tool')).status, 200)
  })

  test('what an installation loses, its runs lose with it', async () => {
    const { itself } = await startRun(installed)
    await world.ann.put(`/user/installations/${installation}/suspended`)
    assert.equal((await itself.get('/repos/acme/tool')).status, 403)
    await world.ann.delete(`/user/installations/${installation}/suspended`)
    assert.equal((await itself.get('/repos/acme/tool')).status, 200)
    await world.ann.delete(`/user/installations/${installation}`)
    assert.equal((await itself.get('/repos/acme/tool')).status, 401)
  })

  test('a run of another repository is not found, and a repository that goes takes its tokens along', async () => {
    const { run } = await startRun(world.ann)
    for (const ask of [
      world.ann.get(`/repos/acme/vault/workflow-runs/${run.id}`),
      world.ann.post(`/repos/acme/vault/workflow-runs/${run.id}/tokens`),
      world.ann.patch(`/repos/acme/vault/workflow-runs/${run.id}`, { status: 'completed' }),
    ])
      assert.equal((await ask).status, 404)
    const of = '/repos/acme/vault/workflow-runs'
    const { body } = await world.ann.post(of, started)
    const itself = client((await world.ann.post(`${of}/${body.id}/tokens`)).body.token)
    assert.equal((await itself.get('/repos/acme/vault')).status, 200)
    await world.ann.delete('/repos/acme/vault')
    assert.equal((await itself.get('/meta')).status, 401)
  })

  test('a run has a hundred tokens at most, and a repository’s runs are listed newest first', async () => {
    const { run } = await startRun(world.ann)
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => (await world.ann.post(`${runs}/${run.id}/tokens`)).status),
    )
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.includes(403)], [99, true])
    const { body } = await world.ann.get(`${runs}?per_page=2`)
    assert.deepEqual([body.length, body[0].id, body[0].id > body[1].id], [2, run.id, true])
  })

  test('starts and ends are in the audit log, without a secret', async () => {
    const { body } = await world.root.get('/orgs/acme/audit-log?phrase=action:workflows&per_page=100')
    const actions = new Set(body.map(({ action }: { action: string }) => action))
    assert.deepEqual([...actions].sort(), ['workflows.completed_workflow_run', 'workflows.created_workflow_run'])
    assert.doesNotMatch(JSON.stringify(body), /gds_/)
  })

  test('a run lasts six hours at most, its last token no longer than that', async () => {
    const { run, itself } = await startRun(world.ann)
    clock.advance(3_600_000)
    assert.equal((await itself.get('/repos/acme/tool')).status, 401)
    clock.advance(4.5 * 3_600_000)
    const last = await world.ann.post(`${runs}/${run.id}/tokens`)
    assert.equal(last.body.expires_at, run.expires_at)
    clock.advance(0.5 * 3_600_000)
    assert.equal((await client(last.body.token).get('/repos/acme/tool')).status, 401)
    assert.equal((await world.ann.get(`${runs}/${run.id}`)).body.status, 'completed')
    assert.equal((await world.ann.post(`${runs}/${run.id}/tokens`)).status, 409)
  })
})

test('a kill loses neither a run’s token nor its end', async () => {
  const database = await makeMigratedDatabase('sqlite')
  const environment = { GUILDHALL_ADMIN_TOKEN: admin.token, GUILDHALL_ADMIN_PASSWORD: admin.password }
  let process = await startServerProcess(database, environment)
  try {
    const root = makeRest(process.url, admin.token)
    await root.post('/user/repos', { name: 'r', private: true })
    const mint = async () => {
      const { body } = await root.post('/repos/admin/r/workflow-runs', started)
      return { id: body.id, token: (await root.post(`/repos/admin/r/workflow-runs/${body.id}/tokens`)).body.token }
    }
    const [going, over] = [await mint(), await mint()]
    await root.patch(`/repos/admin/r/workflow-runs/${over.id}`, { status: 'completed' })
    await process.end('SIGKILL')
    process = await startServerProcess(database, environment)
    const ask = async (token: string) => (await makeRest(process.url, token).get('/repos/admin/r')).status
    assert.deepEqual([await ask(going.token), await ask(over.token)], [200, 401])
  } finally {
    await process.end('SIGKILL')
    await database.drop()
  }
})
