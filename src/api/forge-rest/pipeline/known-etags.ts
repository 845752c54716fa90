/**
 * Answers polls with 304 without reading the data again: it remembers the ETags that callers received, until the next
 * commit.
 */
import { LRUCache } from 'lru-cache'
import type { Credential } from '../../../accounts/actor.ts'
import { matchesEtag } from '../../response.ts'
import type { RestAnswer } from '../rest-answer.ts'
import type { Headers } from './headers.ts'
import type { RequestContext } from './request-context.ts'

/** In characters, mostly of addresses: room for some twenty thousand polled pages. */
const maxSize = 8 * 1024 * 1024

type Known = { readonly headers: Headers; readonly version: number }

export type KnownEtags = ReturnType<typeof makeKnownEtags>

/**
 * `versionOf` increases with every commit. It is undefined if other processes commit unnoticed; then nothing is cached.
 */
export function makeKnownEtags(versionOf: () => number | undefined) {
  const known = new LRUCache<string, Known>({
    maxSize,
    sizeCalculation: ({ headers }, key) => key.length + JSON.stringify(headers).length,
  })

  return {
    /** Must be read before any data of a request: data is then at this version or a later one. */
    version: versionOf,

    /** A 304, if the caller already has the response of this version. */
    find(context: RequestContext, version: number | undefined): RestAnswer | undefined {
      const condition = context.request.headers['if-none-match']
      if (version === undefined || condition === undefined || !isLasting(context)) return undefined
      const found = known.get(keyOf(context))
      const isKnown = found?.version === version && matchesEtag(condition, found.headers.etag!)
      return isKnown ? { status: 304, headers: found.headers } : undefined
    },

    /** `headers` are those of this response, including its ETag. */
    keep(context: RequestContext, version: number | undefined, headers: Headers): void {
      const isCurrent = version !== undefined && version === versionOf()
      if (isCurrent && headers.etag !== undefined && isLasting(context)) known.set(keyOf(context), { headers, version })
    },
  }
}

/** Whether the response depends only on stored data. */
const isLasting = ({ route, accept, request }: RequestContext): boolean =>
  route.method === 'GET' && !route.isLive(accept) && request.headers.range === undefined

/**
 * A response depends on the route, the caller, the token and its missing single sign-ons, the address with its query,
 * the API version, the media type, and the time that a poll sends.
 */
function keyOf({ actor, accept, origin, request, route, version, modifiedSince }: RequestContext): string {
  const who = `${actor.account?.id ?? 'nobody'} ${nameOf(actor.credential)}`
  return `${route.id} ${who} ${version} ${modifiedSince ?? ''} ${origin}${request.url} ${accept}`
}

function nameOf(credential: Credential): string {
  if (credential.kind === 'token') return `${credential.token.id} ${credential.token.lacksSignOnFor}`
  return credential.kind === 'app' ? `app:${credential.app.id}:${credential.app.by}` : credential.kind
}
