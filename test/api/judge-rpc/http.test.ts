/** The judge's wire as HTTP: statuses, cookies, origins, bodies, and what never reaches the log. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { makeLog } from '../../../src/lib/log.ts'
import { type ExecutorState, notStarted } from '../../../src/readiness.ts'
import { makeRpcClient, readJson } from '../../support/rpc.ts'
import { admin, startServer, type TestServer } from '../../support/server.ts'

const uuid = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: uuid, method, params })
const signIn = request('create_session', { AccountName: admin.name, Password: admin.password })

describe('the judge over HTTP', () => {
  let logged = ''
  let server: TestServer
  before(async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += chunk
        done()
      },
    })
    server = await startServer('sqlite', { log: makeLog('trace', sink) })
  })
  after(() => server.stop())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const cookieOf = (response: Response) => response.headers.getSetCookie()[0]!

  test('every answer is a 200 of application/json, errors too', async () => {
    for (const body of [request('get_server_info'), request('nope'), '{', '[]', []]) {
      const response = await post(body)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'application/json')
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    }
  })

  test('what is wrong with a message is said in the words that JSON-RPC prints', async () => {
    const words = async (body: unknown) => (await readJson(await post(body))).error
    assert.deepEqual(await words('{'), {
      code: -32700,
      message: 'Parse error',
      data: { Reason: 'The body is not JSON.' },
    })
    assert.equal((await words('[]')).message, 'Invalid Request')
    assert.equal((await words({ ...request('get_server_info'), id: 1 })).message, 'Invalid Request')
    assert.deepEqual(await words(request('nope')), {
      code: -32601,
      message: 'Method not found',
      data: { Reason: 'There is no method "nope".' },
    })
  })

  test('the body counts, whatever its content type says', async () => {
    for (const type of [
      'text/plain',
      'application/json; charset=utf-8',
      'nonsense',
      'application/x-www-form-urlencoded',
    ]) {
      const response = await post(request('get_server_info'), { 'content-type': type })
      assert.equal(response.status, 200, type)
      const answer = await readJson(response)
      assert.ok(answer.result, `${type}: ${JSON.stringify(answer)}`)
    }
    const bare = await fetch(`${server.url}/`, {
      method: 'POST',
      body: new Uint8Array(Buffer.from(JSON.stringify(request('get_server_info')))),
    })
    assert.ok((await readJson(bare)).result)
    const empty = await fetch(`${server.url}/`, { method: 'POST' })
    assert.deepEqual([empty.status, (await readJson(empty)).error.code], [200, -32700])
  })

  test('notifications alone get a 204 with no body', async () => {
    const { id: _, ...notification } = request('get_server_info')
    for (const body of [notification, [notification, notification], { jsonrpc: '2.0', method: 'no_such' }]) {
      const response = await post(body)
      assert.deepEqual([response.status, await response.text()], [204, ''])
    }
  })

  test('a body over 96 MiB is a 413 before it is read to the end', async () => {
    let sent = 0
    const chunk = new Uint8Array(1024 * 1024).fill(0x20)
    const body = new ReadableStream({
      pull(controller) {
        if (sent++ > 400) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const response = await fetch(`${server.url}/`, { method: 'POST', body, duplex: 'half' } as RequestInit).catch(
      (error) => error,
    )
    // The connection may be cut while we still send; a server that read on would have taken all 400.
    if (response instanceof Response) {
      assert.equal(response.status, 413)
      assert.equal((await readJson(response)).error.code, -32600)
    }
    assert.ok(sent < 400, `${sent} MiB were taken`)
    const declared = await fetch(`${server.url}/`, { method: 'POST', body: new Uint8Array(97 * 1024 * 1024) }).catch(
      (error) => error,
    )
    if (declared instanceof Response) assert.equal(declared.status, 413)
  })

  test('a body that says that it is too long is refused in the usual shape before it comes', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${96 * 1024 * 1024 + 1}\r\n\r\n{`)
    const answer = await readText(socket)
    assert.match(answer, /^HTTP\/1\.1 413 /)
    assert.match(answer, /^content-type: application\/json\r$/m)
    assert.match(answer, /^x-request-id: /m)
    const { id, error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
    assert.deepEqual([id, error.code, error.data], [null, -32600, { Reason: 'The body is over 100663296 bytes.' }])
  })

  test('a session in a batch signs in the entries after it, and one ended signs them out', async () => {
    const answers = await readJson(
      await post([
        request('get_session'),
        signIn,
        request('get_session'),
        request('delete_session'),
        request('get_session'),
      ]),
    )
    assert.deepEqual(
      answers.map((one: { error?: { code: number } }) => one.error?.code ?? 0),
      [17, 0, 0, 0, 17],
    )
  })

  test('the cookie is HttpOnly and SameSite=Strict, signs in, and is cleared', async () => {
    const cookie = cookieOf(await post(signIn))
    assert.match(cookie, /^guildhall_session=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Strict$/)
    const sent = { cookie: `other=1; ${cookie.split(';')[0]}` }
    assert.ok((await readJson(await post(request('get_session'), sent))).result)
    const ended = await post(request('delete_session'), sent)
    assert.match(cookieOf(ended), /^guildhall_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/)
    assert.equal((await readJson(await post(request('get_session'), sent))).error.code, 17)
  })

  test('a page of another site signs nobody in here', async () => {
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const response = await post(signIn, headers)
      assert.deepEqual(response.headers.getSetCookie(), [])
      assert.match((await readJson(response)).result.Token, /^[\w-]{43}$/)
    }
    assert.equal((await post(signIn, { origin: server.url })).headers.getSetCookie().length, 1)
  })

  test('a cookie counts only from this server’s own origin', async () => {
    const sent = { cookie: cookieOf(await post(signIn)).split(';')[0]! }
    const { host } = new URL(server.url)
    const origins: [Record<string, string>, number][] = [
      [{}, 0],
      [{ origin: server.url }, 0],
      [{ origin: 'http://evil.example' }, 8],
      [{ origin: `https://${host}` }, 8],
      [{ origin: 'http://127.0.0.1:1' }, 8],
      [{ origin: 'null' }, 8],
      [{ origin: server.url, 'sec-fetch-site': 'cross-site' }, 8],
      [{ origin: server.url, 'sec-fetch-site': 'same-origin' }, 0],
    ]
    for (const [headers, code] of origins) {
      const answer = await readJson(await post(request('get_session'), { ...sent, ...headers }))
      assert.equal(answer.error?.code ?? 0, code, JSON.stringify(headers))
    }
    const stale = { cookie: 'guildhall_session=long-gone', origin: 'http://evil.example' }
    assert.ok(
      (await readJson(await post(request('get_server_info'), stale))).result,
      'an unknown cookie signs nobody in',
    )
    const byHeader = await post(request('get_session'), {
      authorization: `Bearer ${admin.token}`,
      origin: 'http://evil.example',
    })
    assert.ok((await readJson(byHeader)).result, 'a header is never sent unasked')
  })

  test('the header counts before the cookie', async () => {
    const sent = { cookie: cookieOf(await post(signIn)).split(';')[0]!, authorization: 'Bearer unknown' }
    assert.equal((await readJson(await post(request('get_session'), sent))).error.code, 17)
  })

  test('an unexpected failure tells its RequestID and nothing of itself, and is in the log by that id', async () => {
    const { sessions } = server.services
    const original = sessions.create
    sessions.create = async () => {
      throw new Error('select * from /secret/path with token gdp_abcdefghijklmnop')
    }
    const { error } = await readJson(await post(signIn))
    sessions.create = original
    assert.equal(error.code, -32603)
    assert.deepEqual(Object.keys(error.data), ['RequestID'])
    assert.doesNotMatch(JSON.stringify(error), /secret|select|stack/)
    assert.ok(logged.includes(error.data.RequestID))
    assert.ok(!logged.includes('gdp_abcdefghijklmnop'))
  })

  test('no password, token or cookie is ever in the log, at any level', async () => {
    const client = makeRpcClient(server.url, admin.token)
    await client.call('get_session')
    const cookie = cookieOf(await post(signIn)).split(';')[0]!
    await post(request('get_session'), { cookie })
    await fetch(`${server.url}/v2/datasets?token=${admin.token}`)
    await fetch(`${server.url}/user?access_token=${admin.token}`)
    await fetch(`${server.url}/nowhere?signature=abcdefghijk`, { headers: { authorization: `token ${admin.token}` } })
    await fetch(`${server.url}/healthz`)
    assert.ok(logged.includes('healthz'), 'requests are logged at this level')
    for (const secret of [admin.password, admin.token, cookie.split('=')[1]!, 'abcdefghijk']) {
      assert.ok(!logged.includes(secret), `${secret} is in the log`)
    }
  })
})

describe('the port’s other paths', () => {
  let server: TestServer
  before(async () => {
    server = await startServer('sqlite')
  })
  after(() => server.stop())

  test('/healthz, /readyz and /metrics answer', async () => {
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
    await fetch(`${server.url}/`, { method: 'POST', body: '{}' })
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    assert.match(metrics, /guildhall_request_duration_seconds_count\{route="\/",method="POST",status="200"\} \d/)
    assert.match(metrics, /process_resident_memory_bytes/)
  })

  test('/readyz waits for the executor inside, from the first moment', async () => {
    let executor: ExecutorState = notStarted()
    const environment = { GUILDHALL_EXECUTORS: '1' }
    const waiting = await startServer('sqlite', { environment, executorInside: () => executor })
    try {
      const ready = async () => (await fetch(`${waiting.url}/readyz`)).status
      assert.equal(await ready(), 503, 'before it is started')
      executor = { isReady: () => false }
      assert.equal(await ready(), 503)
      executor = { isReady: () => false, isRefused: () => true }
      assert.equal(await ready(), 200, 'its account is refused, which waiting does not mend')
      executor = { isReady: () => false, hasTried: () => true }
      assert.equal(await ready(), 200, 'it judged before anybody asked')
      // What is handed in waits meanwhile, and everything else is served.
      for (const state of [
        { isReady: () => false },
        { isReady: () => false, hasGivenUp: () => true },
        { isReady: () => true, isShort: () => true },
      ]) {
        executor = state
        const response = await fetch(`${waiting.url}/readyz`)
        assert.deepEqual([response.status, (await readJson(response)).status], [200, 'degraded'])
      }
    } finally {
      await waiting.stop()
    }
  })

  test('an unknown path is a 404 in the shape of the interface that owns it', async () => {
    const forge = await fetch(`${server.url}/no/such/thing`)
    assert.equal(forge.status, 404)
    const body = await readJson(forge)
    assert.deepEqual([body.message, body.status, typeof body.documentation_url], ['Not Found', '404', 'string'])
    const dataset = await fetch(`${server.url}/v2/no-such`)
    assert.equal(dataset.status, 404)
    assert.equal((await readJson(dataset)).error.type, 'record-not-found')
    for (const response of [forge, dataset]) assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  })
})
