/** Rendering over the wire: the two routes, and texts that would take for ever. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from '@octokit/rest'
import { makeRest, makeUser, type RestClient } from '../../support/rest.ts'
import { startServer, type TestServer } from '../../support/server.ts'

describe('Markdown over the wire', () => {
  let server: TestServer
  let ann: RestClient
  before(async () => {
    server = await startServer('sqlite')
    ann = await makeUser(server, 'ann')
  })
  after(() => server.stop())

  test('is rendered as HTML for published clients, in both modes', async () => {
    const octokit = new Octokit({ baseUrl: server.url, auth: ann.token })
    const plain = await octokit.markdown.render({ text: 'a\nb #1' })
    assert.equal(plain.data, '<p>a\nb #1</p>\n')
    assert.match(plain.headers['content-type']!, /^text\/html/)
    const gfm = await octokit.markdown.render({ text: 'a\nb #1', mode: 'gfm', context: 'ann/tool' })
    assert.match(gfm.data, /<br \/>\nb <a class="issue-link" href="http:[^"]*\/ann\/tool\/issues\/1"/)
    const raw = await octokit.markdown.renderRaw({ data: '**{"a":1}**', headers: { 'content-type': 'text/plain' } })
    assert.equal(raw.data, '<p><strong>{"a":1}</strong></p>\n')
  })

  test('is for anyone, and refuses what is no text, too long or of no mode', async () => {
    const nobody = makeRest(server.url)
    assert.equal((await nobody.post('/markdown', { text: '*a*' })).text, '<p><em>a</em></p>\n')
    assert.equal((await nobody.post('/markdown', {})).status, 422)
    assert.equal((await nobody.post('/markdown', { text: 'a', mode: 'x' })).status, 422)
    assert.equal((await nobody.post('/markdown', { text: 'a'.repeat(400_001) })).status, 422)
    assert.equal((await nobody.post('/markdown/raw', 'a'.repeat(1024 * 1024 + 1))).status, 413)
  })

  test('that takes too long or grows too large is shown as it was written, and others are served meanwhile', async () => {
    const table = `${'a|'.repeat(60_000)}\n${'-|'.repeat(60_000)}\n${'|a'.repeat(60_000)}`
    const grown = `[a]: ${'x'.repeat(10_000)}\n\n${'[a] '.repeat(90_000)}`
    const hostile = Promise.all([table, grown].map((text) => ann.post('/markdown', { text })))
    const meanwhile = await makeRest(server.url).post('/markdown', { text: '*a*' })
    assert.equal(meanwhile.text, '<p><em>a</em></p>\n')
    for (const { status, text } of await hostile) {
      assert.equal(status, 200)
      assert.match(text, /^<(?:pre|table)>/)
      assert.ok(text.length < 10 * 1024 * 1024)
    }
  })
})
