/** The live tail: server-sent events of new items, from any offset, resumed, on two servers, and ended with its rights. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ItemLog } from '../../src/datasets/log/item-log.ts'
import { makeTails } from '../../src/datasets/tails.ts'
import type { Store } from '../../src/store/store.ts'
import { silentLog } from '../support/engines.ts'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type Api, makeApi, onEachEngine } from './api.ts'

/** Follows, and gathers what it hears. */
async function follow(api: Api, id: string, query = '', headers: Record<string, string> = {}) {
  const response = await api.send('GET', `/datasets/${id}/items/live?${query}`, { headers })
  const heard = {
    status: response.status,
    events: [] as [id: number, item: unknown][],
    isOver: false,
    lastId: '',
    truncated: 0,
  }
  const reader = response.body!.getReader()
  const done = (async () => {
    let text = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += Buffer.from(part.value).toString()
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, lastId, at, data] = /^id: ((\d+)-\w+)(?:\ndata: (.*))?$/m.exec(text.slice(0, end)) ?? []
        if (lastId !== undefined) heard.lastId = lastId
        if (text.slice(0, end).includes('\nevent: truncated\n')) heard.truncated++
        else if (data !== undefined) heard.events.push([Number(at), JSON.parse(data)])
        text = text.slice(end + 2)
      }
    }
  })().catch(() => {})
  void done.then(() => {
    heard.isOver = true
  })
  return { heard, leave: () => reader.cancel(), done, type: response.headers.get('content-type') }
}

onEachEngine('the live tail', (world) => {
  test('items come as they are pushed, and a client goes on from the last it heard', async () => {
    const { api, server } = world
    const id = await api.make()
    await api.push(id, [{ i: 0 }, { i: 1 }])
    const [fromNow, fromStart] = [await follow(api, id), await follow(api, id, 'offset=0')]
    assert.equal(fromNow.type, 'text/event-stream; charset=utf-8')
    await until(() => fromStart.heard.events.length === 2)
    const second = server.database.url
      ? await startServer('postgres', { database: server.database, environment: { GUILDHALL_LIMITS: 'off' } })
      : null
    await (second ? makeApi(second) : api).push(id, [{ i: 2, text: 'a\nž' }])
    await until(() => fromNow.heard.events.length === 1 && fromStart.heard.events.length === 3)
    assert.deepEqual(fromNow.heard.events, [[3, { i: 2, text: 'a\nž' }]])
    await fromStart.leave()
    await api.push(
      id,
      Array.from({ length: 500 }, (_, i) => ({ i: i + 3 })),
    )
    const resumed = await follow(second ? makeApi(second) : api, id, '', { 'last-event-id': '3' })
    await until(() => resumed.heard.events.length === 500 && fromNow.heard.events.length === 501)
    assert.deepEqual(
      resumed.heard.events.map(([at]) => at),
      Array.from({ length: 500 }, (_, i) => i + 4),
    )
    await api.send('DELETE', `/datasets/${id}`)
    await until(() => fromNow.heard.isOver && resumed.heard.isOver)
    await second?.stop()
  })

  test('who followed items that were deleted is told, and hears of those that came since from the first on', async () => {
    const { api } = world
    const id = await api.make()
    await api.push(id, [{ i: 0 }, { i: 1 }, { i: 2 }])
    const before = await follow(api, id, 'offset=0')
    await until(() => before.heard.events.length === 3)
    await api.send('DELETE', `/datasets/${id}/items`)
    await api.push(id, [{ i: 10 }, { i: 11 }, { i: 12 }, { i: 13 }])
    await until(() => before.heard.isOver)
    const expected = [10, 11, 12, 13].map((i, at) => [at + 1, { i }])
    const resumed = await follow(api, id, '', { 'last-event-id': before.heard.lastId })
    await until(() => resumed.heard.events.length === 4)
    assert.deepEqual([resumed.heard.truncated, resumed.heard.events], [1, expected])
    const again = await follow(api, id, 'offset=0', { 'last-event-id': resumed.heard.lastId })
    const beyond = await follow(api, id, '', { 'last-event-id': '503' })
    await until(() => beyond.heard.events.length === 4)
    await api.push(id, [{ i: 14 }])
    await until(() => again.heard.events.length === 1 && beyond.heard.events.length === 5)
    assert.deepEqual([again.heard.truncated, again.heard.events], [0, [[5, { i: 14 }]]])
    assert.deepEqual([beyond.heard.truncated, beyond.heard.events.slice(0, 4)], [1, expected])
    await Promise.all([resumed, again, beyond].map(({ leave }) => leave()))
  })

  test('who may read no more hears nothing more', async () => {
    const { api, other } = world
    const id = await api.make()
    await api.ask('PUT', `/datasets/${id}`, { generalAccess: 'ANYONE_WITH_ID_CAN_READ' })
    const [stranger, owner] = [await follow(other, id), await follow(api, id)]
    await api.push(id, [{ i: 0 }])
    await until(() => stranger.heard.events.length === 1)
    await api.ask('PUT', `/datasets/${id}`, { generalAccess: 'RESTRICTED' })
    await api.push(id, [{ i: 1 }])
    await until(() => stranger.heard.isOver && owner.heard.events.length === 2)
    assert.deepEqual(stranger.heard.events, [[1, { i: 0 }]])
    await owner.leave()
  })

  test('who may not read follows nothing, and nobody follows without end', async () => {
    const { api, nobody, other } = world
    const id = await api.make()
    assert.equal((await nobody.send('GET', `/datasets/${id}/items/live`)).status, 401)
    assert.equal((await other.send('GET', `/datasets/${id}/items/live`)).status, 403)
    assert.equal((await api.send('GET', `/datasets/${id}/items/live?offset=-1`)).status, 400)
    const all = []
    for (let i = 0; i < 20; i++) all.push(await follow(api, id))
    assert.equal((await api.send('GET', `/datasets/${id}/items/live`)).status, 429)
    await Promise.all(all.map(({ leave }) => leave()))
    await until(async () => {
      const { heard, leave } = await follow(api, id)
      await leave()
      return heard.status === 200
    })
  })
})

test('who is refused a live tail is told whether it is their own or the server that has enough', () => {
  const store = { db: {} } as Store
  const tails = makeTails({ store, log: silentLog, items: {} as ItemLog }, { perCaller: 2, inAll: 3 })
  tails.open('a', 1, 0)
  tails.open('a', 1, 0)
  assert.throws(() => tails.open('a', 1, 0), /At most 2 data sets/)
  const { leave } = tails.open('b', 1, 0)
  assert.throws(() => tails.open('b', 1, 0), /Too many clients/)
  // Before anything was read: then the generator never ran.
  leave()
  tails.open('b', 1, 0)
  tails.close()
})
