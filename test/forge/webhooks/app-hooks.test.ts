/** Hooks of apps: what an app hears of, by its installations and no further, and what it may do with its deliveries. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { RestClient } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { type AppWorld, installApp, makeAppWorld, type RegisteredApp, registerApp } from '../apps/app-world.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { makePayloadCheck } from './schemas.ts'

const check = makePayloadCheck()

describe('the hook of an app', () => {
  let server: TestServer
  let receiver: Receiver
  let world: AppWorld
  let app: RegisteredApp
  let itself: RestClient
  let installation = 0
  before(async () => {
    receiver = await startReceiver()
    server = await startServer('sqlite', {
      environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
    })
    world = await makeAppWorld(server)
    app = await registerApp(world, world.ann, {
      default_permissions: { issues: 'read' },
      default_events: ['issues', 'push'],
      hook_attributes: { url: `${receiver.url}/app`, secret: 'of the app', active: true },
    })
    itself = app.asItself()
  })
  after(async () => {
    await server.stop()
    await receiver.close()
  })

  const heard = (): string[] =>
    receiver.received.map(({ headers, text }) => `${headers['x-github-event']} ${JSON.parse(text).action ?? ''}`.trim())
  const newest = (): Json => JSON.parse(receiver.received.at(-1)!.text)
  const wait = async (count: number) => {
    await until(() => receiver.received.length >= count)
    const { headers, text } = receiver.received.at(-1)!
    const faults = check(String(headers['x-github-event']), JSON.parse(text))
    // The description wants the account of an installation to be a user and an enterprise at once.
    const own = faults.filter((fault) => !fault.startsWith('/installation/account'))
    assert.deepEqual(own, [], heard().at(-1))
  }

  test('hears where it is installed, with which repositories, and what changes in that', async () => {
    installation = await installApp(app, world.ann, 'acme', ['tool'])
    await wait(1)
    assert.deepEqual(heard(), ['installation created'])
    assert.deepEqual(
      newest().repositories.map(({ full_name }: Json) => full_name),
      ['acme/tool'],
    )
    assert.equal(newest().installation.account.url, `${server.url}/users/acme`)
    assert.equal(receiver.received[0]!.headers['x-github-hook-installation-target-type'], 'integration')
    const { id } = (await world.ann.get('/repos/acme/vault')).body
    assert.equal((await world.ann.put(`/user/installations/${installation}/repositories/${id}`)).status, 204)
    await wait(2)
    assert.equal((await world.ann.delete(`/user/installations/${installation}/repositories/${id}`)).status, 204)
    await wait(3)
    assert.deepEqual(heard().slice(1), ['installation_repositories added', 'installation_repositories removed'])
  })

  test('hears of what its installation reaches and may read, and of nothing else', async () => {
    for (const name of ['acme/vault', 'ann/open', 'acme/tool'])
      await world.ann.post(`/repos/${name}/issues`, { title: `In ${name}` })
    // It asked for pushes, and was not given what they show.
    await world.ann.put('/repos/acme/tool/contents/a.txt', { message: 'Add a', content: 'YQ==' })
    await world.ann.post('/repos/acme/tool/issues', { title: 'The last' })
    await until(() => receiver.received.some(({ text }) => text.includes('The last')))
    assert.deepEqual(heard().slice(3), ['issues opened', 'issues opened'])
    await wait(5)
    assert.deepEqual([newest().installation.id, newest().repository.full_name], [installation, 'acme/tool'])
  })

  test('is shown and set by the app itself, and its deliveries are listed and made again', async () => {
    const { body: config } = await itself.get('/app/hook/config')
    assert.deepEqual([config.url, config.secret], [`${receiver.url}/app`, '********'])
    for (const url of ['http://10.0.0.1/', 'nonsense'])
      assert.equal((await itself.patch('/app/hook/config', { url })).status, 422, url)
    const moved = await itself.patch('/app/hook/config', { url: `${receiver.url}/moved`, secret: '********' })
    assert.deepEqual([moved.body.url, moved.body.secret], [`${receiver.url}/moved`, '********'])
    await until(async () => (await itself.get('/app/hook/deliveries')).body.length === 5)
    const { body: deliveries } = await itself.get('/app/hook/deliveries?per_page=2')
    const { id, guid, installation_id } = deliveries[0]
    assert.deepEqual([deliveries.length, installation_id], [2, installation])
    const whole = await itself.get(`/app/hook/deliveries/${id}`)
    assert.equal(whole.body.request.payload.issue.title, 'The last')
    assert.equal((await itself.post(`/app/hook/deliveries/${id}/attempts`)).status, 202)
    await until(() => receiver.received.length === 6)
    const { headers, path } = receiver.received.at(-1)!
    assert.deepEqual([headers['x-github-delivery'], path], [guid, '/hook/moved'])
    // Neither its owner's token nor another app's.
    assert.equal((await world.ann.get('/app/hook/deliveries')).status, 401)
    const other = await registerApp(world, world.ann)
    assert.deepEqual((await other.asItself().get('/app/hook/deliveries')).body, [])
    assert.equal((await other.asItself().get(`/app/hook/deliveries/${id}`)).status, 404)
  })

  test('falls silent where the installation is suspended or gone, but for being told so', async () => {
    const place = `/app/installations/${installation}`
    assert.equal((await itself.put(`${place}/suspended`)).status, 204)
    await wait(7)
    await world.ann.post('/repos/acme/tool/issues', { title: 'Unheard' })
    assert.equal((await itself.delete(`${place}/suspended`)).status, 204)
    await wait(8)
    assert.equal((await itself.delete(place)).status, 204)
    await wait(9)
    assert.deepEqual(heard().slice(6), ['installation suspend', 'installation unsuspend', 'installation deleted'])
  })

  test('hears of nothing that was done before it was installed, active, or there with the repository', async () => {
    const issue = (name: string, title: string) => world.ann.post(`/repos/acme/${name}/issues`, { title })
    const from = receiver.received.length
    const titles = () => receiver.received.slice(from).flatMap(({ text }) => JSON.parse(text).issue?.title ?? [])
    await issue('tool', 'Before it was installed')
    const again = await installApp(app, world.ann, 'acme', ['tool'])
    const { id } = (await world.ann.get('/repos/acme/vault')).body
    await issue('vault', 'Before it had the vault')
    assert.equal((await world.ann.put(`/user/installations/${again}/repositories/${id}`)).status, 204)
    await issue('vault', 'In the vault')
    await until(() => titles().length > 0)
    const { store } = server.services
    await store.write((trx) => trx.updateTable('app').set({ is_hook_active: 0 }).execute())
    await issue('tool', 'Before it was active')
    assert.equal((await itself.patch('/app/hook/config', { url: `${receiver.url}/back` })).status, 200)
    await issue('tool', 'The end')
    await until(() => titles().includes('The end'))
    assert.deepEqual(titles(), ['In the vault', 'The end'])
  })

  test('hears from now on of what it asks for from now on, as far as it may read it', async () => {
    const from = receiver.received.length
    const words = () => receiver.received.slice(from).map(({ headers }) => headers['x-github-event'])
    const ask = (events: string[]) => world.ann.patch(`/apps/${app.body.slug}`, { default_events: events })
    assert.equal((await ask(['label', 'push'])).status, 200)
    await world.ann.post('/repos/acme/tool/issues', { title: 'Not asked for any more' })
    await world.ann.put('/repos/acme/tool/contents/b.txt', { message: 'Add b', content: 'YQ==' })
    await world.ann.post('/repos/acme/tool/labels', { name: 'asked for', color: '00ff00' })
    await until(() => words().includes('label'))
    assert.equal((await ask(['issues'])).status, 200)
    await world.ann.post('/repos/acme/tool/labels', { name: 'not any more', color: '00ff00' })
    await world.ann.post('/repos/acme/tool/issues', { title: 'Asked for again' })
    await until(() => words().includes('issues'))
    assert.deepEqual(words(), ['label', 'issues'])
  })
})
