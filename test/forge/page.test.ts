/** docs/hosting.md says what the routes do. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { pagePath, renderPage } from '../../scripts/hosting-page.ts'
import { defaultFigures } from '../../src/forge/limits/figures.ts'
import { routes } from '../../src/wires/forge-rest/routes.ts'
import { makeRest } from '../support/rest.ts'
import { admin, startServer } from '../support/server.ts'

const page = readFileSync(pagePath, 'utf8')

test('the reference is that of the routes; write it anew with node scripts/hosting-page.ts', () => {
  assert.equal(page, renderPage(page))
})

test('its examples can be pasted', async (t) => {
  const server = await startServer('sqlite')
  const place = await mkdtemp(join(tmpdir(), 'guildhall-page-'))
  t.after(async () => {
    await server.stop()
    await rm(place, { recursive: true, force: true })
  })
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!)
  assert.equal(blocks.length, 3)
  const script = blocks.join('').replaceAll('localhost:8080', new URL(server.url).host)
  // Not synchronously: the server is in this process.
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: place,
    env: { ...process.env, ADMIN_TOKEN: admin.token, HOME: place, GIT_CONFIG_NOSYSTEM: '1' },
  })
  assert.match(stdout, /"login":"ann".*"full_name":"ann\/hello".*"message":"Greet".*304\n.*"client_secret"/s)
})

test('every figure of the limits is there, with its default', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)])
  assert.deepEqual(Object.fromEntries(rows), { ...defaultFigures })
})

test('every address that an error may point at is a place on the page that the server shows', async () => {
  const server = await startServer('sqlite')
  try {
    const { status, text, headers } = await makeRest(server.url).get('/-/docs/hosting')
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/html/)
    const ids = new Set([...text.matchAll(/<h\d id="([^"]*)">/g)].map(([, id]) => id))
    for (const { id } of routes) assert.ok(ids.has(id), id)
    for (const id of ['errors', 'preflight', 'about-primary-rate-limits', 'about-secondary-rate-limits', 'oauth'])
      assert.ok(ids.has(id), id)
    assert.ok(!text.includes('<!-- '), 'what is text on the page stays text')
    const again = await makeRest(server.url).get('/-/docs/hosting', { 'if-none-match': headers.get('etag')! })
    assert.deepEqual([again.status, again.text], [304, ''])
  } finally {
    await server.stop()
  }
})

test('the headings that errors point at are there', () => {
  for (const heading of ['About primary rate limits', 'About secondary rate limits', 'Errors']) {
    assert.ok(page.includes(`\n## ${heading}\n`), heading)
  }
})
