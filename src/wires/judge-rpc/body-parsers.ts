/** Parsers of bodies: a small one is read whole, a large one as it arrives, whatever its content type. */
import type { FastifyInstance } from 'fastify'

export const maxBodyBytes = 96 * 1024 * 1024
/** A longer body, or one without a content length, is read as it arrives. */
const smallBodyBytes = 1024 * 1024

/** These replace the client's content type, so that Fastify finds the parser without parsing the header. */
const smallType = 'application/json'
const largeType = 'application/large'

/** The handler gets a small body as a Buffer, and a large one as a stream. */
export function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  const small = { parseAs: 'buffer', bodyLimit: smallBodyBytes } as const
  server.addContentTypeParser(smallType, small, (_request, body, done) => done(null, body))
  server.addContentTypeParser(largeType, (request, payload, done) => {
    const isTooLarge = Number(request.headers['content-length']) > maxBodyBytes
    done(isTooLarge ? Object.assign(new Error('The body is too large.'), { statusCode: 413 }) : null, payload)
  })
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers } = request
    headers['content-type'] = Number(headers['content-length']) <= smallBodyBytes ? smallType : largeType
    done()
  })
}
