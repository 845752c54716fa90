/** Files that stay in the page cache: read before the first box, and again when the kernel has reclaimed memory. */
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { makePageCacheKeeper } from '../../../src/executor/sandboxes/views/page-cache-keeper.ts'

function makeKept() {
  const state = { reclaimed: '1', read: [] as string[], answers: [] as (() => void)[] }
  const read = (path: string) => {
    state.read.push(path)
    return new Promise<void>((resolve) => state.answers.push(resolve))
  }
  return { state, keeper: makePageCacheKeeper(() => state.reclaimed, read) }
}

test('each file is read once, and whoever comes meanwhile waits for it', async () => {
  const { state, keeper } = makeKept()
  let areDone = 0
  const both = [keeper.keep(['a', 'b']), keeper.keep(['b'])].map((each) => each.then(() => areDone++))
  await new Promise(setImmediate)
  assert.deepEqual([state.read, areDone], [['a', 'b'], 0])
  for (const answer of state.answers) answer()
  await Promise.all(both)
  await keeper.keep(['a', 'b'])
  await keeper.keep([])
  assert.deepEqual(state.read, ['a', 'b'])
})

test('they are read again once memory was reclaimed, at most every five seconds', async (t) => {
  let now = 1_000_000
  mock.method(performance, 'now', () => now)
  t.after(() => mock.restoreAll())
  const { state, keeper } = makeKept()
  const keep = async () => {
    const kept = keeper.keep(['a'])
    for (const answer of state.answers.splice(0)) answer()
    await kept
  }
  await keep()
  state.reclaimed = '2'
  now += 4_999
  await keep()
  assert.equal(state.read.length, 1)
  now += 1
  await keep()
  assert.equal(state.read.length, 2)
  now += 60_000
  await keep()
  assert.equal(state.read.length, 2, 'nothing was reclaimed since')
})
