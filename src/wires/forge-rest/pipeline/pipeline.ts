/** The pipeline that every request of this wire takes: caller, version, limits, access, body, handler, representation, headers. */
import type { ServerResponse } from 'node:http'
// `globalThis.performance` is a getter; the import is measurably faster.
import { performance } from 'node:perf_hooks'
import type { Actor } from '../../../accounts/actor.ts'
import { type Awaitable, recover, whenKnown } from '../../../base/awaitable.ts'
import type { Clock } from '../../../base/clock.ts'
import { Failure, type FailureDetail } from '../../../base/failure.ts'
import type { Log } from '../../../base/log.ts'
import type { ObserveRead } from '../../../base/observed.ts'
import { ignoreOutage } from '../../../base/outage.ts'
import { maySee } from '../../../forge/access/opening.ts'
import { invalidField, notFound } from '../../../forge/failures.ts'
import { mib } from '../../../forge/files/file-limits.ts'
import { tooLarge } from '../../../forge/files/stored-files.ts'
import type { Forge } from '../../../forge/forge.ts'
import { makeCallers } from '../../../forge/limits/callers.ts'
import type { Figures } from '../../../forge/limits/figures.ts'
import type { Admission, Limits } from '../../../forge/limits/limits.ts'
import { type Budgets, countedBytes, type Hold, payerOf } from '../../byte-budget.ts'
import type { HttpRequest } from '../../http-request.ts'
import type { Identify } from '../../identify.ts'
import type { ParseJson } from '../../json-parsing.ts'
import type { Observe } from '../../response.ts'
import { requireSignOn } from '../../sign-on-headers.ts'
import { payAsItComes, readBody } from '../../streamed-bodies.ts'
import type { Answer } from '../answer.ts'
import type { AnswerGraphql, Route } from '../route.ts'
import { demandValid, parseBody } from './body.ts'
import { toErrorAnswer } from './errors.ts'
import { readModifiedSince } from './polling.ts'
import { makeRepresentationCache } from './representation-cache.ts'
import { makeOrigins, RequestContext, RouteCall } from './request-context.ts'
import { type SerializedAnswer, send } from './send.ts'
import { serialize } from './serialize.ts'
import { chooseVersion } from './versions.ts'

export type PipelineNeeds = {
  readonly forge: Forge
  readonly limits: Limits
  readonly figures: Figures
  readonly identify: Identify
  readonly catchUp: () => Awaitable<void>
  readonly clock: Clock
  readonly log: Log
  readonly observe: Observe
  readonly baseUrl: string | undefined
  readonly observeRead: ObserveRead
  /** GraphQL is a wire of its own, which this one gives its callers, limits and headers. */
  readonly answerGraphql: AnswerGraphql
  readonly budgets: Budgets
  readonly parseJson: ParseJson
}

/** Asking the system for the processor time costs as much as a look-up, so one request in so many is measured and stands for the others. */
const measuredOneIn = 8
const noBody = {}
const nothing = { user: 0, system: 0 }

export type Pipeline = (
  route: Route,
  prefix: string,
) => (request: HttpRequest, response: ServerResponse) => Awaitable<void>

