/** Back-off: how long a job that failed waits before its next try. */

const firstPauseMs = 1_000
const longestPauseMs = 60 * 60_000

/** The pause doubles with each try, up to an hour; half of it is random, so that jobs that failed together do not retry together. */
export function backOff(tries: number, firstMs = firstPauseMs, chance = Math.random()): number {
  const fullMs = Math.min(firstMs * 2 ** (tries - 1), longestPauseMs)
  return Math.round(fullMs * (0.5 + chance / 2))
}

/** After two deaths in a row ten seconds, doubled with each more, up to an hour: a server that is killed from outside loses little, one that its job kills has time for others. */
export const pauseAfterDeaths = (deaths: number): number => Math.min(10_000 * 2 ** (deaths - 2), longestPauseMs)
