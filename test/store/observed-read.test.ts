import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import type { ObserveRead } from '../../src/base/observed.ts'
import { findRenewed, makeObserveRead, noteStatement } from '../../src/store/observed-read.ts'
import { memoizeRead } from '../../src/store/read-memo.ts'
import type { Store } from '../../src/store/store.ts'
import { makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { until } from '../support/until.ts'

describe('observed reads', () => {
  let database: TestDatabase
  let store: Store
  let observe: ObserveRead

  before(async () => {
    database = await makeMigratedDatabase('sqlite')
    store = await database.open()
    observe = store.observeRead!
    await store.write(async (trx) => {
      await sql`create table shelf (id integer primary key, name text)`.execute(trx)
      await sql`create table book (id integer primary key, shelf_id integer references shelf (id) on delete cascade)`.execute(
        trx,
      )
      await sql`create table tally (n integer)`.execute(trx)
      await sql`create trigger count_books after insert on book begin update tally set n = n + 1; end`.execute(trx)
      await sql`create view shelved as select shelf.name, book.id from book join shelf on shelf.id = book.shelf_id`.execute(
        trx,
      )
      await sql`insert into shelf values (1, 'one'), (2, 'two')`.execute(trx)
      await sql`insert into tally values (0)`.execute(trx)
    })
  })
  after(async () => {
    await store.close()
    await database.drop()
  })

  const run = (statement: string) => store.write((trx) => sql.raw(statement).execute(trx))
  const watch = async (query: string) => {
    const { answer, isCurrent } = observe(() => sql.raw(query).execute(store.db))
    await answer
    return isCurrent
  }

  /** What is read, what is then written, and whether the answer is still good. */
  const cases: [read: string, write: string, isCurrent: boolean][] = [
    ['select * from shelf', "insert into shelf values (3, 'three')", false],
    ['select * from shelf', "update shelf set name = 'uno' where id = 1", false],
    ['select * from shelf', 'insert into book values (1, 1)', true],
    ['select count(*) from book, shelf', "insert into shelf values (4, 'four')", false],
    ['select * from shelved', 'insert into book values (2, 2)', false],
    ['select id from shelf where exists (select 1 from book)', 'insert into book values (3, 2)', true],
    ['select * from shelf where id = 1', "update shelf set name = 'dos' where id = 2", true],
    ['select max(id) from shelf', "insert into shelf values (0, 'none')", true],
    ['select max(id) from shelf', "insert into shelf values (9, 'nine')", false],
    ['select n from tally', 'insert into book values (4, 1)', false],
    ['select * from book', 'delete from shelf where id = 2', false],
    ['select n from tally', "update shelf set name = 'x'", true],
    ['with few as (select * from book) select * from few', 'delete from book where id = 4', false],
  ]
  for (const [read, write, isCurrent] of cases) {
    test(`“${read}” is ${isCurrent ? 'still good' : 'old'} after “${write}”`, async () => {
      const isGood = await watch(read)
      assert.equal(isGood(), true)
      await run(write)
      assert.equal(isGood(), isCurrent)
    })
  }

  test('a read around others is of all their tables, whether those were cached or not', async () => {
    const shelves = memoizeRead(store, async (_all: string) => (await sql`select * from shelf`.execute(store.db)).rows)
    for (const round of ['read', 'cached']) {
      const { answer, isCurrent } = observe(async () => shelves('all'))
      await answer
      assert.equal(isCurrent(), true)
      await run(`update shelf set name = '${round}' where id = 1`)
      assert.equal(isCurrent(), false)
      await shelves('all')
    }
  })

  test('a commit while the read goes on makes its answer old', async () => {
    const { answer, isCurrent } = observe(async () => {
      await sql`select * from shelf`.execute(store.db)
      await run("update shelf set name = 'meanwhile' where id = 1")
    })
    await answer
    assert.equal(isCurrent(), false)
  })

  test('a write that fails leaves nothing changed and is seen as nothing worse than a change', async () => {
    const read = memoizeRead(
      store,
      async (_all: string) => (await sql<{ name: string }>`select name from shelf where id = 1`.execute(store.db)).rows,
    )
    const before = await read('all')
    await assert.rejects(
      store.write(async (trx) => {
        await sql`update shelf set name = 'never' where id = 1`.execute(trx)
        throw new Error('No.')
      }),
    )
    assert.deepEqual(await read('all'), before)
  })

  test('what another process writes makes every answer old', async () => {
    const isGood = await watch('select * from shelf')
    const other = new DatabaseSync(`${database.folder}/guildhall.db`)
    other.exec("update shelf set name = 'from afar' where id = 1")
    other.close()
    while (isGood()) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(isGood(), false)
  })

  test('our own writes are not taken for those of another process', async () => {
    const isGood = await watch('select * from shelf')
    // For longer than other processes' commits take to be seen.
    for (const end = performance.now() + 80; performance.now() < end; ) await run('update tally set n = n + 1')
    assert.equal(isGood(), true)
  })
})

describe('statements that are asked again', () => {
  let now = 0
  const changedAt = new Map<string, number>()
  const change = (table: string) => changedAt.set(table, ++now)
  const observe = makeObserveRead({
    now: () => now,
    hasChanged: (table, since) => (changedAt.get(table) ?? 0) > since,
    isUnknownSince: () => false,
    isFresh: () => true,
  })
  /** A statement whose answers come when they are let go. */
  function makeStatement(table: string) {
    const waiting: ((rows: object[]) => void)[] = []
    const readAgain = () => new Promise<object[]>((resolve) => waiting.push(resolve))
    return { waiting, run: () => noteStatement([table])?.([{ n: 1 }], readAgain) }
  }

  test('are asked once for all who wait, and again for who came after a later change', async () => {
    const statement = makeStatement('shelf')
    const { isCurrent } = observe(statement.run)
    change('book')
    assert.equal(isCurrent(), true)
    change('shelf')
    const first = [isCurrent(), isCurrent()]
    assert.equal(statement.waiting.length, 1)
    change('shelf')
    const later = isCurrent()
    statement.waiting[0]!([{ n: 1 }])
    assert.equal(await first[0], true)
    await until(() => statement.waiting.length === 2)
    statement.waiting[1]!([{ n: 2 }])
    assert.equal(await later, false)
    assert.equal(isCurrent(), false)
  })

  test('are asked twice at most for many who wait, however often their table changes', async () => {
    let asked = 0
    const readAgain = async () => {
      asked++
      await new Promise(setImmediate)
      change('shelf')
      return [{ n: 1 }]
    }
    const { isCurrent } = observe(() => noteStatement(['shelf'])?.([{ n: 1 }], readAgain))
    change('shelf')
    const first = isCurrent()
    change('shelf')
    const all = await Promise.all([first, ...Array.from({ length: 50 }, () => isCurrent())])
    assert.ok(all.every(Boolean))
    assert.equal(asked, 2)
  })

  test('are asked three at a time, and no more of them once one has changed', async () => {
    const statements = Array.from({ length: 8 }, () => makeStatement('shelf'))
    const countAsked = () => statements.filter(({ waiting }) => waiting.length > 0).length
    const { isCurrent } = observe(() => statements.map(({ run }) => run()))
    change('shelf')
    const asked = isCurrent()
    assert.equal(countAsked(), 3)
    for (const { waiting } of statements.slice(0, 3)) waiting[0]!([{ n: 1 }])
    await until(() => countAsked() === 6)
    for (const { waiting } of statements.slice(3, 6)) waiting[0]!([{ n: 2 }])
    assert.equal(await asked, false)
    assert.equal(countAsked(), 6)
  })

  test('that have other rows have been read: whoever reads them anew need not ask once more', () => {
    const asked = (...values: unknown[]) => ({ text: 'select n from shelf where id = ?', values })
    const askAgain = () => {
      const { isCurrent } = observe(() => noteStatement(['shelf'])?.([{ n: 1 }], () => [{ n: 2 }], asked(1)))
      change('shelf')
      assert.equal(isCurrent(), false)
    }
    const find = (...values: unknown[]) => observe(() => findRenewed(['shelf'], asked(...values))).answer
    askAgain()
    assert.equal(findRenewed(['shelf'], asked(1)), undefined)
    assert.equal(find(2), undefined)
    assert.deepEqual(find(1), [{ n: 2 }])
    assert.equal(find(1), undefined)
    askAgain()
    change('shelf')
    assert.equal(find(1), undefined)
  })

  test('that fail are no longer current', async () => {
    for (const fail of [
      () => Promise.reject(new Error('away')),
      () => {
        throw new Error('away')
      },
    ]) {
      const { isCurrent } = observe(() => noteStatement(['shelf'])?.([{ n: 1 }], fail))
      change('shelf')
      assert.equal(await isCurrent(), false)
      assert.equal(await isCurrent(), false)
    }
  })

  test('are not asked where one of the read could not be kept, or they are too many', () => {
    const some = makeStatement('shelf')
    const cases: [what: string, read: () => void][] = [
      ['a statement that failed', () => noteStatement(['shelf'])],
      ['more rows than are kept', () => noteStatement(['shelf'])?.([{ text: 'x'.repeat(10_000) }], () => [])],
      ['many statements', () => Array.from({ length: 50 }, () => makeStatement('shelf').run())],
    ]
    for (const [what, read] of cases) {
      const { isCurrent, heldBytes } = observe(() => {
        some.run()
        read()
      })
      assert.equal(isCurrent(), true)
      change('shelf')
      assert.equal(isCurrent(), false, what)
      if (what !== 'a statement that failed') assert.equal(heldBytes(), 0, what)
    }
    assert.equal(some.waiting.length, 0)
  })

  test('make a read around one that is cached current by the same answers', async () => {
    const statement = makeStatement('shelf')
    const inner = observe(statement.run)
    const outer = observe(() => inner.isCurrent())
    change('shelf')
    const both = [inner.isCurrent(), outer.isCurrent()]
    assert.equal(statement.waiting.length, 1)
    statement.waiting[0]!([{ n: 1 }])
    assert.deepEqual(await Promise.all(both), [true, true])
  })

  test('whose rows are bytes, times or JSON are compared by what these hold', () => {
    const rows = () => [{ bytes: Buffer.from('ab'), at: new Date(5), json: { a: [1] }, text: 'x', none: null }]
    for (const other of [
      {},
      { bytes: Buffer.from('ac') },
      { at: new Date(6) },
      { json: { a: [2] } },
      { text: 'y' },
      { none: 0 },
    ]) {
      const { isCurrent } = observe(() => noteStatement(['shelf'])?.(rows(), () => [{ ...rows()[0], ...other }]))
      change('shelf')
      assert.equal(isCurrent(), Object.keys(other).length === 0, JSON.stringify(other))
    }
  })
})
