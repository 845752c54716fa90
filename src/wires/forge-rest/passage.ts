/** One request on its way through the pipeline, and what a handler sees of it. Classes: one of each is made for every request. */
import type { FastifyRequest } from 'fastify'
import { type Actor, anonymous } from '../../accounts/actor.ts'
import type { Forge } from '../../forge/forge.ts'
import type { RateCaller } from '../../forge/limits/callers.ts'
import type { Admission, Limits, Standing } from '../../forge/limits/limits.ts'
import { makeQuery, type Query, readPage } from './query.ts'
import { type Call, type Route, usualPage } from './route.ts'
import { type Version, versions } from './versions.ts'
import type { View } from './view.ts'

export type Surroundings = {
  readonly originOf: (request: FastifyRequest) => string
  readonly callerOf: (actor: Actor) => RateCaller
}

/** Where we are asked. The same text is one string: what is kept for it is found without a look at its letters. */
export function makeOrigins(baseUrl: string | undefined): Surroundings['originOf'] {
  let last = { protocol: '', host: '', origin: '' }
  return ({ protocol, host }) => {
    if (baseUrl !== undefined) return baseUrl
    if (last.host !== host || last.protocol !== protocol) last = { protocol, host, origin: `${protocol}://${host}` }
    return last.origin
  }
}

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
  readonly #surroundings: Surroundings
  #actor: Actor | undefined
  #caller: RateCaller | undefined

  constructor(surroundings: Surroundings, route: Route, prefix: string, request: FastifyRequest) {
    this.route = route
    this.prefix = prefix
    this.request = request
    this.#surroundings = surroundings
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
    this.#caller ??= this.#surroundings.callerOf(this.actor)
    return this.#caller
  }

  set caller(measured: RateCaller) {
    this.#caller = measured
  }

  get origin(): string {
    return this.#surroundings.originOf(this.request)
  }
}

export type CallNeeds = { readonly forge: Forge; readonly limits: Limits }

/** What a handler sees. Many look at neither query nor page: they are made when they are asked for. */
export class RequestCall implements Call {
  readonly forge: Forge
  readonly limits: Limits
  readonly actor: Actor
  readonly caller: RateCaller
  readonly target: unknown
  readonly body: unknown
  readonly #passage: Passage
  #view: View | undefined
  #query: Query | undefined

  constructor({ forge, limits }: CallNeeds, passage: Passage, target: unknown, body: unknown) {
    this.forge = forge
    this.limits = limits
    this.actor = passage.actor
    this.caller = passage.caller
    this.target = target
    this.body = body
    this.#passage = passage
  }

  get view() {
    this.#view ??= makeView(this.#passage)
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

function makeView({ origin, prefix, version, actor: { account } }: Passage): View {
  return {
    origin,
    base: origin + prefix,
    version,
    isSignedIn: account !== undefined,
    viewerId: account?.id ?? 0,
    isSiteAdmin: account?.role === 'admin',
  }
}
