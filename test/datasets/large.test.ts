/** Large data sets: the same answer whether chunks are joined or not, made by threads, broken off rather than cut short. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { parse as csvParse } from 'csv-parse/sync'
import Fastify from 'fastify'
import * as sheetJs from 'xlsx'
import { sendPieces } from '../../src/api/dataset-api/sending.ts'
import { mapOrdered } from '../../src/datasets/export/ordered-map.ts'
import { groupNeighbours } from '../../src/datasets/log/compaction.ts'
import { makeByteBudget } from '../../src/http/byte-budget.ts'
import { oneEngine, silentLog } from '../support/engines.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { type Api, makeApi } from './api.ts'

const { CFB } = createRequire(import.meta.url)('xlsx') as typeof sheetJs

const itemCount = 8_000
const makeItem = (i: number) => ({
  i,
  text: `item ${i}, "${'x'.repeat(i % 300)}"`,
  nested: { list: [i % 7, { deep: i % 2 === 0 }] },
  ...(i % 10 === 0 && { '#hidden': i }),
  ...(i % 3 === 0 && { third: i / 3 }),
})
const items = Array.from({ length: itemCount }, (_, i) => makeItem(i))

for (const engine of oneEngine)
  describe(`a large data set on ${engine}`, () => {
    let server: TestServer
    let api: Api
    let id: string

    before(async () => {
      server = await startServer(engine, { environment: { GUILDHALL_LIMITS: 'off' } })
      api = makeApi(server)
      id = await api.make()
      for (let at = 0; at < itemCount; ) {
        const count = 1 + ((at * 7) % 260)
        await api.push(id, items.slice(at, at + count))
        at += count
      }
    })
    after(() => server.stop())

    const bytesOf = async (query: string) =>
      Buffer.from(await (await api.send('GET', `/datasets/${id}/items?${query}`)).arrayBuffer())
    /** Of xlsx the sheet itself: it is packed in the pieces it is stored in. */
    const contentOf = async (query: string) => {
      const bytes = await bytesOf(query)
      if (!query.includes('format=xlsx')) return bytes
      const { content } = CFB.find(CFB.read(bytes, { type: 'buffer' }), '/xl/worksheets/sheet1.xml')!
      return Buffer.from(content as Uint8Array)
    }
    const chunks = () =>
      server.services.store.db
        .selectFrom('dataset_chunk')
        .select(['first_item', 'item_count', 'byte_count', 'summary'])
        .orderBy('first_item')
        .execute()

    const queries = [
      'format=json',
      'format=jsonl&desc=1',
      'format=csv',
      'format=csv&clean=1&fields=third,nested,text',
      'format=html&limit=3000&offset=1234',
      'format=xml&omit=text',
      'format=rss&unwind=nested',
      'format=xlsx',
      'format=xlsx&clean=1&unwind=nested&skipHeaderRow=1',
      'format=json&clean=1',
      'format=csv&flatten=nested&desc=1&limit=5000',
    ]

    test('every format is the same before and after chunks are joined', async () => {
      const earlier = new Map<string, Buffer>()
      for (const query of queries.toReversed()) earlier.set(query, await contentOf(query))
      const statistics = (await api.ask('GET', `/datasets/${id}/statistics`)).body
      await server.services.datasets.settle()
      const joined = await chunks()
      assert.ok(joined.length < 40, `${joined.length} chunks are left`)
      assert.ok(joined.some(({ summary }) => summary !== null))
      let next = 0
      for (const { first_item, item_count } of joined) {
        assert.equal(first_item, next)
        next += item_count
      }
      assert.equal(next, itemCount)
      for (const query of queries) assert.ok((await contentOf(query)).equals(earlier.get(query)!), query)
      assert.deepEqual((await api.ask('GET', `/datasets/${id}/statistics`)).body, statistics)
      assert.deepEqual(statistics.data.fieldStatistics.i, { min: 0, max: itemCount - 1, nullCount: 0, emptyCount: 0 })
      assert.equal(statistics.data.fieldStatistics.third.emptyCount, items.filter((item) => !('third' in item)).length)
    })

    test('a mark is strong where the bytes are always the same, and weak for a large sheet', async () => {
      for (const [format, mark] of [
        ['csv', /^"/],
        ['html', /^"/],
        ['xlsx', /^W\/"/],
      ] as const) {
        const path = `/datasets/${id}/items?format=${format}`
        const etag = (await api.send('HEAD', path)).headers.get('etag')!
        assert.match(etag, mark)
        assert.equal((await api.send('GET', path, { headers: { 'if-none-match': etag } })).status, 304)
      }
    })

    test('what was pushed comes out', async () => {
      assert.equal((await bytesOf('')).toString() === JSON.stringify(items), true)
      const rows = csvParse((await bytesOf('format=csv')).toString(), { bom: true, columns: true }) as Record<
        string,
        string
      >[]
      assert.equal(rows.length, itemCount)
      for (const [i, row] of rows.entries()) {
        assert.equal(row.text, items[i]!.text)
        assert.equal(row['nested/list/1/deep'], String(i % 2 === 0))
        assert.equal(row.third, i % 3 === 0 ? String(i / 3) : '')
      }
      const book = sheetJs.read(await bytesOf('format=xlsx'), { type: 'buffer', dense: true })
      const sheet = sheetJs.utils.sheet_to_json<Record<string, unknown>>(book.Sheets[book.SheetNames[0]!]!)
      assert.equal(sheet.length, itemCount)
      for (const i of [0, 1, 3456, itemCount - 1]) assert.deepEqual([sheet[i]!.i, sheet[i]!.text], [i, items[i]!.text])
    })

    test('a page from anywhere is that part of the whole', async () => {
      for (const [offset, limit] of [
        [0, 1],
        [1, 1],
        [3999, 500],
        [itemCount - 3, 10],
        [itemCount, 5],
        [1000, 6000],
      ] as const) {
        const expected = items.slice(offset, offset + limit)
        assert.ok(
          (await bytesOf(`offset=${offset}&limit=${limit}`)).toString() === JSON.stringify(expected),
          `${offset}`,
        )
        const newest = items.toReversed().slice(offset, offset + limit)
        assert.ok(
          (await bytesOf(`offset=${offset}&limit=${limit}&desc=1`)).toString() === JSON.stringify(newest),
          `${offset}`,
        )
      }
    })

    test('a download that broke goes on where it ended', async () => {
      for (const query of [
        'format=csv&limit=7000&offset=500',
        'format=json&limit=8000',
        'format=jsonl&limit=7500&clean=1',
      ]) {
        const whole = await bytesOf(query)
        for (const start of [1, Math.floor(whole.length / 2), whole.length - 5]) {
          const response = await api.send('GET', `/datasets/${id}/items?${query}`, {
            headers: { range: `bytes=${start}-` },
          })
          assert.equal(response.status, 206)
          assert.ok(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(start)), query)
        }
      }
    })

    test('the total is fixed at the start, whatever is pushed meanwhile', async () => {
      const response = await api.send('GET', `/datasets/${id}/items?format=jsonl`)
      await api.push(id, [{ late: 1 }])
      assert.equal((await response.text()).split('\n').length - 1, itemCount)
      assert.equal(response.headers.get('x-data-pagination-total'), String(itemCount))
      await api.ask('GET', `/datasets/${id}/items?offset=${itemCount}`)
    })

    test('a failure after the first byte breaks the connection', async () => {
      const broken = await api.make()
      for (let i = 0; i < 4; i++) await api.push(broken, items.slice(0, 3000))
      const { id: key } = await server.services.store.db
        .selectFrom('dataset')
        .select('id')
        .where('public_id', '=', broken)
        .executeTakeFirstOrThrow()
      await server.services.datasets.settle()
      const last = (
        await server.services.store.db
          .selectFrom('dataset_chunk')
          .select('first_item')
          .where('dataset_id', '=', key)
          .orderBy('first_item', 'desc')
          .executeTakeFirstOrThrow()
      ).first_item
      await server.services.store.write((trx) =>
        trx
          .updateTable('dataset_chunk')
          .set({ lines: Buffer.alloc(0) })
          .where('dataset_id', '=', key)
          .where('first_item', '=', last)
          .execute(),
      )
      const response = await api.send('GET', `/datasets/${broken}/items?format=jsonl`)
      assert.equal(response.status, 200)
      await assert.rejects(response.text())
    })
  })

