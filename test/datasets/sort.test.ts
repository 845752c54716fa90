/** `sort` and `distinct`: the order of every kind of value, pages and formats of it, and any number of runs in bounded room. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import * as sheetJs from 'xlsx'
import { makeSortDiskBudget } from '../../src/datasets/export/sort-disk-budget.ts'
import { sortItems } from '../../src/datasets/export/sorted-page.ts'
import { type MergePlan, mergePiece } from '../../src/datasets/order/merge.ts'
import { writeRecord } from '../../src/datasets/order/records.ts'
import { isOrdered, parseDistinct, parseSort } from '../../src/datasets/query/order.ts'
import { makeWorkerPool } from '../../src/datasets/workers/worker-pool.ts'
import { makeTemporaryFiles } from '../../src/store/files/temporary-files.ts'
import { startServer } from '../support/server.ts'
import { makeApi } from './api.ts'
import { queryOf, renderTexts } from './slices.ts'

const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
const api = makeApi(server)
const folder = mkdtempSync(join(tmpdir(), 'guildhall-sort-'))
const workers = makeWorkerPool()
after(async () => {
  rmSync(folder, { recursive: true })
  await workers.close()
  await server.stop()
})

test('only a query that sorts, or leaves out what is alike, reads more than its page', () => {
  const [sort, distinct] = [parseSort('-year'), parseDistinct('name')]
  assert.deepEqual(
    [
      { sort: [], distinct: [] },
      { sort, distinct: [] },
      { sort: [], distinct },
      { sort, distinct },
    ].map(isOrdered),
    [false, true, true, true],
  )
})

/** In order, each before the next; those in one line are alike. */
const inOrder = [
  ['{}', '{"w":1}'],
  ['{"v":null}'],
  ['{"v":false}'],
  ['{"v":true}'],
  ['{"v":-1e400}'],
  ['{"v":-9007199254740993}'],
  ['{"v":-9007199254740992}'],
  ['{"v":-1.5}'],
  ['{"v":-0.1}'],
  ['{"v":0}', '{"v":-0}', '{"v":0.00}'],
  ['{"v":1e-400}'],
  ['{"v":2}', '{"v":2.0}', '{"v":20e-1}'],
  ['{"v":10}'],
  ['{"v":1e400}'],
  ['{"v":""}'],
  ['{"v":"\\u0000"}'],
  ['{"v":"10"}'],
  ['{"v":"9"}'],
  ['{"v":"B"}'],
  ['{"v":"a"}', '{"v":"\\u0061"}'],
  ['{"v":"ab"}'],
  ['{"v":"\uff5e"}'],
  ['{"v":"😀"}'],
  ['{"v":[1]}'],
  ['{"v":{"a":1}}'],
]

const shuffle = <T>(list: readonly T[]): T[] =>
  list
    .map((one, i) => [(i * 7919) % 101, one] as const)
    .sort((a, b) => a[0] - b[0])
    .map(([, one]) => one)

test('values are sorted by kind, then by value, those alike as they were stored', async () => {
  const id = await api.make()
  const groups = shuffle(inOrder)
  const most = Math.max(...groups.map((group) => group.length))
  // The first of each group, then the second of each: those alike are far from each other.
  const stored = Array.from({ length: most }, (_, i) => groups.flatMap((group) => group[i] ?? [])).flat()
  await api.push(id, `[${stored.join(',')}]`)
  const flat = (order: readonly (readonly string[])[]) => order.flat().join('\n')
  const text = async (query: string) => (await api.text(id, `format=jsonl&${query}`)).trimEnd()
  assert.equal(await text('sort=v'), flat(inOrder))
  assert.equal(await text('sort=-v'), flat(inOrder.toReversed()))
  assert.equal(await text('sort=v&desc=1'), flat(inOrder.map((group) => group.toReversed())))
  assert.deepEqual(
    (await text('distinct=v&sort=v')).split('\n'),
    inOrder.map(([first]) => first),
  )
  assert.equal(await text('distinct=v'), stored.filter((item) => inOrder.some(([first]) => first === item)).join('\n'))
})

