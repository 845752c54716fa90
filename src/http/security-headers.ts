/** The security headers of every answer: no file of ours may be taken for a page or a script, or be framed. */
import type { FastifyInstance } from 'fastify'

export const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

/** Adds them to all answers of a plugin. */
export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, ...securityHeaders })
  })
}
