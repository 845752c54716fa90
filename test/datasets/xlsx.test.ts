/** xlsx read back by SheetJS, and by Python with nothing but zipfile and expat. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import * as sheetJs from 'xlsx'
import { combineCrc } from '../../src/lib/zip/crc.ts'
import { ZipFrame } from '../../src/lib/zip/zip-frame.ts'
import { renderItems, renderTexts } from './slices.ts'

const folder = mkdtempSync(join(tmpdir(), 'guildhall-xlsx-'))
after(() => rmSync(folder, { recursive: true }))

type Cell = [type: string, text: string] | null

function readByPython(file: Buffer): Cell[][][] {
  const path = join(folder, 'book.xlsx')
  writeFileSync(path, file)
  const { stdout, stderr, status } = spawnSync('python3', [join(import.meta.dirname, 'read-xlsx.py'), path], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

function readBySheetJs(file: Buffer): unknown[][][] {
  const book = sheetJs.read(file, { type: 'buffer' })
  return book.SheetNames.map((name) =>
    sheetJs.utils.sheet_to_json(book.Sheets[name]!, { header: 1, raw: true, defval: null }),
  )
}

test('numbers are numbers, booleans booleans, text text, and blanks are blank', async () => {
  const file = await renderItems(
    [{ a: 1.5, b: true, c: 'x', d: null }, { c: '=1+1', e: '2026-01-01' }, {}],
    'format=xlsx',
  )
  assert.deepEqual(readBySheetJs(file), [
    [
      ['a', 'b', 'c', 'd', 'e'],
      [1.5, true, 'x', null, null],
      [null, null, '=1+1', null, '2026-01-01'],
      [null, null, null, null, null],
    ].slice(0, 4),
  ])
  assert.deepEqual(readByPython(file)[0]!.slice(1), [
    [
      ['n', '1.5'],
      ['b', '1'],
      ['inlineStr', 'x'],
    ],
    [null, null, ['inlineStr', '=1+1'], null, ['inlineStr', '2026-01-01']],
    [],
  ])
})

test('a number is a number where its double prints back to it, and a whole one up to 15 digits; else it is exact text', async () => {
  const numbers: [string, 'n' | 'inlineStr'][] = [
    ['0', 'n'],
    ['-0', 'n'],
    ['123456789012345', 'n'],
    ['1234567890123456', 'inlineStr'],
    ['-123456789012345', 'n'],
    ['1234567890123450000', 'inlineStr'],
    ['0.1234567890123456', 'n'],
    ['52.520006599999995', 'n'],
    ['0.30000000000000004', 'n'],
    // Seventeen digits, of which the nearest double's shortest has sixteen.
    ['89.458073021573682', 'n'],
    ['-31.702877901260301', 'n'],
    ['89.458073021573683', 'inlineStr'],
    ['0.12345678901234567890', 'inlineStr'],
    ['9007199254740993.0', 'inlineStr'],
    ['1.7e3', 'n'],
    ['0.00000000000000012345', 'n'],
    ['1.50000000000000000', 'n'],
    ['1e307', 'n'],
    ['1e400', 'inlineStr'],
    ['1e-400', 'inlineStr'],
    ['0e999', 'n'],
    ['12345678901234567890', 'inlineStr'],
  ]
  const rows = readByPython(
    await renderTexts(
      numbers.map(([text]) => `{"a":${text}}`),
      'format=xlsx',
    ),
  )[0]!
  assert.deepEqual(
    rows.slice(1),
    numbers.map(([text, type]) => [[type, text]]),
  )
})

test('characters that XML forbids, and text that looks like their escape, come back', async () => {
  const texts = [
    '\u0000\u0008\u000b\u001f',
    '\ufffe\uffff',
    '\ud800',
    '_x0041_',
    '_x_',
    '<&>"\'',
    ' a ',
    'a\nb\tc\rd',
    '😀ž',
    '__proto__',
  ]
  const file = await renderItems(
    texts.map((a) => ({ a })),
    'format=xlsx',
  )
  assert.deepEqual(
    readByPython(file)[0]!.slice(1),
    texts.map((text) => [['inlineStr', text]]),
  )
  const bySheetJs = readBySheetJs(file)[0]!
    .slice(1)
    .map((row) => row[0])
  for (const i of [3, 4, 5, 6, 8, 9]) assert.equal(bySheetJs[i], texts[i])
})

test('a cell is cut at 32,767 characters, never through one', async () => {
  const cells = readByPython(
    await renderItems([{ a: 'x'.repeat(40_000), b: `y${'😀'.repeat(20_000)}`, c: 'z'.repeat(32_767) }], 'format=xlsx'),
  )[0]![1]!
  assert.equal(cells[0]![1], 'x'.repeat(32_767))
  assert.equal(cells[1]![1], `y${'😀'.repeat(16_383)}`)
  assert.equal(cells[2]![1].length, 32_767)
})

test('a full sheet is followed by another, each with the header', async () => {
  const items = Array.from({ length: 25 }, (_, i) => ({ i }))
  const file = await renderItems(items, 'format=xlsx', { sheetRows: 11, sliceSize: 4 })
  const sheets = readBySheetJs(file)
  assert.deepEqual(
    sheets.map((rows) => rows.length),
    [11, 11, 6],
  )
  assert.ok(sheets.every((rows) => rows[0]![0] === 'i'))
  assert.deepEqual(
    sheets.flatMap((rows) => rows.slice(1).map((row) => row[0])),
    items.map(({ i }) => i),
  )
  const bare = readByPython(await renderItems(items, 'format=xlsx&skipHeaderRow=1', { sheetRows: 25 }))
  assert.deepEqual(
    bare.map((rows) => rows.length),
    [25],
  )
  const unwound = items.map(({ i }) => ({ i, u: [1, 2, 3] }))
  const long = readBySheetJs(await renderItems(unwound, 'format=xlsx&unwind=u', { sheetRows: 11, sliceSize: 7 }))
  assert.deepEqual(
    long.flatMap((rows) => rows.slice(1)).map(([i, u]) => [i, u]),
    unwound.flatMap(({ i, u }) => u.map((each) => [i, each])),
  )
})

test('no items make an empty sheet', async () => {
  assert.deepEqual(readByPython(await renderItems([], 'format=xlsx')), [[]])
  assert.deepEqual(readBySheetJs(await renderItems([], 'format=xlsx')), [[]])
})

test('any text comes back', async () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '<', '&', '_', 'x', '0', '1', '\n', '\u0001', 'ž', '😀', ' '),
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 50, maxLength: 60 }), async (texts) => {
      const rows = readByPython(
        await renderItems(
          texts.map((a) => ({ a })),
          'format=xlsx',
          { sliceSize: 9 },
        ),
      )[0]!
      assert.deepEqual(
        rows.slice(1),
        texts.map((each) => [['inlineStr', each]]),
      )
    }),
    { numRuns: 15 },
  )
})

test('checksums of neighbours join to that of the whole', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array({ maxLength: 300 }), (a, b) =>
      assert.equal(combineCrc(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b]))),
    ),
  )
})

test('an entry that might pass 4 GiB is read by Python too', () => {
  const frame = new ZipFrame()
  const parts = [frame.open('big.txt', true)]
  const bytes = Buffer.from([1, 2, 0, 0xfd, 0xff, 0x68, 0x69])
  parts.push(frame.append({ bytes, crc: crc32('hi'), rawLength: 2 }), frame.close(false), frame.finish())
  const path = join(folder, 'large.zip')
  writeFileSync(path, Buffer.concat(parts))
  const script = `import zipfile; z = zipfile.ZipFile(${JSON.stringify(path)}); assert z.testzip() is None; print(z.read('big.txt').decode())`
  assert.equal(spawnSync('python3', ['-c', script], { encoding: 'utf8' }).stdout, 'hi\n')
})
