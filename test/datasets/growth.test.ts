/** Small items that would come out as something immense: they stream in parts, or are refused with a word, and nothing dies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { actingFor } from '../../src/accounts/actor.ts'
import { renderSlice } from '../../src/datasets/formats/slice.ts'
import { eachRecord, sliceStart } from '../../src/datasets/query/records.ts'
import { unwindAll } from '../../src/datasets/query/unwind.ts'
import { Failure } from '../../src/lib/failure.ts'
import { startServer } from '../support/server.ts'
import { makeApi } from './api.ts'
import { feed, queryOf, renderTexts } from './slices.ts'

const refusal = (pattern: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === 'invalid-value' && pattern.test(error.message)

const ones = (count: number) => `[${'1,'.repeat(count - 1)}1]`

test('what flattening would blow up is refused, up to there it works', async () => {
  const long = 'k'.repeat(1_000_000)
  const cases = [`{"a":${ones(2_000_000)}}`, `{"a":{"${long}":${ones(100)}}}`, `{"a":[${'[],'.repeat(1_000_000)}1]}`]
  for (const text of cases)
    for (const format of ['json', 'csv', 'xml'])
      await assert.rejects(renderTexts([text], `flatten=a&format=${format}`), refusal(/flatten/))
  const renamed = `{"a":${ones(30_000)}}`
  await assert.rejects(
    renderTexts([renamed], `flatten=a&fields=a&outputFields=${'n'.repeat(2_000)}`),
    refusal(/flatten/),
  )
  const flat = JSON.parse((await renderTexts([`{"a":${ones(200_000)}}`], 'flatten=a')).toString())[0]
  assert.equal(Object.keys(flat).length, 200_000)
  assert.equal(flat['a.199999'], 1)
})

test('what is nested deep is walked whole, whatever stands in its texts', async () => {
  const chain = `${'[{"b":'.repeat(120)}"]}\\\\\\""${'}]'.repeat(120)}`
  const text = `{"a":[${Array(30).fill(chain).join(',')}],"c":{"x":1,"y":2,"x":{"z":[]}}}`
  const path = `a.7${'.0.b'.repeat(120)}`
  const flat = JSON.parse((await renderTexts([text], 'flatten=a,c')).toString())[0]
  assert.deepEqual([Object.keys(flat).length, flat[path], flat['c.x.z'], flat['c.y']], [32, ']}\\"', [], 2])
  const xml = (await renderTexts([text], 'format=xml')).toString()
  assert.equal(xml.match(/<b>\]\}\\"<\/b>/g)!.length, 30)
  assert.equal(xml.match(/<b>/g)!.length, xml.match(/<\/b>/g)!.length)
})

test('a long name around very many elements is refused as XML, and attributes that come to the same name are told apart', async () => {
  const text = `{"${'k'.repeat(100_000)}":${ones(2_000)}}`
  for (const format of ['xml', 'rss']) await assert.rejects(renderTexts([text], `format=${format}`), refusal(/XML/))
  const attributes = Array.from({ length: 50_000 }, (_, i) => `"${String.fromCharCode(0x3400 + (i % 20_000))} ${i}":1`)
  const xml = (
    await renderTexts([`{"@":{${attributes.join(',')},"a b":1,"a_b":2,"a_b_":3,"a:b":4}}`], 'format=xml')
  ).toString()
  const names = [...xml.matchAll(/ (\S+)="/g)].map(([, name]) => name)
  assert.equal(new Set(names).size, names.length)
})

test('names of a megabyte are too long for the columns of a table, once there are many', async () => {
  const long = 'k'.repeat(500_000)
  const text = `{"${long}":${ones(100_000)}}`
  for (const format of ['csv', 'html', 'xlsx'])
    await assert.rejects(renderTexts([text], `format=${format}`), refusal(/names/))
  const csv = (await renderTexts([`{"${long}":[1,2]}`], 'format=csv&bom=0')).toString()
  assert.equal(csv, `${'k'.repeat(200)},${'k'.repeat(198)}~2\r\n1,2\r\n`)
})

test('reading on from any record gives what reading through would have given', () => {
  const value = fc.oneof(
    fc.constantFrom('1', '[]', '{}', '"x"', '[1,2]', '[{"b":[1,2]},{"b":3},4]', '{"b":[5,6]}', '[{}]'),
  )
  const item = fc.record({ a: value, b: value }).map(({ a, b }) => `{"a":${a},"b":${b}}\n`)
  const queries = [
    'unwind=a',
    'unwind=a,b',
    'unwind=b,x,a,a',
    'unwind=x,b,x',
    'unwind=a&fields=b&skipEmpty=1',
    'omit=a',
    'skipEmpty=1',
    'flatten=a',
  ]
  fc.assert(
    fc.property(fc.array(item, { maxLength: 4 }), fc.constantFrom(...queries), fc.nat(12), (items, query, count) => {
      const lines = Buffer.from(items.join(''))
      const whole = [...eachRecord(lines, queryOf(query), { item: 0, record: 0 })]
      const cursor = { item: 0, record: 0 }
      const parts: (string | null)[] = []
      for (const text of eachRecord(lines, queryOf(query), cursor)) if (parts.push(text) >= count) break
      assert.deepEqual([...parts, ...eachRecord(lines, queryOf(query), { ...cursor })], whole)
    }),
  )
})

test('unwinding takes as many steps as there are names and records, and arrays that multiply are refused before the first', () => {
  const stepsOf = (item: string, query: string) => {
    const work = { steps: 0 }
    const records = [...eachRecord(Buffer.from(`${item}\n`), queryOf(query), { item: 0, record: 0 }, undefined, work)]
    return [records.length, work.steps] as const
  }
  const objects = `{"b":[${'{},'.repeat(199)}{}]}`
  const [found, steps] = stepsOf(objects, `unwind=b${',x'.repeat(99)}`)
  assert.equal(found, 200)
  assert.ok(steps <= 200 * 100 * 2, `${steps} steps`)
  assert.equal(stepsOf('{"b":[[1,2],[3,[4,5]]]}', 'unwind=b,b')[0], 4)
  assert.equal(stepsOf('{"b":[[1,2],[3,[4,5]]]}', 'unwind=b,b,b')[0], 5)
  const product = `{${['a', 'b', 'c', 'd'].map((name) => `"${name}":${ones(200)}`)}}`
  assert.equal(stepsOf(product, 'unwind=a,b')[0], 200 * 200)
  // Of what is resumed, an array that is skipped whole is not passed again.
  const entries = ['a', 'b', 'c'].map((name) => ({ name, text: ones(200), origins: [] }))
  const records = [...unwindAll(entries, ['a', 'b', 'c'], { left: 200 ** 3 - 2, steps: 0 })]
  assert.deepEqual(
    records.map((record) => record.map(({ text }) => text)),
    Array(2).fill(['1', '1', '1']),
  )
  assert.throws(() => stepsOf(product, 'unwind=a,b,c,d'), refusal(/unwound into too many records/))
  assert.throws(() => stepsOf(product, 'unwind=d,c,b,a&skipEmpty=1&fields=none'), refusal(/unwound/))
})

test('records that have nothing left end a part of a slice as well', () => {
  const lines = Buffer.from(`{"a":${ones(1_500)},"b":${ones(1_500)}}\n`)
  const query = queryOf('unwind=a,b&skipEmpty=1&fields=none')
  for (const format of ['json', 'xml'] as const) {
    const plan = { query: { ...query, format }, columns: [], sheet: null, columnar: null }
    const first = renderSlice(lines, plan, sliceStart)
    assert.equal(first.made.length, 0)
    assert.ok(first.next !== null && first.next.record > 0)
  }
})

test('items that grow stream in parts or are refused before the first byte, and others are served meanwhile', async (t) => {
  const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  t.after(() => server.stop())
  const api = makeApi(server)

  const refused = await api.make()
  await api.push(refused, `{"a":${ones(1_000_000)}}`)
  for (const format of ['json', 'csv', 'xlsx', 'xml'])
    for (const range of format === 'json' ? [{}, { range: 'bytes=0-9' }] : [{}]) {
      const query = `format=${format}&flatten=a&limit=1&attachment=1`
      const response = await api.send('GET', `/datasets/${refused}/items?${query}`, { headers: range })
      assert.equal(response.status, 400)
      assert.equal(response.headers.get('content-disposition'), null)
      assert.equal(((await response.json()) as { error: { type: string } }).error.type, 'invalid-value')
    }

  const products = await api.make(undefined, {
    schema: { views: { long: { transformation: { unwind: Array(101).fill('b') } } } },
  })
  await api.push(products, `{${['a', 'b', 'c', 'd'].map((name) => `"${name}":${ones(200)}`)}}`)
  const refuses = [
    `unwind=b${',x'.repeat(2_000)}`,
    `unwind=b${',x'.repeat(4_000)}`,
    `flatten=b${',x'.repeat(100)}`,
    'view=long',
    'unwind=a,b,c,d',
    'unwind=a,b,c,d&format=csv&fields=x',
  ]
  for (const query of refuses) {
    const { status, body } = await api.ask('GET', `/datasets/${products}/items?${query}`)
    assert.deepEqual([status, body.error.type], [400, 'invalid-value'], query.slice(0, 40))
  }
  assert.equal(JSON.parse(await api.text(products, `unwind=a${',x'.repeat(99)}&fields=a`)).length, 200)

  const unwound = await api.make()
  await api.push(unwound, `{"big":"${'b'.repeat(500_000)}","a":${ones(300)}}`)
  const growing = await api.send('GET', `/datasets/${unwound}/items?format=jsonl&unwind=a`)
  let [bytes, records] = [0, 0]
  for await (const chunk of growing.body!) {
    bytes += chunk.length
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) records++
    if (records === 100) assert.equal((await api.ask('GET', `/datasets/${unwound}`)).status, 200)
  }
  assert.deepEqual([bytes, records], [300 * '{"big":"","a":1}\n'.length + 300 * 500_000, 300])
  const csv = await api.text(unwound, 'format=csv&unwind=a&fields=a&bom=0')
  assert.equal(csv, `a\r\n${'1\r\n'.repeat(300)}`)
  assert.equal(await api.text(unwound, 'unwind=a&omit=big'), `[${'{"a":1},'.repeat(299)}{"a":1}]`)

  const account = (await server.services.accounts.findByName('admin'))!
  const reading = { signature: null, feedOf: () => feed, isGone: () => true, cutOff: () => {} }
  const open = async (query: string) => {
    const parse = () => queryOf(query)
    const address = { by: 'id', id: unwound } as const
    return (await server.services.datasets.export(actingFor(account), address, parse, { ...reading, name: query })).page
  }
  const isGone = (error: unknown) => error instanceof Failure && error.code === 'client-gone'
  await assert.rejects(open('format=csv&unwind=a'), isGone)
  await assert.rejects((await open('unwind=a')).measure(), isGone)

  const wide = await api.make()
  await api.push(wide, [
    Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`k${i}`, i])),
    ...Array(3_000).fill({}),
  ])
  const html = await api.text(wide, 'format=html')
  assert.equal(html.match(/<tr>/g)!.length, 1 + 1 + 3_000)
  const [head, ...rows] = (await api.text(wide, 'format=csv&skipHeaderRow=1&desc=1&bom=0')).split('\r\n')
  assert.equal(head, ','.repeat(1_999))
  assert.equal(rows.length, 3_000 + 1)
})
