/** Back-off: how long a failed job waits before its next try. */

const firstPauseMs = 1_000
const longestPauseMs = 60 * 60_000

/**
 * The pause doubles with each try, up to an hour; half of it is random, so that jobs that failed together do not retry
 * together.
 */
export function backOff(tries: number, firstMs = firstPauseMs, chance = Math.random()): number {
  const fullMs = Math.min(firstMs * 2 ** (tries - 1), longestPauseMs)
  return Math.round(fullMs * (0.5 + chance / 2))
}

/**
 * Ten seconds after two deaths in a row, doubled with each further one, up to an hour. A server killed from outside
 * loses little; one that its job kills has time for other work.
 */
export const pauseAfterDeaths = (deaths: number): number => Math.min(10_000 * 2 ** (deaths - 2), longestPauseMs)
