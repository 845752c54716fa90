/** Indexes on chosen fields: they answer what a scan would, whatever the values, and come and go with the data set. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { until } from '../support/until.ts'
import { type Api, onEachEngine } from './api.ts'

type IndexShown = { field: string; itemCount: number; storageBytes: number }

async function showIndexes(api: Api, id: string): Promise<IndexShown[]> {
  return (await api.ask('GET', `/datasets/${id}`)).body.data.indexes
}

async function setIndexes(api: Api, id: string, indexes: unknown): Promise<void> {
  const { status, body } = await api.ask('PUT', `/datasets/${id}`, { indexes })
  assert.equal(status, 200, JSON.stringify(body))
}

const untilComplete = (api: Api, id: string) =>
  until(async () => {
    const { data } = (await api.ask('GET', `/datasets/${id}`)).body
    return (data.indexes as IndexShown[]).every(({ itemCount }) => itemCount === data.itemCount)
  })

const long = 'long text that begins alike '.repeat(6)
const numbers =
  '0 -0 0.00 1 1.0 10e-1 -1 2 10 9007199254740992 9007199254740993 -9007199254740993 0.1 0.1000000000000000055 1e400 1e401 -1e400 1e-400 12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901 12345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678902 5e4611686018427387999 1e5611686018427387999 -5e4611686018427387999 1e-5611686018427387999'.split(
    ' ',
  )
const texts = [
  '""',
  '"a"',
  '"\\u0061"',
  '"ab"',
  '"B"',
  '"10"',
  '"\\u0000"',
  '"a\\u0000"',
  '"\\ud800"',
  '"\ufffd"',
  '"\u00e9"',
  '"\uff5e"',
  '"😀"',
  '"\\ud83d\\ude00"',
  '"\\"q\\""',
  `"${long}"`,
  `"${long}a"`,
  `"${long}b"`,
  `"${'x'.repeat(93)}"`,
  `"${'x'.repeat(94)}"`,
  `"${'x'.repeat(95)}"`,
  `"${'x'.repeat(96)}"`,
]
const scalars = [...numbers, ...texts, 'null', 'true', 'false']
const nested = ['{}', '[]', '[1]', '["a"]', '{"a":1}', '{"p":"a"}', '[2,{"p":3}]', '{"0":"a"}']
const value = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...scalars) },
  { weight: 1, arbitrary: fc.constantFrom(...nested) },
)

/** Names in any order, some missing, some twice. */
const item = fc
  .array(fc.tuple(fc.constantFrom('v', 'o', 'l', 'odd name', 'w'), value), { maxLength: 5 })
  .map((members) => {
    const written = members.map(([name, json]) => {
      if (name === 'o') return `"o":{"p":${json}}`
      return name === 'l' ? `"l":[${json}]` : `"${name}":${json}`
    })
    return `{${written.join(',')}}`
  })

const paths = ['v', 'o/p', 'l/0', '`odd name`', 'w']
const comparison = fc
  .tuple(
    fc.constantFrom(...paths),
    fc.constantFrom('=', '=', '<', '<=', '>', '>=', '!=', 'contains'),
    fc.constantFrom(...scalars),
  )
  .map((parts) => parts.join(' '))
const exists = fc.constantFrom(...paths).map((path) => `${path} exists`)
const condition = fc.oneof({ weight: 6, arbitrary: comparison }, { weight: 1, arbitrary: exists })
const filter = fc.oneof(
  condition,
  fc.tuple(condition, condition).map(([a, b]) => `${a} and ${b}`),
  fc.tuple(condition, condition).map(([a, b]) => `${a} or ${b}`),
  fc.tuple(condition, condition, condition).map(([a, b, c]) => `(${a} or ${b}) and not (${c})`),
)
const page = fc.constantFrom('', 'limit=3', 'offset=2&limit=4', 'desc=1', 'desc=1&offset=1&limit=2', 'offset=40')
const ordering = fc.constantFrom('sort=v', 'sort=-v', 'sort=o/p,-v', 'sort=-l/0,v', 'distinct=v', 'distinct=v&sort=-w')
const query = fc
  .tuple(fc.option(filter), fc.option(ordering, { freq: 2 }), page)
  .map(([chosen, order, part]) =>
    [chosen && `filter=${encodeURIComponent(chosen)}`, order, part].filter(Boolean).join('&'),
  )

