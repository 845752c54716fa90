/** Questions about a pull that exceeded git's limits count as unknown, and are retried after a while. */
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'

const againMs = 10 * 60_000

/** A part of cache keys that changes every ten minutes. */
export const retryPeriod = (clock: Clock): number => Math.floor(clock.now() / againMs)

const bounds = ['too-slow', 'too-large']

/** For `catch`: answers the value if a limit of git or a code in `others` was hit, else rethrows. */
export const onGitLimit =
  <T>(value: T, ...others: string[]) =>
  (error: unknown): T => {
    if (error instanceof Failure && [...bounds, ...others].includes(error.code)) return value
    throw error
  }
