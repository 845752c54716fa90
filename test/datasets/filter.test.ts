/** `filter` and `search`: which items they select, in every format, on pages of any depth, and what they refuse. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { makeKeptLines } from '../../src/datasets/export/kept-lines.ts'
import { readDouble } from '../../src/datasets/formats/comparison.ts'
import { countMatches, makeMatcher, selectLines } from '../../src/datasets/formats/selection.ts'
import { parseFilter } from '../../src/datasets/query/filter.ts'
import { findBorders, holdsUnits, makeTextSearch } from '../../src/datasets/query/text-search.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Api, makeApi } from './api.ts'
import { renderTexts } from './slices.ts'

let server: TestServer
let api: Api
before(async () => {
  server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
  api = makeApi(server)
})
after(() => server.stop())

const books = [
  '{"i":0,"title":"Emma","year":1815,"tags":["novel","love"],"seller":{"name":"Ann","stars":[5,4]}}',
  '{"i":1,"title":"Ulysses","year":1922,"tags":[],"price":12.50,"odd name":true}',
  '{"i":2,"title":"L\\u00e9on \\"x\\"","year":"1922","price":null,"a/b":1}',
  '{"i":3,"year":1e3,"year":2000,"title":"Zo\u00eb"}',
  '{"i":4,"id":12345678901234567891,"title":""}',
]

/** The items that a filter selects, by hand. */
const cases: [string, number[]][] = [
  ['year = 1922', [1]],
  ['year == 1922.0', [1]],
  ['year != 1922', [0, 2, 3]],
  ['year > 1815', [1, 3]],
  ['year >= 1815 and year < 2000', [0, 1]],
  ['year = "1922"', [2]],
  ["title = 'Emma' or title='Ulysses'", [0, 1]],
  ['title > "U"', [1, 3]],
  ['title = "L\u00e9on \\"x\\""', [2]],
  ['title contains "\u00e9on"', [2]],
  ['title=""', [4]],
  ['tags contains "love"', [0]],
  ['not tags exists', [2, 3, 4]],
  ['price = null', [2]],
  ['price exists', [1, 2]],
  ['price <= 12.5', [1]],
  ['seller/name = "Ann" and seller/stars/1 = 4', [0]],
  ['seller/stars contains 5', [0]],
  ['`odd name` = true', [1]],
  ['`a/b` = 1', [2]],
  ['id = 12345678901234567891', [4]],
  ['id = 12345678901234567890', []],
  ['not (year > 0 or id > 0)', [2]],
  ['NOT year > 0 AND NOT id > 0', [2]],
]

test('a filter selects what it says', async () => {
  const id = await api.make()
  await api.push(id, `[${books.join(',')}]`)
  for (const [filter, expected] of cases) {
    const text = await api.text(id, `filter=${encodeURIComponent(filter)}`)
    assert.equal(text, `[${expected.map((i) => books[i]).join(',')}]`, filter)
  }
  const found = async (search: string) =>
    (JSON.parse(await api.text(id, `search=${search}`)) as { i: number }[]).map(({ i }) => i)
  assert.deepEqual(
    [
      await found('EMMA'),
      await found('l%C3%A9on'),
      await found('novel'),
      await found('title'),
      await found('zo%C3%AB'),
    ],
    [[0], [2], [0], [], [3]],
  )
})

test('a text is found in another as String.includes does, and each of its units is read once', () => {
  const text = (maxLength: number) => fc.array(fc.constantFrom('a', 'b'), { maxLength }).map((units) => units.join(''))
  fc.assert(
    fc.property(text(60), text(8), text(40), (start, wanted, end) => {
      const isHeld = (whole: string, part: string) => holdsUnits(whole, part, findBorders(part))
      assert.equal(isHeld(start, wanted), start.includes(wanted))
      assert.equal(isHeld(start + wanted + end, wanted), true)
      assert.equal(makeTextSearch(end)(start + end.slice(1) + start), (start + end.slice(1) + start).includes(end))
    }),
  )
  const halves = 'a'.repeat(1_900)
  for (const wanted of [`${halves}b${halves}`, `b${halves}`, `${halves}b`, 'ab'.repeat(1_000)]) {
    let reads = 0
    const units = 'a'.repeat(100_000)
    const counted = {
      length: units.length,
      charCodeAt: (at: number) => {
        reads++
        return units.charCodeAt(at)
      },
    }
    assert.equal(holdsUnits(counted, wanted, findBorders(wanted)), false)
    assert.equal(reads, units.length)
  }
})

