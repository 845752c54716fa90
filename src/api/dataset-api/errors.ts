/** Errors of this API. Kinds of failure are mapped to statuses only here. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure, type FailureKind } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'

export const errorBody = (type: string, message: string, data?: object) => ({
  error: { type, message, ...(data && { data }) },
})

const statuses: { readonly [kind in FailureKind]: number } = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  precondition: 412,
  limited: 429,
  'switched-off': 503,
  unavailable: 503,
}

/** Codes whose status differs from their kind's. */
const codeStatuses: { readonly [code: string]: number } = {
  'request-too-large': 413,
  'unsupported-content-encoding': 415,
  'range-not-satisfiable': 416,
  'method-not-allowed': 405,
  'idempotency-key-reused': 422,
}

export function sendError(thrown: Error, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const error = explainOutage(thrown)
  // An export may have set the headers of its file already.
  reply.removeHeader('content-disposition').removeHeader('etag').type('application/json; charset=utf-8')
  if (!(error instanceof Failure)) {
    log.error({ err: thrown, requestId: request.id }, 'a request failed')
    const message = `Something went wrong on the server; its log names the request ${request.id}.`
    return reply.code(500).send(errorBody('internal-server-error', message))
  }
  if (error.kind === 'unavailable')
    logOutage(log, 'error', { err: thrown, requestId: request.id }, 'a request could not be served')
  const { faults, retryAfterSeconds, itemPosition, invalidItems } = error.detail
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  // RFC 9110, section 15.5.2: a 401 must say how to authenticate.
  if (error.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer realm="Guildhall"')
  const detail = omitUndefined({ itemPosition, invalidItems, faults })
  return reply
    .code(codeStatuses[error.code] ?? statuses[error.kind])
    .send(errorBody(error.code, error.message, Object.keys(detail).length > 0 ? detail : undefined))
}
