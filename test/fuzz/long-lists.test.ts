/** Every text that a list shows is as long as it may be, of characters that cost most: no list holds the event loop while it is read. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { routes } from '../support/forge-routes.ts'
import { makeWorkingFolder, remoteUrl } from '../support/git.ts'
import { makeUser, type RestAnswer, type RestClient } from '../support/rest.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startTurnMeter, type TurnMeter } from './turn-meter.ts'

/** A slice of a mebibyte, and the one step that goes beyond it, with room for what stands around. */
const mostBytes = 3 * 1024 * 1024

const count = 6
const quotes = '"'.repeat(262_144)
const pairs = '😀'.repeat(250_000)
const worst = (i: number) => (i % 2 ? quotes : `${pairs.slice(0, -2)}@a`)

/** To render takes a thread seconds, so that a few lists stand for all: what comes of it takes the same way in each. */
const rendered: ReadonlySet<string> = new Set([
  ...['/repos/:owner/:repo/issues', '/repos/:owner/:repo/pulls/:pull_number/reviews', '/search/issues'],
])
const formsOf = (path: string): readonly string[] =>
  ['raw', ...(rendered.has(path) ? ['text', 'full'] : [])].map((form) => `application/vnd.platform.${form}+json`)

const words: Readonly<Record<string, string>> = {
  ...{ owner: 'ann', repo: 'long', username: 'ann', org: 'acme', team_slug: 'crew', issue_number: '1' },
  ...{ milestone_number: '1', comment_id: '1', release_id: '1', review_id: '1', pull_number: '7', ref: 'main' },
  ...{ commit_sha: 'main', '*': 'main...many', name: 'bug', branch: 'main' },
}

/** Searches must be for something; code is searched in threads of git's. */
const queryOf = (path: string): string => (path.startsWith('/search/') ? 'q=long+user:ann&' : '')

describe('a list of the longest texts', () => {
  let server: TestServer
  let ann: RestClient
  let meter: TurnMeter
  before(async () => {
    server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
    ann = await makeUser(server, 'ann', ['repo', 'user', 'read:org', 'notifications', 'admin:org'])
    await fill(server, ann)
    meter = startTurnMeter()
  })
  after(async () => {
    meter?.stop()
    await server?.stop()
  })

  const assertShort = (what: string) => {
    const { bytes, kinds } = meter.take()
    assert.ok(bytes <= mostBytes, `${what}: ${bytes} bytes in one turn (${Object.entries(kinds).join(' ')})`)
  }

  test('is read in slices by every route that has pages, rendered ones too', async () => {
    const lists = routes.filter(({ method, pageSize }) => method === 'GET' && pageSize !== undefined)
    const shown: number[] = []
    for (const { path } of lists) {
      const address = path.replace(/:(\w+)|\*/g, (whole, name) => words[name ?? whole] ?? '1')
      for (const accept of formsOf(path)) {
        meter.take()
        const { status, text } = await ann.get(`${address}?${queryOf(path)}per_page=100`, { accept })
        assertShort(`GET ${address} as ${accept}: ${status}`)
        assert.notEqual(status, 500, address)
        if (status === 200) shown.push(text.length)
      }
    }
    // Issues, comments, reviews, releases, events, commits and searches of them were there.
    assert.ok(shown.filter((length) => length > 3_500_000).length > 12, shown.join(' '))
  })

  test('is read in slices by GraphQL, and equal lists of one query once', async () => {
    const ask = (query: string): Promise<RestAnswer> => ann.post('/graphql', { query })
    const issues =
      'repository(owner: "ann", name: "long") { issues(first: 100) { nodes { title comments(first: 1) { totalCount } } } }'
    const aliases = Array.from({ length: 40 }, (_, i) => `a${i}: ${issues}`).join(' ')
    meter.take()
    const { body } = await ask(`{ ${aliases} }`)
    assert.equal(body.data.a39.issues.nodes.length, count)
    const { bytes, kinds } = meter.take()
    // The texts are longer than that together: none of them was read.
    assert.ok(bytes < 1024 * 1024, `${bytes} ${Object.entries(kinds).join(' ')}`)
    for (const list of ['issues(first: 5)', 'pullRequests(first: 5)'])
      for (const asked of ['body', 'body comments(first: 3) { nodes { body } }']) {
        await ask(`{ repository(owner: "ann", name: "long") { ${list} { nodes { ${asked} } } } }`)
        assertShort(`${list} ${asked}`)
      }
  })

  test('of commits shows the beginning of a long message, and the commit itself all of it', async () => {
    const [listed] = (await ann.get('/repos/ann/long/commits?sha=many')).body
    assert.ok(Buffer.byteLength(listed.commit.message) <= 32 * 1024 && listed.commit.message.endsWith('ä…'))
    const whole = (await ann.get(`/repos/ann/long/commits/${listed.sha}`)).body.commit.message
    assert.equal(Buffer.byteLength(whole), 1_500_001)
    assert.ok(whole.startsWith(listed.commit.message.slice(0, -1)))
  })

  test('of files is written in slices, from two connections at once', async () => {
    const content = Buffer.alloc(20 * 1024 * 1024, 'a file ').toString('base64')
    const wrapped = content.replace(/.{60}/g, '$&\n')
    meter.take()
    const [blob, file] = await Promise.all([
      ann.post('/repos/ann/long/git/blobs', { content, encoding: 'base64' }),
      ann.put('/repos/ann/long/contents/large.bin', { message: 'Large', content: wrapped, branch: 'other' }),
    ])
    assert.deepEqual([blob.status, file.status], [201, 201])
    assert.equal(blob.body.sha, file.body.content.sha)
    // The client in this process spells both bodies at once; the server takes no more than a slice of them.
    const { kinds } = meter.take()
    assert.ok((kinds.replace ?? 0) <= mostBytes, `${kinds.replace}`)
    for (const wrong of ['a', 'ab=c', 'abc*', '=', 'abcde', 'ab===', 'ä'])
      assert.equal(
        (await ann.post('/repos/ann/long/git/blobs', { content: wrong, encoding: 'base64' })).status,
        wrong === '=' ? 201 : 422,
        wrong,
      )
  })
})

