/** Webhooks between owners: nobody's events, receivers or sizes keep another's from being told. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { SignedIn } from '../../../src/accounts/actor.ts'
import type { ComposePayload } from '../../../src/forge/webhooks/queue/composing.ts'
import { makeSendingSlots } from '../../../src/forge/webhooks/sending/sending-slots.ts'
import { asAdmin, makeUser, type RestClient, usualScopes } from '../../support/rest.ts'
import type { Json } from '../../support/rpc.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { doneDelivery } from './cases.ts'
import { type Receiver, startReceiver } from './receiver.ts'

describe('webhooks of several owners', () => {
  let server: TestServer
  let receiver: Receiver
  let ann: RestClient
  let bob: RestClient
  let root: RestClient
  /** How payloads are made: by the last part of the hook's address. */
  let making: Record<string, (viewer: SignedIn) => Promise<object>>
  const composePayload: ComposePayload = async (_event, hook, viewer) =>
    (await making[hook.url.split('/').at(-1)!]?.(viewer)) ?? { zen: 'Others go on.' }
  before(async () => {
    receiver = await startReceiver()
    server = await startServer('sqlite', {
      composePayload,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      environment: {
        GUILDHALL_LIMITS: 'off',
        GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8',
        GUILDHALL_WEBHOOK_LIMITS: 'queuedPerHook=10,queuedMibPerHook=2,queuedMibPerOwner=3,queuedMib=8,tries=2',
      },
    })
    ann = await makeUser(server, 'ann', usualScopes)
    bob = await makeUser(server, 'bob', usualScopes)
    root = asAdmin(server)
  })
  after(async () => {
    await server.stop()
    await receiver.close()
  })
  beforeEach(() => {
    making = {}
    receiver.answer = (response) => void response.writeHead(204).end()
  })

  let names = 0
  async function makeHooked(client: RestClient, login: string, words: readonly string[]) {
    const repo = `/repos/${login}/fair-${++names}`
    await client.post('/user/repos', { name: repo.split('/').at(-1) })
    const hooks: Json[] = []
    for (const word of words) {
      const config = { url: `${receiver.url}/${word}`, content_type: 'json' }
      const { status, body, text } = await client.post(`${repo}/hooks`, { config, events: ['issues'] })
      assert.equal(status, 201, text)
      await until(async () => (await client.get(`${repo}/hooks/${body.id}/deliveries`)).body.length === 1)
      hooks.push(body)
    }
    return { repo, hooks }
  }
  const came = (word: string) => receiver.received.filter(({ path }) => path.endsWith(`/${word}`)).length
  const queued = (hookId: number) =>
    server.services.store.db
      .selectFrom('webhook_delivery')
      .select(['id', 'size', 'state', 'account_id'])
      .where('webhook_id', '=', hookId)
      .where('state', '<>', 'done')
      .execute()
  /** Nothing is sent to these hooks any more: deliveries wait, and no answer replaces a hook's last status. */
  const pause = (hookIds: readonly number[]) =>
    server.services.store.write((trx) =>
      trx
        .updateTable('webhook')
        .set({ paused_until: Date.now() + 3_600_000 })
        .where('id', 'in', hookIds)
        .execute(),
    )
  /** Until hooks have heard of all that was done. */
  async function untilTold() {
    const untold = server.services.store.db.selectFrom('activity').select('id').where('told_at', 'is', null)
    await until(async () => (await untold.execute()).length === 0)
  }

  test('a payload that takes long keeps its own owner waiting and nobody else', async () => {
    const slow = await makeHooked(ann, 'ann', ['long'])
    const quick = await makeHooked(bob, 'bob', ['quick'])
    const { promise, resolve } = Promise.withResolvers<object>()
    making.long = () => promise
    for (const title of ['One', 'Two']) await ann.post(`${slow.repo}/issues`, { title })
    await until(async () => (await queued(slow.hooks[0].id)).length === 2)
    await bob.post(`${quick.repo}/issues`, { title: 'Three' })
    await until(() => came('quick') === 2)
    assert.equal(came('long'), 1)
    resolve({})
    await until(() => came('long') === 3)
  })

  test('so many bytes wait for a hook and for an owner, whatever is made; the hook says what was dropped', async () => {
    const { repo, hooks } = await makeHooked(ann, 'ann', ['big-1', 'big-2', 'big-3'])
    const other = await makeHooked(bob, 'bob', ['small'])
    const big = { text: 'x'.repeat(900_000) }
    for (const word of ['big-1', 'big-2', 'big-3']) making[word] = async () => big
    await pause(hooks.map(({ id }) => id))
    for (let i = 0; i < 6; i++) await ann.post(`${repo}/issues`, { title: `Issue ${i}` })
    const all = async () => (await Promise.all(hooks.map(({ id }) => queued(id)))).flat()
    await untilTold()
    await until(async () => (await all()).every(({ state }) => state === 'ready'))
    const bytes = (await all()).reduce((sum, { size }) => sum + size, 0)
    assert.ok(bytes > 1_000_000 && bytes <= 3.5 * 1024 * 1024, `${bytes} bytes wait`)
    const told = await Promise.all(hooks.map(async ({ id }) => (await ann.get(`${repo}/hooks/${id}`)).body))
    assert.ok(told.some(({ last_response }) => last_response.status === 'queue_full'))
    await bob.post(`${other.repo}/issues`, { title: 'It goes on' })
    await until(() => came('small') === 2)
    assert.equal((await ann.delete(repo)).status, 204)
  })

  test('so many bytes wait in all: who has the most loses the fullest of their queues, and is told; nobody else does', async () => {
    const cid = await makeUser(server, 'cid', usualScopes)
    const sizes = { ann: 1_000_000, bob: 900_000, cid: 950_000 }
    const hookIds: Record<string, number[]> = {}
    for (const [login, client] of Object.entries({ ann, bob, cid })) {
      const words = [`${login}-1`, `${login}-2`]
      const { repo, hooks } = await makeHooked(client, login, words)
      for (const word of words) making[word] = async () => ({ text: 'x'.repeat(sizes[login as keyof typeof sizes]) })
      const ids: number[] = hooks.map(({ id }) => id)
      hookIds[login] = ids
      await pause(ids)
      for (const title of ['One', 'Two']) await client.post(`${repo}/issues`, { title })
      // Of the second one the second hook's has no room in the owner's own bound.
      const last = server.services.store.db.selectFrom('webhook').select('last_status').where('id', '=', ids[1]!)
      await until(async () => (await last.executeTakeFirstOrThrow()).last_status === 'queue_full')
    }
    const count = async (login: string) =>
      Promise.all(hookIds[login]!.map(async (id) => (await queued(id)).filter(({ state }) => state === 'ready').length))
    await until(async () => (await count('ann'))[0] === 0)
    assert.deepEqual([await count('ann'), await count('bob'), await count('cid')], [[0, 1], [2, 1], [2, 1]]) // biome-ignore format: a table
    const { db } = server.services.store
    const told = db.selectFrom('webhook').select('last_message').where('id', '=', hookIds.ann![0]!)
    assert.match((await told.executeTakeFirstOrThrow()).last_message!, /on this server: the waiting ones were dropped/)
    const repositories = db.selectFrom('repository').select('id').where('name', 'like', 'fair-%')
    await server.services.store.write((trx) =>
      trx.deleteFrom('webhook').where('repository_id', 'in', repositories).execute(),
    )
  })

  test('what is older than its days goes, however much there is, and what is younger stays', async () => {
    const { hooks } = await makeHooked(ann, 'ann', ['aged'])
    const { store } = server.services
    const id: number = hooks[0].id
    const of = async () =>
      (await store.db.selectFrom('webhook_delivery').select('created_at').where('webhook_id', '=', id).execute()).map(
        ({ created_at }) => created_at,
      )
    const now = Date.now()
    const dayMs = 86_400_000
    const old = { ...doneDelivery(id), created_at: now - 3 * dayMs - 1 }
    await store.write(async (trx) => {
      const values = Array.from({ length: 450 }, () => old)
      for (let i = 0; i < values.length; i += 50)
        await trx
          .insertInto('webhook_delivery')
          .values(values.slice(i, i + 50))
          .execute()
      const young = { ...old, created_at: now - 3 * dayMs + 600_000 }
      await trx.insertInto('webhook_delivery').values(young).execute()
      const kind = 'forge.webhook-pruning'
      await trx.updateTable('job').set({ run_at: 0 }).where('kind', '=', kind).execute()
      await store.notify(trx, 'jobs', kind)
    })
    await until(async () => (await of()).length === 2)
    assert.ok((await of()).every((at) => at > now - 3 * dayMs))
  })

  test('what a job that was given up has left is taken up, be it to be made or to be sent', async () => {
    const { hooks } = await makeHooked(ann, 'ann', ['left'])
    const { store } = server.services
    const id: number = hooks[0].id
    const source = JSON.stringify({ actorId: 1, subjectId: 1, data: {}, at: Date.now() })
    const left = { ...doneDelivery(id), created_at: Date.now(), delivered_at: null, source, size: source.length }
    await store.write(async (trx) => {
      const values = { ...left, payload: null, turn_id: 7 }
      await trx
        .insertInto('webhook_delivery')
        .values({ ...values, state: 'waiting' })
        .execute()
      await trx
        .insertInto('webhook_delivery')
        .values({ ...left, payload: '{}', state: 'ready' })
        .execute()
      const kind = 'forge.webhook-pruning'
      await trx.updateTable('job').set({ run_at: 0 }).where('kind', '=', kind).execute()
      await store.notify(trx, 'jobs', kind)
    })
    await until(() => came('left') === 3)
  })

  test('a hook that was not told of all says so for a day, though what it is told of is taken', async () => {
    const { repo, hooks } = await makeHooked(ann, 'ann', ['full'])
    const place = `${repo}/hooks/${hooks[0].id}`
    const { store } = server.services
    const pauseUntil = (at: number) =>
      store.write((trx) => trx.updateTable('webhook').set({ paused_until: at }).where('id', '=', hooks[0].id).execute())
    await pauseUntil(Date.now() + 3_600_000)
    for (let i = 0; i < 14; i++) await ann.post(`${repo}/issues`, { title: `Issue ${i}` })
    await untilTold()
    await until(async () => (await queued(hooks[0].id)).every(({ state }) => state === 'ready'))
    await ann.patch(place, { active: true })
    await until(async () => came('full') === 11 && (await queued(hooks[0].id)).length === 0)
    const lastResponse = async () => (await ann.get(place)).body.last_response
    await until(async () => (await lastResponse()).code === 204)
    const { status, message } = await lastResponse()
    assert.deepEqual(
      [status, message],
      ['queue_full', 'OK. 4 events were not sent recently: too many deliveries were waiting.'],
    )
    const dayAgo = Date.now() - 24 * 3_600_000
    await store.write((trx) =>
      trx.updateTable('webhook').set({ dropped_at: dayAgo }).where('id', '=', hooks[0].id).execute(),
    )
    await ann.post(`${repo}/issues`, { title: 'The next day' })
    await until(async () => (await lastResponse()).status === 'active')
    assert.equal((await ann.delete(repo)).status, 204)
  })

  test('a redelivery finds no room where the queue has none, and does not end the pause of a hook', async () => {
    const { repo, hooks } = await makeHooked(ann, 'ann', ['dead'])
    const place = `${repo}/hooks/${hooks[0].id}`
    const [ping] = (await ann.get(`${place}/deliveries`)).body
    const { store } = server.services
    const pause = Date.now() + 3_600_000
    // Nothing is sent meanwhile: each that is makes room.
    await store.write((trx) =>
      trx.updateTable('webhook').set({ paused_until: pause }).where('id', '=', hooks[0].id).execute(),
    )
    for (let i = 0; i < 14; i++) await ann.post(`${repo}/issues`, { title: `Issue ${i}` })
    await untilTold()
    await until(async () => (await queued(hooks[0].id)).every(({ state }) => state === 'ready'))
    assert.equal((await queued(hooks[0].id)).length, 10)
    const full = await ann.post(`${place}/deliveries/${ping.id}/attempts`)
    assert.deepEqual([full.status, /Too many deliveries are waiting/.test(full.text)], [409, true], full.text)
    const [oldest] = await queued(hooks[0].id)
    await store.write((trx) => trx.deleteFrom('webhook_delivery').where('id', '=', oldest!.id).execute())
    await until(async () => (await queued(hooks[0].id)).length < 10)
    assert.equal((await ann.post(`${place}/deliveries/${ping.id}/attempts`)).status, 202)
    const find = store.db.selectFrom('webhook').select('paused_until').where('id', '=', hooks[0].id)
    assert.equal((await find.executeTakeFirstOrThrow()).paused_until, pause)
    assert.equal((await ann.delete(repo)).status, 204)
  })

  test('hooks of the site count as the site’s own, and who floods them hides nothing of others', async () => {
    const config = { url: `${receiver.url}/site`, content_type: 'json' }
    const { body: site } = await root.post('/admin/hooks', { config, events: ['issues'] })
    await until(() => came('site') === 1)
    await ann.post('/user/repos', { name: 'loud' })
    await bob.post('/user/repos', { name: 'still' })
    receiver.answer = (response) => void response.writeHead(503).end()
    for (let i = 0; i < 16; i++) await ann.post('/repos/ann/loud/issues', { title: `Loud ${i}` })
    await until(async () => (await queued(site.id)).length >= 10)
    await bob.post('/repos/bob/still/issues', { title: 'Still' })
    const { db } = server.services.store
    const ofBob = async () => {
      const { id } = await db.selectFrom('account').select('id').where('name', '=', 'bob').executeTakeFirstOrThrow()
      const rows = await db
        .selectFrom('webhook_delivery')
        .select('account_id')
        .where('webhook_id', '=', site.id)
        .where('turn_id', '=', id)
        .execute()
      return rows.map(({ account_id }) => account_id)
    }
    await until(async () => (await ofBob()).length === 1)
    assert.deepEqual(await ofBob(), [0])
    assert.equal((await root.delete(`/admin/hooks/${site.id}`)).status, 204)
  })

  test('a hook that an admin of the site changes tells what its repository’s owner may see, and no more', async () => {
    const { repo, hooks } = await makeHooked(ann, 'ann', ['seen'])
    const seen: unknown[] = []
    making.seen = async (viewer) => {
      seen.push([viewer.account.name, viewer.account.role])
      return {}
    }
    assert.equal((await root.patch(`${repo}/hooks/${hooks[0].id}`, { active: true })).status, 200)
    await ann.post(`${repo}/issues`, { title: 'Whose eyes?' })
    await until(() => seen.length === 1)
    assert.deepEqual(seen, [['ann', 'contestant']])
  })
})

