/** The forge's wire. It owns every path that no other wire does, so the answer to an unknown one is its own. */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { Failure } from '../../base/failure.ts'
import type { Forge } from '../../forge/forge.ts'
import { originOf } from '../origin.ts'
import { isForPeople, noRoute, securityHeaders } from '../response.ts'
import { takeBodiesAsStreams } from '../streamed-bodies.ts'
import { anyone } from './doors.ts'
import { toErrorAnswer } from './pipeline/errors.ts'
import { preflightHeaders } from './pipeline/headers.ts'
import { makePipeline, type Pipeline, type PipelineNeeds } from './pipeline/pipeline.ts'
import { type Route, route } from './route.ts'
import { makeRouter, type Router } from './router.ts'
import { routes } from './routes.ts'
import { makeComposer } from './webhooks/payloads.ts'

export type ForgeRest = PipelineNeeds & {
  /** What hooks of the site are told of a finished submission. */
  readonly presentSubmission: (viewer: Actor, id: number) => Promise<object>
}

const prefixes = ['', '/api/v3']
export async function forgeRest(server: FastifyInstance, needs: ForgeRest): Promise<void> {
  const pipeline = makePipeline(needs)
  needs.forge.webhooks.useComposer(makeComposer(needs.forge, needs.baseUrl, needs.presentSubmission))

  // The pipeline answers every failure it can; this is for when not even that can be done.
  takeBodiesAsStreams(server, (error, request, reply) => {
    const docsUrl = `${originOf(request, needs.baseUrl)}/-/docs/hosting#errors`
    const { status, body } = toErrorAnswer(error, {
      docsUrl,
      resource: 'Request',
      requestId: request.id,
      log: needs.log,
    })
    return reply.code(status).headers(securityHeaders).send(body)
  })
  const router = makeRouter<Handler>()
  const unknown = (request: FastifyRequest, reply: FastifyReply) => {
    const prefix = prefixes.findLast((each) => each !== '' && request.url.startsWith(`${each}/`)) ?? ''
    return pipeline(unknownRoute, prefix)(request, reply)
  }
  for (const prefix of prefixes) {
    for (const each of routes) addRoute(router, pipeline, each, prefix)
    for (const path of ['', '/*']) server.options(prefix + path || '/', pipeline(preflightRoute, prefix))
  }
  addPages(router, needs.forge, unknown)
  const serve: RouteHandlerMethod = (request, reply) => {
    const found = router.find(request.method === 'HEAD' ? 'GET' : request.method, request.url)
    if (!found) return unknown(request, reply)
    request.params = found.params
    return found.handler(request, reply)
  }
  server.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], url: '/*', handler: serve })
  // The page owns the rest of what lies there.
  for (const { method, path } of routes.filter((each) => each.path.startsWith('/-/')))
    server.route({ method, url: path, handler: serve })
  server.setNotFoundHandler(unknown)
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

function addRoute(router: Router<Handler>, pipeline: Pipeline, each: Route, prefix: string): void {
  const add = (path: string, handler: Handler) => router.add(each.method, path, handler)
  const serve = pipeline(each, prefix)
  if (each.path === '/') {
    const orRedirect: Handler = (request, reply) =>
      isForPeople(request) ? reply.headers(securityHeaders).redirect('/-/') : serve(request, reply)
    for (const path of prefix ? [prefix, `${prefix}/`] : ['/']) add(path, prefix ? serve : orRedirect)
    return
  }
  // A pull's own page is for people; the texts beside it are for anyone.
  if (each.path.startsWith('/:owner/'))
    add(prefix + each.path, (request, reply) => {
      const isPage = isForPeople(request) && !/\.(?:diff|patch)$/.test(request.url)
      return isPage ? reply.headers(securityHeaders).redirect(`/-${request.url}`) : serve(request, reply)
    })
  else add(prefix + each.path, serve)
  // Clients of servers with `/api/v3` look for it beside that.
  if (each.path === '/graphql' && prefix) add('/api/graphql', serve)
  const ofRepository = '/repos/:owner/:repo'
  if (each.path.startsWith(ofRepository) && each.door.kind === 'repository')
    add(`${prefix}/repositories/:repository_id${each.path.slice(ofRepository.length)}`, serve)
}

/** Addresses for people (`html_url`) lead to the page. */
function addPages(router: Router<Handler>, forge: Forge, unknown: Handler): void {
  const lead =
    (addressOf: (request: FastifyRequest, login: string) => string): Handler =>
    async (request, reply) => {
      const { owner } = request.params as { owner: string }
      // A NUL is in no name, and PostgreSQL takes none.
      const found = isForPeople(request) && !owner.includes('\0') && (await forge.people.find(owner))
      return found ? reply.headers(securityHeaders).redirect(addressOf(request, found.login)) : unknown(request, reply)
    }
  router.add(
    'GET',
    '/:owner',
    lead((_request, login) => `/-/${login}`),
  )
  router.add(
    'GET',
    '/:owner/*',
    lead(({ url }) => `/-${url}`),
  )
}

/** What a browser asks before a page of another origin may. It comes without credentials, so it costs nothing of its address's hour. */
const preflightRoute = route('OPTIONS /*', {
  id: 'preflight',
  summary: 'Whether a page of another origin may ask.',
  door: anyone,
  points: 1,
  isFree: true,
  handle: () => ({ status: 204, headers: preflightHeaders }),
})

/** Every method: the pipeline refuses it with a 404 once it knows who asks. */
const unknownRoute = route('GET /*', {
  id: 'what-is-not-served',
  summary: 'Anything else.',
  door: anyone,
  async handle() {
    throw new Failure('not-found', 'no-route', noRoute)
  },
})
