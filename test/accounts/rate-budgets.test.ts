import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type Budget, makeRateBudgets, type RateBudgets } from '../../src/accounts/rates/rate-budgets.ts'
import { makeManualClock, systemClock } from '../../src/lib/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { startProcess } from '../support/child-process.ts'
import { engines, interposeProxy, makeMigratedDatabase, silentLog, type TestDatabase } from '../support/engines.ts'
import { until } from '../support/until.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

for (const engine of engines) {
  describe(`rate budgets on ${engine}`, () => {
    let database: TestDatabase
    let store: Store
    let budgets: RateBudgets
    const clock = makeManualClock()
    before(async () => {
      database = await makeMigratedDatabase(engine)
      store = await database.open()
      budgets = makeRateBudgets({ store, clock, log: silentLog })
    })
    after(async () => {
      await budgets.close()
      await store.close()
      await database.drop()
    })

    const core = (key: string, limit = 5): Budget => ({ key, limit, windowMs: hourMs })
    const spendAll = async (count: number, wanted: Budget[]) => {
      const spendings = await Promise.all(Array.from({ length: count }, () => budgets.spend(wanted)))
      return spendings.filter(({ allowed }) => allowed).length
    }

    test('a thousand at once get as many as the budget holds, not one more or less', async () => {
      assert.equal(await spendAll(1_000, [core('flood', 600)]), 600)
      const [state] = await budgets.peek([core('flood', 600)])
      assert.equal(state!.used, 600)
      assert.equal(state!.remaining, 0)
    })

    test('those that come together are counted as if they came one after the other, in some order', async () => {
      const [few, many] = [core('together', 6), core('beside', 100)]
      const spend = (each: Budget[]) => budgets.spend(each)
      const first = await Promise.all([spend([few]), spend([few, many]), spend([{ ...few, cost: 0 }]), spend([many])])
      const usedOf = (key: string) => (i: number) => first[i]!.states.find((state) => state.key === key)!.used
      assert.ok(first.every(({ allowed }) => allowed))
      assert.deepEqual([0, 1].map(usedOf(few.key)).sort(), [1, 2])
      assert.deepEqual([1, 3].map(usedOf(many.key)).sort(), [1, 2])
      assert.ok([0, 1, 2].includes(usedOf(few.key)(2)))
      const then = await Promise.all(Array.from({ length: 6 }, () => spend([few, many])))
      assert.equal(then.filter(({ allowed }) => allowed).length, 4)
      const states = await Promise.all([budgets.peek([few]), budgets.peek([many, few])])
      assert.deepEqual(
        states.map((each) => each.map(({ used }) => used)),
        [[6], [6, 6]],
      )
    })

    test('several budgets at once count all or none, in whatever order they are named', async () => {
      const wide = core('wide', 500)
      const points: Budget = { key: 'points', limit: 300, windowMs: minuteMs, cost: 5 }
      const counts = await Promise.all([
        spendAll(100, [wide, points]),
        spendAll(100, [points, wide]),
        spendAll(100, [wide]),
      ])
      assert.equal(counts[0]! + counts[1]!, 60)
      assert.equal(counts[2], 100)
      const [wideState, pointState] = await budgets.peek([wide, points])
      assert.equal(wideState!.used, 160)
      assert.equal(pointState!.used, 300)
    })

    test('a window starts with its first request and ends to the millisecond', async () => {
      const budget = core('edges', 2)
      const [fresh] = await budgets.peek([budget])
      assert.deepEqual([fresh!.used, fresh!.remaining, fresh!.resetAt], [0, 2, clock.now() + hourMs])
      clock.advance(10 * minuteMs)
      const startedAt = clock.now()
      assert.equal((await budgets.spend([budget])).states[0]!.resetAt, startedAt + hourMs)
      clock.advance(hourMs - 1)
      const second = await budgets.spend([budget])
      assert.deepEqual([second.allowed, second.states[0]!.resetAt], [true, startedAt + hourMs])
      assert.equal((await budgets.spend([budget])).allowed, false)
      clock.advance(1)
      const next = await budgets.spend([budget])
      assert.deepEqual([next.allowed, next.states[0]!.used], [true, 1])
      assert.equal(next.states[0]!.resetAt, startedAt + 2 * hourMs)
    })

    test('a refusal names the budget that lasts longest and shows all as they truly are', async () => {
      const short: Budget = { key: 'short', limit: 1, windowMs: minuteMs }
      const long: Budget = { key: 'long', limit: 1, windowMs: hourMs }
      const free = core('free', 10)
      await budgets.spend([short, long])
      const refused = await budgets.spend([free, short, long])
      assert.equal(refused.allowed, false)
      assert.equal(refused.refusedBy?.key, 'long')
      assert.deepEqual(
        refused.states.map(({ used }) => used),
        [0, 1, 1],
      )
    })

    test('a higher limit on the same key sees what the lower one used', async () => {
      await spendAll(5, [core('shared', 5)])
      assert.equal((await budgets.spend([core('shared', 5)])).allowed, false)
      const { allowed, states } = await budgets.spend([core('shared', 15)])
      assert.deepEqual([allowed, states[0]!.used], [true, 6])
      assert.equal((await budgets.peek([core('shared', 5)]))[0]!.remaining, 0)
    })

    test('what is added after the fact may pass the limit, and then refuses', async () => {
      const cpu: Budget = { key: 'cpu', limit: 90_000, windowMs: minuteMs, cost: 0 }
      assert.equal((await budgets.spend([cpu])).allowed, true)
      const state = await budgets.add(cpu, 100_000.4)
      assert.deepEqual([state.used, state.limit, state.remaining], [100_000, 90_000, 0])
      assert.equal((await budgets.spend([cpu])).allowed, false)
      clock.advance(minuteMs)
      assert.equal((await budgets.spend([cpu])).allowed, true)
    })

    test('an unlimited budget still counts', async () => {
      assert.equal(await spendAll(3, [core('unlimited', Number.POSITIVE_INFINITY)]), 3)
      assert.equal((await budgets.peek([core('unlimited')]))[0]!.used, 3)
    })

    test('no more than so many are in at once, and each that leaves makes room for one', async () => {
      const enterMany = (count: number) => Promise.all(Array.from({ length: count }, () => enter(budgets, 'room', 10)))
      const inside = (await enterMany(50)).filter((leave) => leave !== undefined)
      assert.equal(inside.length, 10)
      inside[0]!()
      inside[0]!()
      inside[1]!()
      const again = await enterEventually(budgets, 'room', 10, 2)
      assert.equal(await enter(budgets, 'room', 10), undefined)
      for (const leave of [...inside.slice(2), ...again]) leave()
    })

    test('no more than so many are in at once, though windows begin that nobody has spent from yet', async () => {
      const admit = (key: string) => budgets.admit({ key: 'crowd', limit: 10 }, [core(key, 1_000)])
      const known = await admit('crowd:first')
      known!.leave()
      const first = await Promise.all(Array.from({ length: 9 }, () => admit('crowd:first')))
      const more = await Promise.all(Array.from({ length: 9 }, () => admit('crowd:second')))
      assert.deepEqual(
        [first, more].map((all) => all.filter((entered) => entered).length),
        [9, 1],
      )
      for (const entered of [...first, ...more]) entered?.leave()
    })

    test('who finds no place spends nothing, and who may not spend keeps no place', async () => {
      const [few, one] = [{ key: 'few', limit: 2 }, core('with-a-place', 3)]
      const first = await budgets.admit(few, [one])
      const second = await budgets.admit(few, [one, core('beside')])
      assert.deepEqual([first!.allowed, second!.states.map(({ used }) => used)], [true, [2, 1]])
      assert.equal(await budgets.admit(few, [one]), undefined)
      assert.equal((await budgets.peek([one]))[0]!.used, 2)
      first!.leave()
      second!.leave()
      for (const leave of await enterEventually(budgets, 'few', 2, 2)) leave()
      const third = await budgets.admit({ ...few, limit: 9 }, [one])
      for (let i = 0; i < 20; i++) {
        const refused = await budgets.admit({ ...few, limit: 9 }, [core('beside'), one])
        // Leaving takes effect a moment later: until then there may be no place.
        if (refused) assert.deepEqual([refused.allowed, refused.refusedBy!.key], [false, one.key])
      }
      assert.equal((await budgets.peek([core('beside')]))[0]!.used, 1)
      third!.leave()
      assert.equal((await enterEventually(budgets, 'few', 2, 2)).length, 2)
    })

    test('pruning forgets what is over and nothing else', async () => {
      await budgets.spend([core('kept'), { key: 'over', limit: 5, windowMs: 1_000 }])
      clock.advance(1_000)
      await budgets.prune()
      assert.equal((await budgets.peek([core('kept')]))[0]!.used, 1)
      assert.equal((await budgets.peek([core('over')]))[0]!.used, 0)
    })
  })
}

