/** What this server has beside the public service's interface: CSV bodies, names of unknown parameters, resumed downloads, emptying, cut cells. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import * as sheetJs from 'xlsx'
import { startServer, type TestServer } from '../support/server.ts'
import { type Api, type Json, makeApi } from './api.ts'

let server: TestServer
let api: Api
before(async () => {
  server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  api = makeApi(server)
})
after(() => server.stop())

test('a body of CSV is rows of text, or of guessed types, and a broken one is told by its line', async () => {
  const id = await api.make()
  const push = (body: string | Buffer, query = '', headers = {}) =>
    api.send('POST', `/datasets/${id}/items?${query}`, { body, headers: { 'content-type': 'text/csv', ...headers } })
  assert.equal((await push('\ufeffa,b\r\n1,x\r\n')).status, 201)
  assert.equal((await push('a;b\n1;true\n', 'delimiter=;&guessTypes=1')).status, 201)
  assert.equal((await push(gzipSync('a\n2\n'), '', { 'content-encoding': 'gzip' })).status, 201)
  assert.equal((await push('[{"a":"JSON is JSON whatever its type"}]')).status, 201)
  assert.equal(
    (await push(`a\n${'row\n'.repeat(30_000)}`, '', { 'content-type': 'Text/CSV; charset=utf-8' })).status,
    201,
  )
  assert.equal(
    await api.text(id, 'limit=4'),
    '[{"a":"1","b":"x"},{"a":1,"b":true},{"a":"2"},{"a":"JSON is JSON whatever its type"}]',
  )
  assert.equal((await api.ask('GET', `/datasets/${id}`)).body.data.itemCount, 30_004)
  const cases: [string | Buffer, number, string, RegExp][] = [
    ['a,b\n1,2,3', 400, 'invalid-csv', /line 2: the row has 3 cells/],
    ['a\n"x', 400, 'invalid-csv', /line 2: a quote that opens here is never closed/],
    ['', 400, 'invalid-csv', /no row with the names/],
    ['a,b,a\n1', 400, 'invalid-csv', /line 1: two columns have the name "a"/],
    [Array.from({ length: 10_001 }, (_, i) => `c${i}`).join(','), 400, 'invalid-csv', /line 1: .* over 10000 cells/],
    [Buffer.from([0x61, 0x0a, 0xff]), 400, 'invalid-csv', /UTF-8/],
    [`${'x'.repeat(1_000)}\n${'1\n'.repeat(10_000)}`, 413, 'request-too-large', /push fewer rows/],
  ]
  for (const [body, status, type, message] of cases) {
    const answer = await push(body)
    const { error } = (await answer.json()) as Json
    assert.deepEqual([answer.status, error.type], [status, type])
    assert.match(error.message, message)
  }
})

test('unknown parameters are named with the nearest known one', async () => {
  const id = await api.make()
  const named = async (method: string, path: string) =>
    (await api.send(method, path)).headers.get('x-data-unknown-parameters')
  assert.equal(
    await named('GET', `/datasets/${id}/items?limt=3&dsec=1&Format=csv&nonsense=1&a%20b=1`),
    ['limt; nearest=limit', 'dsec; nearest=desc', 'Format; nearest=format', 'nonsense', 'a%20b'].join(', '),
  )
  assert.equal(await named('HEAD', `/datasets/${id}/items?skiphidden=1`), 'skiphidden; nearest=skipHidden')
  assert.equal(await named('GET', '/datasets?unamed=1&limit=3'), 'unamed; nearest=unnamed')
  assert.equal(await named('GET', `/datasets/${id}/items?limit=3&token=${api.token}&fields=a`), null)
  assert.equal(await named('GET', `/datasets/${id}/items?${'x'.repeat(5_000)}=1&=2`), `${'x'.repeat(64)}, ""`)
})

test('a download without a limit goes on where it broke, unless its page has changed', async () => {
  const id = await api.make()
  await api.push(
    id,
    Array.from({ length: 50 }, (_, i) => ({ i })),
  )
  for (const format of ['json', 'jsonl', 'csv']) {
    const path = `/datasets/${id}/items?format=${format}`
    const whole = await api.send('GET', path)
    const [bytes, etag] = [Buffer.from(await whole.arrayBuffer()), whole.headers.get('etag')!]
    assert.equal(whole.headers.get('accept-ranges'), 'bytes')
    const rest = await api.send('GET', path, { headers: { range: 'bytes=20-' } })
    assert.equal(rest.status, 206)
    assert.ok(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(20)))
    assert.equal((await api.send('GET', path, { headers: { range: 'bytes=20-', 'if-range': etag } })).status, 206)
    assert.equal((await api.send('GET', path, { headers: { range: 'bytes=20-', 'if-range': '"old"' } })).status, 200)
    const newest = await api.send('GET', `${path}&desc=1`, { headers: { range: 'bytes=20-' } })
    assert.equal(newest.status, 200, 'newest first, a push would have moved all')
  }
})

test('a data set that is emptied keeps itself, and nothing of its old items is told of the new ones', async () => {
  const id = await api.make('emptied')
  const path = `/datasets/${id}/items`
  const headers = { 'idempotency-key': 'first' }
  await api.send('POST', path, { body: '[{"a":1},{"a":2}]', headers })
  const { etag } = Object.fromEntries((await api.send('GET', path)).headers)
  const before = (await api.ask('GET', `/datasets/${id}`)).body.data
  assert.equal((await makeApi(server, null).send('DELETE', path)).status, 401)
  assert.equal((await api.send('DELETE', path)).status, 204)
  assert.equal(await api.text(id), '[]')
  const emptied = (await api.ask('GET', '/datasets/~emptied')).body.data
  assert.deepEqual([emptied.id, emptied.createdAt, emptied.itemCount, emptied.fields], [id, before.createdAt, 0, []])
  await api.send('POST', path, { body: '[{"b":1},{"b":2}]' })
  assert.equal((await api.send('GET', path, { headers: { 'if-none-match': etag! } })).status, 200)
  assert.equal(await api.text(id), '[{"b":1},{"b":2}]')
  const again = await api.send('POST', path, { body: '[{"a":1},{"a":2}]', headers })
  assert.equal(again.headers.get('idempotency-replayed'), null)
})

test('a sheet sums what it is given, and tells the cells that it cut', async () => {
  const id = await api.make()
  const latitudes = Array.from({ length: 500 }, (_, i) => 40 + Math.sin(i) * 10)
  await api.push(
    id,
    latitudes.map((latitude, i) => ({ latitude, deep: [{ text: 'ž'.repeat(i < 3 ? 40_000 : 10) }] })),
  )
  await server.services.datasets.settle()
  const path = `/datasets/${id}/items?format=xlsx`
  const response = await api.send('GET', path)
  assert.equal(response.headers.get('x-data-cut-cells'), '3')
  const book = sheetJs.read(Buffer.from(await response.arrayBuffer()), { type: 'buffer' })
  const rows = sheetJs.utils.sheet_to_json<{ latitude: unknown }>(book.Sheets[book.SheetNames[0]!]!, { raw: true })
  assert.deepEqual(
    rows.map(({ latitude }) => latitude),
    latitudes,
  )
  const cutOf = async (more: string) => (await api.send('HEAD', path + more)).headers.get('x-data-cut-cells')
  assert.deepEqual(
    [await cutOf('&limit=2'), await cutOf('&offset=3'), await cutOf('&fields=latitude')],
    ['2', null, null],
  )
  assert.equal((await api.send('HEAD', path.replace('xlsx', 'csv'))).headers.get('x-data-cut-cells'), null)
})

test('an answer that was kept is for those who may read, and only as long as nothing has changed', async () => {
  const id = await api.make('kept-answers')
  const path = `/datasets/${id}/items?format=html`
  await api.push(id, { a: 'first' })
  const shown = async () => (await api.send('GET', path)).text()
  const once = await shown()
  assert.equal(await shown(), once)
  assert.equal((await makeApi(server, null).send('GET', path)).status, 401)
  const ranged = `/datasets/${id}/items?format=csv&bom=0`
  for (let i = 0; i < 3; i++) {
    const part = await api.send('GET', ranged, { headers: { range: 'bytes=3-7' } })
    assert.deepEqual([part.status, await part.text()], [206, 'first'])
    assert.equal(await (await api.send('GET', ranged)).text(), 'a\r\nfirst\r\n')
  }
  await api.push(id, { a: 'second' })
  assert.match(await shown(), /first.*second/s)
  await api.ask('PUT', `/datasets/${id}`, { title: 'A new title' })
  assert.match(await shown(), /<title>A new title<\/title>/)
})
