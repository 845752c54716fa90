/**
 * Keeping: between a compilation and the first test, a test and its checker, or two tests there is a moment in which nothing
 * of the judging runs. Its slot is kept for it meanwhile, or whoever has long runs would have one between any two of it.
 */
import type { SlotOwner } from './slot-lending.ts'

/** What lies between two runs takes some ms, and more where the processors are busy. */
const momentMs = 50

export type SlotKeeping = {
  /** Further runs of the owner follow until the answer is called. */
  expect(owner: SlotOwner): () => void
  /** Keeps the slot for a moment; false where no further run is expected. */
  keep(number: number, owner: SlotOwner): boolean
  isKeptFor(owner: SlotOwner): boolean
  /** One that is kept for this owner. */
  take(owner: SlotOwner): number
  /** All that are kept. */
  giveUp(): number[]
}

type Kept = { readonly number: number; readonly owner: SlotOwner; readonly timer: NodeJS.Timeout }

/** `onFree` is called with a slot for which nobody came. */
export function makeSlotKeeping(onFree: (number: number) => void): SlotKeeping {
  const expected = new Map<SlotOwner, number>()
  const kept = new Set<Kept>()

  const find = (owner: SlotOwner) => [...kept].find((each) => each.owner === owner)
  const drop = (one: Kept): number => {
    clearTimeout(one.timer)
    kept.delete(one)
    return one.number
  }

  return {
    expect(owner) {
      expected.set(owner, (expected.get(owner) ?? 0) + 1)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        const left = expected.get(owner)! - 1
        if (left > 0) return void expected.set(owner, left)
        expected.delete(owner)
        for (const one of [...kept]) if (one.owner === owner) onFree(drop(one))
      }
    },
    keep(number, owner) {
      if (!expected.has(owner)) return false
      const one: Kept = { number, owner, timer: setTimeout(() => onFree(drop(one)), momentMs).unref() }
      kept.add(one)
      return true
    },
    isKeptFor: (owner) => find(owner) !== undefined,
    take: (owner) => drop(find(owner)!),
    giveUp: () => [...kept].map(drop),
  }
}
