/** The cache of boards and their readers: nothing in it is given out over a second after it was loaded. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, mock, test } from 'node:test'
import { makeRefreshedCache } from '../../../src/judge/contests/board/refreshed-cache.ts'
import { makeManualClock } from '../../../src/lib/clock.ts'
import { currentKind, runAs, type WorkKind } from '../../../src/lib/scheduling/work-kind.ts'

type Value = { readonly number: number }

describe('a cache that looks again', () => {
  const clock = makeManualClock()
  let now = 0
  /** Loads in progress, oldest first. */
  let loads: { answer(): Promise<void>; leave(): Promise<void>; fail(): Promise<void> }[] = []
  let loaded = 0
  /** The kind of work that each load was. */
  let kinds: WorkKind[] = []
  let cache = makeCache()

  function makeCache() {
    const load = () =>
      new Promise<Value | undefined>((resolve, reject) => {
        const number = ++loaded
        kinds.push(currentKind())
        const settle = async (act: () => void) => {
          loads = loads.filter((one) => one !== own)
          act()
          await settled()
        }
        const own = {
          answer: () => settle(() => resolve({ number })),
          leave: () => settle(() => resolve(undefined)),
          fail: () => settle(() => reject(new Error('the database is away'))),
        }
        loads.push(own)
      })
    return makeRefreshedCache<Value>({ clock, most: 10, load, lookAgain: load })
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve))
  /** In steps, so that each timer runs in its time. */
  async function pass(ms: number): Promise<void> {
    for (let i = 0; i < ms; i += 50) {
      now += 50
      clock.advance(50)
      mock.timers.tick(50)
      await settled()
    }
  }

  before(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    mock.method(performance, 'now', () => now)
  })
  after(() => mock.restoreAll())
  beforeEach(async () => {
    for (const one of [...loads]) await one.answer()
    await cache.close()
    loads = []
    loaded = 0
    kinds = []
    cache = makeCache()
  })

  async function load(): Promise<void> {
    const first = cache.read('a')
    await loads[0]!.answer()
    assert.deepEqual(await first, { number: 1 })
  }

  test('loads and looks as nobody’s kind of work, whoever asked: a feed’s would wait behind all other feeds', async () => {
    const reading = runAs('feeds', () => cache.read('a'))
    await loads[0]!.answer()
    await reading
    await pass(700)
    assert.deepEqual(kinds, ['other', 'other'])
  })

  test('what is being read is loaded again before it is a second old, and its readers wait for nothing', async () => {
    await load()
    for (let second = 0; second < 25; second++) {
      await pass(900)
      assert.equal(loads.length, 1)
      await loads[0]!.answer()
      await cache.read('a')
    }
    assert.equal(loads.length, 0)
  })

  test('after a second the next reader waits for the load', async () => {
    await load()
    await pass(950)
    assert.deepEqual(await cache.read('a'), { number: 1 })
    await pass(50)
    let got: Value | undefined
    const reading = cache.read('a').then((value) => {
      got = value
    })
    await settled()
    assert.equal(got, undefined)
    await loads[1]!.answer()
    await reading
    assert.deepEqual(got, { number: 3 })
  })

  test('who comes when a slow load is a second old waits for the one after it, with everybody who comes later', async () => {
    const first = cache.read('a')
    await pass(950)
    const second = cache.read('a')
    await pass(50)
    const [third, fourth] = [cache.read('a'), cache.read('a')]
    assert.equal(loads.length, 1)
    await loads[0]!.answer()
    assert.deepEqual(await Promise.all([first, second]), [{ number: 1 }, { number: 1 }])
    assert.equal(loads.length, 1)
    const fifth = cache.read('a')
    await loads[0]!.answer()
    assert.deepEqual(await Promise.all([third, fourth, fifth]), [{ number: 2 }, { number: 2 }, { number: 2 }])
  })

  test('a slow load that fails is followed by another for those who came late', async () => {
    const first = cache.read('a')
    await pass(1_000)
    const second = cache.read('a')
    const failing = assert.rejects(first, /the database is away/)
    await loads[0]!.fail()
    await failing
    await loads[0]!.answer()
    assert.deepEqual(await second, { number: 2 })
  })

  test('a load that fails in the background is tried again by the next reader', async () => {
    await load()
    await pass(750)
    await loads[0]!.fail()
    assert.deepEqual(await cache.read('a'), { number: 1 })
    await pass(300)
    const reading = cache.read('a')
    await loads[0]!.answer()
    assert.deepEqual(await reading, { number: 3 })
  })

  test('what has changed and takes long to make is left to the next reader', async () => {
    await load()
    await pass(750)
    await loads[0]!.leave()
    await pass(1_500)
    assert.equal(loaded, 2)
    const reading = cache.read('a')
    await loads[0]!.answer()
    assert.deepEqual(await reading, { number: 3 })
  })

  test('a reader does not wait for a look that hangs', async () => {
    await load()
    await pass(1_000)
    const reading = cache.read('a')
    assert.equal(loads.length, 2)
    await loads[1]!.answer()
    assert.deepEqual(await reading, { number: 3 })
    await loads[0]!.answer()
    assert.deepEqual(await cache.read('a'), { number: 3 })
  })

  test('what nobody reads is left alone', async () => {
    await load()
    for (let i = 0; i < 60; i++) {
      await pass(700)
      await loads[0]?.answer()
    }
    const before = loaded
    await pass(5_000)
    assert.equal(loaded, before)
  })

  test('after a change nobody gets what was loaded before it', async () => {
    await load()
    cache.clear()
    const early = cache.read('a')
    cache.clear()
    const late = cache.read('a')
    assert.equal(loads.length, 2)
    await loads[0]!.answer()
    await loads[0]!.answer()
    assert.deepEqual([await early, await late], [{ number: 2 }, { number: 3 }])
    assert.deepEqual(await cache.read('a'), { number: 3 })
  })

  test('once it is closed nothing is loaded in the background', async () => {
    await load()
    await cache.close()
    await pass(2_000)
    assert.equal(loaded, 1)
  })
})
