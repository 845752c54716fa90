/** CORS: every page may send requests, without the browser's own credentials. */
import type { FastifyInstance } from 'fastify'
import { exposedHeaders } from './item-headers.ts'

export function addCors(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', exposedHeaders)
    // Other pages may read the responses, as the first header allows them.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    done()
  })
  server.options('/*', async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
        // In the Fetch standard the star stands for every header but Authorization.
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '86400',
      })
      .send(),
  )
}