async function fill(server: TestServer, ann: RestClient): Promise<void> {
  const made = async (answer: Promise<RestAnswer>) => {
    const { status, body, text } = await answer
    if (status > 204) throw new Error(`${status} ${text.slice(0, 300)}`)
    return body
  }
  const base = '/repos/ann/long'
  await made(ann.post('/user/repos', { name: 'long' }))
  await made(ann.post(`${base}/milestones`, { title: 'One', description: quotes }))
  for (let i = 0; i < count; i++)
    await made(ann.post(`${base}/issues`, { title: `long ${i}`, body: worst(i), milestone: 1 }))
  for (let i = 0; i < count; i++) await made(ann.post(`${base}/issues/1/comments`, { body: worst(i) }))
  await push(server, ann)
  await made(ann.post(`${base}/pulls`, { title: 'long pull', head: 'many', base: 'main', body: quotes }))
  const head = (await made(ann.get(`${base}/pulls/7`))).head.sha
  for (let i = 0; i < count; i++) {
    await made(ann.post(`${base}/pulls/7/reviews`, { body: worst(i), event: 'COMMENT' }))
    await made(ann.post(`${base}/pulls/7/comments`, { body: worst(i), commit_id: head, path: 'a.txt', line: 1 }))
    await made(ann.post(`${base}/commits/${head}/comments`, { body: worst(i) }))
    await made(ann.post(`${base}/releases`, { tag_name: `v${i}`, body: worst(i) }))
  }
}

/** A branch of commits with messages of megabytes. */
async function push(server: TestServer, ann: RestClient): Promise<void> {
  const work = await makeWorkingFolder()
  try {
    await writeFile(join(work.path, 'message'), `m${'ä'.repeat(750_000)}\n`)
    await work.must('commit', '--quiet', '--allow-empty', '-m', 'First')
    await work.must('branch', 'other')
    await work.must('checkout', '--quiet', '-b', 'many')
    await writeFile(join(work.path, 'a.txt'), 'a line\n')
    await work.must('add', 'a.txt')
    for (let i = 0; i < count; i++) await work.must('commit', '--quiet', '--allow-empty', '-F', 'message')
    const remote = remoteUrl(server.url, 'ann/long', 'ann', ann.token)
    await work.must('push', '--quiet', remote, 'main', 'many', 'other')
  } finally {
    await work.drop()
  }
}
