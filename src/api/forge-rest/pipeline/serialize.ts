/**
 * Serializes a handler's response: the representation with its ETag, or a 304, and the headers with the caller's rate
 * status.
 */
import type { Readable } from 'node:stream'
import { tokenOf } from '../../../forge/access/required-grant.ts'
import { listLackingSignOn } from '../../../forge/access/sign-on.ts'
import type { Limits, RateStatus } from '../../../forge/limits/limits.ts'
import { takeRoom } from '../../../lib/request-context.ts'
import { signOnHeaders } from '../../identity/sign-on-headers.ts'
import { type LongJson, stringifyInSlices } from '../../json/sliced-json.ts'
import { matchesEtag } from '../../response.ts'
import { linkHeader, makeQuery, readPage } from '../query.ts'
import { makeEtag, type Raw, type RestAnswer, spellEtag } from '../rest-answer.ts'
import { commonHeaders, type Headers } from './headers.ts'
import { makePollInterval } from './polling.ts'
import type { RequestContext } from './request-context.ts'

export type SerializedAnswer = {
  readonly status: number
  readonly headers: Headers
  /** Headers of this response alone, without those that every response has. */
  readonly own: Headers
  /** Undefined for an empty body, and for the stream of a HEAD. */
  readonly payload: string | Buffer | LongJson | Readable | undefined
}

/** Reads the caller's rate status, or charges the request first. */
export type RateLedger = Pick<Limits, 'peek' | 'chargePrimary'>

export async function serialize(
  context: RequestContext,
  answer: RestAnswer,
  ledger: RateLedger,
): Promise<SerializedAnswer> {
  const { request, route } = context
  const { status, body, raw } = answer
  if (answer.rateStatus) context.rateStatus = answer.rateStatus
  const json = body === undefined ? undefined : await stringifyInSlices(body, takeRoom)
  const etag = raw?.etag ?? (route.method === 'GET' && status === 200 ? etagOf(json ?? raw?.bytes) : undefined)
  const isUnchanged =
    status === 304 ||
    (etag !== undefined && matchesEtag(request.headers['if-none-match'], etag)) ||
    isUnmodified(answer, context.modifiedSince)
  const rateStatus = await settle(context, isUnchanged, ledger)
  const token = tokenOf(context.actor)
  const own = ownHeaders(context, answer, etag)
  const common = commonHeaders({ requestId: request.id, version: context.version, rateStatus, token, route })
  const headers = { ...common, ...own }
  if (isUnchanged) return { status: 304, headers, own, payload: undefined }
  if (!raw) {
    if (json !== undefined) headers['content-type'] = 'application/json; charset=utf-8'
    return { status, headers, own, payload: json }
  }
  headers['content-type'] = raw.type
  if (raw.length !== undefined) headers['content-length'] = String(raw.length)
  if (typeof raw.bytes !== 'function') return { status, headers, own, payload: raw.bytes }
  // The stream is opened only if it will be read: an unread one would stay open forever.
  return { status, headers, own, payload: request.method === 'HEAD' ? undefined : await raw.bytes() }
}

function etagOf(representation: string | LongJson | Raw['bytes'] | undefined): string | undefined {
  if (typeof representation === 'string' || Buffer.isBuffer(representation)) return makeEtag(representation)
  return typeof representation === 'object' ? spellEtag(representation.sha1) : undefined
}

const isUnmodified = ({ headers }: RestAnswer, since: number | undefined): boolean => {
  const modified = since === undefined ? undefined : headers?.['last-modified']
  return modified !== undefined && Date.parse(modified) <= since!
}

const pollInterval = makePollInterval()

/** A conditional request is charged only now, unless the answer is 304. */
async function settle(context: RequestContext, isUnchanged: boolean, ledger: RateLedger): Promise<RateStatus> {
  const { resource } = context.route.charge
  if (!context.isUncharged || isUnchanged) return context.rateStatus ?? ledger.peek(context.caller, resource)
  context.isUncharged = false
  context.rateStatus = await ledger.chargePrimary(context.caller, resource)
  return context.rateStatus
}

function ownHeaders(context: RequestContext, answer: RestAnswer, etag: string | undefined): Headers {
  const { route, actor } = context
  const headers: Headers = { ...answer.headers }
  if (route.spansOrganisations(actor, context.request.params)) {
    const lacking = listLackingSignOn(actor)
    if (lacking.length > 0) Object.assign(headers, signOnHeaders(`partial-results; organizations=${lacking.join(',')}`))
  }
  if (etag) headers.etag = etag
  if (route.isPolled) headers['x-poll-interval'] = pollInterval()
  const link = answer.total === undefined ? undefined : pageLink(context, answer.total)
  if (link) headers.link = link
  return headers
}

function pageLink({ request, route, origin }: RequestContext, total: number): string | undefined {
  return linkHeader(origin + request.url, total, readPage(makeQuery(request.query), route.pageSize!))
}
