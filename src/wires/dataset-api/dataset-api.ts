/** The data sets' wire, under /v2: authentication, rate limits and routes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '../../base/failure.ts'
import { http } from '../../base/http.ts'
import { payerOf } from '../byte-budget.ts'
import { HttpRequest } from '../http-request.ts'
import { onceClosed } from '../response.ts'
import { makeRouter } from '../router.ts'
import { preflightHeaders } from './cors.ts'
import { makeDatasetRoutes } from './datasets.ts'
import { errorBody, sendError } from './errors.ts'
import { makeItemRoutes } from './items.ts'
import { makeLimits } from './limits.ts'
import { makeLiveRoutes } from './live.ts'
import { Reply } from './reply.ts'
import { identifyCaller } from './request.ts'
import type { DatasetApi, Handler, Routes } from './route.ts'
import { noteUnknownParameters } from './unknown-parameters.ts'
import { makeUserRoutes } from './users.ts'

export type DatasetWire = {
  /** Serves what is below /v2, and answers whether it is: to come by Fastify would cost more than to read a data set. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

const prefix = '/v2'
/** Those that no address takes are refused in this wire's own words, too. */
const methods = http.METHODS.filter((method) => method !== 'OPTIONS' && method !== 'CONNECT')

/** What a route does with a request; what it answers is sent, unless it has sent something itself. */
type Serve = (request: HttpRequest, reply: Reply) => Promise<object | undefined>
type Served = { readonly route: string; readonly serve: Serve }

export function makeDatasetApi(needs: DatasetApi): DatasetWire {
  const { identify, log, budget, clock, observe, beginRequest, trustsProxy } = needs
  const limit = makeLimits({ ...needs, isOn: needs.limits === 'on' })
  const routes: Routes = {
    ...makeDatasetRoutes(needs),
    ...makeItemRoutes(needs),
    ...makeLiveRoutes(needs),
    ...makeUserRoutes(needs),
  }
  const router = makeRouter<Served>()
  const add = (method: string, path: string, serve: Serve) =>
    router.add(method, prefix + path, { route: prefix + path, serve })

  const refuseAddress: Serve = async (request, reply) => {
    // A wrong token is refused anywhere.
    await identifyCaller(identify, request, clock)
    reply.code(404)
    return errorBody('record-not-found', 'There is nothing at this address.')
  }
  for (const method of methods) add(method, '/*', refuseAddress)
  add('OPTIONS', '/*', async (_request, reply) => {
    reply.code(204).headers(preflightHeaders).send()
    return undefined
  })

  for (const [path, handlers] of Object.entries(routes)) {
    for (const method of methods) {
      const handler = handlers[method] ?? refuseMethod(Object.keys(handlers))
      const isServed = method in handlers
      add(method, path, async (request, reply) => {
        const actor = await identifyCaller(identify, request, clock)
        await limit(actor, request, reply, { path, isServed })
        noteUnknownParameters(request, reply, path)
        const hold = () => {
          const held = budget.hold(payerOf(actor), () => reply.raw.destroy())
          onceClosed(reply.raw, held.release)
          return held
        }
        reply.payBy(hold)
        return handler({ actor, request, reply, hold, identifyAgain: () => identifyCaller(identify, request, clock) })
      })
    }
  }

  async function answer(serve: Serve, request: HttpRequest, reply: Reply): Promise<void> {
    try {
      const body = await serve(request, reply)
      if (body !== undefined) await reply.send(body)
    } catch (error) {
      sendError(error as Error, request, reply, log)
    }
  }

  return {
    serve(raw, response) {
      const { method = '', url = '/' } = raw
      const found = mayBeOurs.test(url) ? router.find(method, url) : undefined
      if (!found) return false
      const { handler, params } = found
      const request = new HttpRequest(raw, beginRequest(raw), params, trustsProxy)
      void answer(handler.serve, request, new Reply(request, response, handler.route, observe))
      return true
    },
  }
}

/** The prefix, which may be escaped like any other part of a path. */
const mayBeOurs = /^\/(?:v2|v%|%)/

const refuseMethod =
  (allowed: readonly string[]): Handler =>
  async ({ reply }) => {
    reply.header('allow', allowed.join(', '))
    throw new Failure('invalid', 'method-not-allowed', `This address takes ${allowed.join(', ')}.`)
  }