test('pages of a sorted, filtered, distinct answer are parts of the whole in each format', async () => {
  const id = await api.make()
  const items = Array.from({ length: 12_000 }, (_, i) => ({
    i,
    k: (i * 31) % 977,
    s: { name: `n${i % 50}` },
    t: 'x'.repeat(100),
  }))
  for (let i = 0; i < items.length; i += 4_000) await api.push(id, items.slice(i, i + 4_000))
  await server.services.datasets.settle()
  const sorted = items.filter(({ k }) => k > 500).sort((a, b) => a.k - b.k || b.i - a.i)
  const cases: [query: string, expected: typeof items][] = [
    ['filter=k%20%3E%20500&sort=k,-i', sorted],
    ['filter=k%20%3E%20500&sort=k&desc=1&offset=100&limit=10', sorted.slice(100, 110)],
    ['filter=k%20%3E%20500&sort=k,-i&offset=5500', sorted.slice(5_500)],
    ['sort=i&offset=90000', []],
    // The first of each in the order that was asked for.
    ['distinct=s/name&sort=-i&limit=3', items.slice(-3).reverse()],
    ['distinct=s/name&offset=48', items.slice(48, 50)],
    ['distinct=s/name,k', items],
  ]
  for (const [query, expected] of cases) {
    const response = await api.send('GET', `/datasets/${id}/items?${query}`)
    assert.equal(await response.text(), JSON.stringify(expected), query)
    assert.equal(response.headers.get('x-data-pagination-count'), String(expected.length), query)
    assert.equal(response.headers.get('x-data-pagination-total'), '12000')
  }
  const texts = sorted.map((item) => JSON.stringify(item))
  for (const format of ['jsonl', 'csv', 'xml'])
    assert.equal(
      await api.text(id, `format=${format}&bom=0&filter=k%20%3E%20500&sort=k,-i`),
      (await renderTexts(texts, `format=${format}&bom=0`)).toString(),
    )
  // The frame of these tells the data set's own name and address.
  const rowsOf = (text: string) => text.match(/<tr>.*?<\/tr>|<item>.*?<\/item>/gs)
  for (const format of ['html', 'rss']) {
    const query = `format=${format}&fields=i,k`
    const given = rowsOf(await api.text(id, `${query}&filter=k%20%3E%20500&sort=k,-i&limit=500`))
    assert.deepEqual(given, rowsOf((await renderTexts(texts.slice(0, 500), query)).toString()), format)
    const first = rowsOf(await api.text(id, `${query}&distinct=s/name&sort=-i&limit=3`))
    const newest = items
      .slice(-3)
      .reverse()
      .map((item) => JSON.stringify(item))
    assert.deepEqual(first, rowsOf((await renderTexts(newest, query)).toString()), format)
  }
  for (const [query, expected] of cases.slice(0, 5)) {
    const sheet = await api.send('GET', `/datasets/${id}/items?format=xlsx&fields=i,k&${query}`)
    const book = sheetJs.read(Buffer.from(await sheet.arrayBuffer()))
    const rows = sheetJs.utils.sheet_to_json(book.Sheets[book.SheetNames[0]!]!)
    assert.deepEqual(
      rows,
      expected.map(({ i, k }) => ({ i, k })),
      query,
    )
  }

  // Whatever ends an answer, its place is free again: there are four at a time.
  for (let i = 0; i < 6; i++) {
    const head = await api.send('HEAD', `/datasets/${id}/items?sort=k`)
    assert.equal(head.status, 200)
    const same = await api.send('GET', `/datasets/${id}/items?sort=k`, {
      headers: { 'if-none-match': head.headers.get('etag')! },
    })
    assert.equal(same.status, 304)
    const ranged = await api.send('GET', `/datasets/${id}/items?sort=-i`, { headers: { range: 'bytes=1-20' } })
    assert.deepEqual([ranged.status, await ranged.text()], [206, JSON.stringify(items.at(-1)).slice(0, 20)])
  }
})