export function makePipeline(needs: PipelineNeeds): Pipeline {
  const { forge, limits, figures, identify, catchUp, log, observe, baseUrl, budgets, parseJson } = needs
  const findRepresentation = makeRepresentationCache(needs.observeRead, needs.clock)
  const callerOf = makeCallers(figures)
  const contextNeeds = { originOf: makeOrigins(baseUrl), callerOf }
  let inFlight = 0
  let served = 0

  function admitted(context: RequestContext, admission: Admission): void {
    context.admission = admission
    context.rateStatus = admission.rateStatus
  }

  function pass(context: RequestContext): Awaitable<Answer> {
    return whenKnown(
      whenKnown(catchUp(), () => identify(context.request)),
      (actor) => {
        beginAs(context, actor)
        const { caller } = context
        if (!caller.grows) return admit(context)
        return limits.measure(caller).then((measured) => {
          context.caller = measured
          return admit(context)
        })
      },
    )
  }

  function beginAs(context: RequestContext, actor: Actor): void {
    context.actor = actor
    const caller = callerOf(actor)
    // The audit log is counted by user and address.
    context.caller = context.route.charge.resource === 'audit_log' ? { ...caller, address: actor.address } : caller
  }

  function admit(context: RequestContext): Awaitable<Answer> {
    return whenKnown(enter(context), () => findRepresentation(context, () => open(context)))
  }

  /** Counts the request, or refuses it. */
  function enter(context: RequestContext): Awaitable<undefined> {
    const { request, route, actor, caller } = context
    context.version = chooseVersion(request.headers)
    const mayBeFree = route.method === 'GET' && actor.account !== undefined && isConditional(request)
    const charge = mayBeFree ? route.laterCharge : route.charge
    return whenKnown(limits.admit(caller, charge), (admission) => {
      admitted(context, admission)
      context.isUncharged = charge.primary === 'later'
      if (route.isPolled) context.modifiedSince = readModifiedSince(request.headers)
      return undefined
    })
  }

  function open(context: RequestContext): Awaitable<Answer> {
    const { request, route, actor } = context
    demandNoNul(request.url)
    const target = route.open(forge, actor, request.params)
    return whenKnown(target, (opened) => {
      if (route.validation) return openAgain(context)
      return route.fileMib ? receiveFile(context, route.fileMib) : handle(context, opened, noBody)
    })
  }

  /**
   * A client can hold back the end of its body for as long as it likes, and may have lost its rights meanwhile: what was
   * decided before spares reading the bodies of those who may not, and is decided again once the body is there.
   */
  async function openAgain(context: RequestContext): Promise<Answer> {
    const { request, route } = context
    // A body is in memory until it is dealt with: all of them together take only so much.
    const held = openHold(context)
    try {
      const body = await takeBody(context, held)
      context.actor = await identify(request)
      const target = await route.open(forge, context.actor, request.params)
      return await handle(context, target, body)
    } finally {
      held.release()
    }
  }

  const openHold = ({ actor, request }: RequestContext): Hold =>
    budgets.memory.hold(payerOf(actor), () => request.raw.destroy())

  /** Stored before the rights are decided on again: what comes to nothing is deleted. */
  async function receiveFile(context: RequestContext, mostMib: NonNullable<Route['fileMib']>): Promise<Answer> {
    const { request, route } = context
    const maxBytes = mostMib(forge.fileLimits) * mib
    const { 'content-length': length, 'content-type': type = 'application/octet-stream' } = request.headers
    if (Number(length) > maxBytes) throw tooLarge(maxBytes)
    const hold = budgets.files.hold(payerOf(context.actor), () => request.raw.destroy())
    try {
      const body = payAsItComes(request.body, hold)
      const file = await forge.files.receive(body, readType(type), maxBytes)
      try {
        context.actor = await identify(request)
        const target = await route.open(forge, context.actor, request.params)
        return await handle(context, target, file)
      } catch (error) {
        await forge.files.discard(file).catch(ignoreOutage)
        throw error
      }
    } finally {
      hold.release()
    }
  }

  const handle = (context: RequestContext, target: unknown, body: unknown): Awaitable<Answer> =>
    context.route.handle(new RouteCall(needs, context, target, body))

  async function takeBody({ request, route, actor }: RequestContext, hold: Hold): Promise<unknown> {
    const bytes = await readBody(request.body, route.maxBodyBytes, hold)
    const parse = () => parseBody(bytes, route.takesArray, (json) => parseJson(actor, json))
    const body = route.takesText ? { text: bytes.toString('utf8') } : await parse()
    demandValid(route.validation!, body)
    return body
  }

  /** A request with a wrong credential is charged to the address it came from. */
  async function fail(context: RequestContext, error: unknown): Promise<Answer> {
    let cause = error
    const detail: FailureDetail = error instanceof Failure ? error.detail : {}
    if (!context.rateStatus) {
      if (detail.actor) context.actor = detail.actor
      if (detail.rateStatus) context.rateStatus = detail.rateStatus
      else {
        try {
          admitted(context, await limits.admit(context.caller, context.route.charge))
        } catch (refusal) {
          // Who is locked out is told so, whatever is left of their budget.
          if (!(error instanceof Failure) || error.code !== 'locked-out') cause = refusal
          context.rateStatus = refusal instanceof Failure ? refusal.detail.rateStatus : undefined
        }
      }
    } else if (detail.rateStatus) context.rateStatus = detail.rateStatus
    if (cause instanceof Failure && cause.code === 'moved') return redirect(context, cause.detail.repositoryId!)
    if (cause instanceof Failure && cause.code === 'issue-moved') {
      const { repositoryId, number } = cause.detail.issuePlace!
      const place = await forge.opening.find(context.actor, { id: repositoryId })
      if (place && maySee(context.actor, place)) return redirect(context, repositoryId, number)
      cause = notFound()
    }
    const { route, origin, request } = context
    const docsUrl = `${origin}/-/docs/hosting#${route.id}`
    const refusal = toErrorAnswer(cause, { docsUrl, resource: route.resource, requestId: request.id, log })
    const path = await forge.singleSignOn.makeAddress(context.actor, cause)
    if (path === undefined) return refusal
    return { ...refusal, headers: { ...refusal.headers, ...requireSignOn(origin + path) } }
  }

  const answer = (context: RequestContext): Awaitable<SerializedAnswer> =>
    recover(
      () => whenKnown(pass(context), (found) => serialize(context, found, limits)),
      async (error) => serialize(context, await fail(context, error), limits),
    )

  return (route, prefix) => {
    const name = prefix + route.path
    return (request, response) => {
      const startedAt = performance.now()
      // What one query takes differs by a thousand times from what another does: none of them stands for others.
      const standsFor = route.charge.resource === 'graphql' ? 1 : measuredOneIn
      const isMeasured = ++served % standsFor === 0
      const cpu = isMeasured ? process.threadCpuUsage() : undefined
      const servedBefore = served - ++inFlight
      const context = new RequestContext(contextNeeds, route, prefix, request)
      const leave = () => {
        const { user, system } = cpu ? process.threadCpuUsage(cpu) : nothing
        // The thread's time is shared by all who were here meanwhile: a slow client must not pay for what passed it by.
        const shared = ((user + system) / (served - servedBefore)) * standsFor
        const micros = Math.max(shared, context.cpuMicros)
        inFlight--
        // A request whose answer is still streaming counts among the requests at once.
        const isOver = response.writableEnded || response.destroyed
        if (isOver) context.admission?.leave(micros)
        else response.once('close', () => context.admission?.leave(micros))
      }
      const finish = (serialized: SerializedAnswer, hold?: Hold): Awaitable<void> => {
        const { bytes } = serialized
        const isLong = (typeof bytes === 'string' || Buffer.isBuffer(bytes)) && bytes.length > countedBytes
        if (isLong && !hold && request.method !== 'HEAD') return finishLong(serialized, bytes)
        send(request, response, serialized, hold)
        observe(name, request.method, serialized.status, performance.now() - startedAt, request.id, request.url)
        leave()
      }
      const finishLong = (serialized: SerializedAnswer, content: string | Buffer): Awaitable<void> => {
        const hold = openHold(context)
        const answered = recover(
          () => whenKnown(hold.take(Buffer.byteLength(content)), () => serialized),
          async (error) => serialize(context, await fail(context, error), limits),
        )
        return whenKnown(answered, (known) => finish(known, hold))
      }
      return recover(
        () => whenKnown(answer(context), (serialized) => finish(serialized)),
        (error) => {
          leave()
          throw error
        },
      )
    }
  }
}

