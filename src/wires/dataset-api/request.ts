/** Reads what every request of this wire has: the actor, the query and the data set's address. */
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { demand, Failure } from '../../base/failure.ts'
import { type DatasetAddress, parseAddress } from '../../datasets/access.ts'
import type { HttpRequest } from '../http-request.ts'
import type { Identify } from '../identify.ts'

export type Query = ReadonlyMap<string, string>

const noQuery: Query = new Map()
const queries = new WeakMap<HttpRequest, Query>()

/** Who pushes or polls has the same query again and again. */
let last: { readonly text: string; readonly query: Query } = { text: '', query: noQuery }

/** Of a repeated name the last counts. It is asked for several times in a request, and parsed once. */
export function readQuery(request: HttpRequest): Query {
  let query = queries.get(request)
  if (query) return query
  const mark = request.url.indexOf('?')
  query = mark === -1 ? noQuery : parseQuery(request.url.slice(mark))
  queries.set(request, query)
  return query
}

function parseQuery(text: string): Query {
  if (text !== last.text) last = { text, query: new Map(new URLSearchParams(text)) }
  return last.query
}

export function readAddress(request: HttpRequest): DatasetAddress {
  const address = parseAddress(request.params.datasetId!)
  demand(address, 'not-found', 'record-not-found', 'There is no such data set.')
  return address
}

/** Finds the actor, or refuses in this wire's own codes. A wrong token is refused everywhere. */
export async function identifyCaller(identify: Identify, request: HttpRequest, clock: Clock): Promise<Actor> {
  try {
    return await identify(request, readQuery(request).get('token') || undefined)
  } catch (error) {
    throw error instanceof Failure ? toOwnFailure(error, clock.now()) : error
  }
}

function toOwnFailure(
  { kind, code, message, detail: { retryAfterSeconds, rateStatus } }: Failure,
  now: number,
): Failure {
  const detail = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  switch (code) {
    case 'bad-credentials':
      return new Failure(kind, 'invalid-token', 'This token is unknown, revoked or expired: make a new one.')
    case 'locked-out':
    case 'suspended':
    case 'banned':
      return new Failure('forbidden', 'insufficient-permissions', message, detail)
    case 'primary-limit':
      return new Failure(kind, 'rate-limit-exceeded', 'Too many requests with tokens that are unknown: wait.', {
        retryAfterSeconds: Math.max(1, Math.ceil(((rateStatus?.resetAt ?? 0) - now) / 1000)),
      })
    default:
      return new Failure(kind, 'rate-limit-exceeded', message, detail)
  }
}
