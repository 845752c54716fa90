/** Every address that the forge gives to people is a page for browsers, and to programs what it was. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { restSteps } from '../../src/lib/rest-addresses.ts'
import { routes } from '../support/forge-routes.ts'
import { asAdmin, makeUser, type RestClient } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { admin, startServer, type TestServer } from '../support/server.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('addresses of the page', () => {
  let server: TestServer
  let ann: RestClient
  let root: RestClient
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    root = asAdmin(server)
    ann = await makeUser(server, 'ann')
    for (const name of ['open', 'hidden'])
      await ann.post('/user/repos', { name, auto_init: true, private: name === 'hidden' })
    await root.post('/admin/organizations', { login: 'acme', admin: 'ann' })
    await ann.post('/repos/ann/open/issues', { title: 'One' })
    await ann.post('/repos/ann/hidden/issues', { title: 'One' })
    await ann.put('/repos/ann/open/contents/src%2Fa.txt', {
      message: 'Add',
      content: Buffer.from('a\n').toString('base64'),
      branch: 'main',
    })
    const { body: ref } = await ann.get('/repos/ann/open/git/ref/heads/main')
    await ann.post('/repos/ann/open/git/refs', { ref: 'refs/heads/feature/x', sha: ref.object.sha })
  })
  after(() => server.stop())

  const visit = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(server.url + path, { headers: { accept: browser, ...headers }, redirect: 'manual' })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  const isShell = (text: string) => text.includes('<div id="app">')

  test('each is the shell for a browser: 200 where there is something to see, else 404', async () => {
    const { body: commit } = await ann.get('/repos/ann/open/commits/main')
    const there = [
      ...['/ann', '/acme', '/admin', '/orgs/acme', '/ann/open', '/ann/open/'],
      ...['/ann/open/issues', '/ann/open/issues/1', '/ann/open/pulls', '/ann/open/labels', '/ann/open/milestones'],
      ...[`/ann/open/commit/${commit.sha}`, '/ann/open/commits/main', '/ann/open/commits', '/ann/open/tree/main'],
      ...['/ann/open/tree/main/src', '/ann/open/blob/main/src/a.txt', '/ann/open/blame/main/src/a.txt'],
      ...['/ann/open/blob/feature/x/src/a.txt', '/ann/open/tree/feature/x', '/ann/open/compare/main...feature/x'],
      ...['/ann/open/releases', '/ann/open/releases/tag/v1', '/ann/open/branches', '/ann/open/tags'],
      ...['/ann/open/wiki', '/ann/open/settings', '/ann/open/compare', '/-/repositories', '/-/inbox'],
    ]
    const missing = [
      ...['/nope', '/nope/nope', '/ann/nope', '/ann/open/nope', '/ann/open/issues/99', '/ann/open/issues/x'],
      ...['/ann/open/pull/99', '/ann/open/pull/99/files', '/ann/open/tree/nope', '/ann/open/blob/main/nope.txt'],
      ...['/ann/open/commit/0123456789012345678901234567890123456789', '/orgs/nope', '/ann/open/issues/1/nope'],
      ...['/ann/hidden', '/ann/hidden/issues/1', '/ann/hidden/tree/main', '/-/nope', '/%00', '/ann/%00', '/ann/%ff'],
    ]
    for (const [status, paths] of [
      [200, there],
      [404, missing],
    ] as const)
      for (const path of paths) {
        const { status: got, text, headers } = await visit(path)
        assert.deepEqual([got, isShell(text)], [status, true], path)
        assert.match(headers.get('vary') ?? '', /Accept/, path)
        assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/, path)
        assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      }
  })

  test('what is private is there for whoever may see it, by the session of the page alone', async () => {
    await root.post('/admin/users', { login: 'cy' })
    const cookie = await signIn()
    await root.post('/user/repos', { name: 'secret', private: true, auto_init: true })
    const own = { cookie, 'sec-fetch-site': 'none' }
    assert.equal((await visit('/admin/secret/tree/main', own)).status, 200)
    const [hidden, none] = [await visit('/admin/secret'), await visit('/admin/none')]
    assert.deepEqual([hidden.status, hidden.text], [404, none.text])
    assert.equal((await visit('/admin/secret', { ...own, 'sec-fetch-site': 'cross-site' })).status, 404)
    assert.equal((await visit('/ann/open', { authorization: 'Bearer wrong' })).status, 404)
  })

  test('a program is answered as if there were no page', async () => {
    const accepts = [
      '*/*',
      'application/json',
      'application/json, text/html',
      'application/vnd.github+json',
      'text/html;q=0',
    ]
    for (const accept of accepts)
      for (const path of ['/ann', '/ann/open', '/ann/open/issues/1', '/nope', '/ann/hidden', '/admin']) {
        const { status, body } = await ann.get(path, { accept })
        assert.deepEqual([status, body.message], [404, 'Not Found'], `${path} ${accept}`)
      }
    for (const path of ['/orgs/acme', '/notifications', '/users/ann', '/repos/ann/open'])
      assert.equal((await ann.get(path)).status, 200, path)
    const refs = await fetch(`${server.url}/ann/open.git/info/refs?service=git-upload-pack`)
    assert.equal(refs.headers.get('content-type'), 'application/x-git-upload-pack-advertisement')
  })

  test('REST’s own addresses stay REST’s in a browser, but for those that are pages', async () => {
    for (const path of [
      '/users/ann',
      '/repos/ann/open',
      '/meta',
      '/repos/ann/nope',
      '/api/v3/nope',
      '/api/v3/orgs/acme',
    ])
      assert.match((await visit(path)).headers.get('content-type') ?? '', /^application\/json/, path)
    assert.equal((await visit('/notifications')).headers.get('location'), '/-/inbox')
    assert.equal((await visit('/')).headers.get('location'), '/-/')
  })

  test('the address of a clone and a former name lead to the repository', async () => {
    assert.equal((await visit('/ann/open.git')).headers.get('location'), '/ann/open')
    await ann.post('/user/repos', { name: 'before', auto_init: true })
    await ann.patch('/repos/ann/before', { name: 'after' })
    assert.equal((await visit('/ann/before/tree/main')).headers.get('location'), '/ann/after/tree/main')
  })

  test('an account that is named like an address of REST has its page in browsers where REST has nothing', async () => {
    const first = new Set(routes.map(({ path }) => path.split('/')[1]!))
    for (const step of first)
      if (!['', '-', '*', 'admin'].includes(step) && !step.startsWith(':')) assert.ok(restSteps.has(step), step)
    const repos = await makeUser(server, 'repos')
    await repos.post('/user/repos', { name: 'own', auto_init: true })
    for (const [path, status] of [
      ['/repos', 200],
      ['/repos/own', 200],
      ['/repos/none', 404],
    ] as const) {
      const { status: got, text } = await visit(path)
      assert.deepEqual([got, isShell(text)], [status, true], path)
    }
    assert.equal((await ann.get('/repos/repos/own')).body.full_name, 'repos/own')
  })

  async function signIn(): Promise<string> {
    const answer = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: crypto.randomUUID(), method: 'create_session' },
        params: { AccountName: admin.name, Password: admin.password },
      }),
    })
    assert.equal(((await answer.json()) as Json).error, undefined)
    return answer.headers.getSetCookie()[0]!.split(';')[0]!
  }
})
