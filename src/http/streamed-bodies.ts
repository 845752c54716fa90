/**
 * Stops large bodies from filling the memory: interfaces read them as streams, whatever their content type, and charge
 * what they hold to the byte budget.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../lib/failure.ts'
import type { Hold } from './byte-budget.ts'

const bodyTypeErrors: ReadonlySet<string> = new Set([
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
])

type OnError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => unknown

const rethrow: OnError = (error) => {
  throw error
}

type TakeBody = (request: FastifyRequest, payload: IncomingMessage) => Promise<unknown>

const asStream: TakeBody = async (_request, payload) => payload

/** Packs are never held whole. A content type unknown to Fastify counts as any other; `onError` gets other errors. */
export function takeBodiesAsStreams(server: FastifyInstance, onError: OnError = rethrow, take = asStream): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', take)
  server.setErrorHandler(async (error: FastifyError, request, reply) => {
    if (!bodyTypeErrors.has(error.code) || request.body !== undefined) return onError(error, request, reply)
    // Fastify does not call this handler again for errors thrown below.
    // Fastify has set the status 415 by now.
    reply.code(200)
    try {
      request.body = await take(request, request.raw)
      return await request.routeOptions.handler.call(server, request, reply)
    } catch (failed) {
      return onError(failed as FastifyError, request, reply)
    }
  })
}

/** Reads a whole body up to a bound, charged to `hold` from its first chunk on. */
export async function readBody(stream: Readable | undefined, maxBytes: number, hold: Hold): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    // The stream is not destroyed when the body is too long: the answer still has to be sent on its connection.
    for await (const chunk of stream?.iterator({ destroyOnReturn: false }) ?? []) {
      size += chunk.length
      if (size > maxBytes) throw new Failure('invalid', 'too-large', `The body is over ${maxBytes} bytes.`)
      await hold.take(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Failure) throw error
    // Reading fails only if the client leaves.
    throw new Failure('invalid', 'bad-request', 'The body broke off.')
  }
  return Buffer.concat(chunks)
}

/** A body on its way to a file, charged to `hold` as it arrives. */
export async function* payAsItComes(stream: Readable | undefined, hold: Hold): AsyncGenerator<Buffer> {
  for await (const chunk of stream?.iterator({ destroyOnReturn: false }) ?? []) {
    await hold.take(chunk.length)
    yield chunk
  }
}

/** Drains the rest of a body, instead of feeding it to a decompressor that nobody reads any more. */
export function resumeRequest(request: FastifyRequest): void {
  const body = request.body as Readable | undefined
  body?.unpipe()
  body?.resume()
}
