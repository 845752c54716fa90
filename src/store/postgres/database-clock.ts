/** The database's time, derived from the machine's clock, so that all servers use one clock. */
import type { Clock } from '../../lib/clock.ts'

/** One reading of the database's clock: it showed `databaseMs` between these two moments of `performance.now()`. */
export type ClockReading = { readonly databaseMs: number; readonly askedAt: number; readonly answeredAt: number }

export function makeDatabaseClock() {
  let latest: ClockReading | undefined
  const adjust = new Set<(reading: ClockReading) => void>()
  return {
    note(reading: ClockReading): void {
      latest = reading
      for (const one of adjust) one(reading)
    },

    /** The same clock, corrected by every reading from now on. A correct clock is not changed, to the millisecond. */
    align(clock: Clock): Clock {
      let offsetMs = 0
      const set = ({ databaseMs, askedAt, answeredAt }: ClockReading) => {
        const halfTripMs = (answeredAt - askedAt) / 2
        const sinceMs = performance.now() - (askedAt + halfTripMs)
        const difference = databaseMs - (clock.now() - sinceMs)
        // The reading may be from any moment of the round trip: a smaller difference is not significant.
        if (Math.abs(difference - offsetMs) > halfTripMs + 1) offsetMs = Math.round(difference)
      }
      adjust.add(set)
      if (latest) set(latest)
      return { now: () => clock.now() + offsetMs }
    },
  }
}
