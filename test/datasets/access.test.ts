/** Who may do what with a data set: owners, strangers, nobody, by token, signature or cookie. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { admin } from '../support/server.ts'
import { type Api, type Json, makeApi, onEachEngine } from './api.ts'

onEachEngine('access', (world) => {
  test('a search of data sets finds a part of a name, and nothing that no name can hold', async () => {
    const { api } = world
    await api.make('found-by-search')
    const total = async (search: string) => (await api.ask('GET', `/datasets?search=${search}`)).body.data.total
    assert.deepEqual([await total('by-sear'), await total('by%00sear'), await total('%00')], [1, 0, 0])
  })

  test('who may do what', async () => {
    const { server, api, other, nobody } = world
    const id = await api.make('shared')
    await api.push(id, { a: 1 })
    const answers = async (who: Api, path: string) => {
      const read = await who.ask('GET', `/datasets/${path}`)
      const items = await who.send('GET', `/datasets/${path}/items`)
      await items.text()
      const statistics = await who.ask('GET', `/datasets/${path}/statistics`)
      const writes = [
        await who.ask('POST', `/datasets/${path}/items`, []),
        await who.ask('PUT', `/datasets/${path}`, {}),
        ...(who === api ? [] : [await who.ask('DELETE', `/datasets/${path}`)]),
      ]
      assert.deepEqual(new Set(writes.map(({ status }) => Math.floor(status / 100))).size, 1)
      assert.equal(statistics.status, items.status)
      return [read.status, items.status, writes[0]!.status]
    }
    const closed = {
      owner: [200, 200, 201],
      otherById: [403, 403, 403],
      nobodyById: [401, 401, 401],
      otherByName: [403, 403, 403],
      nobodyByName: [401, 401, 401],
    }
    const openById = { ...closed, otherById: [200, 200, 403], nobodyById: [200, 200, 401] }
    const table = {
      RESTRICTED: closed,
      FOLLOW_USER_SETTING: closed,
      ANYONE_WITH_ID_CAN_READ: openById,
      ANYONE_WITH_NAME_CAN_READ: { ...openById, otherByName: [200, 200, 403], nobodyByName: [200, 200, 401] },
    }
    for (const [generalAccess, row] of Object.entries(table)) {
      await api.ask('PUT', `/datasets/${id}`, { generalAccess })
      const found = {
        owner: await answers(api, id),
        otherById: await answers(other, id),
        nobodyById: await answers(nobody, id),
        otherByName: await answers(other, 'admin~shared'),
        nobodyByName: await answers(nobody, 'admin~shared'),
      }
      assert.deepEqual(found, row, generalAccess)
    }
    const seen = (await other.ask('GET', `/datasets/${id}`)).body.data
    assert.deepEqual([seen.urlSigningSecretKey, seen.itemsPublicUrl], [undefined, undefined])
    const refused = await nobody.send('GET', '/datasets/~shared')
    assert.equal(((await refused.json()) as Json).error.type, 'token-not-provided')
    assert.match(refused.headers.get('www-authenticate')!, /^Bearer /)
    assert.equal((await other.ask('PUT', `/datasets/${id}`, {})).body.error.type, 'insufficient-permissions')
    assert.equal((await makeApi(server, 'wrong').ask('GET', `/datasets/${id}`)).body.error.type, 'invalid-token')
    assert.equal((await nobody.ask('GET', `/datasets/${id}?token=wrong`)).status, 401)
    assert.equal((await nobody.ask('GET', `/datasets/~shared?token=${api.token}`)).status, 200)
  })

  test('a signature opens the items and nothing else', async () => {
    const { api, nobody } = world
    const id = await api.make()
    await api.push(id, { a: 1 })
    const { itemsPublicUrl } = (await api.ask('GET', `/datasets/${id}`)).body.data
    const signature = new URL(itemsPublicUrl).searchParams.get('signature')
    assert.equal(await (await fetch(itemsPublicUrl)).text(), '[{"a":1}]')
    const padded = Buffer.from(signature!, 'base64url').toString('base64').replaceAll('+', '-').replaceAll('/', '_')
    assert.equal(await nobody.text(id, `signature=${encodeURIComponent(padded)}`), '[{"a":1}]')
    assert.equal((await nobody.ask('GET', `/datasets/${id}?signature=${signature}`)).status, 401)
    assert.equal((await nobody.ask('GET', `/datasets/${id}/statistics?signature=${signature}`)).status, 401)
    const another = await api.make()
    for (const [path, given] of [
      [another, signature],
      [id, `${signature}x`],
      [id, 'AAAA'],
      [id, Buffer.from('0.1.abc').toString('base64url')],
    ]) {
      const { status, body } = await nobody.ask('GET', `/datasets/${path}/items?signature=${given}`)
      assert.deepEqual([status, body.error.type], [403, 'invalid-signature'])
    }
    assert.equal((await api.ask('GET', `/datasets/${id}/items?signature=bad`)).status, 200)
  })

  test('a suspended account is a stranger to its own data sets until the suspension ends', async () => {
    const { server, api, other } = world
    const id = await other.make('paused')
    const suspend = (method: string) =>
      fetch(`${server.url}/users/other/suspended`, { method, headers: { authorization: `Bearer ${api.token}` } })
    const statuses = async () => [
      (await other.ask('GET', '/datasets')).status,
      (await other.ask('POST', '/datasets')).status,
      (await other.ask('GET', '/datasets/~paused')).status,
      (await other.ask('POST', `/datasets/${id}/items`, {})).status,
      (await other.ask('GET', `/datasets/${id}/items`)).status,
    ]
    assert.equal((await suspend('PUT')).status, 204)
    assert.deepEqual(await statuses(), [403, 403, 403, 403, 403])
    assert.equal((await other.ask('GET', `/datasets/${id}`)).body.error.type, 'insufficient-permissions')
    assert.equal((await suspend('DELETE')).status, 204)
    assert.deepEqual(await statuses(), [200, 201, 200, 201, 200])
  })

  test('a cookie counts only from the page itself', async () => {
    const { server, nobody } = world
    const params = { AccountName: admin.name, Password: admin.password }
    const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'create_session', params })
    const signIn = await fetch(`${server.url}/`, { method: 'POST', body })
    const cookie = signIn.headers.get('set-cookie')!.split(';')[0]!
    const list = (headers: Record<string, string>) =>
      nobody.send('GET', '/datasets', { headers: { cookie, ...headers } })
    assert.equal((await list({ origin: server.url })).status, 200)
    assert.equal((await list({ origin: 'https://example.com' })).status, 401)
  })
})
