/** How a body is taken in: a small one whole, a large one as it arrives, whatever type the client says it is of. */
import type { FastifyInstance } from 'fastify'

export const maxBodyBytes = 96 * 1024 * 1024
/** Longer ones, and those whose length is not told, are read as they arrive. */
const smallBodyBytes = 1024 * 1024

/** Names for our own use: these are found without taking them apart, and no client's type is looked at. */
const smallType = 'application/json'
const largeType = 'application/large'

/** A small body comes to the handler as a Buffer, a large one as a stream. */
export function takeBodies(server: FastifyInstance): void {
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
