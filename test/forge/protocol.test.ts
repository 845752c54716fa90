/** What every answer has in common: versions, spellings, errors, pages, conditions, addresses. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { retiredVersions } from '../../src/api/forge-rest/pipeline/versions.ts'
import { asAdmin, makeRest, makeUser, type RestClient } from '../support/rest.ts'
import { makeRpcClient } from '../support/rpc.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('the protocol of the forge', () => {
  let server: TestServer
  let ann: RestClient
  let nobody: RestClient
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    ann = await makeUser(server, 'ann')
    nobody = makeRest(server.url)
    for (let i = 1; i <= 7; i++) await ann.post('/user/repos', { name: `r${i}`, private: i === 7 })
  })
  after(() => server.stop())

  const sendRaw = (request: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => (text += chunk))
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
      socket.write(request)
    })

  const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))

  test('the version is the header’s, in either spelling, ours before the other’s, and 2022-11-28 without one', async () => {
    const chosen = async (headers: Record<string, string>) =>
      (await nobody.get('/meta', headers)).headers.get('x-platform-api-version-selected')
    assert.equal(await chosen({}), '2022-11-28')
    assert.equal(await chosen({ 'X-Platform-Api-Version': '2026-03-10' }), '2026-03-10')
    assert.equal(await chosen({ 'X-GitHub-Api-Version': '2026-03-10' }), '2026-03-10')
    assert.equal(
      await chosen({ 'X-GitHub-Api-Version': '2022-11-28', 'X-Platform-Api-Version': '2026-03-10' }),
      '2026-03-10',
    )
    assert.deepEqual((await nobody.get('/versions')).body, ['2022-11-28', '2026-03-10'])
  })

  test('a date that never was a version is 400, naming those there are', async () => {
    for (const version of ['2020-01-01', 'latest', '']) {
      const { status, body } = await nobody.get('/meta', { 'x-platform-api-version': version })
      assert.equal(status, 400, version)
      assert.match(body.message, /2022-11-28, 2026-03-10/)
    }
  })

  test('a version that was served once is 410, naming those there are', async (t) => {
    const retired = retiredVersions as string[]
    retired.push('2020-01-01')
    t.after(() => retired.pop())
    const { status, body, headers } = await nobody.get('/meta', { 'x-platform-api-version': '2020-01-01' })
    assert.deepEqual([status, body.status], [410, '410'])
    assert.match(body.message, /no longer served.*2022-11-28, 2026-03-10/)
    assert.ok(headers.get('x-ratelimit-limit'))
  })

  test('headers of ours go out in both spellings', async () => {
    const { headers } = await nobody.get('/meta')
    for (const name of ['request-id', 'api-version-selected']) {
      assert.ok(headers.get(`x-platform-${name}`))
      assert.equal(headers.get(`x-platform-${name}`), headers.get(`x-github-${name}`))
    }
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  })

  test('any page may ask, and sees the headers it needs', async () => {
    const { headers } = await nobody.get('/meta')
    assert.equal(headers.get('access-control-allow-origin'), '*')
    for (const name of ['ETag', 'Link', 'X-RateLimit-Remaining', 'X-Poll-Interval', 'X-Platform-SSO', 'Retry-After']) {
      assert.ok(headers.get('access-control-expose-headers')?.includes(name), name)
    }
    for (const path of ['/repos/ann/r1', '/api/v3/user']) {
      const preflight = await nobody.ask('OPTIONS', path)
      assert.equal(preflight.status, 204)
      assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization/)
      assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /DELETE/)
    }
  })

  test('errors have a message, the address of our own page about the endpoint, and the status as a text', async () => {
    const { status, body } = await nobody.get('/repos/ann/nowhere')
    assert.equal(status, 404)
    const documentation_url = `${server.url}/-/docs/forge#get-a-repository`
    assert.deepEqual(body, { message: 'Not Found', documentation_url, status: '404' })
  })

  test('an unknown path is 404, and so is a known one with another method', async () => {
    assert.equal((await ann.get('/no/such/path')).status, 404)
    assert.equal((await ann.get('/api/v3/no/such/path')).status, 404)
    assert.equal((await ann.put('/meta')).status, 404)
    assert.equal((await ann.delete('/user')).status, 404)
    assert.equal((await ann.delete('/user')).body.message, 'Not Found')
    for (const method of ['PROPFIND', 'QUERY', 'TRACED', 'M-SEARCH']) {
      const head = `${method} /user HTTP/1.1\r\nHost: guild.example.org\r\nConnection: close\r\n\r\n`
      const body = bodyOf(await sendRaw(head))
      const documentation_url = 'http://guild.example.org/-/docs/forge#what-is-not-served'
      const reason = 'This server has no route at this address for this method.'
      assert.deepEqual(body, { message: 'Not Found', reason, documentation_url, status: '404' }, method)
    }
  })

  test('what is no request, or has too many headers, is told so in the same shape', async () => {
    const head = 'GET /user HTTP/1.1\r\nHost: guild.example.org\r\n'
    for (const [request, status] of [
      [`${head}no header\r\n\r\n`, '400'],
      ['\x16\x03\x01\x02\0\x01\0\x01', '400'],
      [`${head}x: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ] as const) {
      const body = bodyOf(await sendRaw(request))
      assert.deepEqual([Object.keys(body), body.status], [['message', 'documentation_url', 'status'], status])
    }
  })

  test('a body of a mebibyte is read, and one byte more is 413', async () => {
    const most = 1024 * 1024
    const write = (length: number) => `{"bio":"x"${' '.repeat(length - '{"bio":"x"}'.length)}}`
    assert.equal((await ann.ask('PATCH', '/user', write(most))).status, 200)
    assert.equal((await ann.ask('PATCH', '/user', write(most + 1))).status, 413)
  })

  test('a body that is no JSON is 400, so is one that is no object, and one that does not fit is 422 by field', async () => {
    const send = (body: string) => ann.ask('POST', '/user/repos', body)
    assert.deepEqual([(await send('{')).status, (await send('{')).body.message], [400, 'Problems parsing JSON'])
    assert.deepEqual(
      [(await send('[]')).status, (await send('[]')).body.message],
      [400, 'Body should be a JSON object'],
    )
    const missing = await send('{}')
    assert.equal(missing.status, 422)
    assert.equal(missing.body.message, 'Validation Failed')
    assert.deepEqual(missing.body.errors, [
      { resource: 'Repository', field: 'name', code: 'missing_field', message: 'name is required' },
    ])
    const wrong = await send('{"name": "x", "private": "yes"}')
    assert.deepEqual([wrong.body.errors[0].field, wrong.body.errors[0].code], ['private', 'invalid'])
    const taken = await send('{"name": "R1"}')
    assert.equal(taken.status, 422)
    assert.deepEqual([taken.body.errors[0].field, taken.body.errors[0].code], ['name', 'custom'])
    assert.equal((await send(JSON.stringify({ name: 'x', description: 'x'.repeat(2 * 1024 * 1024) }))).status, 413)
  })

  test('pages are linked prev, next, last, first, keeping the query, and not where one page holds all', async () => {
    const rels = async (query: string) => {
      const link = (await ann.get(`/user/repos?${query}`)).headers.get('link') ?? ''
      return [...link.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
        ([, url, rel]) => `${rel} ${new URL(url!).searchParams.get('page')}`,
      )
    }
    assert.deepEqual(await rels('per_page=3'), ['next 2', 'last 3'])
    assert.deepEqual(await rels('per_page=3&page=2'), ['prev 1', 'next 3', 'last 3', 'first 1'])
    assert.deepEqual(await rels('per_page=3&page=3'), ['prev 2', 'first 1'])
    assert.deepEqual(await rels('per_page=7'), [])
    const link = (await ann.get('/api/v3/user/repos?sort=created&per_page=3')).headers.get('link')!
    assert.ok(link.startsWith(`<${server.url}/api/v3/user/repos?sort=created&per_page=3&page=2>`), link)
    const { id } = (await ann.get('/repos/ann/r1')).body
    await makeUser(server, 'watcher').then((other) => other.put('/repos/ann/r1/subscription', {}))
    for (const path of [`/repositories/${id}/subscribers`, `/api/v3/repositories/${id}/subscribers`]) {
      const { headers } = await ann.get(`${path}?per_page=1`)
      assert.ok(headers.get('link')!.startsWith(`<${server.url}${path}?per_page=1&page=2>; rel="next"`))
    }
  })

  test('per_page above the most is the most; zero, negative and no number are the default', async () => {
    const count = async (query: string) => (await ann.get(`/user/repos?${query}`)).body.length
    assert.equal(await count('per_page=2'), 2)
    for (const value of ['0', '-1', 'x', '', '1000']) assert.equal(await count(`per_page=${value}`), 7, value)
    assert.equal(await count('page=0&per_page=2'), 2)
    const huge = '9'.repeat(25)
    assert.equal(await count(`per_page=${huge}`), 7)
    for (const page of ['99', huge]) {
      const { body, headers } = await ann.get(`/user/repos?per_page=3&page=${page}`)
      assert.deepEqual(body, [])
      assert.match(headers.get('link')!, /^<[^>]+page=3>; rel="prev", <[^>]+page=1>; rel="first"$/)
    }
  })

  test('the ETag changes exactly when the representation does', async () => {
    const etag = async (client: RestClient, path: string) => (await client.get(path)).headers.get('etag')
    const first = await etag(ann, '/repos/ann/r1')
    assert.equal(await etag(ann, '/repos/ann/r1'), first)
    await ann.patch('/user', { bio: 'something else in the database' })
    assert.equal(await etag(ann, '/repos/ann/r1'), first)
    assert.notEqual(await etag(nobody, '/repos/ann/r1'), first, 'without permissions it is another')
    assert.notEqual(await etag(ann, '/api/v3/repos/ann/r1'), first, 'with other addresses, too')
    await ann.put('/repos/ann/r1/topics', { names: ['new'] })
    const second = await etag(ann, '/repos/ann/r1')
    assert.notEqual(second, first)
    assert.equal((await ann.get('/repos/ann/r1', { 'if-none-match': first! })).status, 200)
    for (const header of [second!, second!.replace('W/', ''), `"x", ${second}`, '*']) {
      const { status, text, headers } = await ann.get('/repos/ann/r1', { 'if-none-match': header })
      assert.deepEqual([status, text, headers.get('etag')], [304, '', second])
    }
    const list = await etag(ann, '/user/repos')
    await ann.post('/user/repos', { name: 'r8' })
    assert.notEqual(await etag(ann, '/user/repos'), list)
  })

  test('HEAD answers as GET does, without the body', async () => {
    const got = await ann.get('/user')
    const head = await ann.ask('HEAD', '/user')
    assert.equal(head.status, 200)
    assert.equal(head.text, '')
    assert.equal(head.headers.get('etag'), got.headers.get('etag'))
    assert.equal(head.headers.get('content-length'), got.headers.get('content-length'))
  })

  test('addresses start with the request’s own host and keep /api/v3; those for people do not', async () => {
    const { body } = await ann.get('/api/v3/repos/ann/r1')
    assert.equal(body.url, `${server.url}/api/v3/repos/ann/r1`)
    assert.equal(body.owner.url, `${server.url}/api/v3/users/ann`)
    assert.equal(body.html_url, `${server.url}/ann/r1`)
    assert.equal(body.clone_url, `${server.url}/ann/r1.git`)
  })

  test('with GUILDHALL_BASE_URL set they start with it', async () => {
    const other = await startServer('sqlite', { environment: { GUILDHALL_BASE_URL: 'https://guild.example.org' } })
    try {
      const { body, headers } = await asAdmin(other).get('/user')
      assert.equal(body.url, 'https://guild.example.org/users/admin')
      assert.equal(headers.get('link'), null)
      const users = await asAdmin(other).get('/users?per_page=1')
      assert.equal(users.headers.get('link'), '<https://guild.example.org/users?per_page=1&since=1>; rel="next"')
      const { PublicAddress } = await makeRpcClient(other.url).call('get_server_info')
      assert.equal(PublicAddress, 'https://guild.example.org')
    } finally {
      await other.stop()
    }
  })

  test('a request with the whole address as its target is understood', async () => {
    const { port } = new URL(server.url)
    const answer = await sendRaw(
      `GET http://127.0.0.1:${port}/versions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1\.1 200/)
    assert.match(answer, /"2026-03-10"/)
  })

  test('owner and repo match without regard to case, and answer with their own', async () => {
    assert.equal((await ann.get('/repos/ANN/R1')).body.full_name, 'ann/r1')
    assert.equal((await ann.get('/users/ANN')).body.login, 'ann')
  })

  test('a renamed repository sends GET on by 301 and the rest by 307, to its id, with prefix and query', async () => {
    const { body } = await ann.patch('/repos/ann/r2', { name: 'renamed' })
    const got = await ann.get('/api/v3/repos/ann/r2/tags?per_page=5')
    assert.equal(got.status, 301)
    assert.equal(got.headers.get('location'), `${server.url}/api/v3/repositories/${body.id}/tags?per_page=5`)
    const put = await ann.put('/repos/ann/R2/topics', { names: ['x'] })
    assert.deepEqual([put.status, put.headers.get('location')], [307, `${server.url}/repositories/${body.id}/topics`])
    assert.equal((await ann.get(`/repositories/${body.id}`)).body.name, 'renamed')
    assert.equal((await nobody.get('/repos/ann/r2')).status, 301)
    await ann.patch('/repos/ann/r7', { name: 'secret' })
    assert.equal((await nobody.get('/repos/ann/r7')).status, 404, 'not for those who may not see it')
    await ann.post('/user/repos', { name: 'r2' })
    assert.equal((await ann.get('/repos/ann/r2')).status, 200, 'a new one takes the name over')
  })

  test('a browser is sent to the page, a program gets the root', async () => {
    const page = await nobody.get('/', { accept: 'text/html,application/xhtml+xml' })
    assert.deepEqual([page.status, page.headers.get('location')], [302, '/-/'])
    assert.equal((await nobody.get('/')).body.rate_limit_url, `${server.url}/rate_limit`)
    const person = await nobody.get('/ann', { accept: 'text/html' })
    assert.deepEqual([person.status, person.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    assert.match(person.text, /<div id="app">/)
    assert.equal((await nobody.get('/-/ann', { accept: 'text/html' })).status, 404)
  })

  test('every link of a repository and of a user that this part serves answers', async () => {
    await ann.post('/user/repos', { name: 'linked', auto_init: true })
    const { body } = await ann.get('/repos/ann/linked')
    const fill = (url: string) =>
      url
        .replace('{+path}', 'README.md')
        .replace('{base}...{head}', 'main...main')
        .replace('{sha}', 'main')
        .replace('{/branch}', '/main')
        .replace(/\{[^}]*\}/g, '')
    const later =
      /^(?:assignees|comments|issue|issues|labels|merges|milestones|notifications|pulls|releases|archive|compare|git|ssh|svn|mirror)_/
    const objects = /^(?:blobs|trees|git_commits|git_tags)_url$/
    for (const [name, url] of Object.entries({ ...body.owner, ...body })) {
      if (!name.endsWith('url') || typeof url !== 'string') continue
      const isPage = /^(?:html|clone|svn)_url$/.test(name)
      if (later.test(name) && name !== 'git_refs_url') continue
      if (objects.test(name) || isPage) continue
      const answer = await ann.get(fill(url).slice(server.url.length))
      assert.equal(answer.status, 200, `${name} ${url}: ${answer.status}`)
    }
  })
})
