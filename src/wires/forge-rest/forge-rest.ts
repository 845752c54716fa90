/** The forge's wire. It owns every path that no other wire does, so the answer to an unknown one is its own. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../accounts/actor.ts'
import { recover } from '../../base/awaitable.ts'
import { Failure } from '../../base/failure.ts'
import type { Forge } from '../../forge/forge.ts'
import { HttpRequest } from '../http-request.ts'
import { originOf } from '../origin.ts'
import { isForPeople, noRoute, securityHeaders } from '../response.ts'
import { type Found, makeRouter, type Router } from '../router.ts'
import { anyone } from './doors.ts'
import { toErrorAnswer } from './pipeline/errors.ts'
import { preflightHeaders } from './pipeline/headers.ts'
import { makePipeline, type Pipeline, type PipelineNeeds } from './pipeline/pipeline.ts'
import { type Route, route } from './route.ts'
import { routes } from './routes.ts'
import { makeComposer } from './webhooks/payloads.ts'

export type ForgeRestNeeds = PipelineNeeds & {
  /** Names a request, and makes its name known to all that works for it. */
  readonly beginRequest: (request: IncomingMessage) => string
  readonly trustsProxy: boolean
  /** What hooks of the site are told of a finished submission. */
  readonly presentSubmission: (viewer: Actor, id: number) => Promise<object>
}

export type ForgeRest = {
  /** Serves what has one of this wire's own addresses, and answers whether it has: to come by Fastify would double the cost of a poll. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  /** Whether it will be served so. It says no of the root, and of an address with escapes, which may have to be mended first. */
  isOwn(request: IncomingMessage): boolean
  /** Serves what no other wire has an address for. */
  plugin(server: FastifyInstance): Promise<void>
}

type Handler = (request: HttpRequest, response: ServerResponse) => unknown

const prefixes = ['', '/api/v3']

export function makeForgeRest(needs: ForgeRestNeeds): ForgeRest {
  const { forge, baseUrl, beginRequest, trustsProxy, log } = needs
  const pipeline = makePipeline(needs)
  forge.webhooks.defineComposing(makeComposer(forge, baseUrl, needs.presentSubmission))
  const unknownOf = new Map(prefixes.map((prefix) => [prefix, pipeline(unknownRoute, prefix)]))
  const unknown: Handler = (request, response) => {
    const prefix = prefixes.findLast((each) => each !== '' && request.url.startsWith(`${each}/`)) ?? ''
    return unknownOf.get(prefix)!(request, response)
  }
  const own = makeRouter<Handler>()
  /** Beside these are addresses of other wires, which come first. */
  const shared = makeRouter<Handler>()
  for (const prefix of prefixes) {
    for (const each of routes) addRoute(isOwn(each.path) ? own : shared, pipeline, each, prefix)
    for (const path of prefix ? [prefix, `${prefix}/*`] : ['/', '/*'])
      shared.add('OPTIONS', path, pipeline(preflightRoute, prefix))
  }
  addPages(shared, forge, unknown)

  /** The pipeline answers every failure it can; this is for when not even that can be done. */
  function fail(request: HttpRequest, response: ServerResponse, error: unknown): void {
    const docsUrl = `${originOf(request, baseUrl)}/-/docs/hosting#errors`
    const answer = toErrorAnswer(error, { docsUrl, resource: 'Request', requestId: request.id, log })
    if (response.headersSent) return void (response.writableEnded || response.destroy())
    const text = JSON.stringify(answer.body)
    const headers = { ...securityHeaders, ...answer.headers, 'content-type': 'application/json; charset=utf-8' }
    response.writeHead(answer.status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
  }

  function run({ handler, params }: Found<Handler>, id: string, raw: IncomingMessage, response: ServerResponse): void {
    const request = new HttpRequest(raw, id, params, trustsProxy)
    void recover(
      () => handler(request, response),
      (error) => fail(request, response, error),
    )
  }

  const find = (router: Router<Handler>, { method = '', url = '/' }: IncomingMessage) =>
    router.find(method === 'HEAD' ? 'GET' : method, url)

  return {
    serve(request, response) {
      const found = find(own, request)
      if (!found) return false
      run(found, beginRequest(request), request, response)
      return true
    },

    isOwn: (request) => request.url !== '/' && !request.url?.includes('%') && find(own, request) !== undefined,

    async plugin(server) {
      // Before Fastify looks at the body, which the pipeline reads, whatever its content type says.
      server.addHook('onRequest', ({ id, raw }, reply) => {
        reply.hijack()
        run(find(shared, raw) ?? { handler: unknown, params: {} }, id, raw, reply.raw)
      })
      const handler = () => {}
      server.all('/*', handler)
      server.setNotFoundHandler(handler)
    },
  }
}

/** Whether no other wire has addresses that begin so. */
const isOwn = (path: string): boolean => /^\/(?:[a-z]|-\/|$)/.test(path)

function addRoute(router: Router<Handler>, pipeline: Pipeline, each: Route, prefix: string): void {
  const add = (path: string, handler: Handler) => router.add(each.method, path, handler)
  const serve = pipeline(each, prefix)
  if (each.path === '/') {
    const orRedirect: Handler = (request, response) =>
      isForPeople(request) ? redirect(response, '/-/') : serve(request, response)
    for (const path of prefix ? [prefix, `${prefix}/`] : ['/']) add(path, prefix ? serve : orRedirect)
    return
  }
  // A pull's own page is for people; the texts beside it are for anyone.
  if (each.path.startsWith('/:owner/'))
    add(prefix + each.path, (request, response) => {
      const isPage = isForPeople(request) && !/\.(?:diff|patch)$/.test(request.url)
      return isPage ? redirect(response, `/-${request.url}`) : serve(request, response)
    })
  else add(prefix + each.path, serve)
  // Clients of servers with `/api/v3` look for it beside that.
  if (each.path === '/graphql' && prefix) add('/api/graphql', serve)
  const ofRepository = '/repos/:owner/:repo'
  if (each.path.startsWith(ofRepository) && each.door.kind === 'repository')
    add(`${prefix}/repositories/:repository_id${each.path.slice(ofRepository.length)}`, serve)
}

const redirect = (response: ServerResponse, location: string): void =>
  void response.writeHead(302, { ...securityHeaders, location, 'content-length': 0 }).end()

/** Addresses for people (`html_url`) lead to the page. */
function addPages(router: Router<Handler>, forge: Forge, unknown: Handler): void {
  const lead =
    (addressOf: (request: HttpRequest, login: string) => string): Handler =>
    async (request, response) => {
      const { owner = '' } = request.params
      // A NUL is in no name, and PostgreSQL takes none.
      const found = isForPeople(request) && !owner.includes('\0') && (await forge.people.find(owner))
      return found ? redirect(response, addressOf(request, found.login)) : unknown(request, response)
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
