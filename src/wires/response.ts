/** What the responses of all wires have in common. */

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Records an answered request in the metrics and the log. */
export type Observe = (
  route: string,
  method: string,
  status: number,
  elapsedMs: number,
  requestId: string,
  url: string,
) => void
