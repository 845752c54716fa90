/** Bodies that a wire reads itself, as streams, whatever their content type says. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const bodyTypeErrors: ReadonlySet<string> = new Set([
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
])

type OnError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => unknown

const rethrow: OnError = (error) => {
  throw error
}

/** A pack is never held whole. A content type that Fastify can't read counts as any other; `onError` gets all other errors. */
export function takeBodiesAsStreams(server: FastifyInstance, onError: OnError = rethrow): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  server.setErrorHandler((error: FastifyError, request, reply) => {
    if (!bodyTypeErrors.has(error.code) || request.body !== undefined) return onError(error, request, reply)
    request.body = request.raw
    return request.routeOptions.handler.call(server, request, reply)
  })
}
