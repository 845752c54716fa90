/** The one way through which every request goes: caller, version, limits, access, body, handler, representation, headers. */
// The global of that name is a getter, which was felt here.
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { invalidField, notFound } from '../../forge/faults.ts'
import type { Forge } from '../../forge/forge.ts'
import { makeCallers, type RateCaller } from '../../forge/limits/callers.ts'
import type { Figures } from '../../forge/limits/figures.ts'
import type { Admission, Limits, Standing } from '../../forge/limits/limits.ts'
import type { Observe } from '../response.ts'
import { type Answer, makeEtag, spellBody } from './answer.ts'
import type { Identify } from './authenticate.ts'
import { demandValid, parseBody, readBody } from './body.ts'
import { toErrorAnswer } from './errors.ts'
import { addTokenHeaders, makeHeaders } from './headers.ts'
import { Passage, RequestCall } from './passage.ts'
import { linkHeader, makeQuery, readPage } from './query.ts'
import type { Route } from './route.ts'
import { isUnchanged as isSame, type Spelled, send } from './sending.ts'
import { chooseVersion } from './versions.ts'

export type PipelineNeeds = {
  readonly forge: Forge
  readonly limits: Limits
  readonly figures: Figures
  readonly identify: Identify
  readonly clock: Clock
  readonly log: Log
  readonly observe: Observe
  readonly baseUrl: string | undefined
}

const maxBodyBytes = 1024 * 1024
/** Asking the system for the processor time costs as much as a look-up: one in so many stands for the others. */
const measuredOneIn = 8
const nothing = { user: 0, system: 0 }

