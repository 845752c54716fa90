/** Quotas: what one account or address may have, at the edge and one beyond it, in the words of each interface. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { makeCallRate } from '../../src/api/judge-rpc/call-rate.ts'
import type { Db } from '../../src/store/schema/schema.ts'
import { makeApi } from '../datasets/api.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { claimMethod, type JudgeStage, makeProblem, makeTest, startJudge, submit } from '../support/judge.ts'
import { asAdmin, makeUser } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { admin, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describe('a quota', () => {
  let server: JudgeStage
  let shiftMs = 0
  before(async () => {
    server = await startJudge('sqlite', {
      clock: { now: () => Date.now() + shiftMs },
      environment: {
        GUILDHALL_QUOTAS: 'repositories=2,repositoryMib=0,datasets=2,datasetMib=1,sessions=3,tokens=4',
        GUILDHALL_JUDGE_LIMITS: 'tests=2,testDataBytes=100,waitingCalls=1',
      },
    })
  })
  after(() => server.stop())

  test('of repositories is told as 403, and deleting one makes room', async () => {
    const ann = await makeUser(server, 'ann')
    const made = async (name: string) => ann.post('/user/repos', { name })
    assert.deepEqual([(await made('a')).status, (await made('b')).status], [201, 201])
    const { status, body } = await made('c')
    assert.deepEqual([status, /2 repositories/.test(body.message)], [403, true], JSON.stringify(body))
    assert.equal((await ann.delete('/repos/ann/a')).status, 204)
    assert.equal((await made('c')).status, 201)
  })

  test('of what repositories take is told in git’s report', async () => {
    const root = asAdmin(server)
    await root.post('/user/repos', { name: 'full' })
    const folder = await makeWorkingFolder()
    await folder.must('commit', '--quiet', '--allow-empty', '-m', 'one')
    const pushed = await folder.git(
      'push',
      remoteUrl(server.url, 'admin/full', admin.name, admin.token),
      'HEAD:refs/heads/x',
    )
    await folder.drop()
    assert.notEqual(pushed.code, 0)
    assert.match(pushed.output, /reached the limit for one account: 0 MiB of repositories/)
  })

  test('of data sets and their items is 429', async () => {
    const api = makeApi(server)
    const ids = [await api.make('one'), await api.make('two')]
    const more = await api.ask('POST', '/datasets?name=three')
    assert.deepEqual([more.status, more.body.error.type], [429, 'quota'])
    assert.equal((await api.ask('POST', '/datasets?name=two')).status, 200, 'what is there is found')
    const items = Array.from({ length: 2_500 }, (_, i) => ({ i, text: 'x'.repeat(200) }))
    await api.push(ids[0]!, items)
    shiftMs = 11_000
    // Its items take half of it, and so many indexes more than the rest.
    assert.equal((await api.ask('PUT', `/datasets/${ids[0]}`, { indexes: [...'abcdefg', 'text'] })).status, 200)
    const measureIndexes = async () =>
      (await api.ask('GET', `/datasets/${ids[0]}`)).body.data.indexes.reduce(
        (sum: number, { storageBytes }: { storageBytes: number }) => sum + storageBytes,
        0,
      )
    await until(async () => (await measureIndexes()) > 500_000)
    shiftMs = 22_000
    const full = await api.ask('POST', `/datasets/${ids[1]}/items`, { a: 1 })
    assert.deepEqual([full.status, /1 MiB of items/.test(full.body.error.message)], [429, true])
  })

  test('of data sets’ items is full at its size, to the byte', async () => {
    const api = makeApi(server, (await makeUser(server, 'dan', ['dataset'])).token)
    const id = await api.make('full')
    const pushAt = async (byte_count: number) => {
      // Sums are kept for ten seconds.
      shiftMs += 11_000
      const set = (trx: Db) => trx.updateTable('dataset').set({ byte_count }).where('public_id', '=', id).execute()
      await server.services.store.write(set)
      return (await api.ask('POST', `/datasets/${id}/items`, { a: 1 })).status
    }
    assert.deepEqual([await pushAt(1024 * 1024 - 1), await pushAt(1024 * 1024)], [201, 429])
  })

  test('of sessions ends the oldest, one of tokens refuses the next', async () => {
    const judge = makeRpcClient(server.url)
    const signIn = async () => judge.signIn(admin.name, admin.password)
    const clients = []
    for (let i = 0; i < 4; i++) clients.push(await signIn())
    const alive = await Promise.all(clients.map((client) => client.code('get_account', { ID: 1 })))
    assert.deepEqual(alive, [17, 0, 0, 0])
    const root = asAdmin(server)
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await root.post('/admin/users/ann/tokens', { kind: 'classic' })).status)
    assert.deepEqual(statuses, [201, 201, 201, 403, 403])
  })

  test('of a problem’s tests, in number and in bytes, and of calls that wait is 9', async () => {
    const { cast, services } = server
    const { UUID } = await makeProblem(cast.setter)
    await makeTest(cast.setter, UUID, { Input: 'x'.repeat(40), Output: '' })
    const draft = { ProblemUUID: UUID, Input: '', Output: 'y'.repeat(61), IsHidden: true }
    const full = await cast.setter.ask('create_test_case', draft)
    assert.deepEqual(
      [full.error.code, full.error.message],
      [9, 'A problem may have 100 bytes of tests: delete some first.'],
    )
    const { UUID: test } = await makeTest(cast.setter, UUID, { Input: 'x', Output: '' })
    assert.equal(await cast.setter.code('update_test_case', { UUID: test, Input: 'x'.repeat(61) }), 9)
    assert.equal(await cast.setter.code('update_test_case', { UUID: test, Input: 'x'.repeat(60) }), 0)
    const more = await cast.setter.ask('create_test_case', { ...draft, Output: '' })
    assert.equal(more.error.message, 'A problem may have 2 test cases: delete some first.')
    const waiting = cast.worker.code(claimMethod, { WaitMillisecond: 30_000 })
    await until(() => services.judge.longPolls.countWaiting() === 1)
    assert.equal(await cast.worker.code(claimMethod, { WaitMillisecond: 30_000 }), 9)
    const another = cast.helper.code(claimMethod, { WaitMillisecond: 30_000 })
    await until(() => services.judge.longPolls.countWaiting() === 2)
    await submit(cast.contestant, UUID)
    await submit(cast.contestant, UUID)
    assert.deepEqual(await Promise.all([waiting, another]), [0, 0])
  })

  test('of calls a minute is 9, by account and by network', () => {
    let time = 0
    const demandRate = makeCallRate(2, () => time)
    const ann = { account: { id: 7 } } as never
    const nobody = (address: string) => ({ account: undefined, address }) as never
    for (let i = 0; i < 2; i++) {
      demandRate(ann)
      demandRate(nobody(`2001:db8::${i}`))
    }
    assert.throws(() => demandRate(ann), { kind: 'limited', detail: { retryAfterSeconds: 60 } })
    assert.throws(() => demandRate(nobody('2001:db8::9')), { kind: 'limited' })
    demandRate(nobody('2001:db8:1::9'))
    time = 60_000
    demandRate(ann)
  })
})

describe('open connections', () => {
  for (const [name, trust] of [
    ['connections', 'off'],
    ['connectionsPerAddress', 'off'],
    ['connections', 'on'],
  ] as const) {
    test(`are bounded by ${name}, a proxy ${trust === 'on' ? 'believed' : 'not believed'}`, async (t) => {
      const environment = { GUILDHALL_QUOTAS: `${name}=3`, GUILDHALL_TRUST_PROXY: trust }
      const server = await startServer('sqlite', { environment })
      t.after(() => server.stop())
      const open: Socket[] = []
      const ask = () => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
        open.push(socket)
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
        return socket
      }
      for (let i = 0; i < 3; i++) assert.match(String((await once(ask(), 'data'))[0]), /^HTTP\/1\.1 200 /)
      const refused = await text(ask())
      assert.match(refused, /^HTTP\/1\.1 503 .*connection: close.*Too many connections are open/is)
      open[0]!.destroy()
      await until(async () => String((await once(ask(), 'data'))[0]).startsWith('HTTP/1.1 200 '))
      for (const socket of open) socket.destroy()
    })
  }
})
