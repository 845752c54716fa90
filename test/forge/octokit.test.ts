/** The published client, with its published plugins and nothing changed but the base URL, against our limits. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'
import { Octokit } from '@octokit/rest'
import { makeUser, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'

const Client = Octokit.plugin(throttling, retry)
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

type Waits = { primary: number[]; secondary: number[] }

function connect(server: TestServer, { token }: RestClient, waits: Waits, prefix = ''): Octokit {
  return new Client({
    auth: token,
    baseUrl: server.url + prefix,
    log: quiet,
    throttle: {
      onRateLimit(seconds: number) {
        waits.primary.push(seconds)
        return waits.primary.length < 5
      },
      onSecondaryRateLimit(seconds: number) {
        waits.secondary.push(seconds)
        return waits.secondary.length < 5
      },
    },
  })
}

describe('Octokit with the throttling and retry plugins', () => {
  let server: TestServer
  before(async () => {
    // An hour of a few seconds: the client really waits, and the test does not wait long.
    server = await startServer('sqlite', {
      environment: { GUILDHALL_LIMIT_FIGURES: 'user=5, hour=4' },
    })
  })
  after(() => server.stop())

  test('waits for the reset of the primary limit and goes on', async () => {
    const waits: Waits = { primary: [], secondary: [] }
    const client = connect(server, await makeUser(server, 'ann'), waits)
    for (let i = 0; i < 7; i++) assert.equal((await client.users.getAuthenticated()).data.login, 'ann')
    assert.ok(waits.primary.length >= 1)
    assert.deepEqual(waits.secondary, [])
  })

  test('waits for Retry-After of a secondary limit and goes on', async () => {
    const other = await startServer('sqlite', { environment: { GUILDHALL_LIMIT_FIGURES: 'points=5, minute=3' } })
    try {
      const waits: Waits = { primary: [], secondary: [] }
      const client = connect(other, await makeUser(other, 'bob'), waits)
      for (let i = 0; i < 7; i++) assert.equal((await client.users.getAuthenticated()).data.login, 'bob')
      assert.deepEqual(waits.primary, [])
      assert.ok(waits.secondary.length >= 1 && waits.secondary.every((seconds) => seconds >= 1 && seconds <= 3))
    } finally {
      await other.stop()
    }
  })
})

describe('Octokit for everyday work', () => {
  let server: TestServer
  let client: Octokit
  before(async () => {
    server = await startServer('sqlite')
    client = connect(server, await makeUser(server, 'ann'), { primary: [], secondary: [] }, '/api/v3')
  })
  after(() => server.stop())

  test('makes a repository, reads it, its files and its history, pages through lists, renames and follows', async () => {
    for (const name of ['one', 'two', 'three']) await client.repos.createForAuthenticatedUser({ name, auto_init: true })
    const all = await client.paginate(client.repos.listForAuthenticatedUser, {
      per_page: 2,
      sort: 'created',
      direction: 'asc',
    })
    assert.deepEqual(
      all.map(({ name }) => name),
      ['one', 'two', 'three'],
    )
    const place = { owner: 'ann', repo: 'one' }
    const file = await client.repos.getContent({ ...place, path: 'README.md' })
    assert.equal(Buffer.from((file.data as { content: string }).content, 'base64').toString(), '# one\n')
    const raw = await client.repos.getContent({ ...place, path: 'README.md', mediaType: { format: 'raw' } })
    assert.equal(String(raw.data), '# one\n')
    const { data: commits } = await client.repos.listCommits(place)
    assert.equal(commits.length, 1)
    const { data: ref } = await client.git.getRef({ ...place, ref: 'heads/main' })
    assert.equal(ref.object.sha, commits[0]!.sha)
    const { data: tree } = await client.git.getTree({ ...place, tree_sha: 'main', recursive: 'true' })
    assert.deepEqual(
      tree.tree.map(({ path }) => path),
      ['README.md'],
    )
    assert.equal((await client.repos.getBranch({ ...place, branch: 'main' })).data.protected, false)
    await client.repos.update({ ...place, name: 'eins' })
    assert.equal((await client.repos.get(place)).data.full_name, 'ann/eins')
    await client.repos.delete({ owner: 'ann', repo: 'two' })
    await assert.rejects(client.repos.get({ owner: 'ann', repo: 'two' }), { status: 404 })
  })

  test('is told by a 304 that nothing is new', async () => {
    const { headers } = await client.repos.get({ owner: 'ann', repo: 'eins' })
    const again = client.repos.get({ owner: 'ann', repo: 'eins', headers: { 'if-none-match': headers.etag! } })
    await assert.rejects(again, { status: 304 })
  })
})
