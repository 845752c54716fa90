/**
 * The forge's API: a plugin with a route for each declaration, at `/` and below `/api/v3`. It owns every path that no
 * other plugin does.
 */
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import type { Webhooks } from '../../forge/webhooks/webhook-services.ts'
import { noRoute } from '../../http/malformed-requests.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { takeBodiesAsStreams } from '../../http/streamed-bodies.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { originOf } from '../identity/origin.ts'
import { isForPeople } from '../response.ts'
import { anyone } from './doors.ts'
import { makePages, type PageNeeds, type Pages } from './pages/pages.ts'
import { toErrorAnswer } from './pipeline/errors.ts'
import { preflightHeaders } from './pipeline/headers.ts'
import { makePipeline, type Pipeline, type PipelineNeeds, type Serve } from './pipeline/pipeline.ts'
import type { RestRequest } from './pipeline/request-context.ts'
import { type Route, route } from './route.ts'
import type { PayloadServices } from './webhooks/part.ts'
import { makeComposer } from './webhooks/payloads.ts'

export type ForgeRestNeeds = PipelineNeeds & {
  readonly routes: readonly Route[]
  readonly pages: Omit<PageNeeds, 'identify'>
  readonly webhooks: Webhooks
  readonly payloadServices: PayloadServices
  /** Builds the payload of the site's hooks for a finished submission. */
  readonly presentSubmission: (viewer: Actor, id: number) => Promise<object>
}

const prefixes = ['', '/api/v3']
const uploadPath = '/repos/:owner/:repo/releases/:release_id/assets'

export async function forgeRest(app: FastifyInstance, needs: ForgeRestNeeds): Promise<void> {
  const { routes, webhooks, baseUrl, log, identify } = needs
  const pipeline = makePipeline(needs)
  webhooks.defineComposing(makeComposer(needs.payloadServices, baseUrl, needs.presentSubmission))
  takeBodiesAsStreams(app, (error, request, reply) => sendFailure(error, request as RestRequest, reply, log, baseUrl))

  const unknownOf = new Map(prefixes.map((prefix) => [prefix, pipeline(unknownRoute, prefix)]))
  const unknown: Serve = (request, reply) => {
    const prefix = prefixes.findLast((each) => each !== '' && request.url.startsWith(`${each}/`)) ?? ''
    return unknownOf.get(prefix)!(request, reply)
  }
  const pages = makePages({ ...needs.pages, identify })
  const add = (method: Route['method'], url: string, name: string, serve: Serve) =>
    app.route({
      // Node sends no body to a HEAD; otherwise it is handled as a GET.
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      url,
      config: { name },
      handler: serve as RouteOptions['handler'],
    })
  for (const prefix of prefixes) {
    for (const each of routes) addRoute(add, pipeline, pages, each, prefix)
    for (const url of prefix ? [prefix, `${prefix}/*`] : ['/', '/*'])
      add('OPTIONS', url, `${prefix}/*`, pipeline(preflightRoute, prefix))
  }
  for (const url of ['/:owner', '/:owner/*']) add('GET', url, '/*', pages.orPage(unknown))
  app.setNotFoundHandler(unknown as RouteOptions['handler'])
}

/** The pipeline answers every failure that it can; this is the fallback when the pipeline itself fails. */
function sendFailure(
  error: unknown,
  request: RestRequest,
  reply: FastifyReply,
  log: Log,
  baseUrl: string | undefined,
): FastifyReply {
  const docsUrl = `${originOf(request, baseUrl)}/-/docs/forge#errors`
  const answer = toErrorAnswer(error, { docsUrl, resource: 'Request', requestId: request.id, log })
  return reply
    .code(answer.status)
    .headers({ ...securityHeaders, ...answer.headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.body))
}

type Add = (method: Route['method'], url: string, name: string, serve: Serve) => unknown

function addRoute(add: Add, pipeline: Pipeline, pages: Pages, each: Route, prefix: string): void {
  const serve = pipeline(each, prefix)
  const name = prefix + each.path
  if (each.path === '/') {
    const orRedirect: Serve = async (request, reply) =>
      isForPeople(request) ? pages.redirect(reply, '/-/') : serve(request, reply)
    for (const url of prefix ? [prefix, `${prefix}/`] : ['/']) add(each.method, url, name, prefix ? serve : orRedirect)
    return
  }
  add(each.method, name, name, prefix || each.method !== 'GET' ? serve : beside(pages, each.path, serve))
  // Clients of servers with `/api/v3` look for GraphQL at `/api/graphql`.
  if (each.path === '/graphql' && prefix) add(each.method, '/api/graphql', name, serve)
  // And they send the files of releases there.
  if (each.path === uploadPath && each.method === 'POST' && prefix) add('POST', `/api/uploads${each.path}`, name, serve)
  const ofRepository = '/repos/:owner/:repo'
  if (each.path.startsWith(ofRepository) && each.door.kind === 'repository')
    add(each.method, `${prefix}/repositories/:repository_id${each.path.slice(ofRepository.length)}`, name, serve)
}

/** REST routes whose path is also that of a page. */
function beside(pages: Pages, path: string, serve: Serve): Serve {
  if (path === '/:owner/:repo/pull/:file') {
    // A pull's own path is a page for people; its diff and patch are for anyone.
    const page = pages.orPage(serve)
    return (request, reply) => (/\.(?:diff|patch)$/.test(request.url) ? serve : page)(request, reply)
  }
  if (path === '/notifications')
    return async (request, reply) => (isForPeople(request) ? pages.redirect(reply, '/-/inbox') : serve(request, reply))
  if (path === '/orgs/:org' || path === '/orgs/:org/teams/:team_slug') return pages.orOrganisation(serve)
  if (path === '/apps/:app_slug') return pages.orApp(serve)
  return path.startsWith('/admin/') ? pages.orPage(serve) : serve
}

/**
 * A preflight, which browsers send before a request of another origin. It has no credentials, so it is not charged to
 * the address's hourly limit.
 */
const preflightRoute = route('OPTIONS /*', {
  id: 'preflight',
  summary: 'Whether a page of another origin may ask.',
  door: anyone,
  points: 1,
  isFree: true,
  handle: () => ({ status: 204, headers: preflightHeaders }),
})

/** For every method: the pipeline answers 404 once it has identified the caller. */
const unknownRoute = route('GET /*', {
  id: 'what-is-not-served',
  summary: 'Anything else.',
  door: anyone,
  async handle() {
    throw new Failure('not-found', 'no-route', noRoute)
  },
})
