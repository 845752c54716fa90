/** The one way through which every request goes: caller, version, limits, access, body, handler, representation, headers. */
// The global of that name is a getter, which was felt here.
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { type Awaitable, recover, whenKnown } from '../../base/awaitable.ts'
import type { Clock } from '../../base/clock.ts'
import { Failure } from '../../base/failure.ts'
import type { Log } from '../../base/log.ts'
import { invalidField, notFound } from '../../forge/faults.ts'
import type { Forge } from '../../forge/forge.ts'
import { makeCallers } from '../../forge/limits/callers.ts'
import type { Figures } from '../../forge/limits/figures.ts'
import type { Admission, Limits, Standing } from '../../forge/limits/limits.ts'
import type { Observe } from '../response.ts'
import type { Answer } from './answer.ts'
import type { Identify } from './authenticate.ts'
import { demandValid, parseBody, readBody } from './body.ts'
import { toErrorAnswer } from './errors.ts'
import { makeOrigins, Passage, RequestCall } from './passage.ts'
import type { Route } from './route.ts'
import { type Spelled, send } from './sending.ts'
import { spell } from './spelling.ts'
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
const noBody = {}
const nothing = { user: 0, system: 0 }

export type Pipeline = (
  route: Route,
  prefix: string,
) => (request: FastifyRequest, reply: FastifyReply) => Awaitable<void>

export function makePipeline(needs: PipelineNeeds): Pipeline {
  const { forge, limits, figures, identify, log, observe, baseUrl } = needs
  const surroundings = { originOf: makeOrigins(baseUrl), callerOf: makeCallers(figures) }
  let inFlight = 0
  let served = 0

  function admitted(passage: Passage, admission: Admission): void {
    passage.admission = admission
    passage.standing = admission.standing
  }

  function pass(passage: Passage): Awaitable<Answer> {
    return whenKnown(identify(passage.request), (actor) => {
      passage.actor = actor
      const { caller } = passage
      if (!caller.grows) return admit(passage)
      return limits.measure(caller).then((measured) => {
        passage.caller = measured
        return admit(passage)
      })
    })
  }

  function admit(passage: Passage): Awaitable<Answer> {
    const { request, route, actor, caller } = passage
    passage.version = chooseVersion(request.headers)
    const mayBeFree = route.method === 'GET' && actor.account !== undefined && isConditional(request)
    const charge = mayBeFree ? route.laterCharge : route.charge
    return whenKnown(limits.admit(caller, charge), (admission) => {
      admitted(passage, admission)
      passage.isUncharged = charge.primary === 'later'
      return open(passage)
    })
  }

  function open(passage: Passage): Awaitable<Answer> {
    const { request, route, actor } = passage
    demandNoNul(request.url)
    const target = route.open(forge, actor, request.params as Record<string, string>)
    return whenKnown(target, (opened) =>
      route.validation
        ? takeBody(passage).then((body) => handle(passage, opened, body))
        : handle(passage, opened, noBody),
    )
  }

  const handle = (passage: Passage, target: unknown, body: unknown): Awaitable<Answer> =>
    passage.route.handle(new RequestCall(needs, passage, target, body))

  async function takeBody({ request, route }: Passage): Promise<unknown> {
    const body = parseBody(await readBody(request.body as Readable | undefined, maxBodyBytes), route.takesArray)
    demandValid(route.validation!(), body)
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
          admitted(passage, await limits.admit(passage.caller, passage.route.charge))
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

  const answer = (passage: Passage): Awaitable<Spelled> =>
    recover(
      () => whenKnown(pass(passage), (found) => spell(passage, found, limits)),
      async (error) => spell(passage, await fail(passage, error), limits),
    )

  return (route, prefix) => {
    const name = prefix + route.path
    return (request, reply) => {
      const startedAt = performance.now()
      const isMeasured = ++served % measuredOneIn === 0
      const cpu = isMeasured ? process.threadCpuUsage() : undefined
      inFlight++
      const passage = new Passage(surroundings, route, prefix, request)
      const leave = () => {
        const { user, system } = cpu ? process.threadCpuUsage(cpu) : nothing
        // What ran meanwhile ran for all that were here: each bears its share.
        const micros = ((user + system) / inFlight) * measuredOneIn
        inFlight--
        // An answer that is still flowing is a request that is still here.
        const isOver = reply.raw.writableEnded || reply.raw.destroyed
        if (isOver) passage.admission?.leave(micros)
        else reply.raw.once('close', () => passage.admission?.leave(micros))
      }
      const finish = (spelled: Spelled) => {
        send(request, reply, spelled)
        observe(name, request.method, spelled.status, performance.now() - startedAt, request.id, request.url)
        leave()
      }
      return recover(
        () => whenKnown(answer(passage), finish),
        (error) => {
          leave()
          throw error
        },
      )
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
