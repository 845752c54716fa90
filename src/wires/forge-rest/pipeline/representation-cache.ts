/** A cache of representations: what a GET answered to one caller, until something that it was made of changes. */
import { type Awaitable, whenKnown } from '../../../base/awaitable.ts'
import type { Observed, ObserveRead } from '../../../base/observed.ts'
import { type Answer, makeEtag, serializeBody } from '../answer.ts'
import { pageLink } from './page-link.ts'
import type { RequestContext } from './request-context.ts'

/** In all, in two generations of half as much; measured: a page of thirty repositories takes 170 kB. */
const maxBytes = 32 * 1024 * 1024
const maxEntryBytes = 1024 * 1024
/** What a key, its headers and its table names take besides. */
const entryBytes = 1024

type Entry = { readonly answer: Answer; readonly observed: Observed<unknown>; readonly bytes: number }

export type RepresentationCache = (context: RequestContext, read: () => Awaitable<Answer>) => Awaitable<Answer>

/** Where reads can't be observed (PostgreSQL), nothing is cached. */
export function makeRepresentationCache(observeRead: ObserveRead | undefined): RepresentationCache {
  // What is asked for moves to the new generation; the old one is dropped whole when the new one is full.
  let fresh = new Map<string, Entry>()
  let old = new Map<string, Entry>()
  let freshBytes = 0

  function put(key: string, entry: Entry): void {
    if (freshBytes + entry.bytes > maxBytes / 2) {
      old = fresh
      fresh = new Map()
      freshBytes = 0
    }
    freshBytes += entry.bytes - (fresh.get(key)?.bytes ?? 0)
    fresh.set(key, entry)
  }

  return (context, read) => {
    const { route } = context
    if (!observeRead || route.method !== 'GET' || route.isLive) return read()
    const key = keyOf(context)
    let known = fresh.get(key)
    if (!known) {
      known = old.get(key)
      if (known?.observed.isCurrent()) put(key, known)
    }
    if (known?.observed.isCurrent()) return known.answer
    const observed = observeRead(read)
    return whenKnown(observed.answer, (answer) => {
      const kept = serializeWhole(context, answer)
      if (!kept) return answer
      const bytes = entryBytes + key.length + (kept.serialized?.bytes ?? kept.raw?.length ?? 0)
      if (bytes <= maxEntryBytes) put(key, { answer: kept, observed, bytes })
      return kept
    })
  }
}

/** A representation depends on the route, on who asks and by which token, on the address with its query, the version and the media type. */
function keyOf({ actor: { account, credential }, accept, origin, request, route, version }: RequestContext): string {
  const token = credential.kind === 'token' ? credential.token.id : credential.kind
  return `${route.id} ${account?.id} ${account?.role} ${token} ${version} ${accept} ${origin}${request.url}`
}

/** The answer as it can be sent again; undefined for what flows, and for what is not plainly there. */
function serializeWhole(context: RequestContext, answer: Answer): Answer | undefined {
  const { status, body, raw } = answer
  if (status === 204) return answer
  if (status !== 200) return undefined
  if (raw) {
    if (!Buffer.isBuffer(raw.bytes)) return undefined
    return { ...answer, raw: { ...raw, length: raw.bytes.length, etag: raw.etag ?? makeEtag(raw.bytes) } }
  }
  const link = answer.total === undefined ? undefined : pageLink(context, answer.total)
  const headers = link ? { ...answer.headers, link } : answer.headers
  return { status, serialized: answer.serialized ?? serializeBody(body), ...(headers && { headers }) }
}
