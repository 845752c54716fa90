/** The pipeline of every request: caller, version, limits, access, body, handler, representation, headers. */
import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { invalidField, notFound } from '../../../forge/failures.ts'
import { type FileLimits, mib } from '../../../forge/files/file-limits.ts'
import { type StoredFiles, tooLarge } from '../../../forge/files/stored-files.ts'
import type { SshPlace } from '../../../forge/keys/ssh-place.ts'
import { makeCallers } from '../../../forge/limits/callers.ts'
import type { Figures } from '../../../forge/limits/figures.ts'
import type { Limits } from '../../../forge/limits/limits.ts'
import type { SignOnServices } from '../../../forge/single-sign-on/sign-on-services.ts'
import { type Budgets, countedBytes, type Hold, payerOf } from '../../../http/byte-budget.ts'
import { onceClosed } from '../../../http/once-closed.ts'
import { payAsItComes, readBody, resumeRequest } from '../../../http/streamed-bodies.ts'
import type { Log } from '../../../lib/log.ts'
import { ignoreOutage } from '../../../lib/outages/outage.ts'
import { currentRequest } from '../../../lib/request-context.ts'
import type { Identify } from '../../identity/identify.ts'
import { originOf } from '../../identity/origin.ts'
import type { ParseJson } from '../../json/json-parsing.ts'
import { isLongJson } from '../../json/sliced-json.ts'
import type { DoorServices } from '../doors.ts'
import type { RestAnswer } from '../rest-answer.ts'
import type { Route } from '../route.ts'
import { AnswerRoom } from './answer-room.ts'
import { demandValid, parseBody } from './body.ts'
import { makeFailing } from './failing.ts'
import { makeKnownEtags } from './known-etags.ts'
import { readModifiedSince } from './polling.ts'
import { RequestContext, type RestRequest, RouteCall } from './request-context.ts'
import { send } from './send.ts'
import { type SerializedAnswer, serialize } from './serialize.ts'
import { chooseVersion } from './versions.ts'

export type PipelineNeeds = {
  readonly doorServices: DoorServices
  readonly files: StoredFiles
  readonly fileLimits: FileLimits
  readonly singleSignOn: SignOnServices
  readonly limits: Limits
  readonly figures: Figures
  readonly identify: Identify
  readonly log: Log
  readonly baseUrl: string | undefined
  readonly budgets: Budgets
  readonly parseJson: ParseJson
  readonly ssh: Readonly<SshPlace>
  /** The version of the stored data; see known-etags.ts. */
  readonly versionOf: () => number | undefined
}

/**
 * Measuring the processor time costs as much as a database read, so one request in so many is measured and stands for
 * the others.
 */
const measuredOneIn = 8
const noBody = {}
const nothing = { user: 0, system: 0 }

export type Serve = (request: RestRequest, reply: FastifyReply) => Promise<FastifyReply>
export type Pipeline = (route: Route, prefix: string) => Serve

