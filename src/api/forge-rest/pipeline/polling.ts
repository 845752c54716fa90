/** Polling: when a list was last modified, and how long a client should wait before the next poll. */
import type { IncomingHttpHeaders } from 'node:http'
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { invalidField } from '../../../forge/failures.ts'

const usualSeconds = 60

/** The busier the server, the longer the wait: up to 10 minutes. */
export function choosePollSeconds(utilization: number): number {
  if (utilization < 0.7) return usualSeconds
  if (utilization < 0.85) return 2 * usualSeconds
  return utilization < 0.95 ? 5 * usualSeconds : 10 * usualSeconds
}

/** A short burst is not load: the thread is measured over a span of this length, between polls. */
const usualSpanMs = 10_000
const longestSpanMs = 60_000

/**
 * Chooses the poll interval from the recent load of the server's thread. The server's start and times without polls do
 * not count.
 */
export function makePollInterval(shortestSpanMs = usualSpanMs): () => string {
  let since: EventLoopUtilization | undefined
  let beganAt = 0
  let seconds = String(usualSeconds)
  return () => {
    const now = performance.now()
    if (since && now - beganAt < shortestSpanMs) return seconds
    const isMeasured = since !== undefined && now - beganAt <= longestSpanMs
    seconds = String(isMeasured ? choosePollSeconds(performance.eventLoopUtilization(since).utilization) : usualSeconds)
    since = performance.eventLoopUtilization()
    beganAt = now
    return seconds
  }
}

const days = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun'
const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
/** RFC 9110, section 5.6.7: the preferred form, and the two obsolete ones that must be accepted. */
const httpDates = [
  new RegExp(`^(?:${days}), \\d{2} (?:${months}) \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`),
  new RegExp(`^\\w{6,9}, \\d{2}-(?:${months})-\\d{2} \\d{2}:\\d{2}:\\d{2} GMT$`),
  new RegExp(`^(?:${days}) (?:${months}) [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4}$`),
]

export function parseHttpDate(text: string): number | undefined {
  if (!httpDates.some((form) => form.test(text))) return undefined
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : time
}

/** Undefined without the header, and with If-None-Match, which takes precedence. */
export function readModifiedSince(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['if-modified-since']
  if (text === undefined || headers['if-none-match'] !== undefined) return undefined
  const time = parseHttpDate(text)
  if (time !== undefined) return time
  throw invalidField(
    'If-Modified-Since',
    'invalid',
    'If-Modified-Since must be a time such as Sun, 06 Nov 1994 08:49:37 GMT.',
  )
}

export const formatHttpDate = (date: Date): string => date.toUTCString()
