/** Failures that several parts of the forge share. */
import { Failure } from '../lib/failure.ts'

export const notFound = (): Failure => new Failure('not-found', 'not-found', 'Not Found')

/** A repository row without its files means damage or an outage, never an empty repository. */
export const filesAway = (): Failure =>
  new Failure(
    'unavailable',
    'files-away',
    'The files of the repository can’t be reached: try again later, and tell the server’s admin if it happens again.',
    { retryAfterSeconds: 30 },
  )

/** One invalid field. `code` is one of the interface's words: missing_field, invalid, already_exists, … */
export const invalidField = (field: string, code: string, reason: string): Failure =>
  new Failure('invalid', 'validation-failed', 'Validation Failed', { faults: [{ field, code, reason }] })
