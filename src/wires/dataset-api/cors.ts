/** Cross-origin requests: open to every page, without credentials of the browser's own. */
import type { FastifyInstance } from 'fastify'
import { exposedHeaders } from './item-headers.ts'

export function addCors(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', exposedHeaders)
    // The answers are for other pages to read: that is what they are allowed above.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    done()
  })
  server.options('/*', async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
        // Fetch standard: the star stands for every name but Authorization.
        'access-control-allow-headers': 'Authorization, *',
        'access-control-max-age': '86400',
      })
      .send(),
  )
}
