/** The data sets' wire, under /v2: authentication, rate limits and routes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../base/failure.ts'
import { payerOf } from '../byte-budget.ts'
import { addCors } from './cors.ts'
import { makeDatasetRoutes } from './datasets.ts'
import { errorBody, sendError } from './errors.ts'
import { makeItemRoutes } from './items.ts'
import { makeLimits } from './limits.ts'
import { makeLiveRoutes } from './live.ts'
import { identifyCaller } from './request.ts'
import type { DatasetApi, Handler, Routes } from './route.ts'
import { noteUnknownParameters } from './unknown-parameters.ts'
import { makeUserRoutes } from './users.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export async function datasetApi(server: FastifyInstance, needs: DatasetApi): Promise<void> {
  const { identify, log, budget } = needs
  const limit = makeLimits({ ...needs, isOn: needs.limits === 'on' })
  const routes: Routes = {
    ...makeDatasetRoutes(needs),
    ...makeItemRoutes(needs),
    ...makeLiveRoutes(needs),
    ...makeUserRoutes(needs),
  }

  addCors(server)
  // The body is JSON whatever its content type says, even an invalid one; each handler reads it itself.
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.headers['content-type'] !== undefined) request.headers['content-type'] = 'application/json'
    done()
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  server.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply, log))
  const nothing = async (request: FastifyRequest, reply: FastifyReply) => {
    // A wrong token is refused anywhere.
    await identifyCaller(identify, request)
    return reply.code(404).send(errorBody('record-not-found', 'There is nothing at this address.'))
  }
  server.setNotFoundHandler(nothing)
  // Another wire takes every path without a route, so this one claims all below its prefix.
  server.route({ method: [...methods], url: '/*', exposeHeadRoute: false, handler: nothing })

  for (const [url, handlers] of Object.entries(routes)) {
    const allowed = Object.keys(handlers)
    for (const method of methods) {
      const handler = handlers[method] ?? refuseMethod(allowed)
      server.route({
        method,
        url,
        exposeHeadRoute: false,
        handler: async (request, reply) => {
          const actor = await identifyCaller(identify, request)
          await limit(actor, request, reply, method in handlers)
          noteUnknownParameters(request, reply, url)
          const hold = () => {
            const held = budget.hold(payerOf(actor), () => reply.raw.destroy())
            reply.raw.once('close', held.release)
            return held
          }
          return handler({ actor, request, reply, hold, identifyAgain: () => identifyCaller(identify, request) })
        },
      })
    }
  }
}

const refuseMethod =
  (allowed: readonly string[]): Handler =>
  async ({ reply }) => {
    reply.header('allow', allowed.join(', '))
    throw new Failure('invalid', 'method-not-allowed', `This address takes ${allowed.join(', ')}.`)
  }
