/** The data set API, a plugin below /v2: authentication, rate limits and routes. */
import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, RouteOptions } from 'fastify'
import { payerOf } from '../../http/byte-budget.ts'
import { onceClosed } from '../../http/once-closed.ts'
import { securityHeaders } from '../../http/security-headers.ts'
import { takeBodiesAsStreams } from '../../http/streamed-bodies.ts'
import { Failure } from '../../lib/failure.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import { makeDatasetRoutes } from './datasets.ts'
import { errorBody, sendError } from './errors.ts'
import { makeItemRoutes } from './items.ts'
import { makeLimits } from './limits.ts'
import { makeLiveRoutes } from './live.ts'
import { type DatasetRequest, identifyCaller } from './request.ts'
import type { DatasetApi, Handler, Routes } from './route.ts'
import { sendWhole } from './sending.ts'
import { noteUnknownParameters } from './unknown-parameters.ts'
import { makeUserRoutes } from './users.ts'

/** Methods without a route are refused in this API's error format, too. */
const methods = METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

export async function datasetApi(app: FastifyInstance, needs: DatasetApi): Promise<void> {
  const { identify, log, budget, clock } = needs
  const limit = makeLimits({ ...needs, isOn: needs.limits === 'on' })
  const routes: Routes = {
    ...makeDatasetRoutes(needs),
    ...makeItemRoutes(needs),
    ...makeLiveRoutes(needs),
    ...makeUserRoutes(needs),
  }

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...securityHeaders, ...corsHeaders })
  })
  takeBodiesAsStreams(app, (error, request, reply) => sendError(error, request, reply, log))
  app.options('/*', async (_request, reply) => reply.code(204).headers(preflightHeaders).send())
  app.route({
    method: methods,
    url: '/*',
    handler: async (request, reply) => {
      // A wrong token is refused at unknown addresses, too.
      await identifyCaller(identify, request as DatasetRequest, clock)
      return reply.code(404).send(errorBody('record-not-found', 'This address does not exist.'))
    },
  })
  for (const [path, handlers] of Object.entries(routes)) {
    for (const method of methods) {
      const handler = serve(path, method in handlers, handlers[method] ?? refuseMethod(Object.keys(handlers)))
      app.route({ method, url: path, exposeHeadRoute: false, handler: handler as RouteOptions['handler'] })
    }
  }

  function serve(path: string, isServed: boolean, handle: Handler) {
    return async (request: DatasetRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const actor = await identifyCaller(identify, request, clock)
      await limit(actor, request, reply, { path, isServed })
      noteUnknownParameters(request, reply, path)
      const hold = () => {
        const held = budget.hold(payerOf(actor), () => reply.raw.destroy())
        onceClosed(reply.raw, held.release)
        return held
      }
      const identifyAgain = () => identifyCaller(identify, request, clock)
      const answer = await handle({ actor, request, reply, hold, identifyAgain })
      if (answer === undefined) return reply
      reply.type('application/json; charset=utf-8')
      sendWhole({ request, reply, hold }, Buffer.from(JSON.stringify(answer)))
      return reply
    }
  }
}

const refuseMethod =
  (allowed: readonly string[]): Handler =>
  async ({ reply }) => {
    reply.header('allow', allowed.join(', '))
    throw new Failure('invalid', 'method-not-allowed', `This address takes ${allowed.join(', ')}.`)
  }
