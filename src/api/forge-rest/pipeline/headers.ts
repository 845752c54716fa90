/** The headers of every response, under both prefixes, made only here. */
import type { Token } from '../../../accounts/tokens/token.ts'
import { hasScopes } from '../../../forge/access/required-grant.ts'
import type { RateStatus } from '../../../forge/limits/limits.ts'
import { securityHeaders } from '../../../http/security-headers.ts'
import type { Route } from '../route.ts'
import type { Version } from './versions.ts'

export type Headers = Record<string, string>

const exposed = [
  'ETag, Last-Modified, Link, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource',
  'X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Poll-Interval, Deprecation, Sunset',
  ...['Request-Id', 'SSO'].map((name) => `X-Platform-${name}, X-GitHub-${name}`),
  'X-Accepted-Platform-Permissions, X-Accepted-GitHub-Permissions',
].join(', ')

const fixed: Headers = {
  'x-content-type-options': securityHeaders['x-content-type-options'],
  'content-security-policy': securityHeaders['content-security-policy'],
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed,
  'cache-control': 'private, no-cache',
  vary: 'Accept, Authorization, Cookie, X-Platform-Api-Version, X-GitHub-Api-Version',
}

export const preflightHeaders = {
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, Accept-Encoding, X-Platform-Api-Version, X-GitHub-Api-Version, X-Platform-OTP, X-Requested-With, User-Agent',
  'access-control-allow-methods': 'GET, POST, PATCH, PUT, DELETE',
  'access-control-max-age': '86400',
}

type Told = {
  readonly requestId: string
  readonly version: Version
  readonly rateStatus: RateStatus
  readonly token: Token | undefined
  readonly route: Route
}

/** `x-platform-…` and `x-github-…`: the contract's names and those that published clients look for. */
export function commonHeaders({ requestId, version, rateStatus, token, route }: Told): Headers {
  const { limit, remaining, used, resource, resetAt } = rateStatus
  return {
    ...fixed,
    'x-platform-api-version-selected': version,
    'x-github-api-version-selected': version,
    ...(token && tokenHeaders(token, route)),
    'x-platform-request-id': requestId,
    'x-github-request-id': requestId,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(used),
    'x-ratelimit-resource': resource,
    'x-ratelimit-reset': String(Math.ceil(resetAt / 1000)),
  }
}

/** The token's rights and the route's needs: scopes for tokens with scopes, permissions for others. */
function tokenHeaders(token: Token, route: Route): Headers {
  const headers: Headers = {}
  if (hasScopes(token)) {
    headers['x-oauth-scopes'] = token.scopes.join(', ')
    headers['x-accepted-oauth-scopes'] = route.need.scopes.join(', ')
  } else if (route.permission) {
    headers['x-accepted-platform-permissions'] = route.permission
    headers['x-accepted-github-permissions'] = route.permission
  }
  if (token.expiresAt) {
    const text = token.expiresAt.toISOString().replace('T', ' ').replace(/\..*/, ' UTC')
    headers['platform-authentication-token-expiration'] = text
    headers['github-authentication-token-expiration'] = text
  }
  return headers
}