test('work is answered in order, never far ahead of its reader, and ends when the reader leaves', async () => {
  let started = 0
  const numbers = function* () {
    for (let i = 0; i < 100; i++) yield i
  }
  const act = async (i: number) => {
    started++
    await new Promise((resolve) => setTimeout(resolve, (i * 7) % 5))
    return i
  }
  const seen: number[] = []
  for await (const i of mapOrdered(numbers(), act, 3)) {
    seen.push(i)
    assert.ok(started <= i + 4)
    if (i === 20) break
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 21 }, (_, i) => i),
  )
  assert.ok(started <= 24)
  const failing = mapOrdered(numbers(), async (i) => (i === 5 ? Promise.reject(new Error('no')) : i), 3)
  await assert.rejects(async () => {
    for await (const _ of failing);
  }, /no/)
})

test('a client that leaves ends the work, and memory that was sent is free', async (t) => {
  const budget = makeByteBudget({ inAll: 4 << 20, perCaller: 4 << 20 })
  let made = 0
  const closed = Promise.withResolvers<void>()
  async function* slices() {
    try {
      for (; made < 1000; made++) yield Buffer.alloc(1 << 20, made)
    } finally {
      closed.resolve()
    }
  }
  const app = Fastify()
  app.get('/', async (_request, reply) => {
    const held = budget.hold('a')
    const hold = () => held
    reply.raw.once('close', held.release)
    sendPieces(
      { reply, hold },
      { first: Buffer.alloc(1 << 20), source: slices(), log: silentLog, name: 'it broke off' },
    )
    return reply
  })
  const request = get(await app.listen({ port: 0, host: '127.0.0.1' }))
  t.after(() => app.close())
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > 5 << 20) break
  }
  request.destroy()
  await closed.promise
  assert.ok(made < 100)
  await until(() => budget.held === 0)
})

test('neighbours are joined step by step', () => {
  const chunk = (first_item: number, byte_count: number) => ({ first_item, item_count: 1, byte_count, has_hidden: 0 })
  const sizes = (outlines: ReturnType<typeof chunk>[], step: number) =>
    groupNeighbours(outlines, step).map((group) => group.map(({ first_item }) => first_item))
  assert.deepEqual(sizes([chunk(0, 3), chunk(1, 3), chunk(2, 3), chunk(3, 3)], 6), [
    [0, 1],
    [2, 3],
  ])
  assert.deepEqual(sizes([chunk(0, 3), chunk(1, 9), chunk(2, 3), chunk(3, 3)], 6), [[2, 3]])
  assert.deepEqual(sizes([chunk(0, 3), chunk(2, 3), chunk(3, 3)], 6), [[2, 3]])
  assert.deepEqual(sizes([chunk(0, 1), chunk(1, 1)], 6), [])
})
