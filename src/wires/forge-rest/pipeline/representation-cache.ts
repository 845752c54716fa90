/** A cache of representations: what a GET answered to one caller, until something that it was made of changes. */
import { type Awaitable, whenKnown } from '../../../base/awaitable.ts'
import type { ObserveRead } from '../../../base/observed.ts'
import { makeCurrentCache } from '../../current-cache.ts'
import { type Answer, makeEtag, serializeLong } from '../answer.ts'
import { pageLink } from './page-link.ts'
import type { RequestContext } from './request-context.ts'

export type RepresentationCache = (context: RequestContext, read: () => Awaitable<Answer>) => Awaitable<Answer>

export function makeRepresentationCache(observeRead: ObserveRead | undefined): RepresentationCache {
  const cache = makeCurrentCache<Answer>(observeRead)
  return (context, read) => {
    const { route } = context
    if (route.method !== 'GET' || route.isLive) return read()
    const readWhole = () => whenKnown(read(), (answer) => serializeWhole(context, answer))
    return cache.get(keyOf(context), readWhole, sizeOf)
  }
}

/** A representation depends on the route, on who asks, by which token and where that one lacks single sign-on, on the address with its query, the version, the media type, and on what a poll knows. */
function keyOf(context: RequestContext): string {
  const { actor, accept, origin, request, route, version, modifiedSince = '' } = context
  const { account, credential } = actor
  const token = credential.kind === 'token' ? credential.token : undefined
  const by = token ? `${token.id} ${token.lacksSignOnFor}` : credential.kind
  return `${route.id} ${account?.id} ${account?.role} ${by} ${version} ${accept} ${modifiedSince} ${origin}${request.url}`
}

/** What streams can't be sent again. Of what is not plainly there, nothing is cached. */
function sizeOf({ status, serialized, raw }: Answer): number | undefined {
  if (status === 204 || status === 304) return 0
  if (status !== 200) return undefined
  return serialized?.bytes ?? (Buffer.isBuffer(raw?.bytes) ? raw.bytes.length : undefined)
}

function serializeWhole(context: RequestContext, answer: Answer): Awaitable<Answer> {
  const { status, body, raw, total, headers } = answer
  if (status !== 200) return answer
  if (raw) {
    if (!Buffer.isBuffer(raw.bytes)) return answer
    return { ...answer, raw: { ...raw, length: raw.bytes.length, etag: raw.etag ?? makeEtag(raw.bytes) } }
  }
  const link = total === undefined ? undefined : pageLink(context, total)
  const all = link ? { ...headers, link } : headers
  return whenKnown(answer.serialized ?? serializeLong(body), (serialized) => ({
    status,
    serialized,
    ...(all && { headers: all }),
  }))
}