test('long texts are searched for in long ones, deep ones and many times in one filter', async () => {
  const id = await api.make()
  const [long, half] = ['a'.repeat(100_000), 'a'.repeat(1_900)]
  await api.push(id, [{ s: long }, { s: `${long}b${long}` }, { t: { s: ['x', { s: `B${long}` }] } }])
  const count = async (query: string) => JSON.parse(await api.text(id, `${query}&fields=none`)).length
  const filtered = (filter: string) => count(`filter=${encodeURIComponent(filter)}`)
  assert.equal(await filtered(`s contains "${half}b${half}"`), 1)
  assert.equal(await filtered(`s contains "${half}"`), 2)
  assert.equal(await filtered(Array(200).fill('s contains "ba"').join(' or ')), 1)
  assert.equal(await filtered(`t/s/1/s contains "B${half}" and t/s/0 exists and not t/s/2 exists`), 1)
  assert.equal(await count(`search=${half.slice(0, 499)}b${half.slice(0, 500)}`), 1)
  assert.equal(await count(`search=b${half.slice(0, 900)}`), 2)
  const deep = await api.make()
  await api.push(deep, `${'{"a":['.repeat(120)}"Needle","${long}"${']}'.repeat(120)}`)
  assert.equal(JSON.parse(await api.text(deep, 'search=needle')).length, 1)
  assert.equal(JSON.parse(await api.text(deep, 'search=a%22')).length, 0)
  // Each of these paths may be spelled in 16 ways.
  const paths = Array.from({ length: 200 }, (_, i) => `a/${i}/1/2/3=1`).join(' or ')
  assert.equal(JSON.parse(await api.text(deep, `filter=${encodeURIComponent(paths)}`)).length, 0)
})

test('lines that are passed over are those of items that are not selected, whatever their names and texts look like', () => {
  /** Names of one and of more letters, one within another, and some that are spelled with an escape. */
  const name = fc.constantFrom('a', 'ab', 'aba', 'review', 'reviewed', 'x"a', '0', '\u0061', 'a\\u0062', 'revie\u0077')
  const text = fc.constantFrom('', 'a', '"a":1', ',"ab":', '\\', '{"review":5}', 'x\n"a":', '\u00e9', '\u0001')
  const scalar = fc.oneof(
    fc.integer({ min: -3, max: 3 }).map(String),
    fc.constantFrom('1.0', '10e-1', '-0', '12345678901234567890', 'true', 'null'),
    fc.tuple(text, fc.boolean()).map(([one, isPlain]) => (isPlain ? JSON.stringify(one) : spellOut(one))),
  )
  const { value } = fc.letrec<{ value: string; item: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      tie('item'),
      fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join()}]`),
    ),
    item: members(tie('value')),
  }))
  function members(of: fc.Arbitrary<string>) {
    const member = fc.tuple(name, fc.boolean(), of)
    return fc
      .array(member, { maxLength: 5 })
      .map((all) => `{${all.map(([key, isPlain, json]) => `${spell(key, isPlain)}:${json}`).join()}}`)
  }
  const comparison = fc
    .tuple(
      fc.constantFrom('a', 'ab', 'aba', 'review', 'a/ab', 'review/0', 'a/0', '`0`'),
      fc.constantFrom('=', '!=', '<', '>=', 'contains'),
      fc.constantFrom('1', '0', '-2', '12345678901234567891', '"a"', '""', 'null'),
    )
    .map((parts) => parts.join(' '))
  const { filter } = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small' },
      comparison,
      fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map(([a, word, b]) => `(${a} ${word} ${b})`),
      tie('filter').map((part) => `not ${part}`),
    ),
  }))
  fc.assert(
    fc.property(fc.array(members(value), { maxLength: 8 }), filter, (items, asked) => {
      const lines = Buffer.from(items.map((item) => `${item}\n`).join(''))
      const selection = { filter: parseFilter(asked), search: null }
      const matches = makeMatcher(selection)
      const expected = items.filter((item) => matches(Buffer.from(`${item}\n`), 0, Buffer.byteLength(item)))
      const selected = selectLines(lines, selection)
      assert.equal(selected.lines.toString(), expected.map((item) => `${item}\n`).join(''))
      assert.deepEqual([selected.count, countMatches(lines, selection)], [expected.length, expected.length])
    }),
    { numRuns: 1_000 },
  )
})

const spell = (text: string, isPlain: boolean) => (isPlain ? JSON.stringify(text) : spellOut(text))
/** Each letter by its number. */
const spellOut = (text: string) =>
  `"${[...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`

test('a number is the double that JSON.parse makes of it', () => {
  const whole = fc.nat({ max: 999_999_999 }).map(String)
  const short = fc
    .tuple(fc.constantFrom('', '-'), whole, fc.option(fc.stringMatching(/^\d{1,9}$/)))
    .map(([sign, before, after]) => sign + before + (after === null ? '' : `.${after}`))
  fc.assert(
    fc.property(fc.oneof(short, fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)), (json) => {
      assert.ok(Object.is(readDouble(Buffer.from(`[${json}]`), 1, json.length + 1), JSON.parse(json)), json)
    }),
  )
})

