/** Parquet read back by DuckDB, Arrow by its own project's reader, and both by pyarrow where it is installed. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { tableFromIPC } from 'apache-arrow'
import { packColumns } from '../../src/datasets/formats/columnar/columnar.ts'
import { streamParquet } from '../../src/datasets/formats/columnar/parquet/stream.ts'
import { startServer } from '../support/server.ts'
import { makeApi } from './api.ts'

const server = await startServer('sqlite', { environment: { GUILDHALL_LIMITS: 'off' } })
const api = makeApi(server)
const folder = mkdtempSync(join(tmpdir(), 'guildhall-columnar-'))
after(async () => {
  rmSync(folder, { recursive: true })
  await server.stop()
})

type Table = { types: Record<string, string>; rows: Record<string, unknown>[] }

async function take(id: string, query: string): Promise<string> {
  const response = await api.send('GET', `/datasets/${id}/items?${query}`)
  assert.equal(response.status, 200, query)
  const path = join(folder, query.replace(/\W/g, '-'))
  writeFileSync(path, Buffer.from(await response.arrayBuffer()))
  return path
}

async function askDuckDb(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS()
  connection.closeSync()
  instance.closeSync()
  return rows as Record<string, unknown>[]
}

async function readParquet(id: string, query = ''): Promise<Table> {
  const path = await take(id, `format=parquet&${query}`)
  const types = await askDuckDb(`describe select * from read_parquet('${path}')`)
  return {
    types: Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type])),
    rows: await askDuckDb(`select * from read_parquet('${path}')`),
  }
}

async function readArrow(id: string, query = ''): Promise<Table> {
  const table = tableFromIPC(readFileSync(await take(id, `format=arrow&${query}`)))
  return {
    types: Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)])),
    rows: table.toArray().map((row) => row.toJSON()),
  }
}

/** What pyarrow makes of a file: the types, and the rows as JSON; null where it is not installed. */
function readByPyarrow(path: string, format: string): { types: string[]; rows: unknown[] } | null {
  if (spawnSync('python3', ['-c', 'import pyarrow']).status !== 0) return null
  const program = `
import sys, json, pyarrow.parquet as pq, pyarrow.ipc as ipc
table = pq.read_table(sys.argv[1]) if sys.argv[2] == 'parquet' else ipc.open_file(sys.argv[1]).read_all()
table.validate(full=True)
print(json.dumps({'types': [str(field.type) for field in table.schema], 'rows': table.to_pylist()}))`
  const { stdout, stderr, status } = spawnSync('python3', ['-c', program, path, format], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

const messy = [
  '{"id":9007199254740993,"n":1,"x":0.5,"ok":true,"t":"a\\u00e9\\"\\n","tags":["a",1],"mix":1,"odd":1e400,"late":-0}',
  '{"id":-5,"n":-281474976710656,"x":3,"ok":null,"t":"","tags":[],"mix":"1","odd":1,"none":null}',
  '{}',
  '{"n":4294967296,"x":-1e-7,"ok":false,"t":"😀\\ud800","tags":{"k":"v"},"mix":true,"odd":2,"half":"x","a":1,"a":2}',
  '{"tags":"plain","half":[1],"x":0.10000000000000001,"late":7}',
]

const expected = [
  ['a', 'BIGINT', 'Int64', [null, null, null, 2, null]],
  ['half', 'JSON', 'Utf8', [null, null, null, '"x"', '[1]']],
  ['id', 'BIGINT', 'Int64', [9007199254740993n, -5, null, null, null]],
  ['late', 'DOUBLE', 'Float64', [-0, null, null, null, 7]],
  ['mix', 'VARCHAR', 'Utf8', ['1', '1', null, 'true', null]],
  ['n', 'BIGINT', 'Int64', [1, -281474976710656, null, 4294967296, null]],
  ['none', 'VARCHAR', 'Utf8', [null, null, null, null, null]],
  ['odd', 'VARCHAR', 'Utf8', ['1e400', '1', null, '2', null]],
  ['ok', 'BOOLEAN', 'Bool', [true, null, null, false, null]],
  ['t', 'VARCHAR', 'Utf8', ['aé"\n', '', null, '😀\ufffd', null]],
  ['tags', 'JSON', 'Utf8', ['["a",1]', '[]', null, '{"k":"v"}', '"plain"']],
  ['x', 'DOUBLE', 'Float64', [0.5, 3, null, -1e-7, 0.1]],
] as const

const plain = (value: unknown) =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value
const columnOf = ({ rows }: Table, name: string) => rows.map((row) => plain(row[name] ?? null))

test('types are inferred over the whole page, and every value comes back', async () => {
  const id = await api.make()
  await api.push(id, `[${messy.slice(0, 2).join(',')}]`)
  await api.push(id, `[${messy.slice(2).join(',')}]`)
  const [parquet, arrow] = [await readParquet(id), await readArrow(id)]
  assert.deepEqual(
    Object.keys(parquet.types),
    expected.map(([name]) => name),
  )
  for (const [name, duckType, arrowType, values] of expected) {
    assert.equal(parquet.types[name], duckType, name)
    assert.equal(arrow.types[name], arrowType, name)
    assert.deepEqual(columnOf(parquet, name), values, `parquet ${name}`)
    assert.deepEqual(columnOf(arrow, name), values, `arrow ${name}`)
  }
  for (const format of ['parquet', 'arrow']) {
    const read = readByPyarrow(join(folder, `format-${format}-`), format)
    if (read) assert.deepEqual([read.types[0], read.rows.length], ['int64', messy.length])
  }
})

test('the transformations, the filter and the page hold for columns as for every format', async () => {
  const id = await api.make()
  await api.push(id, [
    { k: 1, list: [{ v: 1 }, { v: 2 }], '#h': 1 },
    { k: 2, list: [{ v: 3 }], deep: { a: 'x' } },
    { k: 3 },
  ])
  const cases: [query: string, rows: Record<string, unknown>[]][] = [
    [
      'unwind=list&fields=v,k&outputFields=value,key',
      [1, 2, 3].map((value) => ({ value, key: value === 3 ? 2 : 1 })).concat({ value: null as never, key: 3 }),
    ],
    ['flatten=deep&fields=deep&filter=k%3D2', [{ 'deep.a': 'x' }]],
    [
      'fields=k,missing&desc=1&limit=2',
      [
        { k: 3, missing: null },
        { k: 2, missing: null },
      ],
    ],
    ['fields=nothing&skipEmpty=1', []],
    ['clean=1&omit=list,deep&offset=1', [{ k: 2 }, { k: 3 }]],
    ['sort=-k&fields=k', [{ k: 3 }, { k: 2 }, { k: 1 }]],
    ['distinct=deep/a&sort=-k&fields=k&limit=2', [{ k: 3 }, { k: 2 }]],
    ['filter=k%3E9&sort=k&fields=k', []],
  ]
  for (const [query, rows] of cases)
    for (const read of [readParquet, readArrow]) {
      const table = await read(id, query)
      assert.deepEqual(
        table.rows.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, plain(v)]))),
        rows,
        query,
      )
    }
  const empty = await api.make()
  assert.deepEqual((await readArrow(empty)).rows, [])
  // DuckDB reads no file without columns; one that is asked for is a column.
  const file = readFileSync(await take(empty, 'format=parquet'))
  assert.deepEqual([file.toString('latin1', 0, 4), file.toString('latin1', file.length - 4)], ['PAR1', 'PAR1'])
  assert.deepEqual(await readParquet(empty, 'fields=a&sort=a'), { types: { a: 'VARCHAR' }, rows: [] })
  for (const format of ['parquet', 'arrow'])
    assert.deepEqual(readByPyarrow(await take(empty, `format=${format}`), format)?.rows ?? [], [])
})

