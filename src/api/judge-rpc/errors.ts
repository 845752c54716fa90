/** Errors of this API: one code for each kind of failure. */
import { Failure, type FailureKind } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import { internalError, invalidParams, type RpcError } from './protocol.ts'

const codes: Record<FailureKind, number> = {
  invalid: invalidParams,
  'not-found': 6,
  conflict: 7,
  forbidden: 8,
  limited: 9,
  precondition: 10,
  'switched-off': 15,
  unauthenticated: 17,
  unavailable: internalError,
}

/** Anything but a Failure is a bug: it is logged with the request's id, and its text is not sent. */
export function toRpcError(thrown: unknown, requestId: string, log: Log): RpcError {
  const error = explainOutage(thrown)
  if (error instanceof Failure && error.kind !== 'unavailable') {
    return { code: codes[error.kind], message: error.message, data: describe(error) }
  }
  if (error instanceof Failure) {
    logOutage(log, 'error', { err: thrown, requestId }, 'a judge call could not be served')
    return { code: internalError, message: error.message, data: { ...describe(error), RequestID: requestId } }
  }
  log.error({ err: thrown, requestId }, 'a judge call failed')
  const message = 'The server failed: try again, and tell its admin the RequestID if it happens again.'
  return { code: internalError, message, data: { RequestID: requestId } }
}

function describe({ kind, message, detail }: Failure): object {
  if (kind === 'invalid') {
    const faults = detail.faults ?? [{ field: '', reason: message }]
    return { Errors: faults.map(({ field, reason }) => ({ Field: field, Reason: reason })) }
  }
  return detail.retryAfterSeconds === undefined ? {} : { RetryAfterSecond: detail.retryAfterSeconds }
}
