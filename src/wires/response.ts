/** What the responses of all wires have in common. */
import type { ServerResponse } from 'node:http'
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
  // What most clients send is one mark, as they were given it.
  if (header === etag || header.trim() === '*') return true
  const plain = strip(etag)
  return header.split(',').some((part) => strip(part.trim()) === plain)
}

const strip = (etag: string) => etag.replace(/^W\//, '')

/** Acts once the client has all of it, or has left: at once where that is past, since it is told one time only. */
export function onceClosed(raw: ServerResponse, act: () => void): void {
  if (raw.destroyed) act()
  else raw.once('close', act)
}

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
