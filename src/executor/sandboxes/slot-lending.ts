/**
 * Lending: the last slot, which is kept for whoever comes next, is lent to an owner whose runs have been short of late. So a
 * newcomer waits for one short run at most; who abuses the loan has none for a minute.
 */
import type { SlotOwner } from './slots.ts'

const shortMs = 500
const rememberedMs = 60_000
const mostRemembered = 1_000

export type SlotLending = {
  /** Of an owner's run that has ended. */
  note(owner: SlotOwner, tookMs: number): void
  /** `startedAt`: of the owner's runs that are under way. */
  mayBorrow(owner: SlotOwner, startedAt: readonly number[]): boolean
}

export function makeSlotLending(now: () => number): SlotLending {
  /** When an owner's last short run ended, and the last long one. */
  const records = new Map<SlotOwner, { shortAt: number; longAt: number }>()
  const never = Number.NEGATIVE_INFINITY

  return {
    note(owner, tookMs) {
      const record = records.get(owner) ?? { shortAt: never, longAt: never }
      records.delete(owner)
      if (records.size >= mostRemembered) records.delete(records.keys().next().value!)
      records.set(owner, { ...record, [tookMs <= shortMs ? 'shortAt' : 'longAt']: now() })
    },

    mayBorrow(owner, startedAt) {
      const { shortAt, longAt } = records.get(owner) ?? { shortAt: never, longAt: never }
      const isRecent = (at: number) => at > now() - rememberedMs
      return isRecent(shortAt) && !isRecent(longAt) && startedAt.every((at) => now() - at <= shortMs)
    },
  }
}
