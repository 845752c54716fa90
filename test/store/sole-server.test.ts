/** A server that is alone at its PostgreSQL: it answers from what it knows without asking, until another comes. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Store } from '../../src/store/store.ts'
import { startProcess } from '../support/child-process.ts'
import { interposeProxy, makeMigratedDatabase, type TestDatabase } from '../support/engines.ts'
import { until } from '../support/until.ts'

const tables = `create table note (id bigint primary key, word text); insert into note values (1, 'first'); select watch_tables()`

let database: TestDatabase
let psql: pg.Client
before(async () => {
  database = await makeMigratedDatabase('postgres')
  psql = new pg.Client(database.url)
  await psql.connect()
  await psql.query(tables)
})
after(async () => {
  await psql.end()
  await database.drop()
})

const isAlone = (store: Store) => store.aloneTerm() !== undefined

/** PostgreSQL takes a moment to end the sessions of those that were there before. */
async function openAlone(from: Pick<TestDatabase, 'open'> = database): Promise<Store> {
  const store = await from.open()
  await until(() => isAlone(store))
  return store
}
const waitUntilAlone = 'while (store.aloneTerm() === undefined) await new Promise((resolve) => setTimeout(resolve, 20))'

const writeWord = (store: Store, word: string) =>
  store.write((trx) => sql`update note set word = ${word} where id = 1`.execute(trx))

/** As a cache does: what was read is answered again while it is current, once the reader has caught up. */
function makeReader(store: Store) {
  const read = () =>
    store.observeRead(async () => {
      const { rows } = await sql<{ word: string }>`select word from note where id = 1`.execute(store.db)
      return rows[0]!.word
    })
  let last = read()
  return async () => {
    await store.catchUp()
    if (!(await last.isCurrent())) last = read()
    return last.answer
  }
}

describe('a server at a PostgreSQL', () => {
  test('is alone from its start, knows its own writes, and asks nothing before it answers', async (t) => {
    const store = await database.open()
    t.after(store.close)
    assert.ok(isAlone(store), 'no other was ever there')
    const read = makeReader(store)
    for (let i = 0; i < 20; i++) {
      await writeWord(store, `by one ${i}`)
      assert.equal(await read(), `by one ${i}`)
    }
    await until(async () => {
      await store.catchUp()
      return store.catchUp() === undefined
    })
    // It could not be asked.
    await psql.query('begin; lock table table_change in access exclusive mode')
    assert.equal(await read(), 'by one 19')
    await psql.query('commit')
  })

  test('shows nothing older from a cache than was just read past it, while commits are under way', async (t) => {
    const store = await openAlone()
    t.after(store.close)
    await writeWord(store, '0')
    const [read, isOver] = [makeReader(store), { now: false }]
    const writing = (async () => {
      for (let i = 1; i <= 300; i++) await writeWord(store, String(i))
      isOver.now = true
    })()
    let differed = 0
    while (!isOver.now) {
      const earlier = Number(await read())
      const { rows } = await sql<{ word: string }>`select word from note where id = 1`.execute(store.db)
      const cached = Number(await read())
      assert.ok(Number(rows[0]!.word) <= cached, `${rows[0]!.word} was read, then ${cached}`)
      if (cached !== earlier) differed++
    }
    await writing
    assert.ok(differed > 0, 'no read met a commit')
  })

  test('is alone no longer once another has come, and again after that one has gone', async (t) => {
    const one = await database.open()
    t.after(one.close)
    const read = makeReader(one)
    for (let round = 0; round < 2; round++) {
      await until(() => isAlone(one))
      await read()
      const other = await database.open()
      assert.deepEqual([isAlone(one), isAlone(other)], [false, false])
      const there = makeReader(other)
      for (let i = 0; i < 10; i++) {
        await writeWord(other, `by the other ${i}`)
        assert.equal(await read(), `by the other ${i}`)
        await writeWord(one, `by one ${i}`)
        assert.equal(await there(), `by one ${i}`)
      }
      await other.close()
    }
  })

  test('that come all at once are not alone, but for the one that stays', async (t) => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => database.open()))
    t.after(() => Promise.all(stores.map((store) => store.close())))
    assert.ok(stores.every((store) => !isAlone(store)))
    await Promise.all(stores.slice(1).map((store) => store.close()))
    await until(() => isAlone(stores[0]!))
    stores.splice(1)
  })

  test('is not alone beside one of a version that knows of no lock, whichever was there first', async (t) => {
    const start = async () => {
      const older = new pg.Client({ connectionString: database.url!, application_name: 'guildhall' })
      await older.connect()
      return older
    }
    const older = await start()
    const store = await database.open()
    t.after(store.close)
    assert.ok(!isAlone(store))
    await older.end()
    await until(() => isAlone(store))
    const again = await start()
    await until(() => !isAlone(store))
    await again.end()
  })

  test('hears of what psql changes within a second, and from then on at once', async (t) => {
    const store = await openAlone()
    t.after(store.close)
    const read = makeReader(store)
    await read()
    await psql.query("update note set word = 'by hand' where id = 1")
    await until(async () => (await read()) === 'by hand')
    assert.ok(!isAlone(store))
    for (let i = 0; i < 10; i++) {
      await psql.query('update note set word = $1 where id = 1', [`by hand ${i}`])
      assert.equal(await read(), `by hand ${i}`)
    }
  })
})

