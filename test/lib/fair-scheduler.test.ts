/** The one scheduler: bounds, fairness, refusals and waits that end. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type FairScheduler, type HeldSlot, makeFairScheduler } from '../../src/lib/scheduling/fair-scheduler.ts'

describe('the fair scheduler', () => {
  const bounds = { slots: 4, slotsPerCaller: 2, queuePerCaller: 20, queue: 30, what: 'git' }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('lets so many in at a time, of one caller so many, and every one in the end', async () => {
    const { run: takeTurn } = makeFairScheduler(bounds)
    const inside: string[] = []
    const most = { all: 0, ann: 0 }
    const act = (who: string) =>
      takeTurn(who, async () => {
        inside.push(who)
        most.all = Math.max(most.all, inside.length)
        most.ann = Math.max(most.ann, inside.filter((each) => each === 'ann').length)
        await turn()
        inside.splice(inside.indexOf(who), 1)
        if (who === 'bob') throw new Error('bob never manages')
      })
    const crowd = [...Array(20).fill('ann'), 'bob', 'bob', 'cid', 'dan']
    const ends = await Promise.allSettled(crowd.map(act))
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 22)
    assert.deepEqual(most, { all: 4, ann: 2 })
  })

  test('serves callers in turn: however much one has waiting, another waits for one slot', async () => {
    const { run: takeTurn } = makeFairScheduler({ ...bounds, slots: 1, slotsPerCaller: 1 })
    const order: string[] = []
    const act = (who: string) => takeTurn(who, async () => void order.push(who))
    const flood = Array.from({ length: 10 }, () => act('ann'))
    await Promise.all([...flood, act('bob'), act('bob'), act('cid')])
    assert.deepEqual(order.slice(0, 6), ['ann', 'ann', 'bob', 'cid', 'ann', 'bob'])
  })

  test('turns away who has too much waiting, and everybody where there is too much in all', async () => {
    const { run: takeTurn } = makeFairScheduler(bounds)
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    const enter = (who: string) => takeTurn(who, () => isOpen)
    const anns = Array.from({ length: 22 }, () => enter('ann'))
    await assert.rejects(enter('ann'), { kind: 'unavailable', code: 'busy', detail: { retryAfterSeconds: 2 } })
    const bobs = Array.from({ length: 12 }, () => enter('bob'))
    await assert.rejects(enter('bob'), { code: 'busy' })
    open()
    await Promise.all([...anns, ...bobs])
    await enter('cid')
  })

  test('lets callers who have nothing there in where others have filled the queue', async () => {
    const { run: takeTurn } = makeFairScheduler(bounds)
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    const order: string[] = []
    const enter = (who: string) =>
      takeTurn(who, async () => {
        await isOpen
        order.push(who)
      })
    const crowd = ['ann', 'bob'].flatMap((who) => Array.from({ length: 17 }, () => enter(who)))
    const late = ['cid', 'dan', 'eve'].map(enter)
    const ends = Promise.allSettled(crowd)
    open()
    await Promise.all(late)
    assert.equal((await ends).filter(({ status }) => status === 'rejected').length, 3)
    assert.ok(order.indexOf('eve') < 12, order.join(' '))
    // Where everybody waits once, there is no place to take.
    const { run: full } = makeFairScheduler({ ...bounds, slots: 1, slotsPerCaller: 1, queue: 2 })
    let release = () => {}
    const first = full('a', () => new Promise<void>((resolve) => (release = resolve)))
    const others = ['b', 'c'].map((who) => full(who, async () => {}))
    await assert.rejects(
      full('d', async () => {}),
      { code: 'busy' },
    )
    release()
    await Promise.all([first, ...others])
  })

  test('serves who has used little of late before those who have used much, however many they are', async () => {
    let time = 0
    const { run: takeTurn } = makeFairScheduler({ ...bounds, slots: 1, slotsPerCaller: 1, queue: 200, now: () => time })
    const order: string[] = []
    const act = (who: string, ms: number) =>
      takeTurn(who, async () => {
        order.push(who)
        time += ms
      })
    const crowd = Array.from({ length: 11 }, (_, i) => `evil${i}`)
    await Promise.all(crowd.map((who) => act(who, 5_000)))
    order.length = 0
    const flood = crowd.flatMap((who) => Array.from({ length: 10 }, () => act(who, 5_000)))
    const good = act('good', 1)
    await Promise.all([...flood, good])
    assert.ok(order.indexOf('good') <= 1, order.join(' '))
    // What was used an hour ago counts no more.
    time += 3_600_000
    order.length = 0
    await Promise.all(['evil0', 'evil1', 'good', 'evil0', 'good'].map((who) => act(who, 1)))
    assert.deepEqual(order, ['evil0', 'evil1', 'good', 'evil0', 'good'])
  })

  test('keeps slots for those who have used little, whoever else waits', async () => {
    let time = 0
    const heavy = { afterMs: 1_000, slots: 1 }
    const { run: takeTurn } = makeFairScheduler({ ...bounds, slots: 2, slotsPerCaller: 1, heavy, now: () => time })
    const crowd = Array.from({ length: 11 }, (_, i) => `evil${i}`)
    for (const who of crowd) await takeTurn(who, async (slot) => slot.countUsed(5_000))
    await takeTurn('good', async (slot) => {
      time += 5_000
      slot.countUsed(1)
    })
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    const flood = crowd.map((who) => takeTurn(who, () => isOpen))
    for (let i = 0; i < 5; i++) await takeTurn('good', async () => {})
    open()
    await Promise.all(flood)
  })

  test('serves what one caller has waiting member by member', async () => {
    const { run: takeTurn } = makeFairScheduler({ ...bounds, slots: 1, slotsPerCaller: 1 })
    const order: string[] = []
    const act = (member: string) => takeTurn('ann', async () => void order.push(member), { member })
    await Promise.all(['x', 'x', 'x', 'x', 'y', 'y', 'z'].map(act))
    assert.deepEqual(order, ['x', 'x', 'y', 'z', 'x', 'y', 'x'])
  })

  test('turns away who has waited too long, and serves the others', async () => {
    const { run: takeTurn } = makeFairScheduler({ ...bounds, slots: 1, slotsPerCaller: 1, maxWaitMs: 5 })
    let open = () => {}
    const first = takeTurn('ann', () => new Promise<void>((resolve) => (open = resolve)))
    await assert.rejects(
      takeTurn('bob', async () => {}),
      { code: 'busy' },
    )
    open()
    await first
    assert.equal(await takeTurn('bob', async () => 1), 1)
  })
})

describe('a slot', () => {
  const bounds = { slots: 4, slotsPerCaller: 2, reserve: 1, queuePerCaller: 20, queue: 30, what: 'git' }

  test('of the reserve is for those who hold none', async () => {
    const { run: takeTurn } = makeFairScheduler(bounds)
    const inside: string[] = []
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    const enter = (who: string) =>
      takeTurn(who, async () => {
        inside.push(who)
        await isOpen
      })
    const all = ['ann', 'ann', 'bob', 'bob', 'cid'].map(enter)
    assert.deepEqual(inside, ['ann', 'ann', 'bob', 'cid'])
    open()
    await Promise.all(all)
  })

  test('is given up for those alone who could have it, and once for each', async () => {
    const { run: takeTurn } = makeFairScheduler({ ...bounds, reserve: 0 })
    let open = () => {}
    const isOpen = new Promise<void>((resolve) => {
      open = resolve
    })
    const gives: (() => boolean)[] = []
    const enter = (who: string) =>
      takeTurn(who, async ({ giveUpIfWanted }) => {
        gives.push(giveUpIfWanted)
        await isOpen
      })
    const all = ['ann', 'ann', 'ann', 'bob'].map(enter)
    assert.deepEqual(
      gives.map((give) => give()),
      [true, false, false],
      'ann, who waits, has one given up for her, and bob none',
    )
    open()
    await Promise.all(all)
  })
})

describe('whatever is asked of the scheduler', () => {
  const callers = ['ann', 'bob', 'cid', 'dan']
  type Step = {
    readonly act: 'take' | 'release' | 'leave'
    readonly caller: string
    readonly group: string
    readonly pick: number
  }
  const step: fc.Arbitrary<Step> = fc.record({
    act: fc.constantFrom('take', 'take', 'release', 'leave'),
    caller: fc.constantFrom(...callers),
    group: fc.constantFrom('x', 'y'),
    pick: fc.nat(20),
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  type Asked = {
    readonly caller: string
    readonly group: string
    readonly leaving: AbortController
    slot?: HeldSlot
    isOver?: boolean
  }

  async function ask(scheduler: FairScheduler, asked: Asked): Promise<void> {
    try {
      asked.slot = await scheduler.take(asked.caller, { group: asked.group, signal: asked.leaving.signal })
    } catch {
      asked.isOver = true
    }
  }

  test('no bound is passed, nobody waits who could enter, and in the end all who stayed were served', async () => {
    const bounds = fc.record({
      slots: fc.integer({ min: 1, max: 5 }),
      slotsPerCaller: fc.integer({ min: 1, max: 3 }),
      slotsPerGroup: fc.integer({ min: 1, max: 3 }),
      queue: fc.integer({ min: 1, max: 8 }),
      queuePerCaller: fc.integer({ min: 1, max: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(step, { maxLength: 40 }), async (most, steps) => {
        const scheduler = makeFairScheduler({ ...most, what: 'this test' })
        const all: Asked[] = []
        const inside = (caller?: string) =>
          all.filter((each) => each.slot && !each.isOver && (!caller || each.caller === caller))
        const waiting = (caller?: string) =>
          all.filter((each) => !each.slot && !each.isOver && (!caller || each.caller === caller))
        const countInGroup = (group: string) => inside().filter((each) => each.group === group).length
        const release = (asked: Asked) => {
          asked.isOver = true
          asked.slot!.release()
          asked.slot!.release()
        }
        for (const { act, caller, group, pick } of steps) {
          if (act === 'take') all.push({ caller, group, leaving: new AbortController() })
          if (act === 'take') void ask(scheduler, all.at(-1)!)
          const among = act === 'release' ? inside() : waiting()
          if (act === 'release' && among.length > 0) release(among[pick % among.length]!)
          if (act === 'leave' && among.length > 0) among[pick % among.length]!.leaving.abort()
          await settled()
          assert.ok(inside().length <= most.slots && waiting().length <= most.queue)
          assert.equal(scheduler.waitingCount(), waiting().length)
          for (const each of ['x', 'y']) assert.ok(countInGroup(each) <= most.slotsPerGroup)
          for (const each of callers) {
            assert.ok(inside(each).length <= most.slotsPerCaller && waiting(each).length <= most.queuePerCaller)
            const couldEnter = inside().length < most.slots && inside(each).length < most.slotsPerCaller
            const isGroupFree = ({ group: one }: Asked) => countInGroup(one) < most.slotsPerGroup
            assert.ok(!couldEnter || !waiting(each).some(isGroupFree), `${each} waits for nothing`)
          }
        }
        while (inside().length > 0) {
          for (const asked of inside()) release(asked)
          await settled()
        }
        assert.equal(waiting().length, 0)
      }),
      { numRuns: 200 },
    )
  })

  test('of one caller at a time with slots without end, it is a mutex for each name', async () => {
    const { run } = makeFairScheduler({ slots: Number.POSITIVE_INFINITY, slotsPerCaller: 1, what: 'a name' })
    const order: string[] = []
    const act = (name: string, i: number) =>
      run(name, async () => {
        order.push(`${name}${i} begins`)
        await settled()
        order.push(`${name}${i} ends`)
      })
    await Promise.all([act('a', 1), act('a', 2), act('b', 1)])
    assert.deepEqual(order.slice(0, 2), ['a1 begins', 'b1 begins'])
    assert.ok(order.indexOf('a1 ends') < order.indexOf('a2 begins'))
  })

  test('one that leaves is told why, and keeps its place from nobody', async () => {
    const { run, take } = makeFairScheduler({ slots: 1, what: 'this test' })
    const first = await take('ann')
    const leaving = new AbortController()
    const gone = run('bob', async () => 'served', { signal: leaving.signal })
    const next = run('cid', async () => 'served')
    leaving.abort(new Error('gone home'))
    await assert.rejects(gone, { message: 'gone home' })
    await assert.rejects(
      run('bob', async () => {}, { signal: leaving.signal }),
      { message: 'gone home' },
    )
    first.release()
    assert.equal(await next, 'served')
  })

  test('slots may become fewer and more; all who wait may be refused, in the words of whoever made it', async () => {
    let time = 0
    const scheduler = makeFairScheduler({ slots: 2, queue: 2, what: () => new Error('full'), now: () => time })
    const [one, two] = [await scheduler.take('ann'), await scheduler.take('ann')]
    scheduler.resize(1)
    const third = scheduler.take('ann')
    const fourth = scheduler.take('ann')
    await assert.rejects(scheduler.take('ann'), { message: 'full' })
    time = 7
    assert.equal(scheduler.waitedMs(), 7)
    one.release()
    assert.equal(scheduler.waitingCount(), 2)
    two.release()
    await third
    scheduler.resize(2)
    await fourth
    assert.equal(scheduler.waitedMs(), 0)
    const fifth = scheduler.take('bob')
    scheduler.refuseAll(new Error('the server stops'))
    await assert.rejects(fifth, { message: 'the server stops' })
  })
})
