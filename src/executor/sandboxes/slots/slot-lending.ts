/**
 * Lending: the last slot, which is kept for whoever comes next, is lent for a run that can't be long to an owner whose runs
 * have been short of late. So a newcomer waits for a moment, or once for the bound; who abuses the loan has none for a minute.
 */

export type SlotOwner = string | symbol

const shortMs = 500
/** What a problem with two seconds of time gives a run by the clock. */
const longestLoanMs = 5_000
const rememberedMs = 60_000
const mostRemembered = 1_000

export type SlotLending = {
  /** Of an owner's run that has ended. */
  note(owner: SlotOwner, tookMs: number): void
  /** `mostMs`: when the run is ended. `startedAt`: of the owner's runs that are under way. */
  mayBorrow(owner: SlotOwner, mostMs: number, startedAt: readonly number[]): boolean
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

    mayBorrow(owner, mostMs, startedAt) {
      if (mostMs > longestLoanMs) return false
      const { shortAt, longAt } = records.get(owner) ?? { shortAt: never, longAt: never }
      const isRecent = (at: number) => at > now() - rememberedMs
      return isRecent(shortAt) && !isRecent(longAt) && startedAt.every((at) => now() - at <= shortMs)
    },
  }
}
