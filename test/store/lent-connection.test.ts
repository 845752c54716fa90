/** The messages in which a transaction goes to PostgreSQL. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { lendConnection } from '../../src/store/postgres/lent-connection.ts'
import { makeStatementNames } from '../../src/store/postgres/statement-names.ts'

function lend(names = makeStatementNames()) {
  const sent: string[] = []
  const named = new Set<string>()
  const query = async ({ name, text }: pg.QueryConfig) => {
    sent.push(text)
    if (name) named.add(text)
    if (text.includes('wrong')) throw new Error('no')
    return text.includes(';') ? [{ rows: [] }, { rows: [] }] : { rows: [] }
  }
  const connection = lendConnection({
    client: { query } as unknown as pg.PoolClient,
    names,
    noteFailure() {},
  })
  return { sent, named, ...connection }
}

test('a transaction begins with its settings, and its signals go with the commit', async () => {
  const { sent, query } = lend()
  await query('begin', [])
  await query('set local lock_timeout = 500', [])
  await query("select pg_notify('guildhall', 'one')", [])
  await query('insert into shelf values ($1)', [1])
  await query("select pg_notify('guildhall', 'two')", [])
  await query('commit', [])
  assert.deepEqual(sent, [
    'begin; set local lock_timeout = 500',
    'insert into shelf values ($1)',
    "select pg_notify('guildhall', 'one'); select pg_notify('guildhall', 'two'); commit",
  ])
})

test('what is taken back sends no signal, then or with the next transaction', async () => {
  const { sent, query, end } = lend()
  await query('begin', [])
  await query("select pg_notify('guildhall', 'one')", [])
  await assert.rejects(query('wrong', [1]))
  await query('rollback', [])
  await query('begin', [])
  await query("select pg_notify('guildhall', 'never')", [])
  end()
  await query('begin', [])
  await query('commit', [])
  assert.deepEqual(sent, ['begin', 'wrong', 'rollback'])
})

test('signals without a change are sent, and outside a transaction at once', async () => {
  const { sent, query } = lend()
  await query('begin', [])
  await query("select pg_notify('guildhall', 'one')", [])
  await query('commit', [])
  await query("select pg_notify('guildhall', 'two')", [])
  assert.deepEqual(sent, [
    "begin; select pg_notify('guildhall', 'one'); commit",
    "select pg_notify('guildhall', 'two')",
  ])
})

test('in transactions what comes a third time has a name, but for several statements in one and for long lists', async () => {
  const { named, query } = lend()
  const short = 'insert into shelf values ($1)'
  const long = `insert into shelf values ${Array.from({ length: 500 }, (_, at) => `($${at + 1})`).join(', ')}`
  await query('begin', [])
  await query('select 1', [])
  for (let i = 0; i < 3; i++) {
    await query(short, [1])
    await query(long, Array(500).fill(1))
    await query('delete from shelf; delete from board', [])
  }
  assert.deepEqual([...named], [short])
  await query('commit', [])
  for (let i = 0; i < 3; i++) await query('update shelf set place = $1', [1])
  assert.deepEqual([...named], [short])
})

test('a name that was not used for a minute gives way, and a connection that knows too many is worn', async () => {
  let time = 0
  const names = makeStatementNames(() => time)
  const { askByName, isWorn } = lend(names)
  const isNamed = (text: string) => names.find(text, false) !== undefined
  const readOften = async (text: string) => {
    for (let i = 0; i < 3; i++) await askByName(text, [])
  }
  for (let length = 1; length <= 300; length++) await readOften(`select 1 limit ${length}`)
  await readOften('select 2')
  assert.ok(!isNamed('select 2'), 'all names are in use')
  time = 59_000
  assert.ok(isNamed('select 1 limit 1'))
  time = 61_000
  await readOften('select 2')
  assert.deepEqual(['select 2', 'select 1 limit 1', 'select 1 limit 2'].map(isNamed), [true, true, false])
  for (let length = 301; length < 399; length++) await readOften(`select 1 limit ${length}`)
  assert.ok(!isWorn())
  await readOften('select 1 limit 399')
  assert.ok(isWorn())
})
