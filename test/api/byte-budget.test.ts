/** The budget of bytes: what is half sent or unread costs a bounded sum, and others are served meanwhile. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeByteBudget } from '../../src/http/byte-budget.ts'
import { makeApi } from '../datasets/api.ts'
import { type JudgeStage, makeProblem, makeTest, startJudge } from '../support/judge.ts'
import { asAdmin } from '../support/rest.ts'
import { admin } from '../support/server.ts'
import { until } from '../support/until.ts'

const mebibyte = 1024 * 1024

describe('a budget of bytes', () => {
  const rules = { inAll: 100, perCaller: 60, patienceMs: 40, silentMs: 20 }

  test('has room by caller and in all, and what is released is free', async () => {
    const budget = makeByteBudget({ ...rules, patienceMs: 1 })
    const [one, other] = [budget.hold('a'), budget.hold('b')]
    assert.equal(one.take(60), undefined)
    await assert.rejects(one.take(1)!, { kind: 'limited', code: 'bytes-held', detail: { retryAfterSeconds: 5 } })
    assert.equal(other.take(40), undefined)
    await assert.rejects(budget.hold('c').take(1)!, { kind: 'unavailable', code: 'bytes-held' })
    await assert.rejects(budget.hold('c').take(101)!, { kind: 'limited' }, 'more than anybody may have')
    one.release()
    one.release()
    assert.equal(budget.held, 40)
    assert.equal(budget.hold('c').take(60), undefined)
    other.give(30)
    assert.equal(budget.held, 70)
  })

  test('lets who holds least in first, and turns away who has left', async () => {
    const budget = makeByteBudget({ ...rules, patienceMs: 60_000, silentMs: 60_000 })
    const [full, large, small, gone] = [budget.hold('a'), budget.hold('b'), budget.hold('c'), budget.hold('d')]
    void full.take(60)
    void large.take(40)
    const order: string[] = []
    const waiting = [
      large.take(10)!.then(() => order.push('large')),
      small.take(10)!.then(() => order.push('small')),
      gone.take(10)!.catch(() => order.push('gone')),
    ]
    gone.release()
    full.give(20)
    await Promise.all(waiting)
    assert.deepEqual(order.toSorted(), ['gone', 'large', 'small'])
    assert.ok(order.indexOf('small') < order.indexOf('large'))
    for (const hold of [full, large, small]) hold.release()
    assert.equal(budget.held, 0)
  })

  test('lets the longest silent go where others wait, and nobody who moves', async () => {
    let time = 0
    const budget = makeByteBudget({ ...rules, patienceMs: 1_000_000, now: () => time })
    const cut: string[] = []
    const hold = (name: string, bytes: number) => {
      const one = budget.hold(name, () => cut.push(name))
      void one.take(bytes)
      return one
    }
    hold('silent', 50)
    time = 15
    const moving = hold('moving', 50)
    time = 30
    await budget.hold('late').take(50)
    assert.deepEqual(cut, ['silent'])
    moving.move()
    time = 49
    const more = budget.hold('more')
    const waiting = more.take(10)!
    time = 51
    await waiting
    assert.deepEqual(cut, ['silent', 'moving'])
  })
})

describe('bodies and answers', () => {
  let stage: JudgeStage
  let open: Socket[] = []
  before(async () => {
    stage = await startJudge('sqlite', { environment: { GUILDHALL_QUOTAS: 'heldMib=24,heldMibPerCaller=8' } })
  })
  after(() => stage.stop())

  const send = (text: string) => {
    const socket = connect(Number(new URL(stage.url).port), '127.0.0.1').on('error', () => {})
    socket.pause()
    open.push(socket)
    socket.write(text)
    return socket
  }
  const head = (path: string, length: number | string, token = '') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\n${token && `Authorization: Bearer ${token}\r\n`}Content-Length: ${length}\r\n\r\n`
  const held = async () => {
    const metrics = await (await fetch(`${stage.url}/metrics`)).text()
    return Number(/^guildhall_held_bytes (\d+)$/m.exec(metrics)![1])
  }
  const closeAll = async () => {
    for (const socket of open) socket.destroy()
    open = []
    await until(async () => (await held()) === 0)
  }

  test('a long test that many ask for and nobody reads is held for some of them alone, and read whole by others', async () => {
    const { setter, contestant, rival } = stage.cast
    const { UUID: problem } = await makeProblem(setter)
    const Input = '\0é"'.repeat(mebibyte / 2)
    const { UUID } = await makeTest(setter, problem, { Input, IsHidden: false })
    const ask = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'get_test_case', params: { UUID } })
    for (let i = 0; i < 20; i++) send(head('/', ask.length, contestant.token) + ask)
    await until(async () => (await held()) > 6 * mebibyte)
    assert.ok((await held()) <= 8 * mebibyte)
    assert.equal((await rival.call('get_test_case', { UUID })).TestCase.Input, Input)
    await closeAll()
  })

  test('what is long about a data set is held for some of those who do not read it, and what who left was sent is free', async () => {
    const api = makeApi(stage)
    const id = await api.make('many-fields')
    await api.push(id, [Object.fromEntries(Array.from({ length: 5_500 }, (_, i) => [`${i}-${'x'.repeat(900)}`, i]))])
    const get = (path: string) =>
      `GET /v2/datasets/${id}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.token}\r\n\r\n`
    for (const path of ['', '/statistics']) {
      for (let i = 0; i < 10; i++) send(get(path))
      await until(async () => (await held()) > 4 * mebibyte)
      assert.ok((await held()) <= 8 * mebibyte)
      await closeAll()
    }
    const items = Array.from({ length: 2_000 }, (_, i) => ({ i, text: 'x'.repeat(1_000) }))
    await api.push(id, items)
    for (let i = 0; i < 20; i++) {
      const socket = send(get('/items?format=jsonl&desc=1'))
      await once(socket, 'connect')
      await sleep(i)
      socket.resetAndDestroy()
    }
    await closeAll()
  })

  test('a long page of issues is held for some of those who do not read it, and for nobody once they left', async () => {
    const rest = asAdmin(stage)
    await rest.post('/user/repos', { name: 'long' })
    const [path, body] = ['/repos/admin/long/issues', 'x'.repeat(65_000)]
    for (let i = 0; i < 14; i++) assert.equal((await rest.post(path, { title: 'Long', body })).status, 201)
    const get = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n\r\n`
    for (let i = 0; i < 16; i++) send(get.repeat(10))
    await until(async () => (await held()) > 7 * mebibyte)
    assert.ok((await held()) <= 8 * mebibyte)
    await closeAll()
    const page = await rest.get(`${path}?per_page=4`)
    assert.deepEqual(
      page.body.map((issue: { body: string }) => issue.body),
      Array(4).fill(body),
    )
    await until(async () => (await held()) === 0)
  })

  test('a long file is held for nobody who left while it was read', async () => {
    const rest = asAdmin(stage)
    await rest.post('/user/repos', { name: 'files' })
    const content = Buffer.alloc(200_000, 'x').toString('base64')
    const path = '/repos/admin/files/contents/long.txt'
    assert.equal((await rest.put(path, { message: 'Long', content })).status, 201)
    for (let i = 0; i < 12; i++) {
      const socket = send(`GET ${path}?other=${i} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n\r\n`)
      await once(socket, 'connect')
      await sleep(i % 4)
      socket.resetAndDestroy()
    }
    assert.equal((await rest.get(path)).body.content.replaceAll('\n', ''), content)
    await closeAll()
  })

  test('bodies that are half sent are counted on every interface, and are free once their clients leave', async () => {
    const { token } = stage.cast.setter
    const half = 'x'.repeat(mebibyte / 2)
    const before = await held()
    for (const [path, who] of [
      ['/', ''],
      ['/', token],
      ['/admin/users/nobody/tokens', admin.token],
      ['/v2/datasets', admin.token],
    ] as const) {
      const at = await held()
      send(head(path, mebibyte, who) + half)
      await until(async () => (await held()) >= at + mebibyte / 4)
    }
    assert.ok((await held()) - before <= 4 * mebibyte)
    assert.equal((await asAdmin(stage).get('/user')).status, 200)
    await makeApi(stage).make('while-others-hold')
    await closeAll()
  })

  test('of callers who have not signed in a mebibyte is taken, and what they upload for nothing is not kept', async () => {
    const call = (params: object) =>
      JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'create_test_case', params })
    const long = call({ Input: 'x'.repeat(2 * mebibyte) })
    const refused = await fetch(stage.url, { method: 'POST', body: long })
    assert.equal(refused.status, 413)
    assert.match(((await refused.json()) as { error: { data: { Reason: string } } }).error.data.Reason, /sign in first/)
    assert.equal(await held(), 0)
    const upload = await fetch(stage.url, { method: 'POST', body: call({ ZippedTestData: 'A'.repeat(4 * mebibyte) }) })
    assert.equal(((await upload.json()) as { error: { code: number } }).error.code, 17)
  })
})
