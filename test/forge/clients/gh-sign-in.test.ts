/** `gh` signs in through a browser: it shows a code, a person types it, and `gh` keeps the token. */
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { asAdmin } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { fieldsOf, openBrowser, register } from '../oauth/oauth-world.ts'

const skip = spawnSync('gh', ['--version']).status === 0 ? false : 'gh is not installed'

/** What `gh` has built in. */
const clientId = '178c6fc778ccc68e1d6a'
const draft = {
  name: 'gh',
  url: 'https://cli.example.org',
  confidential: false,
  device_flow: true,
  client_id: clientId,
}

describe('a client id that a published client has built in', () => {
  let server: TestServer
  let home: string
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'guildhall-gh-sign-in-'))
    server = await startServer('sqlite')
  })
  after(async () => {
    await server?.stop()
    await rm(home, { recursive: true, force: true })
  })

  test('is chosen by an admin of the server alone, once, and is not like one that is drawn', async () => {
    const root = asAdmin(server)
    const ann = await register(server, 'ann')
    assert.equal((await ann.post('/user/oauth-apps', draft)).status, 403)
    for (const client_id of ['short', 'has a blank', 'Gd1.0123456789abcdef', 'x'.repeat(65)])
      assert.equal((await root.post('/user/oauth-apps', { ...draft, client_id })).status, 422, client_id)
    const { status, body } = await root.post('/user/oauth-apps', draft)
    assert.deepEqual([status, body.client_id, body.client_secret], [201, clientId, undefined])
    const again = await root.post('/user/oauth-apps', draft)
    assert.deepEqual([again.status, again.body.errors[0].code], [422, 'already_exists'])
    assert.equal((await root.get(`/oauth-apps/${clientId}`)).body.name, 'gh')
  })

  test('gh auth login --web signs in with a code', { skip }, async () => {
    const env = {
      ...{ PATH: process.env.PATH, HOME: home, GH_CONFIG_DIR: home, GH_BROWSER: 'true', NO_COLOR: '1' },
      ...{ http_proxy: server.url, HTTP_PROXY: server.url, GH_NO_UPDATE_NOTIFIER: '1' },
    }
    const words = ['auth', 'login', '--hostname', 'github.localhost', '--web', '--git-protocol', 'https']
    const gh = spawn('gh', words, { env })
    const exited = once(gh, 'exit')
    let said = ''
    for (const stream of [gh.stdout, gh.stderr]) stream.on('data', (text) => (said += text))
    gh.stdin.write('\n\n')
    const findCode = () => /one-time code: ([A-Z]{4}-[A-Z]{4})/.exec(said)?.[1]
    await until(() => findCode() !== undefined || gh.exitCode !== null)
    const code = findCode()
    assert.ok(code, said)
    const browser = await openBrowser(server, 'ann')
    const page = await browser.visit(`${server.url}/login/device`, { user_code: code })
    const fields = { ...fieldsOf(page), decision: 'allow' }
    const answer = await browser.visit(`${server.url}/login/device/decision`, fields)
    assert.match(answer.text, /The device is connected/)
    const [status] = await exited
    assert.equal(status, 0, said)
    const { stdout } = await promisify(execFile)('gh', ['api', 'user', '--hostname', 'github.localhost'], { env })
    assert.equal(JSON.parse(stdout).login, 'ann')
  })
})
