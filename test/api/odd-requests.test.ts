/** Requests that are barely HTTP, or larger than they look: each is answered in words, in proportion, and none as a bug. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Writable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readRange } from '../../src/api/forge-rest/git/commit-routes.ts'
import { hasMoreValues } from '../../src/api/json/json-values.ts'
import { makeLog } from '../../src/lib/log.ts'
import { makeApi } from '../datasets/api.ts'
import { parseAnswers } from '../fuzz/answers.ts'
import { writeRequest } from '../fuzz/shot.ts'
import { makeUser, type RestClient } from '../support/rest.ts'
import { makeRpcClient, readJson } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

describe('an odd request', () => {
  let server: TestServer
  let ann: RestClient
  const logged: string[] = []
  before(async () => {
    const lines = new Writable({
      write(chunk, _encoding, done) {
        logged.push(String(chunk))
        done()
      },
    })
    const environment = { GUILDHALL_LIMITS: 'off', GUILDHALL_TRUST_PROXY: 'on' }
    server = await startServer('sqlite', { environment, log: makeLog('error', lines as never) })
    ann = await makeUser(server, 'ann')
    await ann.post('/user/repos', { name: 'open', auto_init: true })
  })
  after(() => server.stop())

  const authorization = ['Authorization', `Bearer ${admin.token}`] as const

  /** Everything that comes back until the server closes the connection. */
  async function exchange(bytes: Buffer | string): Promise<{ status: number; body: string }> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(bytes)
    const answer = await text(socket)
    const [head = '', ...body] = answer.split('\r\n\r\n')
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), body: body.join('\r\n\r\n') }
  }

  test('without a Host is served as HTTP/1.0 and refused in words as HTTP/1.1', async () => {
    const api = makeApi(server)
    const id = await api.make('feed')
    await api.push(id, [{ a: 1 }])
    const get = { method: 'GET', host: null, headers: [authorization] } as const
    for (const path of [`/v2/datasets/${id}/items?format=rss`, `/v2/datasets/${id}`, '/user', '/repos/ann/open']) {
      const old = await exchange(writeRequest({ ...get, path, version: '1.0' }))
      assert.equal(old.status, 200, `${path}: ${old.body}`)
      const refused = await exchange(writeRequest({ ...get, path }))
      assert.equal(refused.status, 400)
      assert.match(JSON.parse(refused.body).message, /Host/)
    }
    const { body } = await exchange(writeRequest({ ...get, path: '/user', version: '1.0' }))
    assert.equal(JSON.parse(body).url, `${server.url}/users/admin`, 'links lead to the address that was called')
  })

  test('in a transfer coding besides chunked is refused in words, on every interface', async () => {
    const body = '0\r\n\r\n'
    for (const coding of ['gzip, chunked', 'chunked, chunked', 'x, Chunked'])
      for (const path of ['/', '/user/repos', '/v2/datasets'] as const) {
        const head = `POST ${path} HTTP/1.1\r\nhost: here\r\nauthorization: ${authorization[1]}`
        const refused = await exchange(`${head}\r\ntransfer-encoding: ${coding}\r\n\r\n${body}`)
        // Node refuses some of them itself.
        assert.ok([400, 501].includes(refused.status), `${coding}: ${refused.status}`)
        if (coding === 'gzip, chunked') assert.match(JSON.parse(refused.body).message, /Transfer-Encoding/)
      }
    // Also where the server is busy with so many that some have to wait.
    const alone = 'POST /user/repos HTTP/1.1\r\nhost: here\r\ntransfer-encoding: x\r\n\r\n'
    const crowd = await Promise.all(Array.from({ length: 300 }, () => exchange(alone)))
    for (const { status, body: answer } of crowd) {
      assert.equal(status, 501)
      assert.match(JSON.parse(answer).message, /Transfer-Encoding/, 'one answer, and no second after it')
    }
  })

  test('that is refused before its body ends is answered once, whatever the rest of the body is', async () => {
    const key = `authorization: ${authorization[1]}\r\n`
    const asked: [line: string, header: string][] = [
      ['POST /v2/datasets/~nope/items', key],
      ['PATCH /repos/ann/none', key],
      ['PATCH /repos/ann/open', ''],
      ['POST /ann/none.git/git-receive-pack', key],
      ['PUT /ann/none.git/info/lfs/objects/x', key],
      ['POST /x/y/z', key],
    ]
    const rests = ['ZZZ\r\n', `0\r\n${'X: y\r\n'.repeat(3000)}\r\n`]
    for (const [line, header] of asked)
      for (const rest of rests) {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
        socket.on('error', () => {})
        let answer = ''
        socket.on('data', (some) => {
          answer += some
        })
        const chunked = 'content-type: application/json\r\ntransfer-encoding: chunked'
        socket.write(`${line} HTTP/1.1\r\nhost: x\r\n${header}${chunked}\r\n\r\n2\r\n{}\r\n`)
        await until(() => answer !== '')
        socket.write(rest)
        await until(() => socket.closed)
        assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g)?.length, 1, `${line}: ${answer}`)
      }
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    const first = await new Promise((resolve) => socket.once('data', resolve))
    assert.match(String(first), /^HTTP\/1\.1 200/)
    socket.write('no HTTP\r\n\r\n')
    assert.match(await text(socket), /^HTTP\/1\.1 400/, 'what follows a whole request is one of its own')
  })

  test('with an escape that can’t be decoded has its other parameters read, and no such path is there', async () => {
    const api = makeApi(server)
    const id = await api.make('escapes')
    await api.push(id, [{ a: 'x' }, { a: 'x' }])
    const get = { method: 'GET', headers: [authorization] } as const
    const items = await exchange(writeRequest({ ...get, path: `/v2/datasets/${id}/items?limit=%31&feedTitle=caf%E9` }))
    assert.deepEqual([items.status, JSON.parse(items.body)], [200, [{ a: 'x' }]])
    const repos = await exchange(writeRequest({ ...get, path: '/users/ann/repos?per_page=%31&page=%32&x=caf%E9' }))
    assert.deepEqual([repos.status, JSON.parse(repos.body)], [200, []])
    for (const path of ['/repos/ann/caf%E9?x=%31', `/v2/datasets/caf%E9?x=%E9`, '/-/caf%E9'])
      assert.equal((await exchange(writeRequest({ ...get, path }))).status, 404, path)
  })

  test('with a Host that is none is refused, and one that a proxy reports is passed over', async () => {
    for (const host of ['a b', 'a/b', '[', 'a:99999', '%00', 'a#b']) {
      const { status } = await exchange(writeRequest({ method: 'GET', path: '/user', host }))
      assert.equal(status, 400, host)
    }
    const headers = [authorization, ['X-Forwarded-Host', 'a b/c'], ['X-Forwarded-Proto', 'javascript']] as const
    const { status, body } = await exchange(writeRequest({ method: 'GET', path: '/user', headers }))
    assert.deepEqual([status, JSON.parse(body).url], [200, `${server.url}/users/admin`])
  })

  test('with two Host headers is refused, be they the same', async () => {
    for (const second of ['localhost', 'elsewhere', '']) {
      const lines = ['GET /healthz HTTP/1.1', 'Host: localhost', 'Connection: close', `hOSt: ${second}`, '', '']
      const { status, body } = await exchange(lines.join('\r\n'))
      assert.deepEqual([status, /Host/.test(JSON.parse(body).message)], [400, true], second)
    }
  })

  test('of many values is refused before it is parsed where nobody has signed in', async () => {
    const long = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`
    const ask = (method: string, path: string, body: string, headers = {}) =>
      fetch(server.url + path, { method, body, headers })
    const call = (count: number) =>
      `{"jsonrpc":"2.0","id":"6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11","method":"get_account","params":{"ID":${long(count)}}}`
    const judged = async (body: string, headers = {}) => (await readJson(await ask('POST', '/', body, headers))).error
    assert.equal((await judged(call(9_000))).code, 17)
    assert.match((await judged(call(11_000))).data.Reason, /more than 10000 values/)
    assert.equal((await judged(call(11_000), { authorization: authorization[1] })).code, -32602)
    const made = (count: number) => ask('POST', '/v2/datasets', `{"schema":${long(count)},"text":"[[[,,,"}`)
    assert.deepEqual([(await made(9_000)).status, (await made(11_000)).status], [401, 413])
    assert.equal((await ask('POST', '/v2/datasets', `{"schema":"${'x'.repeat(1024 * 1024)}"}`)).status, 413)
    assert.deepEqual(
      [`"${',['.repeat(50)}\\",["`, '[1,[2,3]]', '[1,2, 34567890]'].map((json) => hasMoreValues(Buffer.from(json), 3)),
      [false, true, false],
    )
    assert.deepEqual(logged, [])
  })

  test('with an expectation that nobody knows is served', async () => {
    const headers = [authorization, ['Expect', 'miracles']] as const
    assert.equal((await exchange(writeRequest({ method: 'GET', path: '/user', headers }))).status, 200)
  })

  test('that waits to be told to go on, behind another on the connection, gets an answer of its own', async () => {
    const path = '/repos/ann/open'
    const first = writeRequest({
      method: 'POST',
      path: '/user/repos',
      headers: [authorization],
      body: '{}',
      isKept: true,
    })
    const headers = [authorization, ['Expect', '100-continue']] as const
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.write(Buffer.concat([first, writeRequest({ method: 'GET', path, headers })]))
    const answers = parseAnswers(await buffer(socket), ['POST', 'GET'])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [422, 200],
    )
    assert.equal(JSON.parse(answers[1]!.body.toString()).full_name, 'ann/open')
  })

  test('of a browser has the page with the headers that every answer has', async () => {
    for (const [path, expected] of [
      ['/', 302],
      ['/ann', 200],
      ['/ann/open', 200],
      ['/ann/none', 404],
    ] as const) {
      const { status, headers } = await ann.get(path, { accept: 'text/html' })
      assert.deepEqual([status, headers.get('x-content-type-options')], [expected, 'nosniff'], path)
    }
  })

  test('with params deeper than the stack is refused as any wrong ones', async () => {
    const judge = makeRpcClient(server.url, admin.token)
    const id = '6f3c6a3e-6f0e-4b8e-9c65-2b4a4f1f7f11'
    for (const method of ['get_problem', 'get_account', 'get_problem_snippet_list', 'create_problem']) {
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
      const answer = await judge.post(
        `{"jsonrpc":"2.0","id":"${id}","method":"${method}","params":{"UUID":${deep},"ID":${deep}}}`,
      )
      assert.equal((await readJson(answer)).error.code, -32602, method)
    }
    assert.deepEqual(logged, [])
  })

  test('to git without a body, or with one that is not packed as it says, is told so', async () => {
    for (const service of ['git-receive-pack', 'git-upload-pack']) {
      const path = `/ann/open.git/${service}`
      const nothing = await exchange(writeRequest({ method: 'POST', path, headers: [authorization] }))
      assert.ok(nothing.status < 500, `${service} without a body: ${nothing.status}`)
      const packed = gzipSync(Buffer.from('0009done\n0000'))
      for (const body of ['not packed', packed.subarray(0, 12)]) {
        const headers = [authorization, ['Content-Encoding', 'gzip']] as const
        const { status } = await exchange(writeRequest({ method: 'POST', path, headers, body }))
        assert.equal(status, 400, `${service}: ${body}`)
      }
    }
  })

  test('to git of a type that is none is served as any other', async () => {
    const headers = [authorization, ['Content-Type', '/']] as const
    const parts = { method: 'POST', path: '/ann/open.git/git-upload-pack', headers, body: '0000' }
    assert.equal((await exchange(writeRequest(parts))).status, 200)
  })

  test('that breaks off in the middle of its body is no bug', async () => {
    const bytes = writeRequest({
      method: 'POST',
      path: '/user/repos',
      headers: [authorization],
      body: '{"name":"half"}',
    })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(bytes.subarray(0, bytes.length - 5), () => socket.resetAndDestroy())
    const readMetrics = async () => (await fetch(`${server.url}/metrics`)).text()
    await until(async () => /route="\/user\/repos",method="POST",status="[45]/.test(await readMetrics()))
    assert.doesNotMatch(await readMetrics(), /status="500"/)
    assert.deepEqual(logged, [])
  })

  test('takes work in proportion to its length, whatever its letters', async () => {
    // With the square of these lengths, none of them would be answered today.
    const many = 4_000_000
    assert.deepEqual(readRange(`${'.'.repeat(many)}\n`)[0], '.')
    const { forge } = server.services
    const path = `a${'/'.repeat(many)}b`
    await assert.rejects(forge.contents.find({} as never, 'HEAD', path), { code: 'not-found' })
    const api = makeApi(server)
    const id = await api.make('zeros')
    const zeros = '0'.repeat(1_000_000)
    await api.push(id, `[{"n":1.${zeros}1},{"n":1.${zeros}2}]`)
    const { body } = await api.ask('GET', `/datasets/${id}/statistics`)
    assert.deepEqual([body.data.fieldStatistics.n.min, body.data.fieldStatistics.n.max], [1, 1])
    const sheet = await api.send('GET', `/datasets/${id}/items?format=xlsx`)
    assert.ok((await sheet.arrayBuffer()).byteLength > 0)
    assert.equal(sheet.status, 200)
  })
})
