/** Slots: who may run when. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { makeSlots, type Slot } from '../../../src/executor/sandboxes/slots/slots.ts'
import { until } from '../../support/until.ts'

it('as many run at once as there are slots, and the next one waits its turn', async () => {
  const slots = makeSlots(2)
  const [one, two] = await Promise.all([slots.take(), slots.take()])
  const third = watch(slots.take())
  await settle()
  assert.ok(!third.slot())
  one.release()
  await settle()
  assert.equal(third.slot()?.number, one.number)
  assert.ok(two.ranConcurrently() && third.slot()?.ranConcurrently())
})

it('one that wants to be alone waits for all, and holds all others back', async () => {
  const slots = makeSlots(3)
  const first = await slots.take()
  const alone = watch(slots.take({ isExclusive: true }))
  const later = watch(slots.take())
  await settle()
  assert.ok(!alone.slot() && !later.slot())
  first.release()
  await settle()
  assert.ok(alone.slot() && !later.slot())
  alone.slot()!.release()
  await settle()
  assert.equal(alone.slot()!.ranConcurrently(), false)
  assert.ok(later.slot())
})

it('those that want to be alone have a quarter of the time, as long as others wait', async () => {
  let time = 0
  const slots = makeSlots(2, () => time)
  const first = await slots.take({ isExclusive: true })
  const second = watch(slots.take({ isExclusive: true }))
  const others = [watch(slots.take()), watch(slots.take()), watch(slots.take())]
  time = 10
  first.release()
  await settle()
  assert.deepEqual(
    [second.slot() === undefined, others.map((other) => other.slot() !== undefined)],
    [true, [true, true, false]],
  )
  time = 39
  others[0]!.slot()!.release()
  await settle()
  assert.ok(others[2]!.slot(), 'its turn is before thirty have passed')
  const late = watch(slots.take())
  time = 40
  for (const other of others.slice(1)) other.slot()!.release()
  await settle()
  assert.ok(second.slot() && !late.slot())
  second.slot()!.release()
  await settle()
  assert.ok(late.slot())
})

it('nobody holds every slot, and whoever comes has the one that is left, or the next', async () => {
  let time = 0
  const slots = makeSlots(3, () => time)
  const takeFor = (owner: string) => watch(slots.take({ owner }))
  const greedy = Array.from({ length: 6 }, () => takeFor('greedy'))
  const countOf = (some: typeof greedy) => some.filter((each) => each.slot()).length
  await settle()
  assert.equal(countOf(greedy), 2)
  const [one, two] = [takeFor('one'), takeFor('two')]
  await settle()
  assert.ok(one.slot() && !two.slot())
  time = 1_000
  greedy[0]!.slot()!.release()
  await settle()
  assert.ok(two.slot(), 'the first of another is before further ones')
  one.slot()!.release()
  two.slot()!.release()
  await settle()
  assert.equal(countOf(greedy), 3, 'one has ended, and two run')
})

it('the last slot is lent to whose runs are short, and to nobody whose run was long within the minute', async () => {
  let time = 0
  const slots = makeSlots(2, () => time)
  const takeFor = (owner: string) => watch(slots.take({ owner, mostMs: 5_000 }))
  const [first, second] = [takeFor('one'), takeFor('one')]
  await settle()
  assert.ok(first.slot() && !second.slot(), 'nobody knows yet how long its runs take')
  time = 100
  first.slot()!.release()
  const third = takeFor('one')
  await settle()
  assert.ok(second.slot() && third.slot())
  const [again, newcomer] = [takeFor('one'), takeFor('two')]
  second.slot()!.release()
  await settle()
  assert.ok(newcomer.slot() && !again.slot(), 'whoever comes is next')
  time = 700
  third.slot()!.release()
  newcomer.slot()!.release()
  await settle()
  const further = takeFor('one')
  await settle()
  assert.ok(again.slot() && !further.slot(), 'one took long')
  time = 60_800
  again.slot()!.release()
  await settle()
  assert.ok(further.slot(), 'it has the one that everybody has')
  const last = takeFor('one')
  await settle()
  assert.ok(!last.slot(), 'the one before has just been long')
})

it('the last slot is not lent for what may take long', async () => {
  const slots = makeSlots(2, () => 0)
  const takeLong = () => slots.take({ owner: 'one', mostMs: 5_001 })
  ;(await takeLong()).release()
  const [first, second] = [watch(takeLong()), watch(takeLong())]
  await settle()
  assert.ok(first.slot() && !second.slot())
})

it('owners have the slots in turn, however many runs of one wait', async () => {
  const slots = makeSlots(2)
  const long = await slots.take({ owner: 'long' })
  const started: string[] = []
  const run = async (owner: string, name: string) => {
    const slot = await slots.take({ owner })
    started.push(name)
    await settle()
    slot.release()
  }
  await Promise.all([run('many', 'm1'), run('many', 'm2'), run('many', 'm3'), run('few', 'f1'), run('few', 'f2')])
  assert.deepEqual(started, ['m1', 'f1', 'm2', 'f2', 'm3'])
  long.release()
})

it('whoever has used the least of late is next, however often others were served', async () => {
  let time = 0
  const slots = makeSlots(1, () => time)
  const run = async (owner: string, ms: number) => {
    const slot = await slots.take({ owner })
    time += ms
    slot.release()
  }
  await run('long', 3_000)
  for (let i = 0; i < 5; i++) await run('short', 200)
  const first = await slots.take({ owner: 'new' })
  const [long, short] = [watch(slots.take({ owner: 'long' })), watch(slots.take({ owner: 'short' }))]
  first.release()
  await settle()
  assert.ok(short.slot() && !long.slot())
  time += 500
  const newcomer = watch(slots.take({ owner: 'newcomer' }))
  short.slot()!.release()
  await settle()
  assert.ok(newcomer.slot() && !long.slot(), 'the newcomer was never served')
})

it('newcomers without end leave a long judging its part', async () => {
  let time = 0
  const slots = makeSlots(1, () => time)
  const runs: string[] = []
  let current = await slots.take({ owner: 'long' })
  time = 2_000
  const again = watch(slots.take({ owner: 'long' }))
  for (let i = 0; !again.slot() && i < 100; i++) {
    const newcomer = slots.take({ owner: `newcomer ${i}` })
    current.release()
    await settle()
    if (again.slot()) break
    current = await newcomer
    runs.push('newcomer')
    time += 500
  }
  assert.equal(runs.length, 40, 'ten times as long as its own run')
})

it('the slot is kept for the next run of a judging, until it has used more than whoever waits', async () => {
  let time = 0
  const slots = makeSlots(2, () => time)
  const long = await slots.take({ owner: 'long' })
  const endJudging = slots.expectRuns('short')
  const compilation = await slots.take({ owner: 'short' })
  const other = watch(slots.take({ owner: 'other' }))
  time = 300
  compilation.release()
  await settle()
  assert.ok(!other.slot())
  const test = watch(slots.take({ owner: 'short' }))
  await settle()
  assert.equal(test.slot()?.number, compilation.number)
  time = 1_400
  test.slot()!.release()
  await settle()
  assert.ok(other.slot(), 'it is a second ahead')
  other.slot()!.release()
  long.release()
  endJudging()
})

it('a slot that is kept is given to the next, if nothing comes, and at once when the judging is over or one wants to be alone', async () => {
  const slots = makeSlots(2, () => 0)
  const long = await slots.take({ owner: 'long' })
  const takeAndLeave = async () => {
    const endJudging = slots.expectRuns('short')
    const slot = await slots.take({ owner: 'short' })
    const other = watch(slots.take({ owner: 'other' }))
    slot.release()
    await settle()
    assert.ok(!other.slot())
    return { endJudging, other }
  }
  const first = await takeAndLeave()
  await until(() => first.other.slot())
  first.endJudging()
  first.other.slot()!.release()

  const second = await takeAndLeave()
  second.endJudging()
  await settle()
  assert.ok(second.other.slot())
  second.other.slot()!.release()

  const third = await takeAndLeave()
  const alone = watch(slots.take({ isExclusive: true }))
  long.release()
  await settle()
  assert.ok(alone.slot() && !third.other.slot())
  alone.slot()!.release()
  await settle()
  assert.ok(third.other.slot())
  third.endJudging()
})

it('a judging stays in its slot, and another of the same owner has the next one before it has two', async () => {
  let time = 0
  const slots = makeSlots(2, () => time)
  const takeFor = (judging: string) => watch(slots.take({ owner: 'one', judging, mostMs: 1_000 }))
  ;(await slots.take({ owner: 'one' })).release() // its runs are short: it may have both
  const endings = ['a', 'b', 'c'].map(slots.expectRuns)
  const [first, ahead] = [takeFor('a'), takeFor('a')]
  await settle()
  assert.ok(first.slot() && ahead.slot(), 'nobody else was there when they came')
  const [after, other, third] = [takeFor('a'), takeFor('b'), takeFor('c')]
  ahead.slot()!.release()
  await settle()
  assert.ok(other.slot() && !after.slot(), 'one that has none is before one that has one')
  first.slot()!.release()
  await settle()
  assert.equal(after.slot()?.number, first.slot()!.number)
  other.slot()!.release()
  await settle()
  assert.ok(!third.slot(), 'it is kept for the judging')
  const next = takeFor('b')
  await settle()
  assert.equal(next.slot()?.number, other.slot()!.number)
  time = 1_400
  for (const { slot } of [after, next]) slot()!.release()
  await settle()
  assert.ok(third.slot(), 'each of the two has had more than a second')
  for (const end of endings) end()
})

it('the only slot is had by one owner after the other', async () => {
  const slots = makeSlots(1)
  const first = await slots.take({ owner: 'one' })
  const again = watch(slots.take({ owner: 'one' }))
  const other = watch(slots.take({ owner: 'other' }))
  first.release()
  await settle()
  assert.ok(other.slot() && !again.slot())
  other.slot()!.release()
  await settle()
  assert.ok(again.slot())
})

it('a run that nobody joined had no company', async () => {
  const slots = makeSlots(2)
  const one = await slots.take()
  one.release()
  const two = await slots.take()
  assert.equal(one.ranConcurrently(), false)
  assert.equal(two.ranConcurrently(), false)
  two.release()
})

it('one that gives up leaves the line', async () => {
  const slots = makeSlots(1)
  const first = await slots.take()
  const giveUp = new AbortController()
  const waiting = slots.take({ signal: giveUp.signal })
  const last = watch(slots.take())
  giveUp.abort(new Error('enough'))
  await assert.rejects(waiting, /enough/)
  first.release()
  first.release()
  await settle()
  assert.ok(last.slot())
})

const settle = () => new Promise((resolve) => setImmediate(resolve))

function watch(promise: Promise<Slot>): { slot(): Slot | undefined } {
  let taken: Slot | undefined
  void promise.then((slot) => {
    taken = slot
  })
  return { slot: () => taken }
}

it('runs that go behind come after all others, and leave one slot however many accounts they are of', async () => {
  const slots = makeSlots(2)
  const behind = ['ann', 'ben', 'cem'].map((owner) => watch(slots.take({ owner, isBehind: true })))
  await settle()
  assert.deepEqual(
    behind.map(({ slot }) => slot() !== undefined),
    [true, false, false],
  )
  const first = watch(slots.take({ owner: 'dan' }))
  await settle()
  assert.ok(first.slot(), 'the other slot was left for it')
  const second = watch(slots.take({ owner: 'eve' }))
  behind[0]!.slot()!.release()
  await settle()
  assert.deepEqual([second.slot() !== undefined, behind[1]!.slot() !== undefined], [true, false])
  first.slot()!.release()
  await settle()
  assert.deepEqual([behind[1]!.slot() !== undefined, behind[2]!.slot() !== undefined], [true, false])
  second.slot()!.release()
  behind[1]!.slot()!.release()
  await settle()
  assert.ok(behind[2]!.slot())
})
