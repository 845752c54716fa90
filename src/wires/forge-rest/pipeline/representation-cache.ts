/** A cache of representations: what a GET answered to one caller, until something that it was made of changes. */
import type { Credential } from '../../../accounts/actor.ts'
import type { Token } from '../../../accounts/tokens/token.ts'
import { type Awaitable, whenKnown } from '../../../base/awaitable.ts'
import type { Clock } from '../../../base/clock.ts'
import type { ObserveRead } from '../../../base/observed.ts'
import { makeCurrentCache, nameCaller } from '../../current-cache.ts'
import { type Answer, makeEtag, serializeLong } from '../answer.ts'
import { pageLink } from './page-link.ts'
import type { RequestContext } from './request-context.ts'

export type RepresentationCache = (context: RequestContext, read: () => Awaitable<Answer>) => Awaitable<Answer>

export function makeRepresentationCache(observeRead: ObserveRead, clock: Clock): RepresentationCache {
  const cache = makeCurrentCache<Answer>(observeRead)
  return (context, read) => {
    const { route } = context
    if (route.method !== 'GET' || route.isLive(context.accept) || context.request.headers.range) return read()
    const readWhole = () => whenKnown(read(), (answer) => serializeWhole(context, answer))
    const moment = route.isTimed ? ` ${Math.floor(clock.now() / 1_000)}` : ''
    return cache.get(keyOf(context) + moment, readWhole, sizeOf)
  }
}

/** A representation depends on the route, on who asks, by which token and where that one lacks single sign-on, on the address with its query, the version, the media type, and on what a poll knows. */
function keyOf(context: RequestContext): string {
  const { actor, accept, origin, request, route, version, modifiedSince = '' } = context
  const { account, credential } = actor
  const by = nameOf(credential)
  return `${route.id} ${nameCaller(account)} ${by} ${version} ${accept} ${modifiedSince} ${origin}${request.url}`
}

/** An app shows no more than anyone sees, but for what is its own. */
function nameOf(credential: Credential): string {
  if (credential.kind === 'token') return nameOfToken(credential.token)
  return credential.kind === 'app' ? `app:${credential.app.id}:${credential.app.by}` : credential.kind
}

const names = new WeakMap<Token, string>()
let lastNumber = 0

/** What a token of an app may changes with the app: it is read anew then, and is another object. */
function nameOfToken(token: Token): string {
  let name = names.get(token)
  if (name === undefined) {
    name = token.app ? `${token.id}:${++lastNumber}` : `${token.id} ${token.lacksSignOnFor}`
    names.set(token, name)
  }
  return name
}

/** What streams can't be sent again, unless it says so. Of what is not plainly there, nothing is cached. */
function sizeOf({ status, serialized, raw }: Answer): number | undefined {
  if (status === 204 || status === 304 || (status === 302 && !raw)) return 0
  if (status !== 200) return undefined
  if (raw?.isLasting) return 0
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
