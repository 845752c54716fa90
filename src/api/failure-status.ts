/** The HTTP status of each kind of failure, shared by the forge and git. */
import type { Failure, FailureKind } from '../lib/failure.ts'

const statuses: Record<FailureKind, number> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  precondition: 409,
  limited: 403,
  'switched-off': 403,
  unavailable: 503,
}

/** Codes whose status differs from their kind's. */
const statusesByCode: Record<string, number> = {
  gone: 410,
  'bad-request': 400,
  'too-large': 413,
  'name-taken': 422,
  'not-mergeable': 405,
}

export const statusOf = ({ code, kind }: Failure): number => statusesByCode[code] ?? statuses[kind]
