/** One Fastify on one port, the wires plugged in, and who owns which path. */
import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { hideSecrets } from './base/log.ts'
import type { House } from './house.ts'
import { makeMetrics } from './metrics.ts'
import { makeAuthenticate } from './wires/authenticate.ts'
import { datasetApi } from './wires/dataset-api/dataset-api.ts'
import { forgeRest } from './wires/forge-rest/forge-rest.ts'
import { judgeRpc } from './wires/judge-rpc/judge-rpc.ts'
import { makeMethods } from './wires/judge-rpc/methods.ts'

/** What a wire does not say otherwise. */
const defaultBodyLimit = 1024 * 1024

export async function makeServer(house: House): Promise<FastifyInstance> {
  const { settings, log } = house
  const metrics = makeMetrics()
  const server = Fastify({
    logger: false,
    genReqId: () => randomUUID(),
    trustProxy: settings.trustProxy === 'on',
    bodyLimit: defaultBodyLimit,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 1024, ignoreDuplicateSlashes: false },
  })

  server.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('x-request-id', request.id)
    reply.raw.setHeader('x-content-type-options', 'nosniff')
    reply.raw.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
    reply.raw.setHeader('referrer-policy', 'no-referrer')
  })
  server.addHook('onResponse', async (request, reply) => {
    metrics.observe(request.routeOptions.url ?? 'unknown', request.method, reply.statusCode, reply.elapsedTime)
    if (!log.isLevelEnabled('debug')) return
    const { method, id } = request
    // A query may carry a token.
    log.debug({ requestId: id, method, url: hideSecrets(request.url), status: reply.statusCode, ms: reply.elapsedTime })
  })

  server.get('/healthz', async () => ({ status: 'ok' }))
  server.get('/readyz', async (_request, reply) => {
    const { isReady, ...parts } = await house.readiness()
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready', ...parts })
  })
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.render()))

  const { baseUrl } = settings
  const authenticate = makeAuthenticate(house)
  await server.register(judgeRpc, { methods: makeMethods(house), authenticate, baseUrl, log })
  await server.register(datasetApi, { prefix: '/v2' })
  await server.register(forgeRest, { baseUrl })
  return server
}
