/** csv read back by two parsers that others wrote. */
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse as csvParse } from 'csv-parse/sync'
import fc from 'fast-check'
import { surveySlice } from '../../src/datasets/formats/slice.ts'
import { ItemReader } from '../../src/datasets/items/item-reader.ts'
import { sliceStart } from '../../src/datasets/query/records.ts'
import { queryOf, renderItems, renderTexts } from './slices.ts'

const require = createRequire(import.meta.url)
const papa = require('papaparse') as { parse(text: string, options: object): { data: string[][]; errors: unknown[] } }
const spectrum = promisify(require('csv-spectrum')) as () => Promise<{ name: string; json: Buffer }[]>

function parseTwice(text: string, delimiter = ','): string[][] {
  const rows = csvParse(text, { bom: true, delimiter, relax_column_count: false }) as string[][]
  const { data, errors } = papa.parse(text.replace(/^\ufeff/, ''), { delimiter, newline: '\r\n' })
  assert.deepEqual(errors, [])
  assert.deepEqual(data.slice(0, -1), rows)
  return rows
}

const csv = async (items: readonly object[], query = '') => (await renderItems(items, `format=csv&${query}`)).toString()
const plain = (items: readonly object[], query = '') => csv(items, `bom=0&${query}`)

test('every case of csv-spectrum comes back from both parsers', async () => {
  for (const { name, json } of await spectrum()) {
    const items = [JSON.parse(json.toString())].flat() as Record<string, string>[]
    const [header, ...rows] = parseTwice(await csv(items))
    const read = rows.map((row) => Object.fromEntries(row.map((cell, i) => [header![i], cell])))
    assert.deepEqual(read, items, name)
  }
})

