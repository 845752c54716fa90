/** What stands in every answer, whatever its status: limits, ids, versions, security, CORS; and what errors have in common. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { oneEngine } from '../support/engines.ts'
import { makeRest, makeToken, makeUser, type RestAnswer, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

const everyHeader = [
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-used',
  'x-ratelimit-reset',
  'x-ratelimit-resource',
  'x-platform-request-id',
  'x-github-request-id',
  'x-platform-api-version-selected',
  'x-github-api-version-selected',
  'x-content-type-options',
  'content-security-policy',
  'access-control-allow-origin',
  'access-control-expose-headers',
]

const sendRaw = (port: string, request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
    socket.write(request)
  })

for (const engine of oneEngine) {
  describe(`every answer on ${engine}`, () => {
    let server: TestServer
    let ann: RestClient
    let nobody: RestClient
    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMIT_FIGURES: 'points=60' } })
      ann = await makeUser(server, 'ann')
      nobody = makeRest(server.url)
      await ann.post('/user/repos', { name: 'r', auto_init: true })
      await ann.post('/user/repos', { name: 'old' })
      await ann.patch('/repos/ann/old', { name: 'new' })
    })
    after(() => server.stop())

    test('has every character as it is, however long it is, with its length in bytes', async () => {
      for (const length of [1, 1_000, 6_000, 20_000]) {
        const body = 'é日😀'.repeat(length)
        const { body: made } = await ann.post('/repos/ann/r/issues', { title: 'Wörter', body })
        for (let times = 0; times < 2; times++) {
          const answer = await fetch(`${server.url}/repos/ann/r/issues/${made.number}`)
          const bytes = Buffer.from(await answer.arrayBuffer())
          assert.equal(Number(answer.headers.get('content-length')), bytes.length)
          const issue = JSON.parse(bytes.toString('utf8'))
          assert.deepEqual([issue.title, issue.body], ['Wörter', body])
        }
      }
    })

    test('has the headers of every answer, and an error its three members', async () => {
      const empty = await ann.post('/user/repos', { name: 'empty' })
      const { headers } = await ann.get('/user')
      const scopeless = makeRest(server.url, await makeToken(server, 'ann', { kind: 'classic', scopes: [] }))
      const cases: [number, RestAnswer][] = [
        [201, empty],
        [200, await ann.get('/repos/ann/r')],
        [200, await ann.ask('HEAD', '/repos/ann/r')],
        [200, await ann.get('/repos/ann/r/raw/README.md')],
        [204, await nobody.ask('OPTIONS', '/repos/ann/r')],
        [204, await ann.put('/repos/ann/r/subscription').then(() => ann.delete('/repos/ann/r/subscription'))],
        [301, await ann.get('/repos/ann/old')],
        [302, await ann.get('/repos/ann/r/tarball/main')],
        [304, await ann.get('/user', { 'if-none-match': headers.get('etag')! })],
        [307, await ann.patch('/repos/ann/old', {})],
        [400, await ann.ask('POST', '/user/repos', '{')],
        [400, await ann.get('/meta', { 'x-platform-api-version': '2020-02-20' })],
        [401, await nobody.get('/user')],
        [401, await nobody.get('/user', { authorization: 'Bearer nobody-has-this' })],
        [403, await scopeless.get('/user/emails')],
        [404, await ann.get('/repos/ann/nowhere')],
        [404, await ann.get('/no/such/path')],
        [404, await ann.ask('PROPFIND', '/user')],
        [409, await ann.get('/repos/ann/empty/commits')],
        [413, await ann.ask('PATCH', '/user', JSON.stringify({ bio: 'x'.repeat(2 * 1024 * 1024) }))],
        [422, await ann.post('/user/repos', { name: 'r' })],
      ]
      /** Only of a route that is not served more is said. */
      const unserved = new Set(cases.slice(-5, -3).map(([, answer]) => answer))
      for (const [status, answer] of cases) {
        assert.equal(answer.status, status)
        for (const name of everyHeader) assert.ok(answer.headers.get(name), `${name} on a ${status}`)
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
        if (status < 400) continue
        assert.deepEqual(Object.keys(answer.body).sort(), [
          'documentation_url',
          ...(status === 422 ? ['errors'] : []),
          'message',
          ...(unserved.has(answer) ? ['reason'] : []),
          'status',
        ])
        assert.equal(answer.body.status, String(status))
        assert.ok(answer.body.documentation_url.startsWith(`${server.url}/-/docs/forge#`))
      }
      const moved = await ann.get('/repos/ann/old')
      assert.deepEqual([moved.body.message, moved.body.url], ['Moved Permanently', moved.headers.get('location')])
    })

    test('a preflight costs points and nothing of the hour, and says what may be sent', async () => {
      const used = async () => (await nobody.get('/rate_limit')).body.resources.core.used
      const before = await used()
      const preflight = await nobody.ask('OPTIONS', '/api/v3/user/repos', undefined, {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, x-platform-api-version',
      })
      assert.equal(await used(), before)
      const allowed = preflight.headers.get('access-control-allow-headers')!
      for (const name of ['Authorization', 'X-Platform-Api-Version', 'X-GitHub-Api-Version', 'If-None-Match'])
        assert.ok(allowed.includes(name), name)
      for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'])
        assert.ok(preflight.headers.get('access-control-allow-methods')!.includes(method), method)
      for (let i = 0; i < 60; i++) await nobody.ask('OPTIONS', '/user')
      assert.equal((await nobody.ask('OPTIONS', '/user')).status, 403)
    })

    test('ids in addresses are spelled as we spell them, or name nothing', async () => {
      const { body } = await ann.get('/repos/ann/r')
      assert.equal((await ann.get(`/repositories/${body.id}`)).status, 200)
      for (const id of [`${body.id}e0`, `0x${body.id}`, `0${body.id}`, `${body.id}.0`, `%20${body.id}`, '-1', '0', 'x'])
        assert.equal((await ann.get(`/repositories/${id}`)).status, 404, id)
      for (const id of ['99999999999999999999', '9007199254740993', 'x'])
        for (const path of [`/repositories/${id}`, `/user/${id}`, `/avatars/${id}`])
          assert.equal((await ann.get(path)).status, 404, path)
      assert.equal((await ann.delete('/user/repository_invitations/99999999999999999999')).status, 404)
    })

    test('whatever a body says of its type, it is read', async () => {
      for (const [i, type] of ['', 'nonsense', ';;;', 'text/plain', 'application/json; charset="', 'a/b/c'].entries()) {
        const made = await ann.ask('POST', '/user/repos', `{"name":"typed${i}"}`, { 'content-type': type })
        assert.equal(made.status, 201, type)
      }
      const lost = await ann.ask('POST', '/no/such/path', '{}', { 'content-type': 'nonsense' })
      assert.deepEqual([lost.status, lost.body.message], [404, 'Not Found'])
      const { port } = new URL(server.url)
      const body = '{"name":"untyped"}'
      const head = `Host: x\r\nAuthorization: token ${ann.token}\r\nAuthorization: token other\r\nConnection: close`
      const sent = `POST /user/repos HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      const answer = await sendRaw(port, sent)
      assert.match(answer, /^HTTP\/1\.1 201/, 'with no type at all, and by the first of two credentials')
    })

    test('a host that is none is answered with itself', async () => {
      const { port } = new URL(server.url)
      for (const path of ['/users?per_page=1', '/users/ann/repos?per_page=1', '/repos/ann/old']) {
        const answer = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: a"<b\r\nConnection: close\r\n\r\n`)
        assert.match(answer, /^HTTP\/1\.1 (?:200|301|400)/, path)
      }
    })

    test('a list of one page has no Link, whatever page is asked for; one of two pages links back to its last', async () => {
      assert.equal((await ann.get('/repos/ann/r/branches?page=99')).headers.get('link'), null)
      await ann.post('/user/repos', { name: 'second' })
      const { body, headers } = await ann.get('/users/ann/repos?per_page=1&type=all&page=500')
      assert.deepEqual(body, [])
      assert.match(
        headers.get('link')!,
        /^<http[^>]*\/users\/ann\/repos\?per_page=1&type=all&page=\d+>; rel="prev", <http[^>]*page=1>; rel="first"$/,
      )
    })
  })
}
