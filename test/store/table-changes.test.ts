/** Two servers' stores on one PostgreSQL: what one commits, the caches of the other know once they have caught up. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { followTableChanges } from '../../src/store/postgres/table-changes.ts'
import { memoizeRead } from '../../src/store/read-memo.ts'
import type { Store } from '../../src/store/store.ts'
import { interposeProxy, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { until } from '../support/until.ts'

const tables = `
  create table shelf (id bigint primary key, name text);
  create table book (id bigint primary key, shelf_id bigint references shelf (id) on delete cascade);
  create table tally (n bigint);
  create unlogged table loose (n bigint);
  create function count_books() returns trigger language plpgsql as $$ begin update tally set n = n + 1; return null; end $$;
  create trigger count_books after insert on book for each row execute function count_books();
  create view shelved as select shelf.name, book.id from book join shelf on shelf.id = book.shelf_id;
  create function count_shelves() returns bigint language sql as 'select count(*) from shelf';
  insert into shelf values (1, 'one'), (2, 'two'), (5, 'five');
  insert into tally values (0);
  create table page (id bigint primary key, words text);
  create table note (page_id bigint primary key references page (id) on delete cascade, words text);
  insert into page select n, 'page ' || n from generate_series(1, 100) n;
  insert into note select n, 'note ' || n from generate_series(1, 50) n;
  select watch_tables();
  select watch_rows('page', 'id');
  select watch_rows('note', 'page_id')`

describe('table changes', () => {
  let database: TestDatabase
  let one: Store
  let other: Store
  let psql: pg.Client

  before(async () => {
    database = await makeMigratedDatabase('postgres')
    psql = new pg.Client(database.url)
    psql.on('error', () => {})
    await psql.connect()
    await psql.query(tables)
    one = await database.open()
    other = await database.open()
  })
  after(async () => {
    await psql.end()
    await one.close()
    await other.close()
    await database.drop()
  })

  const run = (statement: string) => one.write((trx) => sql.raw(statement).execute(trx))
  /** A read at the other server: whether it is current there once it has caught up. */
  const watch = async (query: string) => {
    const { answer, isCurrent } = other.observeRead(() => sql.raw(query).execute(other.db))
    await answer
    return async () => {
      await other.catchUp()
      return isCurrent()
    }
  }

  const cases: [read: string, write: string, isCurrent: boolean][] = [
    ['select * from shelf', "insert into shelf values (3, 'three')", false],
    ['select * from "shelf"', "update shelf set name = 'uno' where id = 1", false],
    ['select * from shelf', 'insert into book values (1, 1)', true],
    ['SELECT count(*) FROM Book, Shelf', "insert into shelf values (4, 'four')", false],
    ['select id from shelf where exists (select 1 from book)', 'insert into book values (3, 2)', true],
    ['select * from shelf where id = 5', "update shelf set name = 'dos' where id = 2", true],
    ['select n from tally', 'insert into book values (4, 1)', false],
    ['select * from book', 'delete from shelf where id = 2', false],
    ['select n from tally', "update shelf set name = 'x'", true],
    ['with few as (select * from book) select * from few', 'delete from book where id = 4', false],
    ['select * from book', 'truncate book', false],
    [
      'select * from tally',
      'with gone as (delete from shelf where id = 4 returning id) insert into book select 9, 1 from gone',
      false,
    ],
  ]
  for (const [read, write, isCurrent] of cases) {
    test(`“${read}” is ${isCurrent ? 'still good' : 'old'} after “${write}” at another server`, async () => {
      const isGood = await watch(read)
      assert.equal(await isGood(), true)
      await run(write)
      assert.equal(await isGood(), isCurrent)
    })
  }

  const watchPage = async (id: number) => {
    const read = () =>
      sql`select "page"."id", "page"."words", "note"."words" as "noted" from "page" left join "note" on "note"."page_id" = "page"."id" where "page"."id" = ${id}`.execute(
        other.db,
      )
    await other.catchUp()
    const { answer, isCurrent } = other.observeRead(read)
    await answer
    return async () => {
      await other.catchUp()
      return isCurrent()
    }
  }

  for (const write of [
    "update page set words = 'other' where id = 1",
    "update note set words = 'other' where page_id = 1",
    'delete from note where page_id = 1',
    "insert into note values (1, 'new')",
    'truncate note',
    "update page set words = 'all the same'",
    'delete from page where id = 1',
    "insert into page values (1, 'again')",
    'update page set id = 101 where id = 1',
    'update page set id = 1 where id = 101',
    "set local search_path = pg_catalog; update public.page set words = 'elsewhere' where id = 1",
    'truncate page cascade',
  ])
    test(`a row that was looked up by its key is old after “${write}” at another server`, async () => {
      const isGood = await watchPage(1)
      assert.equal(await isGood(), true)
      await run(write)
      assert.equal(await isGood(), false)
    })

  test('a row that was looked up by its key is not asked for again when others change', async () => {
    await run("insert into page select n, 'page ' || n from generate_series(1, 9) n")
    const [isGood, isOtherGood] = [await watchPage(1), await watchPage(2)]
    assert.deepEqual([await isGood(), await isOtherGood()], [true, true])
    await run("update page set words = 'two' where id = 2")
    await run("insert into note values (3, 'three')")
    await run('delete from page where id = 9')
    // Whoever asks waits for it.
    await psql.query('begin; lock table page')
    try {
      assert.equal(await isGood(), true)
    } finally {
      await psql.query('rollback')
    }
    assert.equal(await isOtherGood(), false)
  })

  test('where a database tells no rows, all of a table count', async () => {
    const isGood = await watchPage(1)
    await psql.query('alter table page disable trigger rows_updated')
    await run("update page set words = 'untold' where id = 1")
    assert.equal(await isGood(), false)
    await psql.query('alter table page enable trigger rows_updated')
  })

  test('what is looked up by the key and in another way as well is asked for again', async () => {
    const text = 'select "page"."words" from "page" union select "page"."words" from "page" where "page"."id" = $1'
    const query = { sql: text, parameters: [1] }
    const { answer, isCurrent } = other.observeRead(() =>
      other.db.executeQuery({ ...sql``.compile(other.db), ...query }),
    )
    await answer
    await run("update page set words = 'three again' where id = 3")
    await other.catchUp()
    assert.equal(await isCurrent(), false)
  })

  for (const read of [
    'select * from shelved',
    'select count_shelves()',
    'select n from loose',
    'select * from pg_class limit 1',
  ])
    test(`“${read}” is never current, since its tables are not told`, async () => {
      const isGood = await watch(read)
      assert.equal(await isGood(), false)
    })

  test('a write that is rolled back changes nothing, nor does the part of one that is', async () => {
    const [shelves, books] = [await watch('select * from shelf'), await watch('select * from book')]
    await assert.rejects(
      one.write(async (trx) => {
        await sql`update shelf set name = 'never'`.execute(trx)
        throw new Error('No.')
      }),
    )
    await psql.query("begin; savepoint s; update shelf set name = 'no'; rollback to s; delete from book; commit")
    assert.deepEqual([await shelves(), await books()], [true, false])
  })

  test('a transaction that was open while the other server looked is noticed once it commits, among others that came after', async () => {
    await psql.query("begin; update shelf set name = 'open' where id = 1")
    const isGood = await watch('select * from shelf')
    assert.equal(await isGood(), true)
    for (let i = 0; i < 3; i++) {
      await run('update tally set n = n + 1')
      assert.equal(await isGood(), true)
    }
    await psql.query('commit')
    assert.equal(await isGood(), false)
  })

  test('who writes reads it at once, and who is told by a signal reads what it is about', async () => {
    const readName = (store: Store) => async (_all: string) =>
      (await sql<{ name: string }>`select name from shelf where id = 1`.execute(store.db)).rows[0]!.name
    const [own, theirs] = [memoizeRead(one, readName(one)), memoizeRead(other, readName(other))]
    const heard: Promise<string>[] = []
    const stop = other.listen('shelf', () => heard.push(Promise.resolve(theirs('all'))))
    for (let i = 1; i <= 20; i++) {
      await theirs('all')
      await one.write(async (trx) => {
        await sql`update shelf set name = ${`name ${i}`} where id = 1`.execute(trx)
        await one.notify(trx, 'shelf', String(i))
      })
      assert.equal(await own('all'), `name ${i}`)
      await until(() => heard.length === i)
      assert.equal(await heard[i - 1], `name ${i}`)
    }
    stop()
  })

  test('after random commits, side by side, nothing old is read at the other server once it has caught up', async () => {
    const read = memoizeRead(other, async (id: number) => {
      const { rows } = await sql<{ name: string }>`select name from shelf where id = ${id}`.execute(other.db)
      return rows[0]!.name
    })
    let count = 0
    const work = async (id: number) => {
      for (let i = 0; i < 100; i++) {
        const name = `${id}: ${++count}`
        await one.write((trx) => sql`update shelf set name = ${name} where id = ${id}`.execute(trx))
        await other.catchUp()
        assert.equal(await read(id), name)
      }
    }
    await Promise.all([work(1), work(5)])
  })

  test('what is read often is read as well once its plans are gone, or its table has another column', async () => {
    const read = async () => {
      const { answer } = one.observeRead(() => sql<object>`select * from shelf where id = 5`.execute(one.db))
      return (await answer).rows
    }
    for (let i = 0; i < 5; i++) assert.equal((await read()).length, 1)
    await sql`deallocate all`.execute(one.db)
    assert.equal((await read()).length, 1)
    await psql.query('alter table shelf add column place text')
    assert.ok('place' in (await read())[0]!)
  })

  test('what a write reads often is read as well once its plans are gone: the write is tried again', async () => {
    let count = 0
    const write = () =>
      one.write(async (trx) => {
        count++
        await sql`update shelf set name = ${`read ${count}`} where id = 5`.execute(trx)
        return (await sql<{ name: string }>`select name from shelf where id = ${5}`.execute(trx)).rows[0]!.name
      })
    for (let i = 0; i < 5; i++) await write()
    assert.equal(count, 5)
    await sql`deallocate all`.execute(one.db)
    assert.equal(await write(), 'read 7')
    assert.equal(await write(), 'read 8')
    const { rows } = await psql.query('select name from shelf where id = 5')
    assert.equal(rows[0].name, 'read 8')
  })

  test('when connections are cut nothing is current until it is read again', async () => {
    const isGood = await watch('select * from shelf')
    assert.equal(await isGood(), true)
    await psql.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'guildhall signals'`)
    await until(async () => !(await isGood()))
    await until(async () => (await watch('select * from shelf'))())
    assert.equal(await isGood(), false)
  })

  test('every table that a backup holds is watched', async () => {
    const { rows } = await psql.query(`select relname from pg_class c
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
        and not exists (select from pg_trigger where tgrelid = c.oid and tgname = 'table_changed')`)
    assert.deepEqual(rows, [])
  })
})

describe('the table of changes', () => {
  let database: TestDatabase
  let client: pg.Client
  let psql: pg.Client
  before(async () => {
    database = await makeMigratedDatabase('postgres')
    ;[client, psql] = [new pg.Client(database.url), new pg.Client(database.url)]
    await Promise.all([client.connect(), psql.connect()])
  })
  after(async () => {
    await Promise.all([client.end(), psql.end()])
    await database.drop()
  })

  const count = async () => Number((await psql.query('select count(*) from table_change')).rows[0].count)

  test('keeps what someone may still ask for, and not what a dump of elsewhere brought', async () => {
    await psql.query('delete from table_change')
    await psql.query("insert into table_change values ('99999999999', 'account')")
    for (let i = 0; i < 3; i++) await psql.query('update account set name = name')
    assert.equal(await count(), 4)
    const open = new pg.Client(database.url)
    await open.connect()
    await open.query('begin; update account set name = name')
    const follower = followTableChanges({ client: () => client, keptMs: 20 })
    await follower.catchUp()
    await until(async () => (await count()) === 0)
    await open.query('commit')
    await open.end()
    assert.equal(await count(), 1)
    const since = follower.now()
    await follower.catchUp()
    assert.equal(follower.hasChanged('account', since), true)
    // The next look shows it, and a later one lets it go.
    await until(async () => {
      await follower.catchUp()
      return (await count()) === 0
    })
    follower.close()
  })

  test('a server that can not look caches nothing, and does not wait for long', async () => {
    const { proxy, url } = await interposeProxy(database)
    const behind = new pg.Client(url)
    behind.on('error', () => {})
    await behind.connect()
    const follower = followTableChanges({ client: () => behind })
    await follower.catchUp()
    assert.equal(follower.isFresh(), true)
    proxy.pause()
    await follower.catchUp()
    assert.equal(follower.isFresh(), false)
    const since = follower.now()
    await proxy.resume()
    await until(async () => {
      await follower.catchUp()
      return follower.isFresh()
    })
    assert.equal(follower.hasChanged('account', since), true)
    follower.close()
    await behind.end()
    await proxy.close()
  })

  test('a call that goes with a look is answered with it, and leaves nothing current where it fails', async () => {
    const follower = followTableChanges({ client: () => client })
    await follower.catchUp()
    const since = follower.now()
    await psql.query('update account set name = name')
    const call = (word: string) => ({ name: 'a call', call: '(select length($2::text) as letters)', values: [word] })
    assert.equal((await follower.catchUpWith(call('four')))?.letters, 4)
    assert.deepEqual([follower.hasChanged('account', since), follower.isFresh()], [true, true])
    const failing = { name: 'a failing one', call: '(select 1 / $2::int as none)', values: [0] }
    assert.equal(await follower.catchUpWith(failing), undefined)
    assert.equal(follower.isFresh(), false)
    follower.close()
  })

  test('who waits to catch up goes with the next call, and where none comes is looked for alone', async () => {
    let asked = 0
    const counted = Object.create(client, {
      query: {
        value(query: pg.QueryConfig) {
          asked++
          return client.query(query)
        },
      },
    }) as pg.Client
    const follower = followTableChanges({ client: () => counted })
    await follower.catchUp()
    const call = { name: 'a call', call: '(select length($2::text) as letters)', values: ['four'] }
    asked = 0
    const [, letters] = await Promise.all([
      follower.catchUpWith(call),
      new Promise(setImmediate).then(() => Promise.all([follower.catchUp(), follower.catchUp()])),
      new Promise(setImmediate).then(() => follower.catchUpWith(call)),
    ])
    assert.deepEqual([asked, letters], [2, [undefined, undefined]])
    await psql.query('update account set name = name')
    const since = follower.now()
    await Promise.all([follower.catchUpWith(call), follower.catchUp()])
    assert.equal(follower.hasChanged('account', since), true)
    await follower.catchUp()
    const failing = { name: 'a failing one', call: '(select 1 / $2::int as none)', values: [0] }
    await Promise.all([follower.catchUpWith(failing), follower.catchUp(), follower.catchUpWith(failing)])
    asked = 0
    await follower.catchUp()
    assert.deepEqual([asked, follower.isFresh()], [1, true])
    follower.close()
  })

  test('a connection whose prepared statements are gone is given up for another', async () => {
    const fading = new pg.Client(database.url)
    let isLost = false
    fading.on('error', () => {})
    fading.on('end', () => {
      isLost = true
    })
    await fading.connect()
    const follower = followTableChanges({ client: () => (isLost ? client : fading) })
    await follower.catchUp()
    await fading.query('deallocate all')
    await follower.catchUp()
    assert.equal(follower.isFresh(), false)
    await until(() => isLost)
    await follower.catchUp()
    assert.equal(follower.isFresh(), true)
    follower.close()
  })
})
