/** Handles a failed request: answers an error, or a redirect if the repository or issue has moved. */
import type { Actor } from '../../../accounts/actor.ts'
import { maySee, type Opening } from '../../../forge/access/opening.ts'
import { notFound } from '../../../forge/failures.ts'
import type { RateCaller } from '../../../forge/limits/callers.ts'
import type { Limits } from '../../../forge/limits/limits.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { Failure, type FailureDetail } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import { requireSignOn } from '../../identity/sign-on-headers.ts'
import type { RestAnswer } from '../rest-answer.ts'
import { toErrorAnswer } from './errors.ts'
import type { RequestContext } from './request-context.ts'

type Needs = {
  readonly opening: Opening
  readonly singleSignOn: SignOnServices
  readonly limits: Limits
  readonly log: Log
  readonly callerOf: (actor: Actor) => RateCaller
}

export function makeFailing({ opening, singleSignOn, limits, log, callerOf }: Needs) {
  /**
   * Charges a request that failed before it was charged. Returns the error to answer: the original, or the limit's
   * refusal.
   */
  async function chargeFailed(context: RequestContext, error: unknown): Promise<unknown> {
    const detail: FailureDetail = error instanceof Failure ? error.detail : {}
    if (detail.actor && !context.rateStatus) {
      context.actor = detail.actor
      context.caller = callerOf(detail.actor)
    }
    if (detail.rateStatus) context.rateStatus = detail.rateStatus
    if (context.rateStatus) return error
    try {
      context.admission = await limits.admit(context.caller, context.route.charge)
      context.rateStatus = context.admission.rateStatus
      return error
    } catch (refusal) {
      context.rateStatus = refusal instanceof Failure ? refusal.detail.rateStatus : undefined
      // A locked-out caller gets that error even if their budget is spent.
      return error instanceof Failure && error.code === 'locked-out' ? error : refusal
    }
  }

  return async (context: RequestContext, error: unknown): Promise<RestAnswer> => {
    let cause = await chargeFailed(context, error)
    if (cause instanceof Failure && cause.code === 'moved') return redirect(context, cause.detail.repositoryId!)
    if (cause instanceof Failure && cause.code === 'issue-moved') {
      const { repositoryId, number } = cause.detail.issuePlace!
      const place = await opening.find(context.actor, { id: repositoryId })
      if (place && maySee(context.actor, place)) return redirect(context, repositoryId, number)
      cause = notFound()
    }
    const { route, origin, request } = context
    const docsUrl = `${origin}/-/docs/forge#${route.id}`
    const refusal = toErrorAnswer(cause, { docsUrl, resource: route.resource, requestId: request.id, log })
    const path = await singleSignOn.makeAddress(context.actor, cause)
    if (path === undefined) return refusal
    return { ...refusal, headers: { ...refusal.headers, ...requireSignOn(origin + path) } }
  }
}

/**
 * A renamed repository is found under its id, and a transferred issue under its new number there. GET redirects by 301;
 * other methods by 307, which preserves the method.
 */
function redirect({ request, prefix, origin, route }: RequestContext, id: number, issueNumber?: number): RestAnswer {
  const path = request.url.slice(prefix.length).replace(/^\/(?:repos\/[^/?]+|repositories)\/[^/?]+/, '')
  const rest = issueNumber === undefined ? path : path.replace(/^\/(issues|pulls)\/\d+/, `/$1/${issueNumber}`)
  const location = `${origin}${prefix}/repositories/${id}${rest}`
  const status = route.method === 'GET' ? 301 : 307
  const documentation_url = `${origin}/-/docs/forge#${route.id}`
  const body = {
    message: status === 301 ? 'Moved Permanently' : 'Temporary Redirect',
    url: location,
    documentation_url,
  }
  return { status, body, headers: { location } }
}