test('hooks that found no slot have the next that is left', async () => {
  const receiver = await startReceiver()
  const held: (() => void)[] = []
  let stoppedAt: number | undefined
  const server = await startServer('sqlite', {
    clock: { now: () => stoppedAt ?? Date.now() },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
  })
  const ann = await makeUser(server, 'ann', usualScopes)
  await ann.post('/user/repos', { name: 'crowd' })
  const words = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const word of words) {
    const config = { url: `${receiver.url}/${word}`, content_type: 'json' }
    assert.equal((await ann.post('/repos/ann/crowd/hooks', { config, events: ['issues'] })).status, 201)
  }
  await until(() => receiver.received.length === words.length)
  receiver.answer = (response) => void held.push(() => response.writeHead(204).end())
  await ann.post('/repos/ann/crowd/issues', { title: 'One' })
  const begun = server.services.store.db
    .selectFrom('job')
    .select('id')
    .where('kind', '=', 'forge.webhook-sending')
    .where('state', '=', 'running')
  await until(async () => held.length === 2 && (await begun.execute()).length === words.length)
  // From here on no pause ends by itself.
  stoppedAt = Date.now()
  receiver.answer = (response) => void response.writeHead(204).end()
  for (const answer of held) answer()
  await until(() => receiver.received.length === 2 * words.length)
  assert.deepEqual(
    receiver.received
      .slice(words.length)
      .map(({ path }) => path.at(-1))
      .sort(),
    words,
  )
  await server.stop()
  await receiver.close()
})

