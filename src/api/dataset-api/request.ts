/** Reads what every request of this API has: the actor, the query and the data set's address. */
import type { FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { type DatasetAddress, parseAddress } from '../../datasets/access.ts'
import type { Clock } from '../../lib/clock.ts'
import { demand, Failure } from '../../lib/failure.ts'
import type { Identify } from '../identity/identify.ts'

export type DatasetRequest = FastifyRequest<{ Params: { readonly datasetId?: string; readonly userId?: string } }>

export type Query = ReadonlyMap<string, string>

/** If a name is repeated, the last value counts. */
export function readQuery({ url }: DatasetRequest): Query {
  const mark = url.indexOf('?')
  return new Map(mark === -1 ? [] : new URLSearchParams(url.slice(mark)))
}

export function readAddress(request: DatasetRequest): DatasetAddress {
  const address = parseAddress(request.params.datasetId!)
  demand(address, 'not-found', 'record-not-found', 'There is no such data set.')
  return address
}

/** Finds the actor, or fails with this API's error codes. A wrong token is refused everywhere. */
export async function identifyCaller(identify: Identify, request: DatasetRequest, clock: Clock): Promise<Actor> {
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
      return new Failure(kind, 'rate-limit-exceeded', 'Too many requests with unknown tokens: wait and try again.', {
        retryAfterSeconds: Math.max(1, Math.ceil(((rateStatus?.resetAt ?? 0) - now) / 1000)),
      })
    default:
      return new Failure(kind, 'rate-limit-exceeded', message, detail)
  }
}
