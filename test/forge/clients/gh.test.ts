/** The public platform's own command line, as Debian has it, works with this server: signing in, status, issues, pulls, repositories. */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startServer, type TestServer } from '../../support/server.ts'
import { makeWorld, type World } from '../world.ts'

const skip = spawnSync('gh', ['--version']).status === 0 ? false : 'gh is not installed'

describe('gh', { skip }, () => {
  let server: TestServer
  let world: World
  let home: string
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'guildhall-gh-'))
    server = await startServer('sqlite')
    world = await makeWorld(server)
    const { ann, bob } = world
    await ann.post('/repos/ann/open/issues', {
      title: 'It rains',
      body: 'Inside.',
      labels: ['bug'],
      assignees: ['ann'],
    })
    await bob.post('/repos/ann/open/issues/1/comments', { body: 'Here as well, @ann.' })
    await ann.put('/repos/ann/open/contents/new.txt', { message: 'Roof', content: 'aGk=', branch: 'feature/one' })
    await ann.post('/repos/ann/open/pulls', {
      title: 'Mend the roof',
      head: 'feature/one',
      base: 'main',
      body: 'Tiles.',
    })
    await ann.patch('/repos/ann/open', { description: 'A house' })
  })
  after(async () => {
    await server?.stop()
    await rm(home, { recursive: true, force: true })
  })

  /** It speaks plain HTTP with one name alone, which is reached through a proxy here: the server itself. */
  async function gh(...args: string[]): Promise<string> {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      GH_CONFIG_DIR: home,
      GH_HOST: 'github.localhost',
      GH_ENTERPRISE_TOKEN: world.ann.token,
      GH_TOKEN: world.ann.token,
      GH_NO_UPDATE_NOTIFIER: '1',
      NO_COLOR: '1',
      http_proxy: server.url,
      HTTP_PROXY: server.url,
    }
    const { stdout, stderr } = await promisify(execFile)('gh', args, { env, cwd: home })
    return stdout + stderr
  }

  const cases: [readonly string[], RegExp][] = [
    [['auth', 'status', '--hostname', 'github.localhost'], /Logged in to github\.localhost as ann/],
    [['api', 'user', '--jq', '.login'], /^ann$/m],
    [['api', 'graphql', '-f', 'query={ viewer { login } }', '--jq', '.data.viewer.login'], /^ann$/m],
    [['status'], /ann\/open#1\s+It rains/],
    [['issue', 'list', '-R', 'ann/open'], /1\s+OPEN\s+It rains\s+bug/],
    [['issue', 'list', '-R', 'ann/open', '--search', 'rains'], /It rains/],
    [['issue', 'list', '-R', 'ann/open', '--json', 'number,author,assignees,comments'], /"login":"bob"/],
    [['issue', 'view', '1', '-R', 'ann/open'], /title:\s+It rains[\s\S]*labels:\s+bug[\s\S]*Inside\./],
    [['issue', 'view', '1', '-R', 'ann/open', '--comments'], /Here as well, @ann\./],
    [['pr', 'list', '-R', 'ann/open'], /2\s+Mend the roof\s+feature\/one\s+OPEN/],
    [['pr', 'list', '-R', 'ann/open', '--author', 'ann', '--state', 'all'], /Mend the roof/],
    [['pr', 'view', '2', '-R', 'ann/open'], /title:\s+Mend the roof[\s\S]*additions:\s+1[\s\S]*Tiles\./],
    [['pr', 'view', '2', '-R', 'ann/open', '--json', 'files,commits,mergeable,headRefOid'], /"MERGEABLE"/],
    [['repo', 'view', 'ann/open'], /name:\s+ann\/open\s+description:\s+A house[\s\S]*# Hello/],
    [['repo', 'list', 'ann'], /ann\/open/],
    [['label', 'list', '-R', 'ann/open'], /bug/],
  ]
  for (const [args, expected] of cases)
    test(`gh ${args.join(' ')}`, async () => {
      assert.match(await gh(...args), expected)
    })
})
