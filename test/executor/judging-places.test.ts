/** Places: which submissions begin, and how many are open together. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { hasSpaceForAnother, makeJudgingPlaces, type PlaceBounds } from '../../src/executor/judging-places.ts'

const { signal } = new AbortController()

function stage(change: Partial<PlaceBounds> = {}) {
  const places = makeJudgingPlaces({ beginning: 2, open: 4, hasSpace: () => true, ...change })
  /** Begins as many as may, and answers them. */
  const beginAll = async () => {
    const begun: ReturnType<typeof places.begin>[] = []
    while (await isSettled(places.untilFree())) begun.push(places.begin())
    return begun
  }
  return { places, beginAll }
}

it('as many begin as there are slots, and one that takes long lets another begin, up to the bound', async () => {
  const { beginAll } = stage()
  const first = await beginAll()
  assert.equal(first.length, 2)
  first[0]!.letNextBegin()
  const second = await beginAll()
  assert.equal(second.length, 1)
  for (const place of [...first, ...second]) place.letNextBegin()
  const last = await beginAll()
  assert.equal(last.length, 1, 'four are open')
  last[0]!.letNextBegin()
  assert.equal((await beginAll()).length, 0)
  first[1]!.end()
  assert.equal((await beginAll()).length, 1)
})

it('where the disk has no room, no more are open than there are slots', async () => {
  let hasSpace = true
  const { beginAll } = stage({ hasSpace: () => hasSpace })
  const open = await beginAll()
  for (const place of open) place.letNextBegin()
  hasSpace = false
  assert.equal((await beginAll()).length, 0)
  open[0]!.end()
  assert.equal((await beginAll()).length, 1)
})

it('the disk has room beside less than 4 GiB of programs and tests', () => {
  assert.deepEqual([0, 4_294_967_295, 4_294_967_296].map(hasSpaceForAnother), [true, true, false])
})

it('who is away does not count, and comes back before another begins, once there is room', async () => {
  const { places, beginAll } = stage({ open: 2 })
  const [one, two] = await beginAll()
  one!.pause()
  const [three] = await beginAll()
  const back = one!.resume(signal)
  assert.ok(!(await isSettled(back)))
  const free = places.untilFree()
  two!.end()
  assert.ok(await isSettled(back))
  assert.ok(!(await isSettled(free)), 'it is open again')
  three!.end()
  assert.ok(await isSettled(free))
})

it('who gives up coming back holds up nobody', async () => {
  const { places, beginAll } = stage({ open: 2 })
  const [one, two] = await beginAll()
  one!.pause()
  await beginAll()
  const giveUp = new AbortController()
  const back = one!.resume(giveUp.signal)
  giveUp.abort(new Error('enough'))
  await assert.rejects(back, /enough/)
  await assert.rejects(one!.resume(giveUp.signal), /enough/)
  one!.end()
  two!.end()
  assert.ok(await isSettled(places.untilFree()))
})

/** Whether it resolves without anything else happening. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isDone = false
  void promise.then(() => {
    isDone = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return isDone
}