export type Pipeline = (
  route: Route,
  prefix: string,
) => (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function makePipeline(needs: PipelineNeeds): Pipeline {
  const { forge, limits, figures, identify, log, observe, baseUrl } = needs
  const callerOf = makeCallers(figures)
  let inFlight = 0
  let served = 0

  function callerFor(passage: Passage): RateCaller {
    passage.caller ??= callerOf(passage.actor)
    return passage.caller
  }

  function admitted(passage: Passage, admission: Admission): void {
    passage.admission = admission
    passage.standing = admission.standing
  }

  async function pass(passage: Passage): Promise<Answer> {
    const { request, route } = passage
    passage.actor = await identify(request)
    const caller = callerFor(passage)
    if (caller.grows) passage.caller = await limits.measure(caller)
    passage.version = chooseVersion(request.headers)
    const isRead = route.method === 'GET'
    const mayBeFree = isRead && passage.actor.account !== undefined && isConditional(request)
    const charge = mayBeFree ? route.laterCharge : route.charge
    admitted(passage, await limits.admit(callerFor(passage), charge))
    passage.isUncharged = charge.primary === 'later'
    demandNoNul(request.url)
    const { need } = route
    const target = await route.door.open(forge, passage.actor, request.params as Record<string, string>, need)
    const body = route.validate ? await takeBody(passage) : {}
    return route.handle(new RequestCall(needs, passage, callerFor(passage), target, body))
  }

  async function takeBody({ request, route }: Passage): Promise<unknown> {
    const body = parseBody(await readBody(request.body as Readable | undefined, maxBodyBytes), route.takesArray)
    demandValid(route.validate!, body)
    return body
  }

  /** A wrong credential is on the account of the address it came from. */
  async function fail(passage: Passage, error: unknown): Promise<Answer> {
    let cause = error
    const detail = error instanceof Failure ? error.detail : {}
    if (!passage.standing) {
      if (detail.actor) passage.actor = detail.actor as Actor
      if (detail.standing) passage.standing = detail.standing as Standing
      else {
        try {
          admitted(passage, await limits.admit(callerFor(passage), passage.route.charge))
        } catch (refusal) {
          cause = refusal
          passage.standing = refusal instanceof Failure ? (refusal.detail.standing as Standing | undefined) : undefined
        }
      }
    } else if (detail.standing) passage.standing = detail.standing as Standing
    if (cause instanceof Failure && cause.code === 'moved') return redirect(passage, Number(cause.detail.repositoryId))
    const { route, origin, request } = passage
    const docsUrl = `${origin}/-/docs/hosting#${route.id}`
    return toErrorAnswer(cause, { docsUrl, resource: route.resource, requestId: request.id, log })
  }

  async function spell(passage: Passage, answer: Answer): Promise<Spelled> {
    const { request, route, actor } = passage
    const isRead = route.method === 'GET' && answer.status === 200
    const spelled = answer.spelled ?? (isRead && answer.body !== undefined ? spellBody(answer.body) : undefined)
    const text = spelled?.text ?? (answer.body === undefined ? '' : JSON.stringify(answer.body))
    const bytes = answer.raw?.bytes
    const etag = spelled?.etag ?? (isRead && Buffer.isBuffer(bytes) ? makeEtag(bytes) : undefined)
    const isUnchanged = etag !== undefined && isSame(request.headers['if-none-match'], etag)
    if (passage.isUncharged && !isUnchanged) {
      passage.isUncharged = false
      passage.standing = await limits.chargePrimary(callerFor(passage), route.charge.resource)
    }
    const standing = passage.standing ?? (await limits.peek(callerFor(passage), route.charge.resource))
    const headers = makeHeaders(request.id, passage.version, standing)
    addTokenHeaders(headers, actor, route)
    for (const name in answer.headers) headers.push(name, answer.headers[name]!)
    if (etag) headers.push('etag', etag)
    if (answer.total !== undefined) {
      const query = makeQuery(request.query as Record<string, string>)
      const link = linkHeader(passage.origin + request.url, answer.total, readPage(query, route.pageSize!))
      if (link) headers.push('link', link)
    }
    if (isUnchanged) return { status: 304, headers, bytes: '' }
    if (answer.raw) headers.push('content-type', answer.raw.type)
    else if (text) headers.push('content-type', 'application/json; charset=utf-8')
    return { status: answer.status, headers, bytes: answer.raw?.bytes ?? text, length: spelled?.bytes }
  }

  async function answer(passage: Passage): Promise<Spelled> {
    try {
      return await spell(passage, await pass(passage))
    } catch (error) {
      return spell(passage, await fail(passage, error))
    }
  }

  return (route, prefix) => {
    const name = prefix + route.path
    return async (request, reply) => {
      const startedAt = performance.now()
      const isMeasured = ++served % measuredOneIn === 0
      const cpu = isMeasured ? process.threadCpuUsage() : undefined
      inFlight++
      const passage = new Passage(route, prefix, request, reply, baseUrl)
      try {
        const spelled = await answer(passage)
        send(request, reply, spelled)
        observe(name, request.method, spelled.status, performance.now() - startedAt, request.id, request.url)
        return reply
      } finally {
        const { user, system } = cpu ? process.threadCpuUsage(cpu) : nothing
        // What ran meanwhile ran for all that were here: each bears its share.
        passage.admission?.leave(((user + system) / inFlight) * measuredOneIn)
        inFlight--
      }
    }
  }
}

/** A NUL is in no name, and neither PostgreSQL nor a process takes one. */
function demandNoNul(url: string): void {
  if (!url.includes('%00')) return
  const query = url.indexOf('?')
  if (query < 0 || url.indexOf('%00') < query) throw notFound()
  throw invalidField('query', 'invalid', 'A query must not hold a NUL character.')
}

const isConditional = ({ headers }: FastifyRequest): boolean =>
  headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined

/** A renamed repository is reached by its id: GET by 301, other methods by 307, which keeps them. */
function redirect({ request, prefix, origin, route }: Passage, id: number): Answer {
  const rest = request.url.slice(prefix.length).replace(/^\/repos\/[^/?]+\/[^/?]+/, '')
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
