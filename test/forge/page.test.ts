/** docs/forge.md says what the forge does, and every address that an error names is on the page. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { defaultFigures } from '../../src/forge/limits/figures.ts'
import { routes } from '../support/forge-routes.ts'
import { makeRest } from '../support/rest.ts'
import type { Json } from '../support/rpc.ts'
import { admin, startServer } from '../support/server.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'forge.md'), 'utf8')

test('the areas of which nothing is served are those that the published description has and the routes lack', () => {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json')
  const { paths } = JSON.parse(readFileSync(file, 'utf8')) as { paths: Record<string, Record<string, Json>> }
  const outline = (path: string) => path.replace(/[:{]\w+\}?|\*/g, '{}')
  const served = new Set(routes.map(({ method, path }) => `${method} ${outline(path)}`))
  const areas = new Map<string, boolean>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { tags }] of Object.entries(operations))
      areas.set(tags[0], areas.get(tags[0]) || served.has(`${method.toUpperCase()} ${outline(path)}`))
  const [, told = ''] = /^Nothing of: ([^.]*)\./m.exec(page) ?? []
  const none = [...areas].filter(([, isServed]) => !isServed).map(([name]) => name)
  assert.deepEqual(told.split(', '), none.sort())
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
    const { status, text, headers } = await makeRest(server.url).get('/-/docs/forge')
    assert.equal(status, 200)
    assert.match(headers.get('content-type')!, /^text\/html/)
    const ids = new Set([...text.matchAll(/<h\d id="([^"]*)">/g)].map(([, id]) => id))
    for (const { id } of routes) assert.ok(ids.has(id), id)
    for (const id of [
      'errors',
      'preflight',
      'about-primary-rate-limits',
      'about-secondary-rate-limits',
      'oauth',
      'what-is-not-served',
    ])
      assert.ok(ids.has(id), id)
    assert.ok(!text.includes('<!-- '), 'what is text on the page stays text')
    const old = await fetch(`${server.url}/-/docs/hosting`, { redirect: 'manual' })
    assert.deepEqual([old.status, old.headers.get('location')], [301, '/-/docs/forge'])
    const again = await makeRest(server.url).get('/-/docs/forge', { 'if-none-match': headers.get('etag')! })
    assert.deepEqual([again.status, again.text], [304, ''])
  } finally {
    await server.stop()
  }
})

test('the headings that errors point at are there', () => {
  for (const heading of ['About primary rate limits', 'About secondary rate limits', 'Errors', 'What is not served']) {
    assert.ok(page.includes(`\n## ${heading}\n`), heading)
  }
})
