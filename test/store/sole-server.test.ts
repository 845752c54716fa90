/** A server that is alone at its PostgreSQL: it answers from what it knows without asking, until another comes. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { makeRateBudgets } from '../../src/accounts/rates/rate-budgets.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { startProcess } from '../support/child-process.ts'
import { interposeProxy, makeMigratedDatabase, silentLog, type TestDatabase } from '../support/engines.ts'
import { makeLogLines } from '../support/log-lines.ts'
import { until } from '../support/until.ts'

const hourMs = 3_600_000
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

describe('the rates of a server that is alone', () => {
  const budget = { key: 'core:user:9', limit: 100, windowMs: hourMs }
  const slot = { key: 'at-once:9', limit: 10 }

  test('are known to the next one, who was let in while they are spent, to the last', async (t) => {
    const [one, wanted] = [await database.open(), [budget]]
    const mine = makeRateBudgets({ store: one, clock: systemClock, log: silentLog })
    t.after(async () => {
      await mine.close()
      await one.close()
    })
    await until(() => isAlone(one))
    const inside = await Promise.all(Array.from({ length: 4 }, () => mine.admit(slot, wanted)))
    assert.deepEqual(
      inside.map((each) => each?.states[0]?.used),
      [1, 2, 3, 4],
    )
    let allowed = 4
    let isOver = false
    const spending = (async () => {
      while (!isOver) {
        if ((await mine.spend(wanted)).allowed) allowed++
        await sleep(2)
      }
    })()
    const other = await database.open()
    const theirs = makeRateBudgets({ store: other, clock: systemClock, log: silentLog })
    assert.ok(!isAlone(one))
    for (let i = 0; i < 110; i++) if ((await theirs.spend(wanted)).allowed) allowed++
    isOver = true
    await spending
    assert.equal(allowed, 100)
    const entered = await Promise.all(
      Array.from({ length: 10 }, () => theirs.admit(slot, [{ ...budget, key: 'core:user:10' }])),
    )
    assert.equal(entered.filter((each) => each).length, 6)
    for (const each of [...inside, ...entered]) each?.leave()
    await theirs.close()
    await other.close()
  })

  test('are there after a stop, and but for the last second after a kill', async () => {
    const wanted = { key: 'core:user:11', limit: 1_000, windowMs: hourMs }
    const spend = `
      const { makeRateBudgets } = await import(src + 'accounts/rates/rate-budgets.ts')
      const budgets = makeRateBudgets({ store, clock, log })
      ${waitUntilAlone}
      for (let i = 0; i < 100; i++) await budgets.spend([${JSON.stringify(wanted)}])
      console.log('spent')`
    const used = async () =>
      Number((await psql.query('select used from rate_window where key = $1', [wanted.key])).rows[0]?.used ?? 0)
    const stopped = startProcess(database, `${spend}\nawait budgets.close()\nawait store.close()`)
    assert.equal(await stopped.line(), 'spent')
    await stopped.ended()
    assert.equal(await used(), 100)
    const killed = startProcess(database, `${spend}\nsetInterval(() => {}, 1_000)`)
    assert.equal(await killed.line(), 'spent')
    await until(async () => (await used()) === 200)
    await killed.kill()
  })

  test('are saved once that is possible again', async (t) => {
    const wanted = { key: 'core:user:12', limit: 1_000, windowMs: hourMs }
    const store = await openAlone()
    const logged = makeLogLines()
    const budgets = makeRateBudgets({ store, clock: systemClock, log: logged.log })
    t.after(async () => {
      await budgets.close()
      await store.close()
    })
    await budgets.spend([wanted])
    await psql.query('alter table rate_window rename to moved_away')
    try {
      for (let i = 0; i < 4; i++) assert.ok((await budgets.spend([wanted])).allowed)
      await logged.await(/rates could not be saved/)
    } finally {
      await psql.query('alter table moved_away rename to rate_window')
    }
    await until(async () => {
      const { rows } = await psql.query('select used from rate_window where key = $1', [wanted.key])
      return Number(rows[0]?.used) === 5
    })
  })
})
