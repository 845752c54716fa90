/** CORS: every page may send requests, but without the browser's own credentials. */
import { exposedHeaders } from './item-headers.ts'

export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
  // Other pages may read the responses that the first header allows.
  'cross-origin-resource-policy': 'cross-origin',
} as const

/** The response to a preflight, which a browser sends before a request of another origin. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
  // In the Fetch standard the star covers every header but Authorization.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-max-age': '86400',
} as const