/** What is no type of anything counts as bytes. */
const readType = (header: string): string =>
  /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.exec(header.split(';', 1)[0]!.trim())?.[0] ?? 'application/octet-stream'

/** A NUL is in no name, and neither PostgreSQL nor a process takes one. */
function demandNoNul(url: string): void {
  if (!url.includes('%00')) return
  const query = url.indexOf('?')
  if (query < 0 || url.indexOf('%00') < query) throw notFound()
  throw invalidField('query', 'invalid', 'A query must not hold a NUL character.')
}

const isConditional = ({ headers }: HttpRequest): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined

/**
 * A renamed repository is reached by its id, and a transferred issue by its new number there: GET by 301, other methods by
 * 307, which keeps them.
 */
function redirect({ request, prefix, origin, route }: RequestContext, id: number, issueNumber?: number): Answer {
  const path = request.url.slice(prefix.length).replace(/^\/(?:repos\/[^/?]+|repositories)\/[^/?]+/, '')
  const rest = issueNumber === undefined ? path : path.replace(/^\/(issues|pulls)\/\d+/, `/$1/${issueNumber}`)
  const location = `${origin}${prefix}/repositories/${id}${rest}`
  const status = route.method === 'GET' ? 301 : 307
  const documentation_url = `${origin}/-/docs/hosting#${route.id}`
  const body = {
    message: status === 301 ? 'Moved Permanently' : 'Temporary Redirect',
    url: location,
    documentation_url,
  }
  return { status, body, headers: { location } }
}
