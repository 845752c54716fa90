/** Outages in the log: the first is logged at once, then a line every few seconds tells how many more there were. */
import { Failure } from '../failure.ts'
import type { Log } from '../log.ts'

const pauseMs = 5_000

type Told = { unsaid: number; last: object }

/** These refusals come from a bound that works as intended: too many wait, or too much is in progress. */
const bounds: ReadonlySet<string> = new Set(['busy', 'bytes-held', 'client-too-slow'])

const toldBy = new WeakMap<Log, Map<string, Told>>()

/** With the database away each request fails alike: a line for each would fill the disk and take processor time. */
export function logOutage(log: Log, level: 'warn' | 'error', about: object, message: string): void {
  if ('err' in about && about.err instanceof Failure && bounds.has(about.err.code)) {
    log.debug(about, message)
    return
  }
  const told = toldBy.get(log) ?? new Map<string, Told>()
  toldBy.set(log, told)
  const known = told.get(message)
  if (known) {
    known.unsaid++
    known.last = about
    return
  }
  log[level](about, message)
  told.set(message, { unsaid: 0, last: about })
  waitToTellMore(log, level, told, message)
}

function waitToTellMore(log: Log, level: 'warn' | 'error', told: Map<string, Told>, message: string): void {
  setTimeout(() => {
    const { unsaid, last } = told.get(message)!
    if (unsaid === 0) return void told.delete(message)
    log[level]({ ...last, times: unsaid }, message)
    told.set(message, { unsaid: 0, last: {} })
    waitToTellMore(log, level, told, message)
  }, pauseMs).unref()
}
