/** What git could not find out of a pull within its bounds: it is taken as not known, and asked again only after a while. */
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'

const againMs = 10 * 60_000

/** A part of the key under which answers are remembered: it changes every ten minutes. */
export const untilLater = (clock: Clock): number => Math.floor(clock.now() / againMs)

const bounds = ['too-slow', 'too-large']

/** For `catch`: the value where it was a bound of git's that was met, or one of `others`, else the error. */
export const tooMuchFor =
  <T>(value: T, ...others: string[]) =>
  (error: unknown): T => {
    if (error instanceof Failure && [...bounds, ...others].includes(error.code)) return value
    throw error
  }
