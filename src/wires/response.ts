/** What every answer has in common, whichever wire it goes out on. */

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Tells the figures and the log of one answered request. */
export type Observe = (
  route: string,
  method: string,
  status: number,
  elapsedMs: number,
  requestId: string,
  url: string,
) => void
