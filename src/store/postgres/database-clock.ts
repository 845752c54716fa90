/** The database's time, derived from the machine's clock, so that all servers compare times of one clock. */
import type { Clock } from '../../lib/clock.ts'

/** What one look at the database's clock showed: it said `databaseMs` between these two moments of `performance.now()`. */
export type Reading = { readonly databaseMs: number; readonly askedAt: number; readonly answeredAt: number }

export function makeDatabaseClock() {
  let latest: Reading | undefined
  const adjust = new Set<(reading: Reading) => void>()
  return {
    note(reading: Reading): void {
      latest = reading
      for (const one of adjust) one(reading)
    },

    /** The same clock, set right by every reading from now on. One that is right is left alone, to the millisecond. */
    align(clock: Clock): Clock {
      let offsetMs = 0
      const set = ({ databaseMs, askedAt, answeredAt }: Reading) => {
        const halfTripMs = (answeredAt - askedAt) / 2
        const sinceMs = performance.now() - (askedAt + halfTripMs)
        const difference = databaseMs - (clock.now() - sinceMs)
        // The answer may have been made at any moment of the round trip: within that the two can't be told apart.
        if (Math.abs(difference - offsetMs) > halfTripMs + 1) offsetMs = Math.round(difference)
      }
      adjust.add(set)
      if (latest) set(latest)
      return { now: () => clock.now() + offsetMs }
    },
  }
}
