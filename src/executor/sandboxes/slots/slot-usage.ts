/**
 * Each owner's recent use of the slots, and its patience: lower use goes first, but an owner that has waited ten times
 * as long as its own runs is served anyway; otherwise a contest full of newcomers would block a long judging forever.
 */
import { makeRecentUsage } from '../../../lib/scheduling/recent-usage.ts'
import type { SlotOwner } from './slot-lending.ts'

export type SlotUsage = {
  /** Records a finished run; one that ran alone has used all slots. */
  note(owner: SlotOwner, tookMs: number, slotCount: number): void
  /** In ms, rounded to tenths of a second. */
  of(owner: SlotOwner): number
  patienceOf(owner: SlotOwner): number
}

/** Among as many judgings as may be open, each waits for seven others' runs: only newcomers can exceed this. */
const patience = 10
const leastRunMs = 1_000
/** Long enough that one short run does not make an owner of long ones a newcomer. */
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
