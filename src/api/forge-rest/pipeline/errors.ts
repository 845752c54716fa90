/** Turns a failure into this API's error: status, message and a link to the documentation. */
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import { explainOutage } from '../../../lib/outages/outage.ts'
import { logOutage } from '../../../lib/outages/outage-log.ts'
import { statusOf } from '../../failure-status.ts'

export type ErrorAnswer = { readonly status: number; readonly body: object; readonly headers: Record<string, string> }

export type ErrorContext = {
  readonly docsUrl: string
  readonly resource: string
  readonly requestId: string
  readonly log: Log
}

/** Anything but a Failure is a bug: logged with the request's id, and answered without its message. */
export function toErrorAnswer(thrown: unknown, { docsUrl, resource, requestId, log }: ErrorContext): ErrorAnswer {
  const error = explainOutage(thrown)
  if (!(error instanceof Failure)) {
    log.error({ err: error, requestId }, 'a forge request failed')
    return describe(
      500,
      `Server Error: try again, and tell its admin the request id ${requestId} if it happens again.`,
      docsUrl,
    )
  }
  if (error.kind === 'unavailable')
    logOutage(log, 'error', { err: thrown, requestId }, 'a forge request could not be served')
  const status = statusOf(error)
  const answer = describe(
    status,
    messageOf(error),
    documentationOf(error, docsUrl),
    describeFaults(error, resource, status),
  )
  const { retryAfterSeconds } = error.detail
  return retryAfterSeconds === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } }
}

function describe(status: number, message: string, documentation_url: string, more: object = {}): ErrorAnswer {
  return { status, body: { message, ...more, documentation_url, status: String(status) }, headers: {} }
}

/** Messages that clients of this API look for, instead of the module's own. */
const messageOf = ({ kind, code, message, detail }: Failure): string => {
  if (code === 'sign-in-needed') return 'Requires authentication'
  if (kind === 'not-found' && code !== 'gone') return 'Not Found'
  const isValidation = (kind === 'invalid' && detail.faults && code !== 'bad-request') || code === 'name-taken'
  return isValidation ? 'Validation Failed' : message
}

const documentationOf = ({ code }: Failure, docsUrl: string): string => {
  const page = docsUrl.replace(/#.*$/, '')
  if (code === 'secondary-limit') return `${page}#about-secondary-rate-limits`
  return code === 'primary-limit' ? `${page}#about-primary-rate-limits` : docsUrl
}

function describeFaults({ code, message, detail }: Failure, resource: string, status: number): object {
  // An unknown route is no secret, unlike a hidden object.
  if (code === 'no-route') return { reason: message }
  if (status !== 422) return {}
  const whole =
    code === 'name-taken' ? { field: 'login', code: 'already_exists' } : { field: '', code: 'unprocessable' }
  const faults = detail.faults ?? [{ ...whole, reason: message }]
  return {
    errors: faults.map(({ field, reason, code: word }) => ({
      resource,
      field,
      code: word ?? 'invalid',
      message: reason,
    })),
  }
}