test('hooks beyond those that may wait for a slot come back later, and all are called in the end', async () => {
  const receiver = await startReceiver()
  const held: (() => void)[] = []
  const server = await startServer('sqlite', {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    environment: { GUILDHALL_LIMITS: 'off', GUILDHALL_WEBHOOK_NETWORKS: '127.0.0.0/8' },
  })
  const ann = await makeUser(server, 'ann', usualScopes)
  await ann.post('/user/repos', { name: 'crowd' })
  const words = Array.from({ length: 12 }, (_, i) => `hook-${i}`)
  for (const word of words) {
    const config = { url: `${receiver.url}/${word}`, content_type: 'json' }
    assert.equal((await ann.post('/repos/ann/crowd/hooks', { config, events: ['issues'] })).status, 201)
  }
  await until(() => receiver.received.length === words.length)
  receiver.answer = (response) => void held.push(() => response.writeHead(204).end())
  await ann.post('/repos/ann/crowd/issues', { title: 'One' })
  const pausing = server.services.store.db
    .selectFrom('job')
    .select('id')
    .where('kind', '=', 'forge.webhook-sending')
    .where('state', '=', 'queued')
    .where('run_at', '>', Date.now())
  await until(async () => held.length === 2 && (await pausing.execute()).length > 0)
  receiver.answer = (response) => void response.writeHead(204).end()
  for (const answer of held) answer()
  await until(() => receiver.received.length === 2 * words.length)
  await server.stop()
  await receiver.close()
})

