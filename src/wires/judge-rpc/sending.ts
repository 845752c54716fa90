/** Sends responses: writes head and body in one write, past Fastify. */
// `globalThis.performance` is a getter; importing it is measurably faster.
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Observe, securityHeaders } from '../response.ts'
import type { RpcAnswer } from './protocol.ts'
import { serializeAnswer } from './serialized-result.ts'

/** A flat list of names and values, which Node writes without making an object of it first. */
const fixedHeaders: readonly string[] = Object.entries(securityHeaders).flat()

/** Writes the head. Fastify would add a charset, which application/json does not have. */
export function beginAnswer(request: FastifyRequest, reply: FastifyReply, status: number, length?: number): void {
  const headers = [...fixedHeaders, 'x-request-id', request.id]
  if (status !== 204) headers.push('content-type', 'application/json')
  if (length) headers.push('content-length', String(length))
  // The connection closes after a body that was not read to its end.
  if (reply.hasHeader('connection')) headers.push('connection', 'close')
  // Each call of a batch that signs in or out sets a cookie; the client keeps the last.
  for (const cookie of [reply.getHeader('set-cookie') ?? []].flat()) headers.push('set-cookie', String(cookie))
  reply.hijack()
  reply.raw.writeHead(status, headers)
}

export type Sending = ReturnType<typeof makeSending>

export function makeSending(observe: Observe) {
  function end(request: FastifyRequest, reply: FastifyReply, startedAt: number, status: number): FastifyReply {
    observe('/', 'POST', status, performance.now() - startedAt, request.id, '/')
    return reply
  }

  function sendText(
    request: FastifyRequest,
    reply: FastifyReply,
    startedAt: number,
    text: string,
    status = text === '' ? 204 : 200,
  ): FastifyReply {
    beginAnswer(request, reply, status, Buffer.byteLength(text))
    reply.raw.end(text)
    return end(request, reply, startedAt, status)
  }

  return {
    /** Records a response that was written already. */
    end,
    sendText,
    send: (
      request: FastifyRequest,
      reply: FastifyReply,
      startedAt: number,
      answer?: RpcAnswer | RpcAnswer[],
      status?: number,
    ) => sendText(request, reply, startedAt, answer ? serializeAnswer(answer) : '', status),
  }
}
