/** The wires' own router: which address leads where, and what its params are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeRouter } from '../../src/wires/router.ts'

const addresses = [
  'GET /',
  'GET /user',
  'POST /user',
  'GET /repos/:owner/:repo',
  'GET /repos/:owner/:repo/contents',
  'GET /repos/:owner/:repo/contents/*',
  'GET /repos/:owner/:repo/commits/*',
  'GET /repos/:owner/:repo/commits/:ref/status',
  'GET /repos/:account/:name/tags',
  'GET /:owner',
  'GET /:owner/*',
]

const router = makeRouter<string>()
for (const address of addresses) router.add(...(address.split(' ') as [string, string]), address)

const cases: readonly (readonly [asked: string, address: string | undefined, params?: Record<string, string>])[] = [
  ['GET /', 'GET /'],
  ['GET /user', 'GET /user'],
  ['GET /user?page=2/3', 'GET /user'],
  ['GET /user#part', 'GET /user'],
  ['GET /us%65r', 'GET /user'],
  ['GET /USER', 'GET /:owner', { owner: 'USER' }],
  ['GET /user/', 'GET /:owner/*', { owner: 'user', '*': '' }],
  ['PUT /user', undefined],
  ['POST /ann', undefined],
  ['GET /repos/ann/web', 'GET /repos/:owner/:repo', { owner: 'ann', repo: 'web' }],
  ['GET /repos/a%2Fb/%C3%BC', 'GET /repos/:owner/:repo', { owner: 'a/b', repo: 'ü' }],
  ['GET /repos//web', 'GET /repos/:owner/:repo', { owner: '', repo: 'web' }],
  ['GET /repos/ann/web/contents', 'GET /repos/:owner/:repo/contents', { owner: 'ann', repo: 'web' }],
  ['GET /repos/ann/web/contents/', 'GET /repos/:owner/:repo/contents/*', { owner: 'ann', repo: 'web', '*': '' }],
  [
    'GET /repos/ann/web/contents/a%20b/c//d',
    'GET /repos/:owner/:repo/contents/*',
    { owner: 'ann', repo: 'web', '*': 'a b/c//d' },
  ],
  [
    'GET /repos/ann/web/commits/main/status',
    'GET /repos/:owner/:repo/commits/:ref/status',
    { owner: 'ann', repo: 'web', ref: 'main' },
  ],
  // What begins like another and ends otherwise goes back to where the ways part.
  [
    'GET /repos/ann/web/commits/a/b/status',
    'GET /repos/:owner/:repo/commits/*',
    { owner: 'ann', repo: 'web', '*': 'a/b/status' },
  ],
  ['GET /repos/ann/web/tags', 'GET /repos/:account/:name/tags', { account: 'ann', name: 'web' }],
  ['GET /repos/ann/web/issues', 'GET /:owner/*', { owner: 'repos', '*': 'ann/web/issues' }],
  ['GET /__proto__', 'GET /:owner', { owner: '__proto__' }],
  ['constructor /user', undefined],
]

for (const [asked, address, params = {}] of cases)
  test(`${asked} leads to ${address ?? 'nothing'}`, () => {
    const [method, url] = asked.split(' ') as [string, string]
    // The second time it is known as a whole.
    for (let time = 0; time < 2; time++) {
      const found = router.find(method, url)
      assert.equal(found?.handler, address)
      if (address) assert.deepEqual(found?.params, params)
    }
  })

test('what is known of an address can not be changed, and stays right however many are asked for', () => {
  const find = (n: number) => router.find('GET', `/repos/ann/web-${n}?page=${n}`)!.params
  assert.throws(() => Object.assign(find(0), { repo: 'another' }), TypeError)
  for (let n = 0; n < 5_000; n++) assert.equal(find(n).repo, `web-${n}`)
  assert.equal(find(0).repo, 'web-0')
  assert.equal(router.find('POST', '/repos/ann/web-0'), undefined)
})