test('a flood of addresses keeps memory bounded and leaves heavy users their counts', async () => {
  const database = await makeMigratedDatabase('sqlite')
  const store = await database.open()
  const budgets = makeRateBudgets({ store, clock: makeManualClock(), log: silentLog, maxKeys: 100 })
  const budget = (key: string): Budget => ({ key, limit: 60, windowMs: hourMs })
  for (let i = 0; i < 60; i++) await budgets.spend([budget('heavy')])
  for (let i = 0; i < 5_000; i++) assert.ok((await budgets.spend([budget(`address:${i}`)])).allowed)
  assert.equal((await budgets.spend([budget('heavy')])).allowed, false)
  const states = await budgets.peek(Array.from({ length: 5_000 }, (_, i) => budget(`address:${i}`)))
  const kept = states.filter(({ used }) => used > 0).length
  assert.ok(kept >= 80 && kept < 100, `${kept} are kept`)
  await store.close()
  await database.drop()
})

describe('rate budgets of two processes on one PostgreSQL', () => {
  let database: TestDatabase
  let store: Store
  let budgets: RateBudgets
  before(async () => {
    database = await makeMigratedDatabase('postgres')
    store = await database.open()
    budgets = makeRateBudgets({ store, clock: systemClock, log: silentLog, leaseMs: 1_500 })
  })
  after(async () => {
    await budgets.close()
    await store.close()
    await database.drop()
  })

  const makeTheirs = `
    const { makeRateBudgets } = await import(src + 'accounts/rates/rate-budgets.ts')
    const budgets = makeRateBudgets({ store, clock, log, leaseMs: 1_500 })`

  test('together they spend one budget exactly', async () => {
    const wanted = [
      { key: 'core:user:7', limit: 400, windowMs: hourMs },
      { key: 'content:user:7', limit: 5_000, windowMs: hourMs, cost: 3 },
    ]
    const other = startProcess(
      database,
      `${makeTheirs}
      console.log('ready')
      const wanted = ${JSON.stringify(wanted.toReversed())}
      const spendings = await Promise.all(Array.from({ length: 500 }, () => budgets.spend(wanted)))
      console.log(spendings.filter(({ allowed }) => allowed).length)
      await budgets.close()
      await store.close()`,
    )
    assert.equal(await other.line(), 'ready')
    const mine = await Promise.all(Array.from({ length: 500 }, () => budgets.spend(wanted)))
    const theirs = Number(await other.line())
    assert.equal(mine.filter(({ allowed }) => allowed).length + theirs, 400)
    const [core, content] = await budgets.peek(wanted)
    assert.deepEqual([core!.used, content!.used], [400, 1_200])
    await other.ended()
  })

  test("a living process keeps its slots, a killed one's come free", async () => {
    const other = startProcess(
      database,
      `${makeTheirs}
      for (let i = 0; i < 3; i++) await budgets.admit({ key: 'room', limit: 4 }, [{ key: 'any', limit: 9, windowMs: 1 }])
      console.log('inside')
      setInterval(() => {}, 1_000)`,
    )
    assert.equal(await other.line(), 'inside')
    assert.ok(await enter(budgets, 'room', 4))
    const readExpiry = async () => {
      const { rows } = await sql<{ first: number }>`select min(expires_at) as first from concurrency_slot`.execute(
        store.db,
      )
      return Number(rows[0]!.first)
    }
    const firstExpiry = await readExpiry()
    await until(async () => (await readExpiry()) > firstExpiry + 1_500)
    assert.equal(await enter(budgets, 'room', 4), undefined)
    await other.kill()
    assert.equal((await enterEventually(budgets, 'room', 4, 3)).length, 3)
    assert.equal(await enter(budgets, 'room', 4), undefined)
    await budgets.prune()
    assert.equal(await enter(budgets, 'room', 4), undefined)
  })

  const listHeld = async (key: string) => {
    const { rows } = await sql<{ held: number }>`select held from concurrency_slot where key = ${key}`.execute(store.db)
    return rows.map(({ held }) => Number(held))
  }

  test('one that closes leaves no slot behind, even if somebody leaves later', async () => {
    const closing = makeRateBudgets({ store, clock: systemClock, log: silentLog })
    const leaves = [await enter(closing, 'closing', 9), await enter(closing, 'closing', 9)]
    leaves[0]!()
    await until(async () => (await listHeld('closing'))[0] === 1)
    await closing.close()
    leaves[1]!()
    // What is freed after it is written after it.
    ;(await enter(budgets, 'after', 9))!()
    await until(async () => (await listHeld('after'))[0] === 0)
    assert.deepEqual(await listHeld('closing'), [])
  })

  test('a key that nobody holds is renewed no more, and nothing is written while nothing changes', async () => {
    const readVersion = async (key: string) => {
      const { rows } = await sql<{ version: number }>`select version from concurrency_slot where key = ${key}`.execute(
        store.db,
      )
      return Number(rows[0]!.version)
    }
    const idle = makeRateBudgets({ store, clock: systemClock, log: silentLog, leaseMs: 900 })
    ;(await enter(idle, 'left', 9))!()
    await until(async () => (await listHeld('left'))[0] === 0)
    const before = await readVersion('left')
    await until(async () => {
      await idle.prune()
      return (await listHeld('left')).length === 0
    })
    const leave = await enter(idle, 'again', 9)
    // Each write would have taken a version; one every 10 ms, were they for nothing.
    assert.ok((await readVersion('again')) <= before + 9)
    leave!()
    await idle.close()
  })
})

