/** What the responses of all wires have in common. */
import type { Asked } from './http-request.ts'

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Browsers name it in what they accept; programs do not. */
export const isForPeople = ({ headers }: Pick<Asked, 'headers'>): boolean =>
  headers.accept?.includes('text/html') ?? false

/** RFC 9110, section 13.1.2: If-None-Match uses the weak comparison. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const marks = header.split(',').map((part) => part.trim())
  return marks.includes('*') || marks.map(strip).includes(strip(etag))
}

const strip = (etag: string) => etag.replace(/^W\//, '')

/** The reason of a 404 where it is the route that is missing, and not what the address names. */
export const noRoute = 'This server has no route at this address for this method.'

/** Records an answered request in the metrics and the log. */
export type Observe = (
  route: string,
  method: string,
  status: number,
  elapsedMs: number,
  requestId: string,
  url: string,
) => void