test('lines are kept as far as there is room, for a page and for all', () => {
  const open = makeKeptLines({ perPage: 10, inAll: 15 })
  const [one, other] = [open(), open()]
  assert.deepEqual(
    [one.keep(Buffer.alloc(8)), one.keep(Buffer.alloc(3)), one.keep(Buffer.alloc(2))],
    [true, false, true],
  )
  assert.deepEqual([other.left(), other.keep(Buffer.alloc(6)), other.keep(Buffer.alloc(5))], [5, false, true])
  one.release()
  one.release()
  assert.deepEqual([one.left(), other.left()], [10, 5])
})

test('a filter that makes no sense is refused with the place', async () => {
  const id = await api.make()
  const wrong: [string, RegExp][] = [
    ['year', /one of = != .* is expected at its end/],
    ['year =', /a value is expected at its end/],
    ['year = Emma', /a value is expected at character 7/],
    ['= 3', /the name of a field is expected at character 1/],
    ['(a = 1', /parenthesis is not closed at its end/],
    ['a = 1 b = 2', /and, or, or the end is expected at character 6/],
    ['a = "x', /can't be read/],
    ['a = 1x', /neither a number/],
    [' ', /it is empty/],
    [`${'('.repeat(40)}a=1${')'.repeat(40)}`, /nested deeper/],
    [`a = "${'x'.repeat(4_000)}"`, /over 4000 characters/],
  ]
  for (const [filter, message] of wrong) {
    const { status, body } = await api.ask('GET', `/datasets/${id}/items?filter=${encodeURIComponent(filter)}`)
    assert.equal(status, 400, filter)
    assert.match(body.error.message, message)
  }
})

test('pages of selected items are parts of the whole, in each format and order, over chunks of any size', async () => {
  const id = await api.make()
  const texts = Array.from({ length: 30_000 }, (_, i) => `{"i":${i},"k":${i % 7},"t":"${'x'.repeat(120)}"}`)
  for (let i = 0; i < texts.length; i += 10_000) await api.push(id, `[${texts.slice(i, i + 10_000).join(',')}]`)
  await server.services.datasets.settle()
  const matching = texts.filter((_, i) => i % 7 === 3)
  const queries = ['', 'limit=5', 'offset=4000&limit=10', 'offset=4280', 'desc=1&offset=2&limit=3', 'offset=90000']
  for (const format of ['json', 'jsonl', 'csv', 'xml', 'html'])
    for (const page of queries) {
      const expected = await renderTexts(matching, `format=${format}&${page}`)
      const response = await api.send('GET', `/datasets/${id}/items?format=${format}&${page}&filter=k%3D3`)
      const given = Buffer.from(await response.arrayBuffer()).toString()
      const rename = (text: string) => text.replace(/<title>.*<\/title>/, '')
      assert.equal(rename(given), rename(expected.toString()), `${format} ${page}`)
    }
  const { headers } = await api.send('HEAD', `/datasets/${id}/items?filter=k%3D3&offset=4280`)
  assert.deepEqual(
    ['count', 'total'].map((name) => headers.get(`x-data-pagination-${name}`)),
    [String(matching.length - 4280), '30000'],
  )
  const sheet = await api.send('GET', `/datasets/${id}/items?format=xlsx&filter=i%20%3E%3D%2029990&fields=i`)
  assert.equal(sheet.status, 200)
  const ranged = await api.send('GET', `/datasets/${id}/items?filter=k%3D3&limit=100`, {
    headers: { range: 'bytes=10-99' },
  })
  assert.deepEqual([ranged.status, await ranged.text()], [206, `[${matching.slice(0, 100).join(',')}]`.slice(10, 100)])
  const unwound = await api.text(id, 'filter=i%3C3&fields=i&outputFields=n')
  assert.equal(unwound, '[{"n":0},{"n":1},{"n":2}]')
})
