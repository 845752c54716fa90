/** The ICPC's Contest API, version 2026-01, at `/api` and below `/api/contests`. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../../accounts/sign-in/sessions.ts'
import type { ByteBudget } from '../../http/byte-budget.ts'
import { addCommonHeaders } from '../../http/security-headers.ts'
import { takeBodiesAsStreams } from '../../http/streamed-bodies.ts'
import type { Judge } from '../../judge/judge.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure, type FailureKind } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { explainOutage } from '../../lib/outages/outage.ts'
import { logOutage } from '../../lib/outages/outage-log.ts'
import type { Identify } from '../identity/identify.ts'
import type { ParseJson } from '../json/json-parsing.ts'
import { makeFeeds } from './feed.ts'
import { makeContestObjects } from './objects.ts'
import { makeReadingRoutes } from './reading-routes.ts'
import { makeSigningIn } from './signing-in.ts'
import { makeWritingRoutes } from './writing-routes.ts'

export type ContestApiNeeds = {
  readonly judge: Judge
  readonly sessions: Sessions
  readonly identify: Identify
  readonly identifyByBasic: Identify
  listLanguages(): Promise<readonly { readonly value: string; readonly name: string }[]>
  readonly clock: Clock
  readonly log: Log
  readonly budget: ByteBudget
  readonly parseJson: ParseJson
  /** The same on all servers. */
  readFeedSecret(): Promise<string>
}

const statuses: Record<FailureKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  precondition: 403,
  limited: 429,
  'switched-off': 403,
  unavailable: 503,
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Location, Retry-After',
  'cross-origin-resource-policy': 'cross-origin',
}
const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, OPTIONS',
  'access-control-allow-headers': 'Authorization, *',
  'access-control-max-age': '86400',
}

const notFound = () => new Failure('not-found', 'unknown-path', 'This address does not exist.')

export async function contestApi(server: FastifyInstance, needs: ContestApiNeeds): Promise<void> {
  addCommonHeaders(server)
  const { judge, log, clock, readFeedSecret } = needs
  const objects = makeContestObjects({
    reading: judge.contestReading,
    services: judge,
    listLanguages: needs.listLanguages,
    limits: judge.limits,
  })
  const feeds = makeFeeds({ reading: judge.contestReading, objects })
  const identify = makeSigningIn(needs)
  const ending = new AbortController()
  const read = makeReadingRoutes({ judge, clock, objects, feeds, identify, readFeedSecret, ending: ending.signal })
  const write = makeWritingRoutes({ judge, clock, objects, budget: needs.budget, parseJson: needs.parseJson })
  server.addHook('preClose', async () => {
    ending.abort()
    feeds.close()
  })

  takeBodiesAsStreams(server, (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(corsHeaders)
    if (request.body !== undefined && request.body !== null) reply.header('connection', 'close')
    const failure = explainOutage(error)
    const about = { err: error, requestId: request.id }
    if (!(failure instanceof Failure)) {
      log.error(about, 'a request to the Contest API could not be served')
      return reply
        .code(500)
        .send({ code: 500, message: 'Something went wrong on the server; its log has the details.' })
    }
    if (failure.kind === 'unavailable') logOutage(log, 'error', about, 'the Contest API could not be served')
    const { retryAfterSeconds } = failure.detail
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
    const code = failure.code === 'too-large' ? 413 : failure.code === 'method' ? 405 : statuses[failure.kind]
    if (code === 401) reply.header('www-authenticate', 'Basic realm="Contest API"')
    return reply.code(code).send({ code, message: failure.message })
  })

  async function serve(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.headers({ ...corsHeaders, 'cache-control': 'no-store' })
    if (request.method === 'OPTIONS') return reply.code(204).headers(preflightHeaders).send()
    const path = request.url.split('?', 1)[0]!.replace(/^\/api/, '')
    const steps = path
      .split('/')
      .filter((step) => step !== '')
      .map(decode)
    const actor = await identify(request)
    if (request.method === 'GET' || request.method === 'HEAD') {
      const body = await read({ request, reply, actor, steps })
      if (body === undefined) throw notFound()
      return reply.send(body)
    }
    return write({ request, reply, actor, steps })
  }

  for (const path of ['/api', '/api/', '/api/contests', '/api/contests/*'])
    server.all(path, { config: { name: '/api/contests' } }, serve)
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
