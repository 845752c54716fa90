/** CORS: every page may send requests, without the browser's own credentials. */
import { exposedHeaders } from './item-headers.ts'

export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
  // Other pages may read the responses, as the first header allows them.
  'cross-origin-resource-policy': 'cross-origin',
} as const

/** What a browser asks before a page of another origin may send a request. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
  // In the Fetch standard the star stands for every header but Authorization.
  'access-control-allow-headers': 'Authorization, *',
  'access-control-max-age': '86400',
} as const