describe('slots on a PostgreSQL whose connections are cut', () => {
  let database: Awaited<ReturnType<typeof interposeProxy>>
  let store: Store
  let budgets: RateBudgets
  let psql: pg.Client
  before(async () => {
    const direct = await makeMigratedDatabase('postgres')
    database = await interposeProxy(direct)
    store = await database.open()
    budgets = makeRateBudgets({ store, clock: systemClock, log: silentLog })
    psql = new pg.Client(direct.url)
    await psql.connect()
  })
  after(async () => {
    await psql.end()
    await budgets.close()
    await store.close()
    await database.drop()
  })

  const countHeld = async () => {
    const { rows } = await psql.query(
      `select coalesce(sum(held), 0)::int as held from concurrency_slot where key = 'cut'`,
    )
    return rows[0].held
  }

  test('are as many as are in use, whatever was not answered, and none when all have left', async () => {
    const inside: (() => void)[] = []
    const tryToEnter = async () => {
      const leave = await enter(budgets, 'cut', 1_000).catch(() => undefined)
      if (leave) inside.push(leave)
      return leave
    }
    await tryToEnter()
    for (let round = 0; round < 4; round++) {
      const before = await countHeld()
      database.proxy.delay(50)
      const entering = Promise.all(Array.from({ length: 6 }, tryToEnter))
      // They are written down, and the answer is on its way; or, in every other round, not even that.
      if (round % 2 === 0) await until(async () => (await countHeld()) > before)
      database.proxy.delay(0)
      database.proxy.cut()
      await entering
      for (const leave of inside.splice(0, round)) leave()
      await until(async () => (await tryToEnter()) !== undefined)
      await until(async () => (await countHeld()) === inside.length)
    }
    for (const leave of inside) leave()
    await until(async () => (await countHeld()) === 0)
  })
})

/** As one who spends of what there is without end. */
async function enter(budgets: RateBudgets, key: string, limit: number): Promise<(() => void) | undefined> {
  const endless = { key: 'endless', limit: Number.POSITIVE_INFINITY, windowMs: minuteMs }
  return (await budgets.admit({ key, limit }, [endless]))?.leave
}

/** Leaving takes effect a moment later on PostgreSQL: tries until so many are in. */
async function enterEventually(budgets: RateBudgets, key: string, limit: number, wanted: number) {
  const inside: (() => void)[] = []
  await until(async () => {
    const leave = await enter(budgets, key, limit)
    if (leave) inside.push(leave)
    return inside.length >= wanted
  })
  return inside
}
