/** docs/hosting.md says what the routes do. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pagePath, renderPage } from '../../scripts/hosting-page.ts'
import { defaultFigures } from '../../src/forge/limits/figures.ts'
import { routes } from '../../src/wires/forge-rest/routes.ts'
import { makeRest } from '../support/rest.ts'
import { startServer } from '../support/server.ts'

const page = readFileSync(pagePath, 'utf8')

test('the reference is that of the routes; write it anew with node scripts/hosting-page.ts', () => {
  assert.equal(page, renderPage(page))
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
    for (const id of ['errors', 'preflight', 'about-primary-rate-limits', 'about-secondary-rate-limits'])
      assert.ok(ids.has(id), id)
    assert.ok(!text.includes('<!-- '), 'what is text on the page stays text')
  } finally {
    await server.stop()
  }
})

test('the headings that errors point at are there', () => {
  for (const heading of ['About primary rate limits', 'About secondary rate limits', 'Errors']) {
    assert.ok(page.includes(`\n## ${heading}\n`), heading)
  }
})