test('quotes stand only where they are needed', async () => {
  const cells: [unknown, string][] = [
    ['plain', 'plain'],
    ['a b', 'a b'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    [' a', '" a"'],
    ['a\t', '"a\t"'],
    ['a\tb', 'a\tb'],
    ['a\\b/c', 'a\\b/c'],
    ['=1+1', '=1+1'],
    ['ž€😀', 'ž€😀'],
    ['\u0000\u001f\ufffe', '\u0000\u001f\ufffe'],
    ['\ud800', '\ufffd'],
    [-1.5e-7, '-1.5e-7'],
    [true, 'true'],
    [null, ''],
    ['', ''],
  ]
  for (const [value, cell] of cells) assert.equal(await plain([{ a: value, b: 1 }]), `a,b\r\n${cell},1\r\n`)
  assert.equal(await plain([{ a: '' }, { a: null }, {}, { a: 'x' }]), 'a\r\n""\r\n""\r\n""\r\nx\r\n')
  assert.equal(await plain([{ '': '' }]), '""\r\n""\r\n')
  assert.equal(await plain([{ a: 1.5, b: 't,x' }], 'delimiter=.'), 'a.b\r\n"1.5".t,x\r\n')
  assert.equal(await plain([{ a: 15, b: true }], 'delimiter=t'), 'atb\r\n15t"true"\r\n')
  assert.equal(await plain([{ a: 'x€y', b: 'â' }], 'delimiter=%E2%82%AC'), 'a€b\r\n"x€y"€â\r\n')
  assert.equal(await plain([{ a: 'x y', b: 1 }], 'delimiter=%09'), 'a\tb\r\nx y\t1\r\n')
})

test('the byte order mark, the header and an empty table', async () => {
  assert.equal(await csv([{ a: 1 }]), '\ufeffa\r\n1\r\n')
  assert.equal(await plain([{ a: 1 }], 'skipHeaderRow=1'), '1\r\n')
  assert.equal(await plain([]), '')
  assert.equal(await plain([{}, {}]), '')
  assert.equal(await plain([], 'fields=a,b'), 'a,b\r\n')
  assert.equal((await renderItems([{ a: 1 }], 'format=json&bom=1')).toString(), '\ufeff[{"a":1}]')
})

test('columns: by path, indexes as numbers, fields in their order, names that collide apart', async () => {
  const header = async (items: readonly object[], query = '') => (await plain(items, query)).split('\r\n')[0]
  assert.equal(await header([{ b: 1, a: { y: 1, x: [1, 2] } }]), 'a/x/0,a/x/1,a/y,b')
  const eleven = Array.from({ length: 11 }, (_, i) => i)
  assert.equal(await header([{ a: eleven }]), eleven.map((i) => `a/${i}`).join(','))
  assert.equal(await header([{ a: 1 }, { a: { b: 2 } }]), 'a,a/b')
  assert.equal(await header([{ a: {}, b: [], c: null }]), 'c')
  assert.equal(await header([{ '\u{1F600}': 1, '\uffff': 2, z: 3 }]), 'z,\uffff,\u{1F600}')
  assert.equal(await header([{ 'a/b': 1, a: { b: 2 } }]), 'a/b,a/b~2')
  assert.equal(await header([{ 'a/b': 1, a: { b: 2 }, 'a/b~2': 3 }]), 'a/b,a/b~2,a/b~2~2')
  assert.equal(await header([{ a: 1, b: { y: 1, x: 2 } }], 'fields=b,c,a'), 'b/x,b/y,c,a')
  assert.equal(await header([{ a: 1, b: 2 }], 'fields=b,a&outputFields=x,y'), 'x,y')
  assert.equal(await header([{ a: 1, b: 2 }], 'fields=a,b,c&omit=a'), 'b,c')
  assert.equal(await header([{ a: 1, b: 2 }], 'fields=a,b,c&omit=b&outputFields=x,y,z'), 'x,z')
  assert.equal(await header([{ a: { b: 1 } }], 'fields=a&outputFields=x'), 'x/b')
  assert.equal(await header([{ 10: 1, 2: 1 }], 'fields=10,2'), '10,2')
  assert.equal(await plain([{ a: { b: 1, c: 2 } }], 'flatten=a&fields=a&outputFields=n'), 'n.b,n.c\r\n1,2\r\n')
})

test('a name longer than 200 characters is cut and stays apart from others', async () => {
  const long = '😀'.repeat(250)
  const [header] = csvParse(await plain([{ [`${long}a`]: 1, [`${long}b`]: 2 }])) as string[][]
  assert.deepEqual(
    header!.map((name) => [...name].length),
    [200, 200],
  )
  assert.notEqual(header![0], header![1])
  assert.ok(header![1]!.endsWith('~2'))
})

test('of 3,000 columns the first 2,000 are kept', async () => {
  const wide = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`c${String(i).padStart(4, '0')}`, i]))
  const [header, row] = parseTwice(await plain([wide]))
  assert.equal(header!.length, 2000)
  assert.equal(header!.at(-1), 'c1999')
  assert.equal(row!.at(-1), '1999')
  const [indexes] = parseTwice(await plain([{ a: Array.from({ length: 9000 }, (_, i) => i) }]))
  assert.equal(indexes!.length, 2000)
})

test('an item with more names than can be remembered keeps the first columns and counts the rest', async () => {
  const count = 250_000
  const names = Array.from({ length: count }, (_, i) => `k${String(count - i).padStart(6, '0')}`)
  const wide = `{${names.map((name, i) => `"${name}":${i}`).join(',')},"k000001":"last","list":[${'[],{},'.repeat(count)}7]}`
  const texts = ['{"k000002":"x","late":1}', wide, '{"k000001":"y"}']
  const lines = Buffer.from(texts.map((text) => `${text}\n`).join(''))
  assert.equal(surveySlice(lines, queryOf('format=csv'), sliceStart).made.columns.count, count + 2)
  const rows = parseTwice((await renderTexts(texts, 'format=csv&bom=0')).toString())
  assert.deepEqual([rows[0]!.length, rows[0]![0], rows[0]!.at(-1)], [2000, 'k000001', 'k002000'])
  assert.deepEqual(
    rows.slice(1).map((row) => row.slice(0, 3)),
    [
      ['', 'x', ''],
      ['last', String(count - 2), String(count - 3)],
      ['y', '', ''],
    ],
  )
})

