/** Answers a poll with 304 without reading anew: the ETags that callers were given, for as long as nothing was committed. */
import { LRUCache } from 'lru-cache'
import type { Credential } from '../../../accounts/actor.ts'
import { matchesEtag } from '../../response.ts'
import type { Answer } from '../answer.ts'
import type { Headers } from './headers.ts'
import type { RequestContext } from './request-context.ts'

/** In characters, of addresses mostly: some twenty thousand polled pages. */
const maxSize = 8 * 1024 * 1024

type Known = { readonly headers: Headers; readonly version: number }

export type KnownEtags = ReturnType<typeof makeKnownEtags>

/** `versionOf` rises with every commit; it is undefined where others commit unseen, and then nothing is remembered. */
export function makeKnownEtags(versionOf: () => number | undefined) {
  const known = new LRUCache<string, Known>({
    maxSize,
    sizeCalculation: ({ headers }, key) => key.length + JSON.stringify(headers).length,
  })

  return {
    /** To be asked before anything is read for a request: what it may see is read at this version or a later one. */
    version: versionOf,

    /** A 304, where the caller has what it would be given at this version. */
    find(context: RequestContext, version: number | undefined): Answer | undefined {
      const condition = context.request.headers['if-none-match']
      if (version === undefined || condition === undefined || !isLasting(context)) return undefined
      const found = known.get(keyOf(context))
      const isKnown = found?.version === version && matchesEtag(condition, found.headers.etag!)
      return isKnown ? { status: 304, headers: found.headers } : undefined
    },

    /** `headers` are the answer's own, with its ETag. */
    keep(context: RequestContext, version: number | undefined, headers: Headers): void {
      const isCurrent = version !== undefined && version === versionOf()
      if (isCurrent && headers.etag !== undefined && isLasting(context)) known.set(keyOf(context), { headers, version })
    },
  }
}

/** Whether the answer depends on nothing but what is stored. */
const isLasting = ({ route, accept, request }: RequestContext): boolean =>
  route.method === 'GET' && !route.isTimed && !route.isLive(accept) && request.headers.range === undefined

/** An answer depends on the route, on who asks, by which token and where that one lacks single sign-on, on the address with its query, the version, the media type, and on what a poll knows. */
function keyOf({ actor, accept, origin, request, route, version, modifiedSince }: RequestContext): string {
  const who = `${actor.account?.id ?? 'nobody'} ${nameOf(actor.credential)}`
  return `${route.id} ${who} ${version} ${modifiedSince ?? ''} ${origin}${request.url} ${accept}`
}

function nameOf(credential: Credential): string {
  if (credential.kind === 'token') return `${credential.token.id} ${credential.token.lacksSignOnFor}`
  return credential.kind === 'app' ? `app:${credential.app.id}:${credential.app.by}` : credential.kind
}
