/** The one order of owners whose work waits in a table. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findFairly, makeRotation } from '../../src/store/fair-order.ts'

type Work = { readonly owner: number; readonly turn: number }
const work = fc.record({ owner: fc.nat(6), turn: fc.nat(100) })
const running = fc.array(fc.tuple(fc.nat(6), fc.integer({ min: 1, max: 4 }))).map((pairs) => new Map(pairs))

test('next is the first work of an owner of whose least is running, and of nobody who has their most', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(work), running, fc.integer({ min: 1, max: 5 }), async (waiting, counts, most) => {
      const asked: number[] = []
      const first = (works: readonly Work[]) => works.toSorted((a, b) => a.turn - b.turn)[0]
      const found = await findFairly<number, Work>(counts, most, {
        findIdle: async (busy) => {
          const passed = new Set(busy)
          return first(waiting.filter(({ owner }) => !passed.has(owner)))
        },
        findOf: async (owner) => {
          asked.push(owner)
          return first(waiting.filter((each) => each.owner === owner))
        },
        isBefore: (one, other) => one.turn < other.turn,
      })
      const runningOf = ({ owner }: Work) => counts.get(owner) ?? 0
      const eligible = waiting.filter((each) => runningOf(each) < most)
      const least = Math.min(...eligible.map(runningOf))
      const expected = first(eligible.filter((each) => runningOf(each) === least))
      assert.deepEqual([found?.turn, found && runningOf(found)], [expected?.turn, expected && least])
      assert.ok(asked.length <= counts.size && new Set(asked).size === asked.length)
    }),
  )
})

test('in rotation every owner who has something waiting is served once before anybody is served twice', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(50), { minLength: 1 }), fc.nat(20), async (owners, first) => {
      const rotation = makeRotation<number>(-1)
      const sorted = owners.toSorted((a, b) => a - b)
      const next = async (after: number) => sorted.find((owner) => owner > after)
      const serveNext = async () => {
        for await (const owner of rotation.walk(next)) {
          rotation.serve(owner)
          return owner
        }
        return undefined
      }
      for (let i = 0; i < first; i++) await serveNext()
      const round: (number | undefined)[] = []
      for (let i = 0; i < owners.length; i++) round.push(await serveNext())
      assert.deepEqual(
        round.toSorted((a, b) => a! - b!),
        sorted,
      )
    }),
  )
})

test('a walk passes each owner once, from behind the last that was served, and a newcomer where it belongs', async () => {
  const rotation = makeRotation<number>(-1)
  const owners = [2, 4, 6, 8]
  const next = async (after: number) => owners.toSorted((a, b) => a - b).find((owner) => owner > after)
  rotation.serve(4)
  const walked: number[] = []
  for await (const owner of rotation.walk(next)) {
    walked.push(owner)
    if (owner === 6) owners.push(7)
  }
  assert.deepEqual(walked, [6, 7, 8, 2, 4])
})
