/**
 * Keeping: between a compilation and the first test, a test and its checker, or two tests there is a moment in which nothing
 * of the judging runs. Its slot is kept for it meanwhile, or whoever has long runs would have one between any two of it.
 */
import type { SlotOwner } from './slot-lending.ts'

/** What lies between two runs takes some ms, and more where the processors are busy. */
const momentMs = 50

export type SlotKeeping = {
  /** Further runs of the judging follow until the answer is called. */
  expect(judging: SlotOwner): () => void
  isExpected(judging: SlotOwner | undefined): boolean
  /** Of a run of the judging that has ended. */
  note(judging: SlotOwner, tookMs: number): void
  /** How long its runs took so far; without bound where no further run is expected. */
  usedBy(judging: SlotOwner): number
  /** Keeps the slot for a moment; false where no further run is expected. */
  keep(number: number, judging: SlotOwner): boolean
  isKeptFor(judging: SlotOwner): boolean
  /** One that is kept for this judging. */
  take(judging: SlotOwner): number
  /** All that are kept. */
  giveUp(): number[]
}

type Kept = { readonly number: number; readonly judging: SlotOwner; readonly timer: NodeJS.Timeout }

/** `onFree` is called with a slot for which nobody came. */
export function makeSlotKeeping(onFree: (number: number) => void): SlotKeeping {
  const expected = new Map<SlotOwner, { count: number; usedMs: number }>()
  const kept = new Set<Kept>()

  const find = (judging: SlotOwner) => [...kept].find((each) => each.judging === judging)
  const drop = (one: Kept): number => {
    clearTimeout(one.timer)
    kept.delete(one)
    return one.number
  }

  return {
    expect(judging) {
      const entry = expected.get(judging) ?? { count: 0, usedMs: 0 }
      entry.count++
      expected.set(judging, entry)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--entry.count > 0) return
        expected.delete(judging)
        for (const one of [...kept]) if (one.judging === judging) onFree(drop(one))
      }
    },
    isExpected: (judging) => judging !== undefined && expected.has(judging),
    note(judging, tookMs) {
      const entry = expected.get(judging)
      if (entry) entry.usedMs += tookMs
    },
    usedBy: (judging) => expected.get(judging)?.usedMs ?? Number.POSITIVE_INFINITY,
    keep(number, judging) {
      if (!expected.has(judging)) return false
      const one: Kept = { number, judging, timer: setTimeout(() => onFree(drop(one)), momentMs).unref() }
      kept.add(one)
      return true
    },
    isKeptFor: (judging) => find(judging) !== undefined,
    take: (judging) => drop(find(judging)!),
    giveUp: () => [...kept].map(drop),
  }
}