test('a large page comes in groups and batches, made by threads, and its headers tell what was dropped', async () => {
  const id = await api.make()
  const text = 'lorem ipsum '.repeat(20)
  for (let push = 0; push < 4; push++)
    await api.push(
      id,
      Array.from({ length: 5_000 }, (_, i) => ({ i: push * 5_000 + i, f: i / 7, t: `${text}${i}`, o: { i } })),
    )
  await server.services.datasets.settle()
  const path = await take(id, 'format=parquet')
  const [sums] = await askDuckDb(
    `select count(*) n, sum(i) i, count(distinct t) t, max(f) f, sum((o->>'i')::int) o from read_parquet('${path}')`,
  )
  assert.deepEqual(
    Object.values(sums!).map((value) => Number(value)),
    [20_000, 199_990_000, 5_000, 4_999 / 7, 49_990_000],
  )
  const arrow = await readArrow(id)
  assert.deepEqual([arrow.rows.length, Number(arrow.rows.at(-1)!.i)], [20_000, 19_999])
  assert.equal(readByPyarrow(path, 'parquet')?.rows.length ?? 20_000, 20_000)

  const wide = await api.make()
  await api.push(wide, [Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`c${i}`, i]))])
  await api.push(wide, `[${'{},'.repeat(5_000)}{"c0":1}]`)
  const response = await api.send('GET', `/datasets/${wide}/items?format=parquet&attachment=1`)
  assert.deepEqual(
    ['x-data-dropped-columns', 'content-type', 'content-disposition'].map((name) => response.headers.get(name)),
    ['500', 'application/vnd.apache.parquet', `attachment; filename="${wide}.parquet"`],
  )
  writeFileSync(join(folder, 'wide'), Buffer.from(await response.arrayBuffer()))
  const [counts] = await askDuckDb(`select count(*) n, count(c0) c from read_parquet('${join(folder, 'wide')}')`)
  assert.deepEqual(Object.values(counts!).map(Number), [5_002, 2])
})

test('a file of many groups is read like one of a single group', async () => {
  const columns = ['b', 'n', 't'].map((name) => ({ path: [name], rank: 0 }))
  const plan = { columns, names: ['b', 'n', 't'], types: ['boolean', 'integer', 'text'] as const }
  const parts = (async function* () {
    for (let i = 0; i < 50; i++) {
      const lines = Buffer.from(`{"n":${i},"b":${i % 2 === 0}}\n{"t":"${i}"}\n`)
      yield packColumns('parquet', lines, plan, () => 0, false)
    }
  })()
  const path = join(folder, 'groups')
  const file: Buffer[] = []
  for await (const part of streamParquet(plan, parts, 500)) file.push(part)
  writeFileSync(path, Buffer.concat(file))
  const [sums] = await askDuckDb(`select count(*) c, sum(n) n, count(t) t, sum(b::int) b from read_parquet('${path}')`)
  assert.deepEqual(Object.values(sums!).map(Number), [100, 1_225, 50, 25])
  const [groups] = await askDuckDb(`select count(distinct row_group_id) n from parquet_metadata('${path}')`)
  assert.ok(Number(groups!.n) > 5)
})
