/** Headers of every answer, in both spellings, from this one place. */
import type { Token } from '../../../accounts/tokens/token.ts'
import { hasScopes } from '../../../forge/access/need.ts'
import type { RateStatus } from '../../../forge/limits/limits.ts'
import { securityHeaders } from '../../response.ts'
import { joinHeadLines } from '../../response-head.ts'
import type { Route } from '../route.ts'
import type { Version } from './versions.ts'

/** Name, value, name, value: Node writes such a list without making an object of it first. */
export type HeaderList = string[]

const exposed = [
  'ETag, Last-Modified, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource',
  'X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Poll-Interval, Deprecation, Sunset',
  ...['Request-Id', 'SSO'].map((name) => `X-Platform-${name}, X-GitHub-${name}`),
  'X-Accepted-Platform-Permissions, X-Accepted-GitHub-Permissions',
].join(', ')

const fixed: HeaderList = Object.entries({
  'x-content-type-options': securityHeaders['x-content-type-options'],
  'content-security-policy': securityHeaders['content-security-policy'],
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed,
  'cache-control': 'private, no-cache',
  vary: 'Accept, Authorization, Cookie, X-Platform-Api-Version, X-GitHub-Api-Version',
}).flat()

export const preflightHeaders = {
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, Accept-Encoding, X-Platform-Api-Version, X-GitHub-Api-Version, X-Platform-OTP, X-Requested-With, User-Agent',
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-max-age': '86400',
}

/** `x-platform-…` and `x-github-…`: the contract's names and those that published clients look for. */
export function makeHeadLines(
  requestId: string,
  version: Version,
  rateStatus: RateStatus,
  token: Token | undefined,
  route: Route,
): string {
  const { limit, remaining, used, resource, resetAt } = rateStatus
  return `${lastingLines(version, token, route)}x-platform-request-id: ${requestId}\r
x-github-request-id: ${requestId}\r
x-ratelimit-limit: ${limit}\r
x-ratelimit-remaining: ${remaining}\r
x-ratelimit-used: ${used}\r
x-ratelimit-resource: ${resource}\r
x-ratelimit-reset: ${Math.ceil(resetAt / 1000)}\r
`
}

const lasting = new WeakMap<Token | Route, Map<Route, Partial<Record<Version, string>>>>()

/** Those that are the same whenever this token comes to this route. */
function lastingLines(version: Version, token: Token | undefined, route: Route): string {
  let ofToken = lasting.get(token ?? route)
  if (!ofToken) {
    ofToken = new Map()
    lasting.set(token ?? route, ofToken)
  }
  let ofRoute = ofToken.get(route)
  if (!ofRoute) {
    ofRoute = {}
    ofToken.set(route, ofRoute)
  }
  ofRoute[version] ??= joinHeadLines([
    ...fixed,
    ...['x-platform-api-version-selected', version, 'x-github-api-version-selected', version],
    ...(token ? tokenHeaders(token, route) : []),
  ])
  return ofRoute[version]
}

/** What the token has and what the route takes: scopes for those that have scopes, permissions for the others. */
function tokenHeaders(token: Token, route: Route): HeaderList {
  const headers: HeaderList = []
  if (hasScopes(token)) {
    headers.push('x-oauth-scopes', token.scopes.join(', '), 'x-accepted-oauth-scopes', route.need.scopes.join(', '))
  } else if (route.permission) {
    headers.push('x-accepted-platform-permissions', route.permission)
    headers.push('x-accepted-github-permissions', route.permission)
  }
  if (token.expiresAt) {
    const text = token.expiresAt.toISOString().replace('T', ' ').replace(/\..*/, ' UTC')
    headers.push('platform-authentication-token-expiration', text, 'github-authentication-token-expiration', text)
  }
  return headers
}