test('what can not be read says so', async () => {
  const id = await api.make()
  for (const [query, message] of [
    ['sort=,', /sort: it names no field/],
    ['sort=-', /"" is not a field/],
    ['sort=a`b', /a backtick is not closed/],
    ['sort=a`b`', /is not a field/],
    ['distinct=a,b,c,d,e,f,g,h,i', /over 8 fields/],
    [`sort=${'a'.repeat(4_001)}`, /over 4000 characters/],
  ] as const) {
    const { status, body } = await api.ask('GET', `/datasets/${id}/items?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.error.message, message)
  }
  await api.push(id, [{ 'a,b': 2 }, { 'a,b': 1 }])
  assert.equal(await api.text(id, 'sort=%60a,b%60'), '[{"a,b":1},{"a,b":2}]')
})

/** A log of many small slices, so that their runs are merged in several passes. */
function makeSource(texts: readonly string[], perSlice: number) {
  const lines = (from: number, to: number) =>
    Buffer.from(
      texts
        .slice(from, to)
        .map((text) => `${text}\n`)
        .join(''),
    )
  return {
    async *plan() {
      for (let from = 0; from < texts.length; from += perSlice)
        yield {
          from,
          to: Math.min(from + perSlice, texts.length),
          bytes: 1,
          isWhole: true,
          hasHidden: false,
          summary: null,
        }
    },
    read: async (_key: number, { from, to }: { from: number; to: number }) => lines(from, to),
  }
}

test('many runs are merged in several passes, in as much room and time as a caller may have', async (t) => {
  // 8 at a time are merged: 420 in three passes, and a tenth of them in two.
  const texts = Array.from(
    { length: 420 },
    (_, i) => `{"k":${(i * 7) % 100},"t":"${'y'.repeat(i % 90 === 0 ? 40_000 : 5)}"}`,
  )
  const open = makeTemporaryFiles(folder).open
  const sort = async (query: string, sortDiskBudget = makeSortDiskBudget(open), perSlice = 10, pool = workers) => {
    const log = makeSource(texts, perSlice)
    const dataset = { key: 1, itemCount: texts.length }
    const page = await sortItems(
      { log, workers: pool, caller: 'c', sortDiskBudget, cutOff: () => {}, fanIn: 8 },
      dataset,
      queryOf(query),
      () => {},
    )
    const parts: Buffer[] = []
    for await (const slice of page.source.plan(1, { from: 0, to: page.count }))
      parts.push(await page.source.read(1, slice))
    await page.close()
    return Buffer.concat(parts).toString().trimEnd().split('\n')
  }
  const keyOf = (text: string) => Number(/\d+/.exec(text)![0])
  const expected = texts.toSorted((a, b) => keyOf(a) - keyOf(b))
  assert.deepEqual(await sort('sort=k', undefined, 1), expected)
  assert.deepEqual(await sort('sort=k'), expected)
  assert.deepEqual(await sort('sort=k&offset=200&limit=7'), expected.slice(200, 207))
  assert.deepEqual(await sort('distinct=k'), texts.slice(0, 100))

  const bounds = { bytesPerCaller: 200_000, bytesInAll: 10 ** 9, sortsPerCaller: 1, sorts: 9 }
  const room = makeSortDiskBudget(open, bounds)
  await assert.rejects(sort('sort=k', room), /not enough space to sort/)
  // What a failed one held is free again.
  const few = 'sort=k&filter=k%20%3C%2020&limit=3'
  assert.equal((await sort(few, room)).length, 3)
  const held = room.open('c', () => {})
  await assert.rejects(sort('sort=k', room), /Too many sorted answers/)
  await held.closeAll()

  const hurried = makeWorkerPool({ pieceMs: 10 })
  t.after(() => hurried.close())
  const runWanted: typeof workers.runWanted = (act, ...rest) =>
    (act === 'merge' ? hurried : workers).runWanted(act, ...rest)
  await assert.rejects(sort(few, room, 10, { ...workers, runWanted }), /was not made in time/)
  assert.equal((await sort(few, room)).length, 3)
})

test('a merge that is slow is made in more pieces, and loses nothing between them', async (t) => {
  const file = await makeTemporaryFiles(folder).open()
  t.after(() => file.close())
  const runs = []
  for (const numbers of [
    [1, 4, 7],
    [2, 5, 8, 9],
    [0, 3, 6],
  ]) {
    const start = file.length
    const [key, value] = [(n: number) => Buffer.from([n]), (n: number) => Buffer.from(`${n} `)]
    for (const n of numbers) await file.write(writeRecord({ key: key(n), value: value(n) }))
    runs.push({ start, end: file.length })
  }
  const plan = { fd: file.fd, isDistinct: false, isFinal: true, last: null, skip: 0, take: Number.POSITIVE_INFINITY }
  let at = 0
  const pieces: string[] = []
  for (let rest: MergePlan['runs'] = runs; rest.length > 0; ) {
    const piece = mergePiece({ ...plan, runs: rest }, () => (at += 300))
    pieces.push(Buffer.from(piece.bytes).toString())
    rest = piece.runs
  }
  assert.deepEqual(pieces, ['0 1 ', '2 3 ', '4 5 ', '6 7 ', '8 9 '])
})

test('who has most sorted answers under way gives way to who has none, and so does who reads slowly', async () => {
  let at = 0
  const bounds = { bytesPerCaller: 100, bytesInAll: 200, sortsPerCaller: 2, sorts: 4 }
  const room = makeSortDiskBudget(makeTemporaryFiles(folder).open, bounds, () => at)
  const cut: string[] = []
  const all: ReturnType<typeof room.open>[] = []
  async function make(caller: string, bytes = 10) {
    const files = room.open(caller, () => cut.push(caller))
    all.push(files)
    const file = await files.make()
    await files.write(file, Buffer.alloc(bytes))
    return { ...files, file, read: () => files.read(file, 0, 1) }
  }
  const [a1, , b1, b2] = [await make('a'), await make('a'), await make('b'), await make('b')]
  await assert.rejects(make('a'), /Too many sorted answers/)
  // One that is sent is cut off; one that is still made is told so at its next step.
  await a1.read()
  at = 1
  const c = await make('c')
  assert.deepEqual(cut, ['a'])
  await assert.rejects(a1.read(), /Other callers are waiting to sort/)
  const d = await make('d')
  assert.throws(b2.demandHeld, /Other callers are waiting to sort/)
  await assert.rejects(make('e'), /Too many sorted answers/)

  await b1.read()
  await c.read()
  at = 15_000
  await c.read()
  await assert.rejects(make('e'), /Too many sorted answers/)
  at = 21_000
  const e = await make('e', 90)
  assert.deepEqual(cut, ['a', 'b'])

  // The disk is shared alike: of 200 bytes these would be more.
  await d.write(d.file, Buffer.alloc(70))
  await c.write(c.file, Buffer.alloc(20))
  assert.throws(e.demandHeld, /Other callers are waiting to sort/)
  await assert.rejects(c.write(c.file, Buffer.alloc(71)), /not enough space to sort/)
  await Promise.all(all.map(({ closeAll }) => closeAll()))
})
