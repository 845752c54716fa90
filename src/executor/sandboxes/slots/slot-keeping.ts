/**
 * Keeping: between a compilation and the first test, a test and its checker, or two tests, nothing of the judging runs
 * for a moment. Its slot is kept for it meanwhile; otherwise an owner with long runs would take it between any two of
 * them.
 */
import type { SlotOwner } from './slot-lending.ts'

/** The gap between two runs takes some ms, and more on busy processors. */
const momentMs = 50

export type SlotKeeping = {
  /** Further runs of the judging follow until the returned function is called. */
  expect(judging: SlotOwner): () => void
  isExpected(judging: SlotOwner | undefined): boolean
  /** Records a finished run of the judging. */
  note(judging: SlotOwner, tookMs: number): void
  /** How long its runs took so far; infinite if no further run is expected. */
  usedBy(judging: SlotOwner): number
  /** Keeps the slot for a moment; false if no further run is expected. */
  keep(number: number, judging: SlotOwner): boolean
  isKeptFor(judging: SlotOwner): boolean
  /** Takes a slot kept for this judging. */
  take(judging: SlotOwner): number
  /** Releases all kept slots. */
  giveUp(): number[]
}

type Kept = { readonly number: number; readonly judging: SlotOwner; readonly timer: NodeJS.Timeout }

/** `onFree` is called with a slot that was not taken again. */
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
