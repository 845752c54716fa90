/** Heads of requests and responses: how they arrive, and what may not get into them. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setImmediate as turnLoop } from 'node:timers/promises'
import { parseAnswers } from '../fuzz/answers.ts'
import { type RequestParts, writeRequest } from '../fuzz/shot.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const call = (method: string) => JSON.stringify({ jsonrpc: '2.0', id, method, params: {} })
const authorization = ['Authorization', `Bearer ${admin.token}`] as const

const user: RequestParts = { method: 'GET', path: '/user', headers: [authorization] }
const session: RequestParts = { method: 'POST', path: '/', headers: [authorization], body: call('get_session') }

describe('a connection', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())

  /** All but the last keep the connection; what comes back until the server closes it. */
  async function exchange(requests: readonly RequestParts[], pieceBytes = Number.POSITIVE_INFINITY) {
    const last = requests.length - 1
    const bytes = Buffer.concat(requests.map((one, place) => writeRequest({ ...one, isKept: place < last })))
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', noDelay: true })
    const answer = buffer(socket)
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      await new Promise((resolve) => socket.write(bytes.subarray(at, at + pieceBytes), resolve))
      await turnLoop()
    }
    return parseAnswers(
      await answer,
      requests.map(({ method }) => method),
    )
  }

  test('takes heads and bodies in pieces of any size', async () => {
    for (const size of [1, 7, 100]) {
      const answers = await exchange([session, user], size)
      assert.deepEqual(
        answers.map(({ status, body }) => [status, Object.keys(JSON.parse(body.toString())).includes('login')]),
        [
          [200, false],
          [200, true],
        ],
      )
    }
  })

  test('answers what is sent ahead in its order, with a name for each', async () => {
    const empty = { ...session, body: '' }
    const silent = { ...session, body: JSON.stringify({ jsonrpc: '2.0', method: 'get_session' }) }
    const chunked = { ...session, isChunked: true }
    const answers = await exchange([session, user, silent, { ...user, path: '/nowhere' }, empty, chunked, user])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 204, 404, 200, 200, 200],
    )
    const names = answers.map(({ headers }) => headers.get('x-request-id') ?? headers.get('x-github-request-id'))
    assert.equal(new Set(names).size, answers.length)
    assert.equal(JSON.parse(answers[5]!.body.toString()).id, id)
  })

  test('tells HEAD what GET would send, and sends nothing of it', async () => {
    const [whole, headed, next] = await exchange([user, { ...user, method: 'HEAD' }, user])
    for (const name of ['content-length', 'content-type', 'etag'])
      assert.equal(headed!.headers.get(name), whole!.headers.get(name), name)
    assert.equal(headed!.headers.get('content-length'), String(whole!.body.length))
    assert.deepEqual(next!.body, whole!.body)
  })

  test('has neither body nor length in a 304, and goes on after it', async () => {
    const [{ headers, body } = assert.fail()] = await exchange([user])
    const known = { ...user, headers: [authorization, ['If-None-Match', headers.get('etag')!]] } as const
    const [unchanged, next] = await exchange([known, user])
    assert.deepEqual([unchanged!.status, unchanged!.headers.has('content-length')], [304, false])
    assert.equal(unchanged!.headers.get('etag'), headers.get('etag'))
    assert.deepEqual(next!.body, body)
  })

  test('is kept unless one side says otherwise', async () => {
    for (const one of [session, user]) {
      const answers = await exchange([one, one])
      assert.deepEqual(
        answers.map(({ headers }) => headers.get('connection')),
        ['keep-alive', 'close'],
      )
      const [old] = await exchange([{ ...one, version: '1.0' }])
      assert.equal(old!.headers.get('connection'), 'close')
    }
  })

  test('lets nothing of an address or a header into the head of the answer', async () => {
    const planted = '%0d%0ax-planted:%201%0d%0a%0d%0a'
    const paths = [
      `/users/${planted}`,
      `/user/repos?page=1&x=${planted}`,
      `/?x=${planted}`,
      `/repos/${planted}/x/tarball`,
    ]
    const headers = [authorization, ['Accept', 'a\tb'], ['If-None-Match', '"x"'], ['X-Request-Id', 'mine']] as const
    for (const path of paths) {
      const [answer] = await exchange([{ method: 'GET', path, headers }])
      assert.ok(answer!.status < 500, path)
      assert.equal(answer!.headers.has('x-planted'), false, path)
      assert.notEqual(answer!.headers.get('x-request-id'), 'mine')
    }
    const [called] = await exchange([{ ...session, path: `/?${planted}`, headers }])
    assert.deepEqual([called!.status, called!.headers.has('x-planted')], [200, false])
  })
})