describe('slots for requests', () => {
  const bounds = { sentAtOnce: 8, sentAtOncePerHost: 8, sentAtOncePerOwner: 4 }
  type Slots = ReturnType<typeof makeSendingSlots>
  const settled = () => new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)))

  /** Undefined where there is no room now; then it does not wait. */
  async function enter(slots: Slots, host: string, owner: number, hook = owner) {
    const leaving = new AbortController()
    const asked = slots.enter(host, owner, hook, leaving.signal).catch(() => undefined)
    const slot = await Promise.race([asked, settled()])
    leaving.abort()
    return slot
  }

  async function enterAll(slots: Slots, owners: readonly number[]): Promise<number[]> {
    const entered: number[] = []
    for (const owner of owners) if (await enter(slots, `host-${owner}`, owner)) entered.push(owner)
    return entered
  }

  test('two owners never hold them all, and one who has none finds one', async () => {
    const slots = makeSendingSlots(bounds)
    assert.deepEqual(await enterAll(slots, [1, 1, 1, 1, 1, 2, 2, 2, 2]), [1, 1, 1, 1, 2])
    assert.ok(await enter(slots, 'host-3', 3))
  })

  test('those whose receivers were slow have one each and half of all together', async () => {
    const slots = makeSendingSlots(bounds)
    const owners = [1, 2, 3, 4, 5, 6]
    for (const owner of owners) (await enter(slots, `host-${owner}`, owner))!.leave(10_000)
    assert.deepEqual(await enterAll(slots, [...owners, ...owners]), [1, 2, 3, 4])
    assert.ok(await enter(slots, 'host-9', 9))
  })

  test('however often a quick receiver is called, its owner is no slow one', async () => {
    const slots = makeSendingSlots(bounds)
    for (let i = 0; i < 100; i++) (await enter(slots, 'host', 1))!.leave(900)
    assert.deepEqual(await enterAll(slots, [1, 1]), [1, 1])
  })

  test('of an owner’s hooks that wait for one, those of slow receivers come after the others', async () => {
    const slots = makeSendingSlots(bounds)
    const order: number[] = []
    const call = async (hook: number, tookMs: number) => {
      const { leave } = await slots.enter(`host-${hook}`, 1, hook)
      await settled()
      order.push(hook)
      leave(tookMs)
    }
    await call(1, 8_000)
    await Promise.all([call(3, 0), call(1, 8_000), call(2, 10), call(2, 10)])
    assert.deepEqual(order, [1, 3, 2, 2, 1])
  })

  test('a host has so many at a time, whoever calls it, and who has none there is next', async () => {
    const slots = makeSendingSlots({ ...bounds, sentAtOncePerHost: 2 })
    const first = [await enter(slots, 'host', 1), await enter(slots, 'host', 1)]
    assert.equal(await enter(slots, 'host', 2), undefined)
    assert.ok(await enter(slots, 'elsewhere', 1))
    const order: number[] = []
    const waiting = [1, 2].map((owner) => slots.enter('host', owner, owner).then(() => order.push(owner)))
    first[0]!.leave(10)
    await waiting[1]
    assert.deepEqual(order, [2])
    first[1]!.leave(10)
    await waiting[0]
  })
})
