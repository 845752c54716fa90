/** Serializes a handler's answer into bytes and headers: the representation, its ETag, and the caller's rate status. */
import { type Awaitable, whenKnown } from '../../../base/awaitable.ts'
import { tokenOf } from '../../../forge/access/need.ts'
import { listLackingSignOn } from '../../../forge/access/sign-on.ts'
import type { RateCaller, Resource } from '../../../forge/limits/callers.ts'
import type { RateStatus } from '../../../forge/limits/limits.ts'
import { matchesEtag } from '../../response.ts'
import { signOnHeaders } from '../../sign-on-headers.ts'
import { type Answer, makeEtag, serializeBody } from '../answer.ts'
import { type HeaderList, makeHeadLines } from './headers.ts'
import { pageLink } from './page-link.ts'
import { makePollInterval } from './polling.ts'
import type { RequestContext } from './request-context.ts'
import type { SerializedAnswer } from './send.ts'

/** Reads the caller's rate status, or charges the request first. */
export type RateLedger = {
  peek(caller: RateCaller, resource: Resource): Awaitable<RateStatus>
  chargePrimary(caller: RateCaller, resource: Resource): Awaitable<RateStatus>
}

export function serialize(context: RequestContext, answer: Answer, ledger: RateLedger): Awaitable<SerializedAnswer> {
  const { request, route } = context
  if (answer.rateStatus) context.rateStatus = answer.rateStatus
  const isRead = route.method === 'GET' && answer.status === 200
  const serialized = answer.serialized ?? (isRead && answer.body !== undefined ? serializeBody(answer.body) : undefined)
  const text = serialized?.content ?? (answer.body === undefined ? '' : JSON.stringify(answer.body))
  const bytes = answer.raw?.bytes
  const etag = serialized?.etag ?? answer.raw?.etag ?? (isRead && Buffer.isBuffer(bytes) ? makeEtag(bytes) : undefined)
  const isUnchanged =
    answer.status === 304 ||
    (etag !== undefined && matchesEtag(request.headers['if-none-match'], etag)) ||
    isUnmodified(answer, context.modifiedSince)
  return whenKnown(settle(context, isUnchanged, ledger), (rateStatus): Awaitable<SerializedAnswer> => {
    const headLines = makeHeadLines(request.id, context.version, rateStatus, tokenOf(context.actor), route)
    const headers = headersOf(context, answer, etag)
    if (isUnchanged) return { status: 304, headLines, headers, bytes: '' }
    if (answer.raw) headers.push('content-type', answer.raw.type)
    else if (text) headers.push('content-type', 'application/json; charset=utf-8')
    const { status } = answer
    const length = serialized?.bytes ?? answer.raw?.length
    if (typeof bytes !== 'function') return { status, headLines, headers, bytes: bytes ?? text, length }
    // Only who will read it has it opened: what is opened and not read would wait for ever.
    if (request.method === 'HEAD') return { status, headLines, headers, bytes: undefined, length }
    return bytes().then((flow) => ({ status, headLines, headers, bytes: flow, length }))
  })
}

const isUnmodified = ({ headers }: Answer, since: number | undefined): boolean => {
  const modified = since === undefined ? undefined : headers?.['last-modified']
  return modified !== undefined && Date.parse(modified) <= since!
}

const pollInterval = makePollInterval()

/** A conditional request is charged now, unless it is answered with 304. */
function settle(context: RequestContext, isUnchanged: boolean, ledger: RateLedger): Awaitable<RateStatus> {
  const { resource } = context.route.charge
  if (!context.isUncharged || isUnchanged) return context.rateStatus ?? ledger.peek(context.caller, resource)
  context.isUncharged = false
  return whenKnown(ledger.chargePrimary(context.caller, resource), (rateStatus) => {
    context.rateStatus = rateStatus
    return rateStatus
  })
}

function headersOf(context: RequestContext, answer: Answer, etag: string | undefined): HeaderList {
  const { route, actor } = context
  const headers: HeaderList = []
  for (const name in answer.headers) headers.push(name, answer.headers[name]!)
  if (route.spansOrganisations) {
    const lacking = listLackingSignOn(actor)
    if (lacking.length > 0) {
      const partial = signOnHeaders(`partial-results; organizations=${lacking.join(',')}`)
      for (const [name, value] of Object.entries(partial)) headers.push(name, value)
    }
  }
  if (etag) headers.push('etag', etag)
  if (route.isPolled) headers.push('x-poll-interval', pollInterval())
  if (answer.total !== undefined) {
    const link = pageLink(context, answer.total)
    if (link) headers.push('link', link)
  }
  return headers
}
