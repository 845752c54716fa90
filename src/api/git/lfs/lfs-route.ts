/** The steps of every Git LFS request: authentication, rate limits, and responses and errors in LFS's format. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../../accounts/actor.ts'
import { notFound } from '../../../forge/failures.ts'
import { makeCallers } from '../../../forge/limits/callers.ts'
import type { Figures } from '../../../forge/limits/figures.ts'
import type { Limits, RateStatus } from '../../../forge/limits/limits.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { type Budgets, type ByteBudget, type Hold, payerOf } from '../../../http/byte-budget.ts'
import { onceClosed } from '../../../http/once-closed.ts'
import { securityHeaders } from '../../../http/security-headers.ts'
import { resumeRequest } from '../../../http/streamed-bodies.ts'
import type { Clock } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Log } from '../../../lib/log.ts'
import { explainOutage } from '../../../lib/outages/outage.ts'
import { logOutage } from '../../../lib/outages/outage-log.ts'
import { statusOf } from '../../failure-status.ts'
import type { Identify } from '../../identity/identify.ts'
import { originOf } from '../../identity/origin.ts'
import { requireSignOn } from '../../identity/sign-on-headers.ts'
import type { ParseJson } from '../../json/json-parsing.ts'
import { presentLock } from './present-lock.ts'

export type LfsAddress = {
  Params: { owner: string; repo: string; oid: string; size: string; id: string }
  Querystring: Record<string, unknown>
}
export type LfsRequest = FastifyRequest<LfsAddress>

/** `body` is sent as JSON, `content` unchanged. */
export type LfsAnswer = {
  readonly status: number
  readonly body?: object
  readonly headers?: Readonly<Record<string, string | number>>
  readonly content?: Readable
}

type LfsBegun = { readonly request: LfsRequest; readonly origin: string }

/** `hold` and `holdFile` charge the body's memory or disk space until the response is sent. */
export type LfsCall = LfsBegun & {
  readonly hold: () => Hold
  readonly holdFile: () => Hold
  parseJson(bytes: Buffer): Promise<unknown>
}

type Needs = {
  singleSignOn: SignOnServices
  clock: Clock
  identify: Identify
  limits: Limits
  figures: Figures
  log: Log
  baseUrl: string | undefined
  gitIdleMs: number
  budgets: Budgets
  parseJson: ParseJson
}

export const mediaType = 'application/vnd.git-lfs+json'

export function makeLfsRoute(needs: Needs) {
  const { singleSignOn, clock, identify, limits, figures, log, baseUrl, gitIdleMs, budgets, parseJson } = needs
  const callerOf = makeCallers(figures)

  async function refuse({ request, origin }: LfsBegun, error: unknown, actor: Actor | undefined): Promise<LfsAnswer> {
    const outage = explainOutage(error)
    const failure = outage instanceof Failure ? outage : undefined
    const about = { err: error, requestId: request.id }
    if (!failure) log.error(about, 'an LFS request failed')
    else if (failure.kind === 'unavailable') logOutage(log, 'error', about, 'an LFS request could not be served')
    const status = failure ? (statuses[failure.code] ?? statusOf(failure)) : 500
    const { lfsLock, rateStatus } = failure?.detail ?? {}
    const said = failure?.message ?? 'Server Error'
    const path = actor && (await singleSignOn.makeAddress(actor, failure))
    const address = path && origin + path
    const retryAfter = failure?.detail.retryAfterSeconds ?? (status === 429 && waitFor(rateStatus))
    return {
      status,
      body: {
        ...(lfsLock && { lock: presentLock(lfsLock) }),
        message: address ? `${said} Authorize the token within an hour at ${address}` : said,
        documentation_url: `${origin}/-/docs/forge`,
        request_id: request.id,
      },
      headers: {
        ...(status === 401 && { 'lfs-authenticate': challenge, 'www-authenticate': challenge }),
        ...(retryAfter && { 'retry-after': retryAfter }),
        ...(address && requireSignOn(address)),
      },
    }
  }

  /** Every request costs one, whether it succeeds or fails. */
  async function carryOut(
    begun: LfsBegun,
    { raw }: FastifyReply,
    act: (call: LfsCall) => Promise<LfsAnswer>,
  ): Promise<[LfsAnswer, RateStatus | undefined]> {
    const { request } = begun
    let rateStatus: RateStatus | undefined
    let actor: Actor | undefined
    try {
      const known = await identify(request)
      actor = known
      rateStatus = await limits.chargePrimary(callerOf(known), 'lfs')
      // No name contains a NUL, and PostgreSQL accepts none.
      if (request.url.includes('%00')) throw notFound()
      const holdOf = (of: ByteBudget) => () => {
        const held = of.hold(payerOf(known), () => raw.destroy())
        onceClosed(raw, held.release)
        return held
      }
      const holds = { hold: holdOf(budgets.memory), holdFile: holdOf(budgets.files) }
      return [await act({ ...begun, ...holds, parseJson: (bytes) => parseJson(known, bytes) }), rateStatus]
    } catch (error) {
      const told = error instanceof Failure ? error.detail.rateStatus : undefined
      return [await refuse(begun, error, actor), told ?? rateStatus]
    }
  }

  const waitFor = (rateStatus: RateStatus | undefined): number | undefined =>
    rateStatus && Math.max(1, Math.ceil((rateStatus.resetAt - clock.now()) / 1000))

  return (act: (call: LfsCall) => Promise<LfsAnswer>) =>
    async (request: LfsRequest, reply: FastifyReply): Promise<FastifyReply> => {
      // A client that neither sends nor reads must not keep a file open.
      reply.raw.setTimeout(gitIdleMs, () => reply.raw.destroy())
      const [answer, rateStatus] = await carryOut({ request, origin: originOf(request, baseUrl) }, reply, act)
      const { status, body, headers, content } = answer
      reply.code(status).headers({
        ...securityHeaders,
        'x-request-id': request.id,
        'cache-control': 'no-cache, max-age=0, must-revalidate',
        ...(rateStatus && rateHeaders(rateStatus)),
        ...(body && { 'content-type': mediaType }),
        ...headers,
      })
      reply.send(content ?? (body && Buffer.from(JSON.stringify(body))))
      resumeRequest(request)
      return reply
    }
}

/** Codes with a status of LFS's own. Clients wait and retry after 429, and give up after 507. */
const statuses: Readonly<Record<string, number>> = {
  'primary-limit': 429,
  'secondary-limit': 429,
  quota: 507,
  'not-acceptable': 406,
}

const challenge = 'Basic realm="Guildhall", charset="UTF-8"'

const rateHeaders = ({ limit, remaining, used, resource, resetAt }: RateStatus) => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-used': used,
  'x-ratelimit-resource': resource,
  'x-ratelimit-reset': Math.ceil(resetAt / 1000),
})
