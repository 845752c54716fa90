/**
 * What each owner has used of the slots of late, and its patience: whoever has used less goes first, but an owner that has
 * waited ten times as long as its own runs last is served, or a contest full of newcomers would leave a long judging for good.
 */
import { makeRecentUsage } from '../../../lib/scheduling/recent-usage.ts'
import type { SlotOwner } from './slot-lending.ts'

export type SlotUsage = {
  /** Of a run that has ended; one that was alone has used all slots. */
  note(owner: SlotOwner, tookMs: number, slotCount: number): void
  /** In ms, by whole tenths of a second. */
  of(owner: SlotOwner): number
  patienceOf(owner: SlotOwner): number
}

/** Among as many as may be open together each waits for seven others' runs: this is met by newcomers alone. */
const patience = 10
const leastRunMs = 1_000
/** A short run does not make an owner of long ones a newcomer. */
const halfLifeMs = 600_000
const mostOwners = 10_000

export function makeSlotUsage(now: () => number): SlotUsage {
  const usage = makeRecentUsage<SlotOwner>(now)
  const longest = new Map<SlotOwner, { ms: number; at: number }>()
  const longestOf = (owner: SlotOwner): number => {
    const last = longest.get(owner)
    return last ? last.ms * 2 ** ((last.at - now()) / halfLifeMs) : 0
  }

  return {
    note(owner, tookMs, slotCount) {
      usage.add(owner, tookMs * slotCount)
      const ms = Math.max(tookMs, longestOf(owner))
      longest.delete(owner)
      if (ms > leastRunMs) longest.set(owner, { ms, at: now() })
      if (longest.size > mostOwners) longest.delete(longest.keys().next().value!)
    },
    of: usage.of,
    patienceOf: (owner) => patience * Math.max(leastRunMs, longestOf(owner)),
  }
}
