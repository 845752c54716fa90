/** docs/hosting.md says what the routes do. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { pagePath, renderPage } from '../../scripts/hosting-page.ts'
import { defaultFigures } from '../../src/forge/limits/figures.ts'

const page = readFileSync(pagePath, 'utf8')

test('the reference is that of the routes; write it anew with node scripts/hosting-page.ts', () => {
  assert.equal(page, renderPage(page))
})

test('every figure of the limits is there, with its default', () => {
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)])
  assert.deepEqual(Object.fromEntries(rows), { ...defaultFigures })
})

test('the headings that errors point at are there', () => {
  for (const heading of ['About primary rate limits', 'About secondary rate limits', 'Errors']) {
    assert.ok(page.includes(`\n## ${heading}\n`), heading)
  }
})
