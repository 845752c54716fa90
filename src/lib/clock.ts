/** The clock, passed to everything that needs the time, so that a test can move it. */

export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

/** A clock that stands still until it is moved. */
export function makeManualClock(startMs = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance(ms) {
      nowMs += ms
    },
  }
}