export function makePipeline(needs: PipelineNeeds): Pipeline {
  const { doorServices, files, fileLimits, limits, figures, identify, log, baseUrl, budgets, parseJson } = needs
  const callerOf = makeCallers(figures)
  const etags = makeKnownEtags(needs.versionOf)
  const fail = makeFailing({ opening: doorServices.opening, singleSignOn: needs.singleSignOn, limits, log, callerOf })
  let inFlight = 0
  let served = 0

  async function answer(context: RequestContext): Promise<SerializedAnswer> {
    const version = etags.version()
    await identifyCaller(context)
    context.version = chooseVersion(context.request.headers)
    if (context.route.isPolled) context.modifiedSince = readModifiedSince(context.request.headers)
    const known = etags.find(context, version)
    // Limits and access are checked in parallel, since both read the database. A caller refused by the limits learns
    // nothing else.
    const opened = known ? undefined : open(context)
    opened?.catch(() => {})
    await admit(context)
    if (known) return serialize(context, known, limits)
    const serialized = await serialize(context, await read(context, await opened), limits)
    etags.keep(context, version, serialized.own)
    return serialized
  }

  async function open({ request, route, actor }: RequestContext): Promise<unknown> {
    demandNoNul(request.url)
    return route.open(doorServices, actor, request.params)
  }

  async function read(context: RequestContext, target: unknown): Promise<RestAnswer> {
    const { route } = context
    if (route.validation) return receiveBody(context)
    return route.fileMib ? receiveFile(context, route.fileMib) : handle(context, target, noBody)
  }

  async function identifyCaller(context: RequestContext): Promise<void> {
    context.actor = await identify(context.request)
    const caller = callerOf(context.actor)
    // The limit of the audit log counts per user and address.
    const isAudit = context.route.charge.resource === 'audit_log'
    const counted = isAudit ? { ...caller, address: context.actor.address } : caller
    context.caller = counted.grows ? await limits.measure(counted) : counted
  }

  /** Charges the request, or refuses it. */
  async function admit(context: RequestContext): Promise<void> {
    const { request, route, actor, caller } = context
    const mayBeFree = route.method === 'GET' && actor.account !== undefined && isConditional(request)
    const charge = mayBeFree ? route.laterCharge : route.charge
    context.admission = await limits.admit(caller, charge)
    context.rateStatus = context.admission.rateStatus
    context.isUncharged = charge.primary === 'later'
  }

  /**
   * A client can withhold the end of its body, and may lose its rights meanwhile. So access is checked twice: before
   * the body, to spare reading those that will be refused, and again once it has arrived.
   */
  async function receiveBody(context: RequestContext): Promise<RestAnswer> {
    // A body stays in memory until it is handled: all bodies together have a limit.
    const held = openHold(context)
    try {
      const body = await takeBody(context, held)
      return await handle(context, await openAgain(context), body)
    } finally {
      held.release()
    }
  }

  async function openAgain(context: RequestContext): Promise<unknown> {
    const { request, route } = context
    context.actor = await identify(request)
    return route.open(doorServices, context.actor, request.params)
  }

  const openHold = ({ actor, request }: RequestContext): Hold =>
    budgets.memory.hold(payerOf(actor), () => request.raw.destroy())

  /** The file is stored before access is checked again; it is deleted if the request fails. */
  async function receiveFile(context: RequestContext, mostMib: NonNullable<Route['fileMib']>): Promise<RestAnswer> {
    const { request } = context
    const maxBytes = mostMib(fileLimits) * mib
    const { 'content-length': length, 'content-type': type = 'application/octet-stream' } = request.headers
    if (Number(length) > maxBytes) throw tooLarge(maxBytes)
    const hold = budgets.files.hold(payerOf(context.actor), () => request.raw.destroy())
    try {
      const body = payAsItComes(request.body as Readable | undefined, hold)
      const file = await files.receive(body, readType(type), maxBytes)
      try {
        return await handle(context, await openAgain(context), file)
      } catch (error) {
        await files.discard(file).catch(ignoreOutage)
        throw error
      }
    } finally {
      hold.release()
    }
  }

  const handle = async (context: RequestContext, target: unknown, body: unknown): Promise<RestAnswer> =>
    context.route.handle(new RouteCall(needs, context, target, body))

  async function takeBody({ request, route, actor }: RequestContext, hold: Hold): Promise<unknown> {
    const bytes = await readBody(request.body as Readable | undefined, route.maxBodyBytes, hold)
    const parse = () => parseBody(bytes, route.takesArray, (json) => parseJson(actor, json))
    const body = route.takesText ? { text: bytes.toString('utf8') } : await parse()
    demandValid(route.validation!, body)
    return body
  }

  async function answerOrFail(context: RequestContext, room: AnswerRoom): Promise<SerializedAnswer> {
    try {
      return await answer(context)
    } catch (error) {
      room.release()
      return serialize(context, await fail(context, error), limits)
    }
  }

  async function sendAnswer(context: RequestContext, reply: FastifyReply): Promise<void> {
    const room = new AnswerRoom(() => openHold(context))
    const running = currentRequest()
    if (running) running.takeRoom = (bytes) => room.take(bytes)
    const serialized = await answerOrFail(context, room)
    const bytes = context.request.method === 'HEAD' ? 0 : countLong(serialized.payload)
    if (bytes === 0) {
      room.release()
      return send(reply, serialized)
    }
    try {
      return send(reply, serialized, await room.keep(bytes))
    } catch (error) {
      room.release()
      return send(reply, await serialize(context, await fail(context, error), limits))
    }
  }

  return (route, prefix) => async (request, reply) => {
    // The costs of GraphQL queries differ by a factor of a thousand, so each is measured.
    const standsFor = route.charge.resource === 'graphql' ? 1 : measuredOneIn
    const cpu = ++served % standsFor === 0 ? process.threadCpuUsage() : undefined
    const servedBefore = served - ++inFlight
    const context = new RequestContext({ route, prefix, request, origin: originOf(request, baseUrl) }, callerOf)
    try {
      await sendAnswer(context, reply)
    } finally {
      const { user, system } = cpu ? process.threadCpuUsage(cpu) : nothing
      // The thread's time is divided among all requests served meanwhile: a slow client must not pay for theirs.
      const shared = ((user + system) / (served - servedBefore)) * standsFor
      inFlight--
      // A request counts as concurrent until its response has been streamed.
      onceClosed(reply.raw, () => context.admission?.leave(Math.max(shared, context.cpuMicros)))
      // An unread body must not block the connection's next request.
      resumeRequest(request)
    }
    return reply
  }
}

/** The length of a payload that is long enough to count, else 0. */
function countLong(payload: SerializedAnswer['payload']): number {
  if (isLongJson(payload)) return payload.bytes
  const isLong = (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length > countedBytes
  return isLong ? Buffer.byteLength(payload) : 0
}

/** A malformed type is replaced by that of plain bytes. */
const readType = (header: string): string =>
  /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.exec(header.split(';', 1)[0]!.trim())?.[0] ?? 'application/octet-stream'

/** No name contains a NUL, and neither PostgreSQL nor a process accepts one. */
function demandNoNul(url: string): void {
  if (!url.includes('%00')) return
  const query = url.indexOf('?')
  if (query < 0 || url.indexOf('%00') < query) throw notFound()
  throw invalidField('query', 'invalid', 'A query must not hold a NUL character.')
}

const isConditional = ({ headers }: RestRequest): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