onEachEngine('indexes', (world) => {
  async function demandSame(indexed: string, plain: string, asked: string): Promise<void> {
    const [one, other] = await Promise.all(
      [indexed, plain].map(async (id) => {
        const answer = await world.api.send('GET', `/datasets/${id}/items?format=jsonl&${asked}`)
        const count = answer.headers.get('x-data-pagination-count')
        return { status: answer.status, count, text: await answer.text() }
      }),
    )
    assert.deepEqual(one, other, decodeURIComponent(asked))
  }

  test('an indexed answer is that of a scan, for values of every kind', async () => {
    const { api, server } = world
    const [indexed, plain] = [await api.make(), await api.make()]
    const items = fc.sample(item, { numRuns: 600, seed: 7 })
    const push = async (some: string[]) => {
      for (const id of [indexed, plain]) await api.push(id, `[${some.join(',')}]`)
    }
    await push(items.slice(0, 300))
    await setIndexes(api, indexed, ['v', 'o/p', 'l/0', '`odd name`'])
    await push(items.slice(300, 400))
    await untilComplete(api, indexed)
    for (let i = 400; i < items.length; i += 20) await push(items.slice(i, i + 20))
    const shown = await showIndexes(api, indexed)
    assert.deepEqual(
      shown.map(({ field, itemCount }) => [field, itemCount]),
      [
        ['v', 600],
        ['o/p', 600],
        ['l/0', 600],
        ['`odd name`', 600],
      ],
    )
    await server.services.datasets.settle()
    await fc.assert(
      fc.asyncProperty(query, (asked) => demandSame(indexed, plain, asked)),
      { numRuns: server.database.url ? 50 : 120, seed: 11 },
    )
  })

  test('pages at depth, of values that thousands share, in either order and every format', async () => {
    const { api } = world
    const [indexed, plain] = [await api.make(), await api.make()]
    await setIndexes(api, indexed, ['k', 't'])
    const items = Array.from({ length: 5_000 }, (_, i) => ({ i, k: i % 2, t: `${long}${i % 3}` }))
    for (const id of [indexed, plain])
      for (let i = 0; i < 5_000; i += 2_500) await api.push(id, items.slice(i, i + 2_500))
    await untilComplete(api, indexed)
    const asked = [
      'filter=k%3D1&offset=2300&limit=5',
      'filter=k%3D1&offset=2499&limit=5&desc=1',
      'filter=k%3D1&offset=2501&limit=5',
      'filter=k%3D7',
      'filter=k%3E0&limit=2',
      'sort=k&offset=2400&limit=10',
      'sort=k&offset=2495&limit=10',
      'sort=-k&offset=2495&limit=10&desc=1',
      'sort=-k&desc=1&limit=3',
      'sort=-k,-i&limit=3',
      'sort=t&offset=1665&limit=4',
      'sort=k&offset=4999&limit=4',
      'sort=k&offset=5001&limit=4',
    ]
    for (const each of asked) await demandSame(indexed, plain, each)
    const rename = (text: string) =>
      text.replaceAll(/<title>.*?<\/title>|<link>.*?<\/link>|<atom:link.*?\/>|<description>.*?<\/description>/g, '')
    for (const format of ['json', 'csv', 'xml', 'html', 'rss']) {
      const [one, other] = [indexed, plain].map((id) =>
        api.text(id, `format=${format}&filter=k%3D0%20and%20i%3C9&fields=i,k`),
      )
      assert.equal(rename(await one!), rename(await other!), format)
    }
  })

  test('an index is what answers, and one that is behind is helped out by a scan of the rest', async () => {
    const { api, server } = world
    const id = await api.make()
    await api.push(id, [{ a: 1 }, { a: 2 }])
    await setIndexes(api, id, ['a'])
    await untilComplete(api, id)
    const { db, write } = server.services.store
    const row = await db.selectFrom('dataset').select('id').where('public_id', '=', id).executeTakeFirstOrThrow()
    const index = await db
      .selectFrom('dataset_index')
      .select('id')
      .where('dataset_id', '=', row.id)
      .executeTakeFirstOrThrow()
    await write((trx) => trx.deleteFrom('dataset_index_entry').where('index_id', '=', index.id).execute())
    assert.equal(await api.text(id, 'filter=a%3D2'), '[]')
    await write((trx) => trx.updateTable('dataset_index').set({ item_count: 1 }).where('id', '=', index.id).execute())
    assert.equal(await api.text(id, 'filter=a%3D2&limit=9'), '[{"a":2}]')
    // The next push finds it behind, and leaves it to the job.
    await api.push(id, [{ a: 3 }])
    await untilComplete(api, id)
    assert.equal(await api.text(id, 'filter=a%3E1&limit=8'), '[{"a":2},{"a":3}]')
  })

  test('a push of very many items is indexed in the background, and found meanwhile', async () => {
    const { api } = world
    const id = await api.make()
    await setIndexes(api, id, ['a', 'b'])
    await api.push(id, `[${Array.from({ length: 12_000 }, (_, i) => `{"a":${i},"b":"${i}"}`).join(',')}]`)
    assert.equal(await api.text(id, 'filter=a%3D11999'), '[{"a":11999,"b":"11999"}]')
    await untilComplete(api, id)
    assert.equal(await api.text(id, 'filter=b%3D%227%22&limit=2'), '[{"a":7,"b":"7"}]')
    assert.ok((await showIndexes(api, id)).every(({ storageBytes }) => storageBytes > 12_000 * 20))
  })

  test('what no index can be is refused, and only the owner has one', async () => {
    const { api, other } = world
    const id = await api.make()
    const wrong: [unknown, RegExp][] = [
      ['a', /indexes must be a list of fields/],
      [[1], /indexes must be a list of fields/],
      [Array.from({ length: 9 }, (_, i) => `f${i}`), /at most 8 fields/],
      [['a/b', 'a/b'], /names a\/b twice/],
      [['x'.repeat(1_001)], /over 1000 characters/],
      [[''], /^indexes: "" is not a field/],
      [['a`b'], /is not a field/],
    ]
    for (const [indexes, message] of wrong) {
      const { status, body } = await api.ask('PUT', `/datasets/${id}`, { indexes })
      assert.deepEqual([status, body.error.type], [400, 'invalid-value'])
      assert.match(body.error.message, message)
    }
    assert.deepEqual(await showIndexes(api, id), [])
    assert.equal((await other.ask('PUT', `/datasets/${id}`, { indexes: ['a'] })).status, 403)
  })

  test('indexes go with their fields, their items and their data set, and leave nothing behind', async () => {
    const { api, server } = world
    const countEntries = async () => {
      const { count } = await server.services.store.db
        .selectFrom('dataset_index_entry')
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      return Number(count)
    }
    await server.services.datasets.settle()
    const before = await countEntries()
    const id = await api.make()
    await api.push(id, [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ])
    await setIndexes(api, id, ['a', 'b'])
    await untilComplete(api, id)
    await setIndexes(api, id, ['b'])
    await until(async () => (await countEntries()) === before + 2)
    assert.equal(await api.text(id, 'filter=a%3D2%20and%20b%3D2'), '[{"a":2,"b":2}]')
    assert.equal((await api.send('DELETE', `/datasets/${id}/items`)).status, 204)
    await server.services.datasets.settle()
    assert.equal(await countEntries(), before)
    await api.push(id, [{ b: 2 }, { b: 3 }])
    assert.deepEqual(
      (await showIndexes(api, id)).map(({ field, itemCount }) => [field, itemCount]),
      [['b', 2]],
    )
    assert.equal(await api.text(id, 'filter=b%3D3'), '[{"b":3}]')
    assert.equal((await api.send('DELETE', `/datasets/${id}`)).status, 204)
    await server.services.datasets.settle()
    assert.equal(await countEntries(), before)
  })
})