test('numbers keep their digits, the last of repeated names counts, and odd names are columns', async () => {
  const texts = [
    '{"n":12345678901234567890,"z":-0,"e":1e400}',
    '{"a":{"b":1},"a":2}',
    '{"__proto__":"p","constructor":"c"}',
  ]
  assert.equal(
    (await renderTexts(texts, 'format=csv&bom=0')).toString(),
    '__proto__,a,constructor,e,n,z\r\n,,,1e400,12345678901234567890,-0\r\n,2,,,,\r\np,,c,,,\r\n',
  )
})

test('any text in any cell comes back from both parsers', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', '\t', '\\', '/', 'ž', '😀', '\u0001', ';'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ a: text, b: text }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(',', ';', '\t'),
      async (items, delimiter) => {
        const [header, ...rows] = parseTwice(
          await plain(items, `delimiter=${encodeURIComponent(delimiter)}`),
          delimiter,
        )
        assert.deepEqual(header, ['a', 'b'])
        assert.deepEqual(
          rows,
          items.map(({ a, b }) => [a, b]),
        )
      },
    ),
  )
})

/** Items as text, of few names and values, so that many have one shape. */
function makeAlike() {
  const name = fc.constantFrom('"a"', '"b"', '"#c"', '"\\u0061"', '"a name"')
  const scalar = fc.constantFrom('1', '-2.50', 'true', 'null', '""', '"x"', '"x, \\"y\\" "', '{}', '[]')
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join()}]`),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(writeObject),
    ),
  }))
  return fc.array(fc.tuple(name, value), { maxLength: 4 }).map(writeObject)
}

test('items that resemble each other make the rows that each would make alone', async () => {
  const item = makeAlike()
  const query = fc.constantFrom(
    '',
    'clean=true',
    'fields=b,a',
    'omit=a',
    'skipEmpty=true',
    'delimiter=%3B',
    'fields=z,b',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 2, maxLength: 12 }), query, async (some, text) => {
      // The second time all of them have a shape that was met before, as far as shapes are remembered.
      const items = [...some, ...some.map((each) => each.replaceAll('"x"', '"a longer \\"text\\""'))]
      const together = await renderTexts(items, `format=csv&${text}`)
      const apart = await renderTexts(items, `format=csv&${text}`, { sliceSize: 1 })
      assert.equal(together.toString(), apart.toString())
    }),
    { numRuns: 500 },
  )
})

test('an item is read alike by a reader that has met others, and by a fresh one', () => {
  const paths = [['a'], ['b'], ['a', 0], ['a', 'b'], ['b', 'a', 1]]
  const columns = paths.map((path) => ({ path, rank: 0 }))
  const selects = [() => 0, (name: string) => (name === 'a' ? 0 : null)]
  const property = fc.property(
    fc.array(makeAlike(), { minLength: 1, maxLength: 8 }),
    fc.constantFrom(...selects),
    fc.boolean(),
    (some, select, isShallow) => {
      const often = Array<string>(300).fill(some[0]!)
      const others = some.flatMap((each) => [
        each,
        each.replaceAll('"x"', '"a longer \\"text\\""').replaceAll('1', '1234'),
      ])
      const lines = Buffer.from([...often, ...others].map((each) => `${each}\n`).join(''))
      const known = new ItemReader(select, columns, isShallow)
      for (let at = 0; at < lines.length; ) {
        const fresh = new ItemReader(select, columns, isShallow)
        const [end, expected] = [known.read(lines, at), fresh.read(lines, at)]
        assert.deepEqual(
          [end, ...placesOf(known)],
          [expected, ...placesOf(fresh)],
          lines.toString('utf8', at, expected),
        )
        at = end + 1
      }
    },
  )
  fc.assert(property, { numRuns: 100 })
})

const placesOf = ({ starts, ends, stamps, item, longest, memberCount, hasRepeat }: ItemReader) => [
  ...Array.from(stamps, (stamp, slot) => (stamp === item ? [starts[slot], ends[slot]] : null)),
  longest,
  memberCount,
  hasRepeat,
]

const writeObject = (members: readonly (readonly [string, string])[]) =>
  `{${members.map(([name, value]) => `${name}:${value}`).join()}}`
