/** What every request of this wire brings: who asks, the query as it stands in the address, and the address itself. */
import type { FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../../accounts/actor.ts'
import { demand, Failure } from '../../base/failure.ts'
import { type DatasetAddress, parseAddress } from '../../datasets/access.ts'
import { type Authenticate, isSameOrigin } from '../authenticate.ts'

/** Of a repeated name the last counts. */
export function readQuery(request: FastifyRequest): Map<string, string> {
  const mark = request.url.indexOf('?')
  return new Map(new URLSearchParams(mark === -1 ? '' : request.url.slice(mark)))
}

export function readAddress(request: FastifyRequest): DatasetAddress {
  const address = parseAddress((request.params as { datasetId: string }).datasetId)
  demand(address, 'not-found', 'record-not-found', 'There is no such data set.')
  return address
}

/** Tokens that stand for a person; those of machines and for renewal are none here. */
const personal = ['classic', 'fine-grained', 'oauth', 'app-user']

/** A wrong token is refused anywhere; a cookie counts only from this server's own pages. */
export async function identify(
  authenticate: Authenticate,
  baseUrl: string | undefined,
  request: FastifyRequest,
): Promise<Actor> {
  const caller = await authenticate.identify(request, readQuery(request).get('token') || undefined)
  if (caller.via === 'cookie' && !isSameOrigin(request, baseUrl)) return anonymous(request.ip)
  const { credential } = caller.actor
  const isForeignKind = credential.kind === 'token' && !personal.includes(credential.token.kind)
  if ((caller.isUnknown && caller.via === 'header') || isForeignKind)
    throw new Failure('unauthenticated', 'invalid-token', 'This token is unknown, revoked or expired: make a new one.')
  return caller.actor
}

export const originOf = (baseUrl: string | undefined, request: FastifyRequest): string =>
  baseUrl ?? `${request.protocol}://${request.host}`
