/** The context of one request in the pipeline, and the part of it that a handler sees. */
import type { FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../../../accounts/actor.ts'
import { isSiteAdmin } from '../../../forge/access/required-grant.ts'
import type { RateCaller } from '../../../forge/limits/callers.ts'
import type { Admission, RateStatus } from '../../../forge/limits/limits.ts'
import type { Identify } from '../../identity/identify.ts'
import type { DoorServices } from '../doors.ts'
import { makeQuery, type Query, readPage } from '../query.ts'
import { type ForgeCall, type Route, usualPage } from '../route.ts'
import type { View } from '../view.ts'
import { type Version, versions } from './versions.ts'

export type RestRequest = FastifyRequest<{
  Params: Readonly<Record<string, string>>
  Querystring: Record<string, string | string[] | undefined>
}>

type Begun = {
  readonly route: Route
  readonly prefix: string
  readonly request: RestRequest
  /** The origin that the client used, scheme and host. */
  readonly origin: string
}

/** Collects what is known of a request so far, also if it fails half way. */
export class RequestContext {
  readonly request: RestRequest
  readonly route: Route
  readonly prefix: string
  readonly origin: string
  version: Version = versions[0]
  rateStatus: RateStatus | undefined
  admission: Admission | undefined
  /** Whether it is charged is decided by whether the response has changed. */
  isUncharged = false
  /** For a polled list: the modification time that the client has. */
  modifiedSince: number | undefined
  /** Processor time known to be its own, in microseconds. */
  cpuMicros = 0
  /** The anonymous actor until the credential is read. */
  actor: Actor
  /** The caller whose rate budget pays, as far as it is known. */
  caller: RateCaller

  constructor({ route, prefix, request, origin }: Begun, callerOf: (actor: Actor) => RateCaller) {
    this.route = route
    this.prefix = prefix
    this.request = request
    this.origin = origin
    this.actor = anonymous(request.ip)
    this.caller = callerOf(this.actor)
  }

  get accept(): string {
    return this.request.headers.accept ?? ''
  }
}

export type CallNeeds = {
  readonly doorServices: DoorServices
  readonly identify: Identify
  readonly ssh: View['ssh']
}

/** A handler's view of the request. Query and page are parsed on demand, because many handlers read neither. */
export class RouteCall implements ForgeCall {
  readonly actor: Actor
  readonly caller: RateCaller
  readonly target: unknown
  readonly body: unknown
  readonly #context: RequestContext
  readonly #needs: CallNeeds
  #view: View | undefined
  #query: Query | undefined

  constructor(needs: CallNeeds, context: RequestContext, target: unknown, body: unknown) {
    this.actor = context.actor
    this.caller = context.caller
    this.target = target
    this.body = body
    this.#context = context
    this.#needs = needs
  }

  get view() {
    this.#view ??= makeView(this.#context, this.#needs.ssh)
    return this.#view
  }

  get params() {
    return this.#context.request.params
  }
  get address() {
    return this.#context.origin + this.#context.request.url
  }
  get accept() {
    return this.#context.accept
  }
  header(name: string) {
    const value = this.#context.request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  get modifiedSince() {
    return this.#context.modifiedSince
  }
  async openAgain() {
    const { route, request } = this.#context
    const { doorServices, identify } = this.#needs
    return route.open(doorServices, await identify(request), this.params)
  }
  hasLeft() {
    return this.#context.request.raw.socket.destroyed
  }
  spend(cpuMicros: number) {
    this.#context.cpuMicros += cpuMicros
  }
  get query() {
    this.#query ??= makeQuery(this.#context.request.query)
    return this.#query
  }
  get page() {
    return readPage(this.query, this.#context.route.pageSize ?? usualPage)
  }
}

function makeView({ origin, prefix, version, actor }: RequestContext, ssh: View['ssh']): View {
  const { account } = actor
  return {
    origin,
    base: origin + prefix,
    version,
    isSignedIn: account !== undefined,
    viewerId: account?.id ?? 0,
    isSiteAdmin: isSiteAdmin(actor),
    ssh,
  }
}
