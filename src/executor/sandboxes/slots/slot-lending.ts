/**
 * Lending: the last slot is kept for the next newcomer, but lent for a run of bounded length to an owner whose recent
 * runs were short. So a newcomer waits only for a moment, or once for the bound; an owner who abuses the loan gets none
 * for a minute.
 */

export type SlotOwner = string | symbol

const shortMs = 500
/** The wall-clock limit of a run with a time limit of two seconds. */
const longestLoanMs = 5_000
const rememberedMs = 60_000
const mostRemembered = 1_000

export type SlotLending = {
  /** Records a finished run of an owner. */
  note(owner: SlotOwner, tookMs: number): void
  /** `mostMs`: when the run is stopped. `startedAt`: the start times of the owner's present runs. */
  mayBorrow(owner: SlotOwner, mostMs: number, startedAt: readonly number[]): boolean
}

export function makeSlotLending(now: () => number): SlotLending {
  /** The ends of each owner's last short run and last long run. */
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
