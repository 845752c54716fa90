/** One request on its way through the pipeline, and what a handler sees of it. Classes: one of each is made for every request. */
import type { FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import type { Forge } from '../../forge/forge.ts'
import type { RateCaller } from '../../forge/limits/callers.ts'
import type { Admission, Limits, Standing } from '../../forge/limits/limits.ts'
import { makeQuery, type Query, readPage } from './query.ts'
import { type Call, type Route, usualPage } from './route.ts'
import { type Version, versions } from './versions.ts'
import type { View } from './view.ts'

/** One request on its way; what is known so far is in it when something fails. */
export class Passage {
  readonly request: FastifyRequest
  readonly route: Route
  readonly prefix: string
  version: Version = versions[0]
  standing: Standing | undefined
  admission: Admission | undefined
  /** Its primary cost is decided by whether the answer is news. */
  isUncharged = false
  readonly #baseUrl: string | undefined
  readonly #callerOf: (actor: Actor) => RateCaller
  #actor: Actor | undefined
  #caller: RateCaller | undefined

  constructor(
    { baseUrl, callerOf }: { baseUrl: string | undefined; callerOf(actor: Actor): RateCaller },
    route: Route,
    prefix: string,
    request: FastifyRequest,
  ) {
    this.route = route
    this.prefix = prefix
    this.request = request
    this.#baseUrl = baseUrl
    this.#callerOf = callerOf
  }

  /** Nobody, until it is known better. */
  get actor(): Actor {
    this.#actor ??= anonymous(this.request.ip)
    return this.#actor
  }

  set actor(known: Actor) {
    this.#actor = known
  }

  /** Whose budget it is on: that of who it is known to come from by then. */
  get caller(): RateCaller {
    this.#caller ??= this.#callerOf(this.actor)
    return this.#caller
  }

  set caller(measured: RateCaller) {
    this.#caller = measured
  }

  get origin(): string {
    return this.#baseUrl ?? `${this.request.protocol}://${this.request.host}`
  }
}

export type CallNeeds = { readonly forge: Forge; readonly limits: Limits; readonly clock: Clock }

/** What a handler sees. Many look at neither query nor page: they are made when they are asked for. */
export class RequestCall implements Call {
  readonly forge: Forge
  readonly limits: Limits
  readonly actor: Actor
  readonly caller: RateCaller
  readonly target: unknown
  readonly body: unknown
  readonly #clock: Clock
  readonly #passage: Passage
  #view: View | undefined
  #query: Query | undefined

  constructor({ forge, limits, clock }: CallNeeds, passage: Passage, target: unknown, body: unknown) {
    this.forge = forge
    this.limits = limits
    this.actor = passage.actor
    this.caller = passage.caller
    this.target = target
    this.body = body
    this.#clock = clock
    this.#passage = passage
  }

  get view() {
    this.#view ??= makeView(this.#passage, this.#clock.now())
    return this.#view
  }

  get params() {
    return this.#passage.request.params as Record<string, string>
  }
  get address() {
    return this.#passage.origin + this.#passage.request.url
  }
  get accept() {
    return this.#passage.request.headers.accept ?? ''
  }
  get query() {
    this.#query ??= makeQuery(this.#passage.request.query as Record<string, string>)
    return this.#query
  }
  get page() {
    return readPage(this.query, this.#passage.route.pageSize ?? usualPage)
  }
}

function makeView({ origin, prefix, version, actor: { account } }: Passage, nowMs: number): View {
  return {
    origin,
    base: origin + prefix,
    version,
    isSignedIn: account !== undefined,
    viewerId: account?.id ?? 0,
    isSiteAdmin: account?.role === 'admin',
    nowMs,
  }
}