describe('a server that was alone and hangs', () => {
  test('is cut off by the next one, and shows nothing old when it goes on', async (t) => {
    const proxied = await interposeProxy(database)
    const hanging = await openAlone(proxied)
    const read = makeReader(hanging)
    await read()
    proxied.proxy.pause()
    const next = await database.open()
    t.after(next.close)
    await writeWord(next, 'by the next')
    await proxied.proxy.resume()
    await until(() =>
      read().then(
        (word) => word === 'by the next',
        () => false,
      ),
    )
    for (let i = 0; i < 5; i++) {
      await writeWord(next, `by the next ${i}`)
      assert.equal(await read(), `by the next ${i}`)
    }
    await hanging.close()
    await proxied.proxy.close()
  })

  test('stopped by a signal, answers by what was written meanwhile from its first answer on', async (t) => {
    const frozen = startProcess(
      database,
      `const { sql } = await import('kysely')
      ${waitUntilAlone}
      const read = () => store.observeRead(async () =>
        (await sql\`select word from note where id = 1\`.execute(store.db)).rows[0].word)
      let last = read()
      const ask = async () => {
        await store.catchUp()
        if (!(await last.isCurrent())) last = read()
        return last.answer
      }
      for (let i = 0; i < 3; i++) await ask()
      process.on('SIGUSR2', async () => console.log(await ask().catch(() => 'nothing')))
      console.log('alone')
      setInterval(() => {}, 1_000)`,
    )
    assert.equal(await frozen.line(), 'alone')
    process.kill(frozen.pid, 'SIGSTOP')
    const next = await database.open()
    t.after(next.close)
    await writeWord(next, 'while it stood still')
    process.kill(frozen.pid, 'SIGUSR2')
    process.kill(frozen.pid, 'SIGCONT')
    assert.match(await frozen.line(), /^(?:while it stood still|nothing)$/)
    await frozen.kill()
  })
})

test('beside a server whose connection that listens was lost, and can not be made anew, nobody is alone', async (t) => {
  const proxied = await interposeProxy(database)
  const hidden = await proxied.open()
  await writeWord(hidden, 'before')
  const { rows } = await psql.query(`select pid from pg_stat_activity
    where application_name = 'guildhall signals' and datname = current_database() order by backend_start desc`)
  // The connections that are there go on.
  proxied.proxy.ignoreNew()
  await psql.query('select pg_terminate_backend($1)', [rows[0].pid])
  const other = await database.open()
  t.after(other.close)
  assert.ok(!isAlone(other))
  const read = makeReader(other)
  for (let i = 0; i < 5; i++) {
    const word = `unheard ${i}`
    // It gives up what it writes once it knows that its database is away.
    const isWritten = await writeWord(hidden, word).then(
      () => true,
      () => false,
    )
    if (isWritten) assert.equal(await read(), word)
  }
  await proxied.proxy.resume()
  await hidden.close()
  await proxied.proxy.close()
  await until(() => isAlone(other))
})
